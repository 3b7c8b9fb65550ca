"""Messages on a card's pages, about its checks, status and result, and messages for players who have no card."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.desk.selectors.my_stage import EntrantActivity, EntrantStageStatus
from pairing.draws.knockout.progress import BracketPath
from scoring.card_state.forms import PER_SIDE_FIELD_KINDS, format_sheet_field_value
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import describe_line
from scoring.cards.selectors.checks import CardChecks, CheckedHand, has_up_card_field, make_canonical_line
from scoring.cards.services.checks import must_check_hands
from scoring.models import Card, HandCheck, NewDeck, StaffEntry, UpCard
from scoring.posting.tables import CardSummary
from scoring.rules.variants.variant import FieldKind, LineField
from tournament.models import Entrant, Event
from tournament.templatetags.gin import card_text, local_time

# --- Checks of hands -------------------------------------------------------------------------------------------------


def make_checks_context(checks: CardChecks, entrant: Entrant | None = None) -> dict[str, Any]:
    """Return the template context for a card's checks, as seen by `entrant` or (if None) by the desk.

    `to_look_at` is the hand that the viewer should confirm. `up` is the next hand's up card.
    """
    state = checks.state
    pk = entrant.pk if entrant else None
    confirms = entrant is not None and must_check_hands(state, entrant) and not state.is_posted
    waiting = checks.find_unchecked_hands(entrant.pk) if entrant is not None and confirms else ()
    return {
        "different": [_make_hand_context(state, hand, pk) for hand in checks.disputed_hands],
        "to_look_at": _make_hand_context(state, waiting[0], pk) if waiting else None,
        "waiting": len(waiting),
        "has_up": has_up_card_field(state.sheet),
        "next_hand": checks.next_hand,
        "up": checks.find_recorded_up_card(checks.next_hand),
        "claims": checks.find_differing_up_cards(checks.next_hand),
        "has_had_deck": any(deck.entrant_id == pk for deck in checks.new_decks),
        "decks": [_get_recorder_name(deck) for deck in checks.new_decks],
        "up_cards": [up for hand in sorted(checks.up_cards) for up in checks.up_cards[hand]],
    }


def _make_hand_context(state: CardState, checked: CheckedHand, entrant: int | None) -> dict[str, Any]:
    """Return the template context for a hand: the recorded figures, and the figures of players who disagree with them.

    Each item in `others` describes the figures of one player. `check` is the primary key of the player's `HandCheck`.
    """
    others = [
        {
            "check": check.pk,
            "name": _get_recorder_name(check),
            "words": describe_line(state, check.own),
            "is_own": check.entrant_id == entrant,
            "different": _list_different_figures(state, checked, check.own),
        }
        for check in checked.against
    ]
    return {
        "hand": checked.hand,
        "line": checked.line.pk,
        "words": describe_line(state, checked.line.line),
        "others": others,
        "has_own": any(other["is_own"] for other in others),
    }


def _list_different_figures(state: CardState, checked: CheckedHand, own: dict[str, Any] | None) -> list[dict[str, str]]:
    """Return each field in which a player's `own` figures differ from the recorded hand, with both values."""
    on_card, other = (
        state.replace_letters_with_names(make_canonical_line(state, checked.hand, line) or {})
        for line in (checked.line.line, own)
    )
    differences = _compare_lines(state.named_sheet.variant.line_fields(), on_card, other, state.names)
    return [{"what": what, "on_card": first, "other": second} for what, first, second in differences]


