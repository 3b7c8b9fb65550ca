"""Refund everything that an event owes its players in one act."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.reasons import refuse_without
from tournament.core.services.record import scoped_key, writing
from tournament.errors import Conflict
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import load_books
from tournament.money.selectors.movements import kept_by_method
from tournament.money.services.ledger import add_refund


def refund_all(event: Event, cents: int, *, by: Actor, reason: str, key: str = "") -> int:
    """Refund every entry what it is owed, each by the methods it paid with, and return the number of these entries.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `changed` if the sum owed is not the sum that was shown.
    """
    require(by, "direct", event.tournament)
    refuse_without(reason)
    with writing(event, verb="ledger.refund-all", by=by, key=scoped_key(key, cents), reason=reason) as write:
        if write.repeated:
            return int(write.outcome["entries"])
        books = load_books(write.the_event)
        owed = [pk for pk, account in books.accounts.items() if account.refund_due_cents]
        if not owed or books.total.refund_due_cents != cents:
            said = _("What players are owed has changed since this page was opened. Look at the list again.")
            raise Conflict("changed", said)
        for entrant in Entrant.objects.select_related("event__tournament").filter(pk__in=owed).order_by("number"):
            for method, part in _parts(entrant, books.account(entrant.pk).refund_due_cents):
                add_refund(write, entrant, part, method, reason)
        write.about(event, entries=len(owed), cents=cents)
        return len(owed)


def _parts(entrant: Entrant, cents: int) -> Iterator[tuple[str, int]]:
    kept = kept_by_method(entrant)
    for method in sorted(kept, key=lambda one: (-kept[one], one)):
        part = min(cents, kept[method])
        if part > 0:
            yield method, part
            cents -= part
