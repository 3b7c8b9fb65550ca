"""Confirmation by a second person: agree to an entry of another staff member, or refuse it."""

from dataclasses import replace
from functools import partial

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.cards.services.hands import LineEntry, add_line_in, correct_line_in, refuse_closed
from scoring.cards.services.table_draws import correct_draw_in
from scoring.cards.services.totals import correct_totals_in
from scoring.correction_period.services.second_official import Enter, agree_in, reason_of_both, refuse_in
from scoring.desk_entry.services.paper_cards import paper_of, write_paper
from scoring.models import StaffEntry
from scoring.posting.services.posting import settle_again
from scoring.rules.variants.variant import says_totals
from scoring.seals.services.sealing import record_posting
from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict


def agree_on_card(entry: StaffEntry, *, by: Actor, key: str = "") -> CardState:
    """Agree to an entry and write it on the card under both names. A change of a final card is posted at once.

    Raises:
        NotAllowed: `own-entry`, `needs-director`.
        Conflict: `decided`, `card-changed`, `type-again`, `not-complete`.
        DomainError: the entry itself would be refused.
    """
    event = entry.card.match.event
    require(by, "desk", event.tournament)
    reason = reason_of_both(entry, by, entry.reason, "agreed to by")
    with writing(event, verb="staff-entry.agreed", by=by, key=scoped_key(key, entry.pk), reason=reason) as write:
        state = load_card_by_pk(entry.card_id)
        if write.repeated:
            return state
        refuse_closed(write, entry.card)
        agree_in(write, entry, state, _write(write, entry, state))
        after = load_card_by_pk(entry.card_id)
        if entry.kind == StaffEntry.Kind.AFTER_FINAL and not after.is_posted:
            if not after.is_complete:
                raise Conflict("not-complete", _("With this entry nobody wins the game. Add what is missing first."))
            record_posting(write, after)
            settle_again(write, after.card)
    return load_card_by_pk(entry.card_id)


def refuse_on_card(entry: StaffEntry, *, by: Actor, reason: str = "") -> None:
    with writing(entry.card.match.event, verb="staff-entry.refused", by=by, reason=reason) as write:
        refuse_in(write, entry)


def _write(write: Write, entry: StaffEntry, state: CardState) -> Enter:
    payload = entry.payload
    if entry.kind == StaffEntry.Kind.CARD:
        paper = paper_of(state, payload)
        return partial(write_paper, write, state, replace(paper, override=paper.override or write.reason))
    if "drawn" in payload:
        return partial(correct_draw_in, write, state, tuple(payload["drawn"]))
    line = payload["line"]
    override = payload["override"] or ""
    typed = LineEntry(line, via=payload["via"], override=override) if line is not None else None
    if typed is not None and says_totals(line):
        return partial(correct_totals_in, write, state, replace(typed, override=override or write.reason))
    if entry.kind == StaffEntry.Kind.LINE and typed is not None:
        return partial(add_line_in, write, state, typed)
    return partial(correct_line_in, write, state, payload["hand"], typed)
