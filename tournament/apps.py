from django.apps import AppConfig


class TournamentConfig(AppConfig):
    name = "tournament"

    def ready(self) -> None:
        from django.utils.translation import gettext, ngettext

        from tournament.said import Said, SaidPlural

        Said.in_language = staticmethod(gettext)
        SaidPlural.in_plural = staticmethod(ngettext)
