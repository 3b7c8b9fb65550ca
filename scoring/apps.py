from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from pairing.ports import Cards
    from tournament.ports import Sealing


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from pairing.ports import score_cards
        from tournament.ports import sealing

        score_cards.answered_by(_cards)
        sealing.answered_by(_sealing)


def _cards() -> Cards:
    from scoring import for_pairing

    return for_pairing


def _sealing() -> Sealing:
    from scoring import for_tournament

    return for_tournament
