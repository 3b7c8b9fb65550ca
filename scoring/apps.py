from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from pairing.ports import ScoreCardService
    from tournament.ports import ArchiveProvider, HigherAppUrlNames, LogProvider


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from pairing.ports import score_cards
        from tournament.ports import archive_provider, higher_app_url_names, log_provider

        archive_provider.set_provider(_make_archive_provider)
        score_cards.set_provider(_make_score_card_service)
        log_provider.set_provider(_make_log_provider)
        higher_app_url_names.set_provider(_make_url_names)


def _make_score_card_service() -> ScoreCardService:
    from scoring import for_pairing

    return for_pairing


def _make_log_provider() -> LogProvider:
    from scoring import for_tournament

    return for_tournament


def _make_archive_provider() -> ArchiveProvider:
    from scoring.archive.services import backups

    return backups


def _make_url_names() -> HigherAppUrlNames:
    from tournament.ports import HigherAppUrlNames

    return HigherAppUrlNames(
        desk="scoring:desk_today",
        match_cards="scoring:match_cards",
        rounds="scoring:rounds",
        rounds_wall="scoring:rounds_wall",
        post_round="scoring:begin_round",
    )
