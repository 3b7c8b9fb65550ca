from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from pairing.ports import Cards
    from tournament.ports import Sealing, UpperPages


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from pairing.ports import score_cards
        from tournament.ports import sealing, upper_pages

        score_cards.set_provider(_cards)
        sealing.set_provider(_sealing)
        upper_pages.set_provider(_pages)


def _cards() -> Cards:
    from scoring import for_pairing

    return for_pairing


def _sealing() -> Sealing:
    from scoring import for_tournament

    return for_tournament


def _pages() -> UpperPages:
    from tournament.ports import UpperPages

    return UpperPages(
        desk="scoring:desk_today",
        match_cards="scoring:match_cards",
        rounds="scoring:rounds",
        rounds_wall="scoring:rounds_wall",
        post_round="scoring:begin_round",
    )
