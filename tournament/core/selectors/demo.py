"""Tell whether the demo tournament is still being loaded: its loading has begun and has not been marked as done.

The idempotency keys of those two writes are read instead of the log, because an index finds them while thousands of
rows are written.
"""

from typing import Final

from tournament.models import IdempotencyKey, Tournament

BEGUN: Final = "demo.begun"
LOADED: Final = "demo.loaded"


def is_loading(tournament: Tournament) -> bool:
    return tournament.is_demo and tournament.pk in _loading()


def loading_demo() -> Tournament | None:
    """Return the demo that is being loaded, or whose loading was interrupted."""
    return Tournament.objects.filter(pk__in=_loading()).first()


def _loading() -> set[int]:
    keys = IdempotencyKey.objects.filter(tournament__is_demo=True, verb__in=(BEGUN, LOADED))
    said = set(keys.values_list("tournament_id", "verb"))
    return {pk for pk, verb in said if verb == BEGUN and (pk, LOADED) not in said}
