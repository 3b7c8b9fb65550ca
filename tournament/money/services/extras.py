"""Extras of an event, such as a dinner: offer them, sell them to entries, and take them back.

Extras never change a prize. They can be sold after the event is finished, because a dinner may follow the final.
"""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.reasons import refuse_without
from tournament.core.services.record import Write, scoped_key, writing
from tournament.core.topics import raise_also
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, Event, EventExtra, LedgerLine
from tournament.models.topic import PRIZES
from tournament.money.selectors.extras import lines_of_extras
from tournament.money.selectors.ledger import MAY_JOIN
from tournament.money.services.ledger import add_extra_charge, take_off_side_charge

MOST_AT_ONCE: Final = 20


@dataclass(frozen=True, slots=True)
class ExtraTerms:
    """The name and the price of an extra, as a director sets them."""

    name: str
    price_cents: int

    def check(self) -> None:
        """Raise DomainError `bad-value` if the name or the price is unusable."""
        if not self.name.strip():
            raise DomainError("bad-value", _("The extra has no name. Enter one, such as Dinner."), field="name")
        if self.price_cents < 1:
            said = _("An extra has to cost something. Enter the price of one.")
            raise DomainError("bad-value", said, field="price_cents")


def add_extra(event: Event, terms: ExtraTerms, *, by: Actor, key: str = "") -> EventExtra:
    """Offer a new extra.

    Raises:
        DomainError: `bad-value`.
        Conflict: `name-taken`.
    """
    require(by, "direct", event.tournament)
    terms.check()
    with writing(event, verb="extra.added", by=by, key=scoped_key(key, terms)) as write:
        if write.repeated:
            return EventExtra.objects.get(pk=write.outcome["extra"])
        return _set(write, EventExtra(event=write.the_event), terms)


def change_extra(extra: EventExtra, terms: ExtraTerms, *, by: Actor) -> EventExtra:
    """Change the name and the price of an extra that was never sold.

    Raises:
        DomainError: `bad-value`.
        Conflict: `name-taken`, `in-use` once one was sold.
    """
    require(by, "direct", extra.event.tournament)
    terms.check()
    with writing(extra.event, verb="extra.changed", by=by) as write:
        locked = EventExtra.objects.select_related("event__tournament").get(pk=extra.pk)
        _refuse_sold(write, locked)
        return _set(write, locked, terms)


def remove_extra(extra: EventExtra, *, by: Actor) -> None:
    """Delete an extra. Raise Conflict `in-use` if one was ever sold."""
    require(by, "direct", extra.event.tournament)
    with writing(extra.event, verb="extra.removed", by=by) as write:
        _refuse_sold(write, extra)
        write.about(extra, extra=extra.pk)
        raise_also(PRIZES)
        EventExtra.objects.filter(pk=extra.pk).delete()


def sell_extra(extra: EventExtra, entrant: Entrant, count: int = 1, *, by: Actor, key: str) -> list[LedgerLine]:
    """Charge an entry for one or more extras. They are paid like any other charge.

    Raises:
        DomainError: `bad-value`.
        Conflict: `not-in-event`.
    """
    require(by, "desk", extra.event.tournament)
    if not 1 <= count <= MOST_AT_ONCE:
        said = _("Enter how many they buy, from 1 to %(most)s.") % {"most": MOST_AT_ONCE}
        raise DomainError("bad-value", said, field="count")
    with writing(extra.event, verb="extra.sold", by=by, key=scoped_key(key, extra.pk, entrant.pk, count)) as write:
        if write.repeated:
            return list(LedgerLine.objects.filter(pk__in=write.outcome["lines"]).order_by("pk"))
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        lines = [add_extra_line(write, extra, locked) for _one in range(count)]
        write.about(locked, extra=extra.pk, lines=[line.pk for line in lines], cents=sum(line.cents for line in lines))
        return lines


def add_extra_line(write: Write, extra: EventExtra, entrant: Entrant) -> LedgerLine:
    """Sell one extra inside another verb's write. Raise Conflict `not-in-event` if the entry is not in the event."""
    if entrant.event_id != extra.event_id or entrant.state not in MAY_JOIN or entrant.joined_to_id is not None:
        said = _("%(name)s is not in the event now, so they cannot buy an extra. Bring the entry in first.")
        raise Conflict("not-in-event", said % {"name": entrant.name})
    now = EventExtra.objects.get(pk=extra.pk)
    return add_extra_charge(write, entrant, now.price_cents, now.name)


def give_back_extra(line: LedgerLine, *, by: Actor, reason: str, key: str = "") -> LedgerLine:
    """Reverse one charge for an extra. What was paid for it covers other charges of the entry, or is due back.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `out-already`.
    """
    require(by, "desk", line.event.tournament)
    refuse_without(reason)
    with writing(line.event, verb="extra.given-back", by=by, key=scoped_key(key, line.pk), reason=reason) as write:
        if write.repeated:
            return LedgerLine.objects.get(pk=write.outcome["line"])
        found = lines_of_extras(write.the_event).filter(pk=line.pk, corrected_by=None).first()
        if found is None:
            raise Conflict("out-already", _("This extra was given back before. Nothing was changed."))
        return take_off_side_charge(write, found)


def _set(write: Write, extra: EventExtra, terms: ExtraTerms) -> EventExtra:
    name = EventExtra._meta.get_field("name").to_python(terms.name)
    if EventExtra.objects.filter(event=write.the_event, name__iexact=name).exclude(pk=extra.pk).exists():
        said = _("This event has an extra named %(name)s. Choose another name.") % {"name": name}
        raise Conflict("name-taken", said, field="name")
    extra.name, extra.price_cents = name, terms.price_cents
    extra.save()
    write.about(extra, extra=extra.pk, price_cents=extra.price_cents)
    return extra


def _refuse_sold(write: Write, extra: EventExtra) -> None:
    if lines_of_extras(write.the_event).filter(reference=extra.name).exists():
        said = _("This extra was sold, so its name and price stay. Add another extra.")
        raise Conflict("in-use", said)
