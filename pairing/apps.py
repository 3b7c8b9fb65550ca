"""The app config, which connects this app to the ports of lower-level modules when Django is ready.

A port (`tournament.ports.Port`) lets a module call functions of a higher-level module without importing it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from pairing.draws.stages.plan import StageKind
    from pairing.stages.selectors.kinds import StageKindHooks, StageKindPages
    from pairing.stages.selectors.plans import StageKindFormSpec
    from tournament.ports import StageProvider


class PairingConfig(AppConfig):
    name = "pairing"

    def ready(self) -> None:
        from pairing.stages.selectors.kinds import multi_stage_pages, stage_kind_hooks
        from pairing.stages.selectors.plans import stage_kind_form_specs
        from tournament.ports import stage_provider

        stage_provider.set_provider(_get_stage_provider)
        stage_kind_hooks.set_provider(_get_stage_kind_hooks)
        stage_kind_form_specs.set_provider(_get_stage_kind_form_specs)
        multi_stage_pages.set_provider(_get_multi_stage_pages)


def _get_stage_provider() -> StageProvider:
    from pairing import for_tournament

    return for_tournament


def _get_stage_kind_hooks() -> Mapping[StageKind, StageKindHooks]:
    from pairing.kinds import HOOKS_BY_KIND

    return HOOKS_BY_KIND


def _get_multi_stage_pages() -> StageKindPages:
    from pairing.event_pages.pages.by_kind import MULTI_STAGE_PAGES

    return MULTI_STAGE_PAGES


def _get_stage_kind_form_specs() -> Mapping[StageKind, StageKindFormSpec]:
    from pairing.kinds import STAGE_KIND_FORM_SPECS

    return STAGE_KIND_FORM_SPECS
