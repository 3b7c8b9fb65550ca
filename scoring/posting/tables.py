"""Text about a signed card's status and correction period, for all pages and printouts."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from itertools import zip_longest
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from pairing.draws.results import CardStatusKind, Credit, Result, ResultCause
from pairing.ports import CardSummary, RulingStatement
from pairing.stages.pictures.boxes import describe_credit, describe_penalty_win
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import describe_line, end_with_period
from scoring.models import Ruling, StaffEntry
from scoring.posting.selectors.card_status import (
    CardStatus,
    find_last_change_time,
    has_committee,
    load_card_statuses,
    load_correction_period,
)
from scoring.posting.services.correction_period import StaffEntryMismatch
from scoring.rules.book.layout import format_signed_number
from scoring.rules.sheet.card_status import CorrectionPeriod, RecordedResult
from tournament.models import Event
from tournament.templatetags.gin import local_day_time


def describe_card_status(status: CardStatus) -> CardSummary | None:
    """Return a description of a card and its status.

    Return None if the card counts for its match's result, or has no status yet.
    """
    return None if status.is_counting else _make_summary(status)


def _make_summary(status: CardStatus) -> CardSummary:
    card = status.state.card
    match, ruling = card.match, status.superseding_action[3] if status.superseding_action is not None else None
    place = {"tournament": match.event.tournament.slug, "event": match.event.slug}
    return CardSummary(
        card=card.pk,
        match=match.ident,
        game=card.game,
        title=status.state.score.line_with_names,
        kind=status.kind,
        totals={side.number: side.total for side in status.state.sides if side.number is not None},
        words=() if status.is_counting else _describe_kind(status),
        address=reverse("scoring:card", kwargs={**place, "token": card.token}),
        match_address=reverse("pairing:match", kwargs={**place, "ident": match.ident}),
        ruling=describe_ruling(ruling) if ruling is not None else None,
        is_locked=status.is_locked,
    )


def _describe_kind(status: CardStatus) -> tuple[str, ...]:
    """Return the card's status as lines of text, with a title as the first line.

    The other lines tell when, why, and by whom the status was changed, and what the match's result is now.
    """
    if status.kind is CardStatusKind.SUPERSEDED:
        return _("Superseded."), *_describe_superseding(status)
    if status.kind is CardStatusKind.DISAGREES:
        return _("The score card and the result disagree."), *_describe_disagreement(status)
    if status.kind is CardStatusKind.DECIDED:
        nobody = _("The decision counts. No signatures are needed.")
        return _("Changed; decided since."), *_describe_superseding(status), nobody
    if status.kind is CardStatusKind.VOID:
        void = _(
            "Not all players signed this score card before its match became void. It no longer counts "
            "and needs no signatures."
        )
        parted = _("These two no longer meet in this match. The score card does not count and needs no signatures.")
        return _("Void."), void if status.is_match_void else parted, *_describe_superseding(status)
    return _choose_waiting_title(status.state), *_describe_waiting(status)


def _describe_superseding(status: CardStatus) -> tuple[str, ...]:
    what = _("The result now: %(result)s") % {"result": _describe_result_in_force(status)}
    if status.superseding_action is None:
        return (what,)
    at, by, reason, ruling = status.superseding_action
    who = _("%(at)s, by %(by)s.") % {"at": local_day_time(at, status.state.card.match.event.tournament), "by": by}
    if ruling is not None and not reason.strip():
        reason = describe_ruling(ruling).title
    why = _("Reason: %(reason)s") % {"reason": end_with_period(reason)} if reason.strip() else ""
    return tuple(filter(None, (who, why, what)))


def _describe_result_in_force(status: CardStatus) -> str:
    if status.undone_text:
        return _("%(what)s; this match does not count.") % {"what": status.undone_text}
    if status.players is not None:
        if not status.players:
            return _("nobody plays this match.")
        waits = _("%(names)s is waiting for an opponent.")
        words = _("%(names)s meet in this match.") if len(status.players) > 1 else waits
        return words % {"names": " – ".join(status.players)}
    return _describe_result(status.result, status.names)


def _describe_disagreement(status: CardStatus) -> tuple[str, ...]:
    signed = _("The score card, signed %(at)s: %(score)s.")
    if status.result is None or status.result.leaves_match_open:
        place, at = status.state.card.match.event.tournament, status.state.posted_or_closed_at
        card = signed % {"at": local_day_time(at, place), "score": status.state.score.line_with_names}
        return card, _("The match has no result. The score card does not count until the desk decides.")
    card, result = _describe_card_and_result(status, signed, status.state.posted_or_closed_at)
    if len(status.state.seats) == 1:
        return card, result, _("The result is the sum of all score cards. It follows when all players have signed.")
    return card, result, _("The result counts until the desk decides.")


def _choose_waiting_title(state: CardState) -> str:
    if not state.is_complete:
        return _("Changed; not complete.")
    if state.card.match.event.state in (Event.State.FINISHED, Event.State.CALLED_OFF):
        return _("Corrected; not signed again.")
    return _("Corrected; waiting for signatures.")


def _describe_waiting(status: CardStatus) -> tuple[str, ...]:
    """Return lines about the changed card, the match's current result, and what would replace that result."""
    state = status.state
    unsigned = _("The score card, changed %(at)s and not signed by all players: %(score)s.")
    changed, result = _describe_card_and_result(status, unsigned, find_last_change_time(state))
    if state.card.match.event.state in (Event.State.FINISHED, Event.State.CALLED_OFF):
        return (
            changed,
            result,
            _("The event is finished, so nobody can sign. The result counts until the desk decides."),
        )
    if status.is_decided_by_desk:
        stays = _("The desk decided the result before the change. The result stays until the desk decides again.")
        return changed, result, stays
    if state.is_complete:
        return changed, result, _("The result stays until all players have signed the change.")
    return changed, result, _("The result stays until the game is finished or corrected and all players have signed.")


