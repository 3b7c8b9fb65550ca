"""The wording on the pages of a card: its checks, the card itself, a paper, and the pages without a card."""

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.desk.selectors.my_stage import MyStage, MyState
from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.card_state.tables import Different, different_figures, line_in_words, of_officials
from scoring.cards.selectors.checks import CheckedHand, Keeping, canonical_line, names_up_card
from scoring.cards.services.checks import may_check
from scoring.models import Card, HandCheck, NewDeck, StaffEntry, UpCard
from scoring.posting.tables import StatementSaid
from tournament.models import Entrant, Event
from tournament.templatetags.gin import local_time


@dataclass(frozen=True)
class Figures:
    """Other figures that somebody entered. `check` is their primary key."""

    check: int
    name: str
    words: str
    is_own: bool
    different: tuple[Different, ...] = ()


@dataclass(frozen=True)
class _ShownHand:
    hand: int
    line: int
    words: str
    others: tuple[Figures, ...] = ()

    @property
    def has_own(self) -> bool:
        return any(figures.is_own for figures in self.others)


@dataclass(frozen=True)
class ShownKeeping:
    """The checks of a card for one viewer.

    `to_look_at` is the hand that the viewer has to confirm. `up` is the up card of the next hand.
    """

    different: tuple[_ShownHand, ...]
    to_look_at: _ShownHand | None
    waiting: int
    has_up: bool
    next_hand: int
    up: UpCard | None
    claims: tuple[UpCard, ...]
    has_had_deck: bool
    decks: tuple[str, ...]
    up_cards: tuple[UpCard, ...] = ()


def keeping_shown(keeping: Keeping, entrant: Entrant | None = None) -> ShownKeeping:
    """Return the checks as `entrant` sees them, or as the desk does (None)."""
    state = keeping.state
    pk = entrant.pk if entrant else None
    checks = entrant is not None and may_check(state, entrant) and not state.is_posted
    waiting = keeping.to_look_at(entrant.pk) if entrant is not None and checks else ()
    return ShownKeeping(
        different=tuple(_hand(keeping, hand, pk) for hand in keeping.different),
        to_look_at=_hand(keeping, waiting[0], pk) if waiting else None,
        waiting=len(waiting),
        has_up=names_up_card(state.sheet),
        next_hand=keeping.next_hand,
        up=keeping.recorded_up(keeping.next_hand),
        claims=keeping.claimed_up(keeping.next_hand),
        has_had_deck=any(deck.entrant_id == pk for deck in keeping.new_decks),
        decks=tuple(_said_by(deck) for deck in keeping.new_decks),
        up_cards=tuple(up for hand in sorted(keeping.up_cards) for up in keeping.up_cards[hand]),
    )


def _said_by(fact: HandCheck | UpCard | NewDeck) -> str:
    """Return the name of the player or staff member who recorded the fact."""
    return fact.entrant.name if fact.entrant is not None else fact.by_name


def _hand(keeping: Keeping, checked: CheckedHand, entrant: int | None) -> _ShownHand:
    state = keeping.state
    others = tuple(
        Figures(
            check=check.pk,
            name=_said_by(check),
            words=line_in_words(state, check.own),
            is_own=check.entrant_id == entrant,
            different=_different(state, checked, check.own),
        )
        for check in checked.against
    )
    return _ShownHand(checked.hand, checked.line.pk, line_in_words(state, checked.line.line), others)


