"""The clock of each card: by the terms that were in force when it was posted, held while something about it is open."""

from datetime import datetime

from django.db.models import F, Q

from scoring.card_state.selectors.cards import CardState
from scoring.models import CardTerms, Dispute, StaffEntry, StaffEntryDecided
from scoring.rules.evidence.clocks import Clock, ClockTerms
from tournament.models import Event


def load_terms(event: Event, at: datetime | None = None) -> ClockTerms:
    """Those in force now, or at that moment."""
    said = CardTerms.objects.filter(event=event)
    if at is not None:
        said = said.filter(at__lte=at)
    last = said.last()
    return ClockTerms.from_json(last.terms) if last is not None else ClockTerms()


def load_clock(state: CardState) -> Clock | None:
    """None: the card does not count yet, so no clock runs."""
    since = state.clock.counts_since if state.is_posted else None
    if since is None:
        return None
    # Held while a ruling or an appeal about it is not decided.
    waiting = Q(rulings__isnull=True) | Q(rulings__appeal__isnull=False, rulings__appeal__decided__isnull=True)
    held = Dispute.objects.filter(waiting, card=state.card, dropped__isnull=True).exists()
    return Clock(since, load_terms(state.card.match.event, since), held=held)


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
