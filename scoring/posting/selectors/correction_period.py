"""The clocks of posted cards. A card's clock follows the terms at its posting, and is held while a dispute is open."""

from collections.abc import Iterable

from django.db.models import F, Q

from scoring.card_state.selectors.cards import CardState
from scoring.models import CardTerms, Dispute, StaffEntry, StaffEntryDecided
from scoring.rules.sheet.card_status import Clock, ClockTerms
from tournament.core.cached import cached
from tournament.models import Event


def load_terms(event: Event) -> ClockTerms:
    last = CardTerms.objects.filter(event=event).last()
    return ClockTerms.from_json(last.terms) if last is not None else ClockTerms()


def has_committee(event: Event) -> bool:
    return cached(event.pk, (), "has committee", event.committees.exists)


def load_clock(state: CardState, *, may_be_disputed: bool = True) -> Clock | None:
    """Return the clock of a card, or None if the card does not count yet.

    Pass `may_be_disputed=False` if it is known that nobody disputed the card.
    """
    return load_clocks(state.card.match.event, [state], may_be_disputed=may_be_disputed).get(state.card.pk)


def load_clocks(event: Event, states: Iterable[CardState], *, may_be_disputed: bool = True) -> dict[int, Clock]:
    """Return the clocks of the cards that count, by the card's primary key, with two queries for all of them."""
    posted = {state.card.pk: state.clock.counts_since for state in states if state.is_posted}
    since = {card: at for card, at in posted.items() if at is not None}
    if not since:
        return {}
    # A clock is held while a ruling or an appeal about its card is pending.
    waiting = Q(rulings__isnull=True) | Q(rulings__appeal__isnull=False, rulings__appeal__decided__isnull=True)
    asked = Dispute.objects.filter(waiting, card__in=since, dropped__isnull=True)
    held = set(asked.values_list("card_id", flat=True)) if may_be_disputed else set[int]()
    rows = cached(event.pk, (), "card terms", lambda: tuple(CardTerms.objects.filter(event=event).order_by("-pk")))
    clocks = {}
    for card, at in since.items():
        row = next((row for row in rows if row.at <= at), None)
        terms = ClockTerms.from_json(row.terms) if row is not None else ClockTerms()
        clocks[card] = Clock(at, terms, held=card in held)
    return clocks


def posted_by_officials(event: Event) -> set[tuple[int, str]]:
    """Return the card and digest of each final card that two officials posted with other contents.

    Nobody signs these cards.
    """
    agreed = StaffEntryDecided.objects.filter(
        entry__card__match__event=event,
        entry__kind=StaffEntry.Kind.AFTER_FINAL,
        decision=StaffEntryDecided.Decision.AGREED,
        entry__card__postings__at=F("at"),
    ).exclude(by=F("entry__by"))
    return set(agreed.values_list("entry__card_id", "entry__card__postings__digest"))


def waiting_entries(event: Event) -> list[StaffEntry]:
    """Return the entries by staff that a second official has to confirm, oldest first."""
    found = StaffEntry.objects.filter(card__match__event=event, decided__isnull=True)
    return list(found.select_related("card__match__event__tournament"))
