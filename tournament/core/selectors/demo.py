"""Whether the demo is still being loaded: it was begun, and nobody has said that it is whole.

Asked of the keys of the two writes, which an index finds, not of the log: pages ask it while thousands of rows come.
"""

from typing import Final

from tournament.models import IdempotencyKey, Tournament

BEGUN: Final = "demo.begun"
LOADED: Final = "demo.loaded"


def is_loading(tournament: Tournament) -> bool:
    return tournament.is_demo and tournament.pk in _loading()


def loading_demo() -> Tournament | None:
    """The one that is being loaded now, or was when the program was interrupted."""
    return Tournament.objects.filter(pk__in=_loading()).first()


def _loading() -> set[int]:
    keys = IdempotencyKey.objects.filter(tournament__is_demo=True, verb__in=(BEGUN, LOADED))
    said = set(keys.values_list("tournament_id", "verb"))
    return {pk for pk, verb in said if verb == BEGUN and (pk, LOADED) not in said}
