from django.apps import AppConfig


class TournamentConfig(AppConfig):
    name = "tournament"

    def ready(self) -> None:
        from django.utils.translation import gettext, ngettext

        from tournament.lazy_text import LazyPlural, LazyText

        LazyText.translate_message = staticmethod(gettext)
        LazyPlural.translate_plural = staticmethod(ngettext)
