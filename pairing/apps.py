from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from tournament.above import Stages


class PairingConfig(AppConfig):
    name = "pairing"

    def ready(self) -> None:
        from tournament.above import stages

        stages.answered_by(_stages)


def _stages() -> Stages:
    from pairing import for_tournament

    return for_tournament
