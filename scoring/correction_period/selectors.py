"""The clock of each card: by the terms that were in force when it was posted, held while something about it is open."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import F, Q

from scoring.card_state.selectors.cards import CardState
from scoring.models import CardTerms, Dispute, StaffEntry, StaffEntryDecided
from scoring.rules.evidence.clocks import Clock, ClockTerms
from tournament.core.folded import folded_here
from tournament.models import Event


def load_terms(event: Event) -> ClockTerms:
    """Those in force now."""
    last = CardTerms.objects.filter(event=event).last()
    return ClockTerms.from_json(last.terms) if last is not None else ClockTerms()


def has_committee(event: Event) -> bool:
    """Whether the event has an appeals committee."""
    return folded_here(event.pk, (), "has committee", event.committees.exists)


def load_clock(state: CardState, *, disputed: bool = True) -> Clock | None:
    """None: the card does not count yet, so no clock runs. Not `disputed`: it is known that nobody disputed it."""
    return load_clocks(state.card.match.event, [state], disputed=disputed).get(state.card.pk)


def load_clocks(event: Event, states: Iterable[CardState], *, disputed: bool = True) -> dict[int, Clock]:
    """Those of cards of the event that count, by the card's key: two queries for all."""
    posted = {state.card.pk: state.clock.counts_since for state in states if state.is_posted}
    since = {card: at for card, at in posted.items() if at is not None}
    if not since:
        return {}
    # Held while a ruling or an appeal about it is not decided.
    waiting = Q(rulings__isnull=True) | Q(rulings__appeal__isnull=False, rulings__appeal__decided__isnull=True)
    asked = Dispute.objects.filter(waiting, card__in=since, dropped__isnull=True)
    held = set(asked.values_list("card_id", flat=True)) if disputed else set[int]()
    said = folded_here(event.pk, (), "card terms", lambda: tuple(CardTerms.objects.filter(event=event).order_by("-pk")))
    return {card: Clock(at, _terms_at(said, at), held=card in held) for card, at in since.items()}


def _terms_at(said: Iterable[CardTerms], at: datetime) -> ClockTerms:
    """Of those that were ever in force, the newest first."""
    found = next((one for one in said if one.at <= at), None)
    return ClockTerms.from_json(found.terms) if found is not None else ClockTerms()


def posted_by_officials(event: Event) -> set[tuple[int, str]]:
    """Card and digest of each final card that two different officials posted with another content; nobody signs it."""
    agreed = StaffEntryDecided.objects.filter(
        entry__card__match__event=event,
        entry__kind=StaffEntry.Kind.AFTER_FINAL,
        decision=StaffEntryDecided.Decision.AGREED,
        entry__card__postings__at=F("at"),
    ).exclude(by=F("entry__by"))
    return set(agreed.values_list("entry__card_id", "entry__card__postings__digest"))


def waiting_entries(event: Event) -> list[StaffEntry]:
    """What staff typed and a second person has to agree to, the oldest first."""
    found = StaffEntry.objects.filter(card__match__event=event, decided__isnull=True)
    return list(found.select_related("card__match__event__tournament"))