def _describe_card_and_result(status: CardStatus, card: str, at: datetime | None) -> tuple[str, str]:
    """Return a sentence about the score on the card, and one about the result.

    `card` is the template of the first sentence, and `at` is the time that it mentions.
    """
    row, place = status.result, status.state.card.match.event.tournament
    assert row is not None
    recorded = {"at": local_day_time(row.at, place), "result": _describe_result(row, status.names)}
    words = card % {"at": local_day_time(at, place), "score": status.state.score.line_with_names}
    return words, _("The result, recorded %(at)s: %(result)s") % recorded


def _describe_result(row: RecordedResult | None, names: Mapping[int, str]) -> str:
    """Return a result as text: “Alan won, 91–0” or “Ada: loss by forfeit; Alan: win by walkover”."""
    if row is None or row.leaves_match_open:
        return _("The match is open and will be played again.")
    if row.winner is not None and row.was_played and len(row.credits) == 2:
        won = _("%(name)s won") % {"name": names.get(row.winner, str(row.winner))}
        ordered = sorted(row.points, key=lambda number: number != row.winner)
        points = "–".join(format_signed_number(row.points[number]) for number in ordered)
        return f"{won}, {points}." if points else _("%(won)s; no score is on record.") % {"won": won}
    credits = {number: Credit(Result(result), ResultCause(cause)) for number, (result, cause) in row.credits.items()}
    if by_penalty := describe_penalty_win(credits, row.winner, names):
        return by_penalty
    if row.points:
        return ", ".join(f"{names.get(n, n)} {format_signed_number(points)}" for n, points in row.points.items()) + "."
    return "; ".join(f"{names.get(n, n)}: {describe_credit(credit)}" for n, credit in credits.items()) + "."


def describe_ruling(ruling: Ruling) -> RulingStatement:
    """Return a ruling's number and title, such as “Ruling 3, singles 9”, with the URL of its page."""
    title = _("Ruling %(number)s, %(rule)s") if ruling.rule else _("Ruling %(number)s")
    place = {"tournament": ruling.dispute.event.tournament.slug, "number": ruling.number}
    return RulingStatement(
        number=ruling.number,
        title=title % {"number": ruling.number, "rule": ruling.rule},
        address=reverse("scoring:public_ruling", kwargs=place),
    )


# --- Lists and JSON --------------------------------------------------------------------------------------------------


def load_card_summaries(
    event: Event, matches: Collection[int] | None, versions: Mapping[str, int] | None = None
) -> list[CardSummary]:
    """Return descriptions of the event's signed cards and their status, for match pages.

    If `versions` is given, cards come from the cache.
    """
    statuses = load_card_statuses(event, matches, versions).values()
    return [_make_summary(one) for one in statuses if one.kind is not CardStatusKind.NOTHING and not one.is_blank]


def make_status_json(status: CardStatus) -> dict[str, Any]:
    """Return a card's status as JSON, including the action that superseded the card and the match's current result."""
    superseded, result, summary = None, status.result, describe_card_status(status)
    if status.superseding_action is not None:
        at, by, reason, _ruling = status.superseding_action
        superseded = {"at": at.isoformat(), "by": by, "reason": reason}
    return {
        "counts": status.kind.value,
        "superseded": superseded,
        "stands": None
        if result is None or status.is_counting
        else {"winner": result.winner, "points": {str(n): points for n, points in result.points.items()}},
        "said": " ".join(summary.words) if summary is not None else "",
    }


