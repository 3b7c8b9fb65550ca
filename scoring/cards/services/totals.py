"""Correct the totals of a card that the desk entered without hands. Both change in one act, and no hand is invented."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.cards.services.announced_totals import refuse_late_by_policy
from scoring.cards.services.hands import BadLine, LineEntry, refuse_closed, settle_corrected, supersede
from scoring.cards.services.keys import own_key
from scoring.correction_period.services.second_official import Typed, with_second_person
from scoring.correction_period.services.terms import correction_kind
from scoring.models import Card, SheetLine
from scoring.rules.sheet.paper import enter_totals
from scoring.rules.variants.variant import TotalsLine, says_totals
from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import BadCase, Conflict, DomainError, NeedsReason


def correct_totals(
    card: Card, totals: Mapping[str, int], *, seen: str, by: Actor, reason: str, override: str = "", key: str = ""
) -> CardState:
    """Correct both totals, by the letters of the sides.

    `seen` is the digest of the card as the page showed it. If two desks swap the totals at once, the second is refused
    and does not swap them back. Signatures, a second person, the correction period and final cards are treated as in
    any correction.

    Raises:
        DomainError: `reason-needed`, `same-totals`.
        BadLine: no game can end with these totals.
        NeedsReason: they are improbable, or the winner already plays the next match.
        Conflict: `not-by-totals`: there are hands on the card. `card-changed`: it changed since it was shown.
    """
    event = card.match.event
    require(by, "desk", event.tournament)
    own = own_key(card, by, scoped_key(key, seen, dict(totals)))
    with writing(event, verb="card.corrected", by=by, key=own, reason=reason) as write:
        state = load_card_by_pk(card.pk)
        if write.repeated:
            return state
        refuse_closed(write, card)
        if not reason.strip():
            raise DomainError("reason-needed", _("Write what was wrong. Every correction needs a reason."))
        _refuse_unfit(state, totals, seen)
        kind = correction_kind(write, state)
        refuse_late_by_policy(write, state, 1)
        entry = LineEntry(TotalsLine(dict(totals)).as_json(), via=SheetLine.Via.DESK, override=override)
        payload = {"hand": 1, "line": entry.line, "via": str(entry.via), "override": entry.override}
        said = ", ".join(f"{state.by_letter.get(side, side)} {points}" for side, points in totals.items())
        typed = Typed(kind, {**payload, "said": said}, ("line",), said)
        with_second_person(write, state, typed, lambda: correct_totals_in(write, state, entry))
    return load_card_by_pk(card.pk)


def correct_totals_in(write: Write, state: CardState, entry: LineEntry) -> SheetLine:
    """Replace the totals of a card inside an open write. The caller has made the other checks.

    Raises:
        BadLine, NeedsReason: as for `correct_totals`.
    """
    warnings = _doubts(state, entry.line["totals"])
    if warnings and not entry.override.strip():
        raise NeedsReason("improbable", " ".join(warnings), warnings=warnings)
    first, *others = state.lines
    for old in () if says_totals(first.line) else others:
        supersede(write, old, None, [])
    fact = supersede(write, first, entry, warnings)
    settle_corrected(write, state, entry.override)
    write.about(state.card, card=state.card.pk, line=fact.pk, hand=1, was=[line.line for line in state.lines])
    return fact


def _refuse_unfit(state: CardState, totals: Mapping[str, int], seen: str) -> None:
    if not state.is_by_totals:
        raise Conflict("not-by-totals", _("This score card has hands. Correct the hand that is wrong."))
    if seen != state.digest:
        raise Conflict(
            "card-changed",
            _("This score card changed in the meantime: %(line)s. Look at it again.") % {"line": state.score.line},
        )
    if dict(totals) == state.score.entered_totals:
        raise DomainError(
            "same-totals", _("The score card already says %(line)s. Nothing was changed.") % {"line": state.score.line}
        )


def _doubts(state: CardState, totals: Mapping[str, int]) -> list[str]:
    try:
        named = state.with_names(dict(totals))
        entered = enter_totals(state.rules, state.names, named, unfinished=state.closing is not None)
    except BadCase as error:
        raise BadLine(error.problems) from None
    return [doubt.message for doubt in entered.doubts]
