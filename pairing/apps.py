"""The app config. When Django is ready, it connects this app to the ports that lower modules declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from pairing.draws.stages.plan import StageKind
    from pairing.stages.selectors.kinds import KindPages, KindRoom
    from pairing.stages.selectors.plans import PlannedKind
    from tournament.ports import Stages


class PairingConfig(AppConfig):
    name = "pairing"

    def ready(self) -> None:
        from pairing.stages.selectors.kinds import kind_rooms, pages_of_stages
        from pairing.stages.selectors.plans import planned_kinds
        from tournament.ports import stages

        stages.answered_by(_stages)
        kind_rooms.answered_by(_kinds)
        planned_kinds.answered_by(_planned)
        pages_of_stages.answered_by(_pages)


def _stages() -> Stages:
    from pairing import for_tournament

    return for_tournament


def _kinds() -> Mapping[StageKind, KindRoom]:
    from pairing.kinds import KINDS

    return KINDS


def _pages() -> KindPages:
    from pairing.event_pages.pages.by_kind import OF_STAGES

    return OF_STAGES


def _planned() -> Mapping[StageKind, PlannedKind]:
    from pairing.kinds import PLANNED

    return PLANNED
