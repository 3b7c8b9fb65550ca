"""Set the terms by which cards become final, and refuse changes to a final card by one person alone."""

from datetime import datetime

from django.utils.translation import gettext as _

from pairing.models import Match
from scoring.card_state.permissions import is_desk
from scoring.card_state.selectors.cards import CardState, load_match_cards
from scoring.correction_period.selectors import load_clock, load_terms
from scoring.models import CardTerms, StaffEntry
from scoring.rules.evidence.clocks import MOST_MINUTES, ClockTerms
from scoring.seals.services.sealing import log_row
from tournament.core.permissions import Actor, may, require
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Event
from tournament.templatetags.gin import local_time


def set_terms(event: Event, terms: ClockTerms, *, by: Actor, key: str = "") -> ClockTerms:
    """Set the terms for cards that are posted from now on. Posted cards keep their terms."""
    require(by, "direct", event.tournament)
    minutes = (terms.corrections, terms.rulings, terms.appeals)
    if not all(0 <= each <= MOST_MINUTES for each in minutes):
        raise DomainError(
            "bad-minutes",
            _("A period cannot be longer than seven days. Enter 0 to %(most_minutes)s minutes.")
            % {"most_minutes": MOST_MINUTES},
        )
    with writing(event, verb="card-terms.set", by=by, key=scoped_key(key, terms)) as write:
        if not write.repeated and terms != load_terms(event):
            made = CardTerms.objects.create(event=event, terms=terms.as_json(), **write.fact_fields())
            log_row(write, "card_terms", made)
            write.about(event, terms=made.pk)
    return terms


def refuse_final(write: Write, state: CardState) -> None:
    """Refuse a change of a final card by one person alone.

    Raises:
        Conflict: `final`.
    """
    clock = load_clock(state)
    if clock is not None and clock.is_final(write.at):
        raise Conflict(
            "final",
            _(
                "This card has been final since %(said)s. A director can still correct it at the desk, with a "
                "reason, and a second official confirms it."
            )
            % {"said": _said(state, clock.final_at)},
        )


def correction_kind(write: Write, state: CardState) -> str:
    """Return the kind of entry as which a correction is stored for a second official.

    Raises:
        NotAllowed: `corrections-over` if the period for scoring errors is over and the actor is not a director.
    """
    clock = load_clock(state)
    if clock is not None and clock.is_final(write.at):
        return StaffEntry.Kind.AFTER_FINAL
    if clock is None or clock.takes_corrections(write.at) or directs(write):
        return StaffEntry.Kind.CORRECTION
    raise NotAllowed(
        "corrections-over",
        _("The time to correct scoring errors ended at %(said)s. Ask the director to correct this card.")
        % {"said": _said(state, clock.corrections_until)},
    )


def refuse_final_match(write: Write, match: Match) -> None:
    """Refuse a result by the desk for a match with a final card, because it also needs a second official.

    Raises:
        Conflict: `final`.
    """
    for state in load_match_cards(match.pk):
        refuse_final(write, state)


def _said(state: CardState, moment: datetime) -> str:
    return local_time(moment, state.card.match.event.tournament)


def directs(write: Write) -> bool:
    by = write.by
    return is_desk(by, write.tournament) if by.user is None else may(by.user, "direct", write.tournament)
