from django.apps import AppConfig


class TournamentConfig(AppConfig):
    name = "tournament"

    def ready(self) -> None:
        from django.utils.translation import gettext

        from tournament.said import Said

        Said.in_language = staticmethod(gettext)