def _different(state: CardState, checked: CheckedHand, own: dict[str, Any] | None) -> tuple[Different, ...]:
    """Return the figures that differ, so that nobody has to find them in two sentences."""
    written, other = (
        state.with_names(canonical_line(state, checked.hand, line) or {}) for line in (checked.line.line, own)
    )
    return different_figures(state.named_sheet.variant.line_fields(), written, other, state.names)


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
            said = ngettext("%(hands)s hand on it", "%(hands)s hands on it", self.hands)
        elif self.most_games > 1:
            said = _("Game %(game)s of %(most_games)s")
        else:
            said = _("Game %(game)s") if self.is_game else _("One card for the whole event")
        said = said % {"hands": self.hands, "game": self.game, "most_games": self.most_games}
        return f"{said} · {_('to %(target)s') % {'target': self.target}}" if self.target else said

    @property
    def result(self) -> str:
        """The sentence about the result of a game that is over."""
        if self.has_won:
            return _("You have won this game.")
        if self.winner:
            said = _("Won by the %(winner)s.") if self.for_team else _("%(winner)s has won this game.")
            return said % {"winner": self.winner}
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
        said = _("%(keeper)s keeps score (low cut).") if self.low_cut else _("%(keeper)s keeps score.")
        return said % {"keeper": self.keeper}

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
        now = _("The card was signed like this once, and corrected since. What counts stands below.")
        return "" if self.counts else now

    @property
    def standing(self) -> str:
        """The sentence beside the card's badge."""
        kept = bool(self.counts) and self.is_posted
        by_two = _("Two officials changed this card after it was final. It counts, and nobody has to sign it.")
        fallen = _("Corrected after it was posted. The earlier signatures no longer count.")
        said = (
            (self.counts == "void", _("It is kept as it was.")),
            (kept and self.is_closed, _("Closed by the desk before its end. It is kept as it was.")),
            (kept, _("Everybody signed what is below. It is kept as it was signed.")),
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
        return next((sentence for holds, sentence in said if holds), "")


def public_words(state: CardState, said: StatementSaid | None, verdict: str = "") -> PublicWords:
    return PublicWords(
        counts=said.counts if said else "",
        verdict=verdict,
        by_officials=of_officials(state),
        is_posted=state.is_posted,
        is_closed=state.score.is_closed,
        was_posted=state.clock.was_posted,
        is_complete=state.is_complete,
    )


def badge_of(state: CardState, said: StatementSaid | None) -> str:
    """Return the badge: what the card counts for, once it is settled or signed by all, or else its progress."""
    if said is not None and (said.counts in ("decided", "void") or state.is_posted):
        return said.counts
    return state.state


@dataclass(frozen=True, slots=True)
class Told:
    """The text for a player who has no card to play on."""

    title: str
    text: str = ""


def match_told(event: Event, mine: MyStage | None, *, lost: bool) -> Told:
    """Return the text in an event of matches. `lost`: the player lost their last match."""
    if event.state == Event.State.CALLED_OFF:
        return Told(_("The event is called off"), _("Nothing that was played counts. Your fee is given back."))
    if event.state == Event.State.FINISHED:
        return Told(_("The event is over"), _("Thank you for playing. The final places are on the event's page."))
    if event.state != Event.State.IN_PLAY:
        starts = _("Your table and your opponent will be here when the director starts play.")
        return Told(_("Play has not started"), starts)
    if mine is not None and mine.stands != MyState.IN_BRACKET:
        return stage_told(mine, event.tournament)
    if lost:
        return Told(_("You are eliminated"), _("Thank you for playing. Your score cards are below."))
    before = _("Their earlier match is still being played. This page shows your table as soon as you have one.")
    return Told(_("Waiting for your opponent"), before)


def table_told(entrant: Entrant, *, is_complete: bool, sits_out: bool) -> Told:
    """Return the text in an event with rounds at tables, while the player has no table."""
    state = entrant.event.state
    if state == Event.State.CALLED_OFF:
        return Told(_("The event is called off"), _("Nothing that was played counts. Your fee is given back."))
    if state == Event.State.FINISHED or is_complete:
        return Told(_("Every round is played"), _("Thank you for playing. The final places are on the event's page."))
    if entrant.state != Entrant.State.IN:
        return Told(_("You are eliminated"), _("You play no more rounds. Your results so far count."))
    if sits_out:
        here = _("Your table for the next round will be here as soon as it is posted.")
        return Told(_("You sit this round out"), here)
    if state == Event.State.IN_PLAY:
        later = _("The next round starts when every table is finished. Your table will be here then.")
        return Told(_("Your table is finished"), later)
    return Told(_("Not drawn yet"), _("Your table and your opponents will be here as soon as the draw is posted."))


def stage_told(mine: MyStage, place: object) -> Told:
    """Return the text in an event with stages. `place` has the time zone."""
    over = _("You finished in place %(place)s") if mine.place else _("Everything is decided")
    cards = _("Thank you for playing. Your score cards are below.")
    not_there = _("Your match is not ready yet. This page shows your table as soon as you have one.")
    told = {
        MyState.WAITS: Told(_("You are %(record)s. You are waiting for a game"), _waits(mine, place)),
        MyState.HELD: Told(
            _("You are %(record)s. You are on hold"),
            _("You are not paired until the desk takes you off hold. Ask there."),
        ),
        MyState.NEXT: Told(
            _("You are %(record)s. You play %(name)s next"),
            _("One of you is still playing. This page shows your table as soon as you have one."),
        ),
        MyState.QUALIFIED: Told(_("You are %(record)s")),
        MyState.THROUGH: Told(
            _("You have advanced"), _("The play-off decides the remaining places. You do not have to play in it.")
        ),
        MyState.RESTS: Told(_("You play off for a place"), not_there),
        MyState.OUT: Told(_("You are eliminated"), cards),
        MyState.NOT_IN: Told(_("You do not play in “%(stage)s”"), cards),
        MyState.OVER: Told(over, _("Thank you for playing. The final places are on the event's page.")),
    }.get(mine.stands, Told(_("Your game is being set up")))
    known = {"record": mine.record, "name": mine.opponent, "stage": mine.stage, "place": mine.place}
    return replace(told, title=told.title % known)


def _waits(mine: MyStage, place: object) -> str:
    if mine.ahead is not None:
        said = ngettext(
            "%(ahead)s player is before you in the line. This page shows your table as soon as you have one.",
            "%(ahead)s players are before you in the line. This page shows your table as soon as you have one.",
            mine.ahead,
        )
        return said % {"ahead": mine.ahead}
    if mine.since is None:
        return ""
    said = ngettext(
        "Since %(clock)s. %(others)s other player is waiting. This page shows your table as soon as you have one.",
        "Since %(clock)s. %(others)s other players are waiting. This page shows your table as soon as you have one.",
        mine.others,
    )
    return said % {"clock": local_time(mine.since, place), "others": mine.others}


def describe_change(card: Card) -> str:
    """Return the message after a change of the card: what happened to it and to its signatures."""
    if StaffEntry.objects.filter(card=card, decided__isnull=True).exists():
        return _("A second person must confirm it under “Entries to confirm”. Nothing is on the score card yet.")
    if load_card_by_pk(card.pk).signatures.fallen:
        return _("The score card is changed. Earlier signatures no longer count.")
    return _("The score card is changed.")