def _compare_lines(
    fields: Sequence[LineField], on_card: Mapping[str, Any], other: Mapping[str, Any], names: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    for field in fields:
        one, two = on_card.get(field.name), other.get(field.name)
        if one == two:
            continue
        if field.kind is FieldKind.GROUP:
            turns: Any = zip_longest(one or (), two or (), fillvalue={})
            for number, (first, second) in enumerate(turns, start=1):
                for what, value, other_value in _compare_lines(field.fields, first, second, names):
                    yield f"{field.label} {number}, {what[:1].lower()}{what[1:]}", value, other_value
        elif field.kind in PER_SIDE_FIELD_KINDS:
            for name in names:
                first, second = (one or {}).get(name), (two or {}).get(name)
                if first != second:
                    what = _("%(what)s of %(name)s") % {"what": field.label, "name": name}
                    yield what, _describe_side_value(first), _describe_side_value(second)
        else:
            yield str(field.label), _describe_value(field, one), _describe_value(field, two)


def _describe_value(field: LineField, value: Any) -> str:
    if value is None or value is False:
        return _("nothing")
    if field.kind is FieldKind.CHOICE:
        return str(dict(field.choices).get(format_sheet_field_value(value), format_sheet_field_value(value)))
    return card_text(value) if field.kind is FieldKind.CARD else _("yes") if value is True else str(value)


def _describe_side_value(value: Any) -> str:
    if value is None:
        return _("nothing")
    return " ".join(map(card_text, value)) if isinstance(value, list) else str(value)


def _get_recorder_name(fact: HandCheck | UpCard | NewDeck) -> str:
    return fact.entrant.name if fact.entrant is not None else fact.by_name


# --- The card --------------------------------------------------------------------------------------------------------


def describe_card_for_player(
    *,
    game: int,
    most_games: int = 1,
    is_game: bool = True,
    target: int | None = None,
    hands: int = 0,
    alone: bool = False,
    for_team: bool = False,
    has_won: bool = False,
    winner: str = "",
    keeper: str = "",
    low_cut: bool = False,
    next_step: str = "",
) -> dict[str, str]:
    """Return the title and messages of a card's page for a player.

    `alone` means that nobody else is on the card. `for_team` means that the player signs for a team and has no side.
    `next_step` is what comes after the card: `game`, `match` or "".
    """
    if alone:
        terms = ngettext("%(hands)s hand on it", "%(hands)s hands on it", hands)
    elif most_games > 1:
        terms = _("Game %(game)s of %(most_games)s")
    else:
        terms = _("Game %(game)s") if is_game else _("One card for the whole event")
    terms = terms % {"hands": hands, "game": game, "most_games": most_games}
    if alone:
        own_keeping = _("You keep your own card.")
    else:
        own_keeping = _("You keep score (low cut).") if low_cut else _("You keep score.")
    their_keeping = _("%(keeper)s keeps score (low cut).") if low_cut else _("%(keeper)s keeps score.")
    onward = {"game": _("Go to the next game"), "match": _("Go to my next match")}
    return {
        "head": _("Your card") if alone else _("You play"),
        "terms": f"{terms} · {_('to %(target)s') % {'target': target}}" if target else terms,
        "result": _describe_result_for_player(alone=alone, for_team=for_team, has_won=has_won, winner=winner),
        "own_keeping": own_keeping,
        "their_keeping": their_keeping % {"keeper": keeper},
        "onward": onward.get(next_step, _("Go to my matches")),
    }


def _describe_result_for_player(*, alone: bool, for_team: bool, has_won: bool, winner: str) -> str:
    if has_won:
        return _("You have won this game.")
    if winner:
        sentence = _("Won by the %(winner)s.") if for_team else _("%(winner)s has won this game.")
        return sentence % {"winner": winner}
    return _("Your card is complete.") if alone else _("This game is over.")


def describe_card_for_public(
    *,
    counts: str = "",
    verdict: str = "",
    by_officials: bool = False,
    is_posted: bool = False,
    is_closed: bool = False,
    was_posted: bool = False,
    is_complete: bool = False,
) -> tuple[str, dict[str, str] | None]:
    """Return the sentence next to a card's badge, and the notice about a scanned paper (or None).

    `counts` is the reason why the card does not count for its match's result. It is a `CardStatusKind`, such as
    “superseded”, or "" if the card counts or has no status yet. `verdict` is the result of checking a scanned paper, or
    "" if no paper was scanned. `by_officials` means that two officials posted the card without signatures.
    """
    is_kept = bool(counts) and is_posted
    by_two = _("Two officials changed this card after it was final. It counts, and nobody has to sign it.")
    corrected = _("Corrected after it was posted. The earlier signatures no longer count.")
    sign_again = _("Corrected after it was posted. The earlier signatures no longer count, and everybody signs again.")
    sentences = (
        (counts == "void", _("It is kept as it was.")),
        (is_kept and is_closed, _("Closed by the desk before its end. It is kept as it was.")),
        (is_kept, _("Everybody signed what is below. It is kept as it was signed.")),
        (is_closed, _("Closed by the desk before its end; nobody has to sign it.")),
        (by_officials, by_two),
        (verdict == "altered", _("Posted, and changed in the database since.")),
        (is_posted, _("Signed by all and verified.")),
        (counts in ("decided", "superseded"), corrected),
        (was_posted, sign_again),
        (is_complete, _("Complete, not signed by all yet.")),
    )
    sentence = next((sentence for applies, sentence in sentences if applies), "")
    notice = _describe_paper(counts, verdict, by_officials=by_officials, is_closed=is_closed, was_posted=was_posted)
    return sentence, notice


def _describe_paper(
    counts: str, verdict: str, *, by_officials: bool, is_closed: bool, was_posted: bool
) -> dict[str, str] | None:
    """Return the notice about a scanned paper, or None if no notice is needed.

    For example, the page of an altered card lists the card's faults instead of showing a notice.
    """
    if verdict == "genuine":
        signed = _("The digest on your paper is exactly what is on record and signed by all.")
        final = _("The digest on your paper is exactly what two officials posted after the card was final.")
        return _make_notice("success", "✓", _("Genuine."), final if by_officials else signed)
    if verdict == "on-record":
        waits = "" if is_closed else _("It is not signed by all yet.")
        text = _("It was never signed by all.") if counts == "void" else waits
        return _make_notice("info", "i", _("This is what is on record now."), text)
    if verdict == "unknown":
        text = _(
            "No version like this was signed on this computer. If it continued from a backup, your paper may be newer "
            "than the backup. Show your paper to the desk."
        )
        return _make_notice("error", "✗", _("Not what is on record."), text)
    if verdict != "superseded":
        return None
    if counts == "decided":
        text = _("The card was signed like this once, and changed since. The desk decided the match after that.")
    elif was_posted:
        text = _("The card was signed like this once, and changed since. Not everybody has signed the change.")
    elif counts:
        return None
    else:
        text = _("The card was signed like this once, and corrected since. What counts stands below.")
    return _make_notice("warning", "!", _("Superseded."), text)


def _make_notice(tone: str, sign: str, title: str, text: str) -> dict[str, str]:
    return {"tone": tone, "sign": sign, "title": title, "text": text}


def find_card_badge(state: CardState, summary: CardSummary | None) -> str:
    """Return the code of the card's badge.

    The badge shows the card's status if the card is posted or its match is decided. Otherwise, the badge shows how far
    the card has been filled in and signed.
    """
    if summary is not None and (summary.kind in ("decided", "void") or state.is_posted):
        return summary.kind
    return state.state


def describe_card_change(card: Card) -> str:
    """Return the message to show after a change to the card, including the effect on its signatures."""
    if StaffEntry.objects.filter(card=card, decided__isnull=True).exists():
        return _("A second person must confirm it under “Entries to confirm”. Nothing is on the score card yet.")
    if load_card_state_by_pk(card.pk).signatures.outdated:
        return _("The score card is changed. Earlier signatures no longer count.")
    return _("The score card is changed.")


# --- Players who have no card to play on -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WaitingText:
    title: str
    text: str = ""


def describe_wait_for_match(entrant: Entrant, mine: EntrantStageStatus | None, path: BracketPath | None) -> WaitingText:
    """Return the text for a player who has no match to play.

    `path` is the player's path through the bracket, or None if the player is not in a bracket.
    """
    event = entrant.event
    if event.state == Event.State.CALLED_OFF:
        return WaitingText(_("The event is called off"), _("Nothing that was played counts. Your fee is given back."))
    if event.state == Event.State.FINISHED:
        return WaitingText(
            _("The event is over"), _("Thank you for playing. The final places are on the event's page.")
        )
    if event.state != Event.State.IN_PLAY:
        starts = _("Your table and your opponent will be here when the director starts play.")
        return WaitingText(_("Play has not started"), starts)
    if mine is not None and mine.state != EntrantActivity.IN_BRACKET:
        return describe_wait_in_stage(mine, event.tournament)
    if path is not None and path.is_champion:
        prize = _("Your prize will be here when the director finishes the event.")
        return WaitingText(_("You have won the event"), prize)
    if entrant.state == Entrant.State.REMOVED or (path is not None and path.current_match is None):
        return WaitingText(_("You are eliminated"), _("Thank you for playing. Your score cards are below."))
    if path is None:
        return WaitingText(_("You are not in the draw"), _("If you think that you should be, ask the desk."))
    before = _("Their earlier match is still being played. This page shows your table as soon as you have one.")
    return WaitingText(_("Waiting for your opponent"), before)


def describe_wait_for_table(entrant: Entrant, *, is_complete: bool, sits_out: bool) -> WaitingText:
    """Return the text for a player who has no table, in an event that is played in rounds at tables."""
    state = entrant.event.state
    if state == Event.State.CALLED_OFF:
        return WaitingText(_("The event is called off"), _("Nothing that was played counts. Your fee is given back."))
    if state == Event.State.FINISHED or is_complete:
        return WaitingText(
            _("Every round is played"), _("Thank you for playing. The final places are on the event's page.")
        )
    if entrant.state != Entrant.State.IN:
        return WaitingText(_("You are eliminated"), _("You play no more rounds. Your results so far count."))
    if sits_out:
        here = _("Your table for the next round will be here as soon as it is posted.")
        return WaitingText(_("You sit this round out"), here)
    if state == Event.State.IN_PLAY:
        later = _("The next round starts when every table is finished. Your table will be here then.")
        return WaitingText(_("Your table is finished"), later)
    return WaitingText(
        _("Not drawn yet"), _("Your table and your opponents will be here as soon as the draw is posted.")
    )


def describe_wait_in_stage(mine: EntrantStageStatus, place: object) -> WaitingText:
    """Return the text for a player without a match, in an event with stages.

    Times are shown in the time zone of `place`.
    """
    over = _("You finished in place %(place)s") if mine.place else _("Everything is decided")
    cards = _("Thank you for playing. Your score cards are below.")
    not_there = _("Your match is not ready yet. This page shows your table as soon as you have one.")
    text = {
        EntrantActivity.WAITS: WaitingText(
            _("You are %(record)s. You are waiting for a game"), _describe_queue(mine, place)
        ),
        EntrantActivity.HELD: WaitingText(
            _("You are %(record)s. You are on hold"),
            _("You are not paired until the desk takes you off hold. Ask there."),
        ),
        EntrantActivity.NEXT: WaitingText(
            _("You are %(record)s. You play %(name)s next"),
            _("One of you is still playing. This page shows your table as soon as you have one."),
        ),
        EntrantActivity.QUALIFIED: WaitingText(_("You are %(record)s")),
        EntrantActivity.THROUGH: WaitingText(
            _("You have advanced"), _("The play-off decides the remaining places. You do not have to play in it.")
        ),
        EntrantActivity.RESTS: WaitingText(_("You play off for a place"), not_there),
        EntrantActivity.OUT: WaitingText(_("You are eliminated"), cards),
        EntrantActivity.NOT_IN: WaitingText(_("You do not play in “%(stage)s”"), cards),
        EntrantActivity.OVER: WaitingText(over, _("Thank you for playing. The final places are on the event's page.")),
    }.get(mine.state, WaitingText(_("Your game is being set up")))
    known = {"record": mine.record, "name": mine.opponent, "stage": mine.stage, "place": mine.place}
    return replace(text, title=text.title % known)


def _describe_queue(mine: EntrantStageStatus, place: object) -> str:
    if mine.entrants_ahead is not None:
        words = ngettext(
            "%(ahead)s player is before you in the line. This page shows your table as soon as you have one.",
            "%(ahead)s players are before you in the line. This page shows your table as soon as you have one.",
            mine.entrants_ahead,
        )
        return words % {"ahead": mine.entrants_ahead}
    if mine.since is None:
        return ""
    words = ngettext(
        "Since %(clock)s. %(others)s other player is waiting. This page shows your table as soon as you have one.",
        "Since %(clock)s. %(others)s other players are waiting. This page shows your table as soon as you have one.",
        mine.other_waiting_entrants,
    )
    return words % {"clock": local_time(mine.since, place), "others": mine.other_waiting_entrants}
