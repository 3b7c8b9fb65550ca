"""The words on the pages of a card: its checks, its state and result, and pages for players without a card."""

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.desk.selectors.my_stage import MyStage, MyState
from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import Different, describe_line, different_figures, is_posted_by_officials
from scoring.cards.selectors.checks import CardChecks, CheckedHand, has_up_cards, to_canonical_line
from scoring.cards.services.checks import has_to_check_hands
from scoring.models import Card, HandCheck, NewDeck, StaffEntry, UpCard
from scoring.posting.tables import CardSummary
from tournament.models import Entrant, Event
from tournament.templatetags.gin import local_time

# --- Checks of hands -------------------------------------------------------------------------------------------------


def make_checks_context(checks: CardChecks, entrant: Entrant | None = None) -> dict[str, Any]:
    """Return the checks of a card as `entrant` sees them, or as the desk does (None), for the template.

    `to_look_at` is the hand that the viewer has to confirm. `up` is the up card of the next hand.
    """
    state = checks.state
    pk = entrant.pk if entrant else None
    confirms = entrant is not None and has_to_check_hands(state, entrant) and not state.is_posted
    waiting = checks.unchecked_by(entrant.pk) if entrant is not None and confirms else ()
    return {
        "different": [_hand_context(state, hand, pk) for hand in checks.different],
        "to_look_at": _hand_context(state, waiting[0], pk) if waiting else None,
        "waiting": len(waiting),
        "has_up": has_up_cards(state.sheet),
        "next_hand": checks.next_hand,
        "up": checks.recorded_up(checks.next_hand),
        "claims": checks.other_up_cards(checks.next_hand),
        "has_had_deck": any(deck.entrant_id == pk for deck in checks.new_decks),
        "decks": [_recorder_name(deck) for deck in checks.new_decks],
        "up_cards": [up for hand in sorted(checks.up_cards) for up in checks.up_cards[hand]],
    }


