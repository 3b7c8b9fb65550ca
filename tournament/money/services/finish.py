"""Money at the end of an event: record the finish, or cancel all fees if the event is called off.

If a called-off event is brought back, the fees are charged again. Refunds that were paid stay, so these fees are owed
again.
"""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from tournament.core.services.record import Write
from tournament.errors import Conflict, DomainError
from tournament.models import EndedEarly, Entrant, Event, EventExtra, Finish, LedgerLine, SidePool
from tournament.money.selectors.ledger import load_books
from tournament.money.selectors.payouts import load_paid
from tournament.money.selectors.side_pools import load_side_pools
from tournament.money.services.extras import add_extra_line
from tournament.money.services.ledger import add_cancellation, reverse_cancellation
from tournament.money.services.side_pools import add_to_side_pool

Kind = LedgerLine.Kind


def record_finish(write: Write, event: Event, places: list[list[int]]) -> Finish:
    """Inside an open write, record the order in which the event ended, best first, with ties grouped."""
    if not any(places):
        raise DomainError(
            "no-finish", _("No player has a final place, so there is nobody to pay. Correct the results first.")
        )
    finish = Finish.objects.create(event=event, places=places, **write.fact_fields())
    write.keep("finishes", finish)
    write.about(event, finish=finish.pk)
    return finish


def record_early_finish(write: Write, event: Event, places: list[list[int]]) -> Finish:
    """Inside an open write, end the event by its current standings, for the reason of the write."""
    finish = record_finish(write, event, places)
    early = EndedEarly.objects.create(finish=finish, **write.fact_fields())
    write.keep("ended_early", early)
    return finish


def refuse_prizes_paid(write: Write) -> None:
    """Raise Conflict `prizes-paid` if a prize was paid. The payouts have to be undone first."""
    if load_paid(write.the_event) or any(state.is_paid_from for state in load_side_pools(write.the_event)):
        raise Conflict("prizes-paid", _("Prizes of this event were paid. Undo these payouts on the prizes page first."))


def cancel_all_fees(write: Write) -> list[int]:
    """Cancel every charge inside an open write, and return the primary keys of the canceling lines."""
    event = write.the_event
    asked = [pk for pk, account in load_books(event).accounts.items() if account.asked_cents]
    before = LedgerLine.objects.filter(event=event).order_by("-pk").values_list("pk", flat=True).first() or 0
    for entrant in Entrant.objects.select_related("event__tournament").filter(pk__in=asked).order_by("number"):
        add_cancellation(write, entrant, only_due=False)
    return list(LedgerLine.objects.filter(event=event, pk__gt=before).order_by("pk").values_list("pk", flat=True))


def charge_again(write: Write, lines: Iterable[int]) -> None:
    """Charge the fees, side pools and extras again that these lines canceled, unless that was done already."""
    rows = LedgerLine.objects.filter(pk__in=lines, corrected_by=None).select_related(
        "entrant__event__tournament", "corrects"
    )
    for line in rows.order_by("pk"):
        if line.kind == Kind.CANCELLATION:
            reverse_cancellation(write, line)
        elif line.kind == Kind.REVERSAL and line.corrects is not None:
            _sell_again(write, line.entrant, line.corrects)


def _sell_again(write: Write, entrant: Entrant, charge: LedgerLine) -> None:
    if charge.kind == Kind.SIDE_POOL:
        pool = SidePool.objects.filter(event=write.the_event, name=charge.reference).first()
        if pool is not None:
            add_to_side_pool(write, pool, entrant)
    elif (extra := EventExtra.objects.filter(event=write.the_event, name=charge.reference).first()) is not None:
        add_extra_line(write, extra, entrant)