# --- The correction period: clocks of cards --------------------------------------------------------------------------


def load_correction_period_context(state: CardState, now: datetime) -> dict[str, Any] | None:
    clock = load_correction_period(state)
    return make_correction_period_context(clock, state, now) if clock is not None else None


def make_correction_period_context(clock: CorrectionPeriod, state: CardState, now: datetime) -> dict[str, Any]:
    """Return the template context for a card's correction period."""
    return {
        "clock": clock,
        "is_final": clock.is_final(now),
        "hears_appeals": not clock.has_single_deadline and has_committee(state.card.match.event),
        "asks_together": clock.corrections_until == clock.rulings_until,
    }


# --- The correction period: entries to confirm -----------------------------------------------------------------------


def make_staff_entry_contexts(entries: Iterable[StaffEntry], user: Any) -> list[dict[str, Any]]:
    """Return the template context for staff entries that need a second official.

    `was` and `will` describe the hand before and after the change. An entry for a whole card has only `will`. If the
    second official has to type the entry again from paper, the figures are left out.
    """
    views = []
    for entry in entries:
        state = load_card_state_by_pk(entry.card_id)
        in_words = _describe_whole_card if entry.kind == StaffEntry.Kind.CARD else _describe_hand
        was, will = in_words(state, entry)
        is_own, types_again = entry.by_id == getattr(user, "pk", None), entry.needs == StaffEntry.Needs.REKEY
        view = {"entry": entry, "state": state, "was": was, "will": will, "is_own": is_own}
        views.append({**view, "types_again": types_again, "shows_figures": is_own or not types_again})
    return views


def _describe_whole_card(state: CardState, entry: StaffEntry) -> tuple[str, str]:
    payload = entry.payload
    if payload["totals"] is not None:
        will = ", ".join(f"{state.names_by_letter.get(side, side)} {each}" for side, each in payload["totals"].items())
    else:
        each = (describe_line(state, row["line"]) for row in payload["rows"])
        will = "; ".join(f"{number}. {words}" for number, words in enumerate(each, start=1))
    return "", f"{will}. {_describe_signatures(state, payload)}"


def _describe_hand(state: CardState, entry: StaffEntry) -> tuple[str, str]:
    if "drawn" in entry.payload:
        return state.draw.describe_draw(state.draw.recorded_order), entry.payload["said"]
    hand, line = entry.payload["hand"], entry.payload["line"]
    was = describe_line(state, state.lines[hand - 1].line) if hand <= len(state.lines) else ""
    return was, describe_line(state, line)


def describe_staff_entry_mismatch(state: CardState, error: StaffEntryMismatch) -> str:
    """Describe the first difference between two entries: the draw, a hand, the totals, or the signatures."""
    first, again = error.data["first"], error.data["again"]
    if "line" in first:
        one, other = describe_line(state, first["line"]), describe_line(state, again["line"])
    elif "rows" in error.data["differences"] and "drawn" not in error.data["differences"]:
        one, other = _describe_first_different_row(state, first["rows"], again["rows"])
    elif "rows" not in first or {"drawn", "totals"} & set(error.data["differences"]):
        one, other = first["said"], again["said"]
    else:
        one, other = _describe_signatures(state, first), _describe_signatures(state, again)
    words = _(
        "%(name)s entered: %(one)s. You entered: %(other)s. Look at the paper, then correct yours or "
        "refuse the first entry."
    )
    return words % {"name": error.data["by"], "one": one.rstrip("."), "other": other.rstrip(".")}


def _describe_first_different_row(state: CardState, first: list[Any], again: list[Any]) -> tuple[str, str]:
    pairs = enumerate(zip_longest(first, again), start=1)
    number, (one, other) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
    return f"{number}. {_describe_row(state, one)}", f"{number}. {_describe_row(state, other)}"


def _describe_row(state: CardState, row: dict[str, Any] | None) -> str:
    if row is None:
        return _("no hand")
    running = ", ".join(str(total) for total in row["running"].values())
    line = describe_line(state, row["line"])
    return _("%(line)s (running %(totals)s)") % {"line": line, "totals": running} if running else line


def _describe_signatures(state: CardState, payload: dict[str, Any]) -> str:
    signed = ", ".join(state.names_by_letter.get(side, side) for side in payload["signed"])
    return _("Signed: %s.") % signed if signed else _("Not signed yet.")