def _hand_context(state: CardState, checked: CheckedHand, entrant: int | None) -> dict[str, Any]:
    """Return a hand in words, with the other figures that somebody entered. `check` is their primary key."""
    others = [
        {
            "check": check.pk,
            "name": _recorder_name(check),
            "words": describe_line(state, check.own),
            "is_own": check.entrant_id == entrant,
            "different": _different_figures(state, checked, check.own),
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


def _different_figures(state: CardState, checked: CheckedHand, own: dict[str, Any] | None) -> tuple[Different, ...]:
    """Return the figures that differ, so that nobody has to find them in two sentences."""
    written, other = (
        state.with_names(to_canonical_line(state, checked.hand, line) or {}) for line in (checked.line.line, own)
    )
    return different_figures(state.named_sheet.variant.line_fields(), written, other, state.names)


def _recorder_name(fact: HandCheck | UpCard | NewDeck) -> str:
    """Return the name of the player or staff member who recorded the fact."""
    return fact.entrant.name if fact.entrant is not None else fact.by_name


# --- The card --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelWords:
    """The wording of a card for a player at it.

    `alone`: nobody else is on the card. `for_team`: the player signs for a team and has no side. `goes_on` is what
    follows the card: `game`, `match` or "".
    """

    game: int
    most_games: int = 1
    is_game: bool = True
    target: int | None = None
    hands: int = 0
    alone: bool = False
    for_team: bool = False
    has_won: bool = False
    winner: str = ""
    keeper: str = ""
    low_cut: bool = False
    goes_on: str = ""

    @property
    def head(self) -> str:
        return _("Your card") if self.alone else _("You play")

    @property
    def terms(self) -> str:
        """The game and its target: “Game 1 of 3 · to 150”."""
        if self.alone:
            words = ngettext("%(hands)s hand on it", "%(hands)s hands on it", self.hands)
        elif self.most_games > 1:
            words = _("Game %(game)s of %(most_games)s")
        else:
            words = _("Game %(game)s") if self.is_game else _("One card for the whole event")
        words = words % {"hands": self.hands, "game": self.game, "most_games": self.most_games}
        return f"{words} · {_('to %(target)s') % {'target': self.target}}" if self.target else words

    @property
    def result(self) -> str:
        """The sentence about the result of a game that is over."""
        if self.has_won:
            return _("You have won this game.")
        if self.winner:
            words = _("Won by the %(winner)s.") if self.for_team else _("%(winner)s has won this game.")
            return words % {"winner": self.winner}
        return _("Your card is complete.") if self.alone else _("This game is over.")

    @property
    def own_keeping(self) -> str:
        """The sentence for the scorekeeper."""
        if self.alone:
            return _("You keep your own card.")
        return _("You keep score (low cut).") if self.low_cut else _("You keep score.")

    @property
    def their_keeping(self) -> str:
        """The sentence for everybody else."""
        words = _("%(keeper)s keeps score (low cut).") if self.low_cut else _("%(keeper)s keeps score.")
        return words % {"keeper": self.keeper}

    @property
    def onward(self) -> str:
        known = {"game": _("Go to the next game"), "match": _("Go to my next match")}
        return known.get(self.goes_on, _("Go to my matches"))


@dataclass(frozen=True, slots=True)
class Notice:
    """A box with a sign. `tone` is success, info, warning or error."""

    tone: str
    sign: str
    title: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicWords:
    """The wording of a card for everybody.

    `counts` is what the card counts as, if it does not count as signed. `verdict` is about the paper that was scanned,
    or "". `by_officials`: two officials posted the card, and nobody signed.
    """

    counts: str = ""
    verdict: str = ""
    by_officials: bool = False
    is_posted: bool = False
    is_closed: bool = False
    was_posted: bool = False
    is_complete: bool = False

    @property
    def notice(self) -> Notice | None:
        """The notice about a scanned paper. For an altered card the page lists its faults instead."""
        if self.verdict == "genuine":
            signed = _("The digest on your paper is exactly what is on record and signed by all.")
            final = _("The digest on your paper is exactly what two officials posted after the card was final.")
            return Notice("success", "✓", _("Genuine."), final if self.by_officials else signed)
        if self.verdict == "on-record":
            waits = "" if self.is_closed else _("It is not signed by all yet.")
            text = _("It was never signed by all.") if self.counts == "void" else waits
            return Notice("info", "i", _("This is what is on record now."), text)
        if self.verdict == "superseded" and self._superseded:
            return Notice("warning", "!", _("Superseded."), self._superseded)
        if self.verdict == "unknown":
            text = _("Nobody signed this version of the card. Show your paper to the desk.")
            return Notice("error", "✗", _("Not what is on record."), text)
        return None

    @property
    def _superseded(self) -> str:
        if self.counts == "decided":
            return _("The card was signed like this once, and changed since. The desk decided the match after that.")
        if self.was_posted:
            return _("The card was signed like this once, and changed since. Not everybody has signed the change.")
        corrected = _("The card was signed like this once, and corrected since. What counts stands below.")
        return "" if self.counts else corrected

    @property
    def standing(self) -> str:
        """The sentence beside the card's badge."""
        is_kept = bool(self.counts) and self.is_posted
        by_two = _("Two officials changed this card after it was final. It counts, and nobody has to sign it.")
        fallen = _("Corrected after it was posted. The earlier signatures no longer count.")
        sentences = (
            (self.counts == "void", _("It is kept as it was.")),
            (is_kept and self.is_closed, _("Closed by the desk before its end. It is kept as it was.")),
            (is_kept, _("Everybody signed what is below. It is kept as it was signed.")),
            (self.is_closed, _("Closed by the desk before its end; nobody has to sign it.")),
            (self.by_officials, by_two),
            (self.verdict == "altered", _("Posted, and changed in the database since.")),
            (self.is_posted, _("Signed by all and verified.")),
            (self.counts in ("decided", "superseded"), fallen),
            (
                self.was_posted,
                _("Corrected after it was posted. The earlier signatures no longer count, and everybody signs again."),
            ),
            (self.is_complete, _("Complete, not signed by all yet.")),
        )
        return next((sentence for holds, sentence in sentences if holds), "")


def public_words(state: CardState, summary: CardSummary | None, verdict: str = "") -> PublicWords:
    return PublicWords(
        counts=summary.kind if summary else "",
        verdict=verdict,
        by_officials=is_posted_by_officials(state),
        is_posted=state.is_posted,
        is_closed=state.score.is_closed,
        was_posted=state.was_posted,
        is_complete=state.is_complete,
    )


def card_badge(state: CardState, summary: CardSummary | None) -> str:
    """Return the badge: what the card counts for, once it is settled or signed by all, or else its progress."""
    if summary is not None and (summary.kind in ("decided", "void") or state.is_posted):
        return summary.kind
    return state.state


def describe_change(card: Card) -> str:
    """Return the message after a change of the card: what happened to it and to its signatures."""
    if StaffEntry.objects.filter(card=card, decided__isnull=True).exists():
        return _("A second person must confirm it under “Entries to confirm”. Nothing is on the score card yet.")
    if load_card_by_pk(card.pk).signatures.fallen:
        return _("The score card is changed. Earlier signatures no longer count.")
    return _("The score card is changed.")


# --- Players who have no card to play on -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WaitingText:
    """The text for a player who has no card to play on."""

    title: str
    text: str = ""


def match_waiting_text(event: Event, mine: MyStage | None, *, lost: bool) -> WaitingText:
    """Return the text in an event of matches. `lost`: the player lost their last match."""
    if event.state == Event.State.CALLED_OFF:
        return WaitingText(_("The event is called off"), _("Nothing that was played counts. Your fee is given back."))
    if event.state == Event.State.FINISHED:
        return WaitingText(
            _("The event is over"), _("Thank you for playing. The final places are on the event's page.")
        )
    if event.state != Event.State.IN_PLAY:
        starts = _("Your table and your opponent will be here when the director starts play.")
        return WaitingText(_("Play has not started"), starts)
    if mine is not None and mine.stands != MyState.IN_BRACKET:
        return stage_waiting_text(mine, event.tournament)
    if lost:
        return WaitingText(_("You are eliminated"), _("Thank you for playing. Your score cards are below."))
    before = _("Their earlier match is still being played. This page shows your table as soon as you have one.")
    return WaitingText(_("Waiting for your opponent"), before)


def table_waiting_text(entrant: Entrant, *, is_complete: bool, sits_out: bool) -> WaitingText:
    """Return the text in an event with rounds at tables, while the player has no table."""
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


def stage_waiting_text(mine: MyStage, place: object) -> WaitingText:
    """Return the text in an event with stages. `place` has the time zone."""
    over = _("You finished in place %(place)s") if mine.place else _("Everything is decided")
    cards = _("Thank you for playing. Your score cards are below.")
    not_there = _("Your match is not ready yet. This page shows your table as soon as you have one.")
    text = {
        MyState.WAITS: WaitingText(_("You are %(record)s. You are waiting for a game"), _waiting_words(mine, place)),
        MyState.HELD: WaitingText(
            _("You are %(record)s. You are on hold"),
            _("You are not paired until the desk takes you off hold. Ask there."),
        ),
        MyState.NEXT: WaitingText(
            _("You are %(record)s. You play %(name)s next"),
            _("One of you is still playing. This page shows your table as soon as you have one."),
        ),
        MyState.QUALIFIED: WaitingText(_("You are %(record)s")),
        MyState.THROUGH: WaitingText(
            _("You have advanced"), _("The play-off decides the remaining places. You do not have to play in it.")
        ),
        MyState.RESTS: WaitingText(_("You play off for a place"), not_there),
        MyState.OUT: WaitingText(_("You are eliminated"), cards),
        MyState.NOT_IN: WaitingText(_("You do not play in “%(stage)s”"), cards),
        MyState.OVER: WaitingText(over, _("Thank you for playing. The final places are on the event's page.")),
    }.get(mine.stands, WaitingText(_("Your game is being set up")))
    known = {"record": mine.record, "name": mine.opponent, "stage": mine.stage, "place": mine.place}
    return replace(text, title=text.title % known)


def _waiting_words(mine: MyStage, place: object) -> str:
    if mine.ahead is not None:
        words = ngettext(
            "%(ahead)s player is before you in the line. This page shows your table as soon as you have one.",
            "%(ahead)s players are before you in the line. This page shows your table as soon as you have one.",
            mine.ahead,
        )
        return words % {"ahead": mine.ahead}
    if mine.since is None:
        return ""
    words = ngettext(
        "Since %(clock)s. %(others)s other player is waiting. This page shows your table as soon as you have one.",
        "Since %(clock)s. %(others)s other players are waiting. This page shows your table as soon as you have one.",
        mine.others,
    )
    return words % {"clock": local_time(mine.since, place), "others": mine.others}
