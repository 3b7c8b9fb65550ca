from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from pairing.above import Cards


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from pairing.above import score_cards

        score_cards.answered_by(_cards)


def _cards() -> Cards:
    from scoring import for_pairing

    return for_pairing
