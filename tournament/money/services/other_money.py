"""Money that belongs to no entry: added money from sponsors, expenses, and tax remittances.

Rows are only added. A mistake is reversed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.reasons import refuse_without
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Event, EventMoney, Tournament
from tournament.money.selectors.withheld import withheld_here
from tournament.money.services.posting import post, refuse_finished
from tournament.templatetags.gin import money

Kind = EventMoney.Kind
MOST_CATEGORIES: Final = 60
LONGEST: Final = EventMoney._meta.get_field("category").max_length or 0


@dataclass(frozen=True, slots=True)
class Sum:
    """An amount and how it was paid. `party` gave it or was paid, and `category` is what it was for."""

    cents: int
    method: str
    party: str = ""
    category: str = ""
    reference: str = ""


def take_added_money(event: Event, given: Sum, *, by: Actor, key: str) -> EventMoney:
    """Record money from a sponsor, which joins the pool. A repeated request with the same key adds nothing.

    Raises:
        DomainError: `bad-value`.
        Conflict: `finished`.
    """
    require(by, "desk", event.tournament)
    _refuse_nothing(given)
    if not given.party.strip():
        raise DomainError("bad-value", _("The sponsor is missing. Enter who gave the money."), field="party")
    with writing(event, verb="money.added", by=by, key=scoped_key(key, given)) as write:
        if write.repeated:
            return EventMoney.objects.get(pk=write.outcome["money"])
        refuse_finished(write)
        return _add(write, Kind.ADDED, given)


def record_expense(event: Event, spent: Sum, *, by: Actor, key: str) -> EventMoney:
    """Record an expense in a category of the tournament. A repeated request with the same key adds nothing.

    Raises:
        DomainError: `bad-value`.
    """
    require(by, "direct", event.tournament)
    _refuse_nothing(spent)
    with writing(event, verb="money.spent", by=by, key=scoped_key(key, spent)) as write:
        if write.repeated:
            return EventMoney.objects.get(pk=write.outcome["money"])
        if spent.category not in write.tournament.expense_categories:
            said = _("This category is not on the list. Choose one, or add it to the categories first.")
            raise DomainError("bad-value", said, field="category")
        return _add(write, Kind.EXPENSE, spent)


def remit_withheld(event: Event, sent: Sum, *, by: Actor, reason: str, key: str) -> EventMoney:
    """Record that withheld money was sent to the tax office. A repeated request with the same key adds nothing.

    Raises:
        DomainError: `bad-value`, `reason-needed`.
        Conflict: `more-than-withheld`.
    """
    require(by, "direct", event.tournament)
    _refuse_nothing(sent)
    if not sent.party.strip():
        raise DomainError("bad-value", _("Enter who the money is sent to."), field="party")
    refuse_without(reason, _("Enter what it is sent for, such as the form and the quarter."))
    with writing(event, verb="money.remitted", by=by, key=scoped_key(key, sent), reason=reason) as write:
        if write.repeated:
            return EventMoney.objects.get(pk=write.outcome["money"])
        here = withheld_here(write.the_event)
        if sent.cents > here:
            said = _("Only %(amount)s is withheld and not sent on yet. Enter up to that much.")
            raise Conflict("more-than-withheld", said % {"amount": money(here, write.tournament.currency)})
        return _add(write, Kind.REMITTANCE, sent)


def reverse_money(row: EventMoney, *, by: Actor, reason: str, key: str = "") -> EventMoney:
    """Reverse added money, an expense or a tax remittance that was recorded by mistake.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `reversed`, `finished`.
    """
    require(by, "direct", row.event.tournament)
    refuse_without(reason)
    with writing(row.event, verb="money.reversed", by=by, key=scoped_key(key, row.pk), reason=reason) as write:
        if write.repeated:
            return EventMoney.objects.get(pk=write.outcome["money"])
        if row.reverses_id is not None or EventMoney.objects.filter(reverses=row).exists():
            raise Conflict("reversed", _("This line was reversed before. Nothing was changed."))
        if row.kind == Kind.ADDED:
            refuse_finished(write)
        again = Sum(row.cents, row.method, row.party, row.category, row.reference)
        return _add(write, Kind(row.kind), again, reverses=row)


def set_categories(tournament: Tournament, names: Iterable[str], *, by: Actor) -> list[str]:
    """Set the categories of expenses. Recorded expenses keep the category they have.

    Raises:
        DomainError: `bad-value` if there are no categories, too many, or one is too long.
    """
    require(by, "direct", tournament)
    found = list(dict.fromkeys(name for name in (" ".join(one.split()) for one in names) if name))
    if not 0 < len(found) <= MOST_CATEGORIES or any(len(name) > LONGEST for name in found):
        said = _("Enter from 1 to %(most)s categories, one per line, each up to %(longest)s letters.")
        raise DomainError("bad-value", said % {"most": MOST_CATEGORIES, "longest": LONGEST}, field="names")
    with writing(tournament, verb="money.categories", by=by) as write:
        write.tournament.expense_categories = found
        write.tournament.save(update_fields=["expense_categories"])
        write.about(tournament, categories=found)
    return found


def _refuse_nothing(given: Sum) -> None:
    if given.cents <= 0:
        raise DomainError("bad-value", _("Enter an amount above zero."), field="cents")


def _add(write: Write, kind: EventMoney.Kind, given: Sum, *, reverses: EventMoney | None = None) -> EventMoney:
    row = EventMoney.objects.create(
        event=write.the_event,
        kind=kind.value,
        cents=given.cents,
        method=given.method,
        party=given.party,
        category=given.category,
        reference=given.reference,
        reverses=reverses,
        **write.fact_fields(),
    )
    write.keep("event_money", row)
    post(write, row)
    write.about(given.party or given.category, money=row.pk, kind=kind.value, cents=given.cents)
    return row
