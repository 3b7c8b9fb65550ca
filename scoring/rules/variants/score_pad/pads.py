"""The other games of the Metzker Book, as data for their score pads.

Source: Metzker Book of Card Game Rules 2026 (revision 1, January 2026). Games without a written score are left out (see
docs/rules/score-pad.md). Court Whist and the gin rummy tournament have sheets of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from scoring.rules.book.layout import format_signed_number
from scoring.rules.variants.score_pad.pad import (
    ELECTED_SCOREKEEPER_TEXT,
    HIGH_WINS,
    LOW_WINS,
    RANDOM_DEALER_DRAW,
    BidKind,
    PadLine,
    PadRound,
    PlayedRound,
    RoundFault,
    ScorePadGame,
    ScoringSideLimit,
    format_side_names,
)
from scoring.rules.variants.variant import TableDraw, TableDrawPosition
from tournament.lazy_text import join_with_or, lazy_plural, lazy_text
from tournament.lazy_text import lazy_text as _

_ORDINALS: Final = (_("1st"), _("2nd"), _("3rd"), _("4th"), _("5th"), _("6th"), _("7th"), _("8th"), _("9th"))
_SUITS: Final = (_("Clubs"), _("Diamonds"), _("Hearts"), _("Spades"))


def _make_rounds(*asks: str) -> tuple[PadRound, ...]:
    """Return numbered rounds (1st, 2nd, 3rd) with these tasks."""
    return tuple(PadRound(_ORDINALS[i], each) for i, each in enumerate(asks))


def _make_wild_rank_rounds() -> tuple[PadRound, ...]:
    """Return the rounds of Arizona Rummy.

    The wild rank rises from 3s to kings, and determines how many cards are dealt.
    """
    named = [(f"{n}s", n) for n in range(3, 11)] + [(_("Jacks"), 11), (_("Queens"), 12), (_("Kings"), 13)]
    return tuple(
        PadRound(rank, _("deal %(cards)s, %(rank)s are wild", cards=cards, rank=rank)) for rank, cards in named
    )


def _make_down_and_up_rounds(most: int) -> tuple[PadRound, ...]:
    """Return the rounds of Oh Hell!, which go from `most` cards down to one card and back up."""
    cards = [*range(most, 0, -1), *range(2, most + 1)]
    blind = _("bid blind, on the third knock")
    return tuple(
        PadRound(lazy_plural("%(number)s card", "%(number)s cards", n), blind if n == 1 else "", cards=n) for n in cards
    )


def _make_double_rounds(most: int) -> tuple[PadRound, ...]:
    """Return the rounds of Mexican Train, from the highest double down to the double blank."""
    numbered = (
        PadRound(_("Double %(number)s", number=n), _("starts with the double %(number)s", number=n))
        for n in range(most, 0, -1)
    )
    return *numbered, PadRound(_("Double blank"), _("starts with the double blank"))


# --- The checks of some games ----------------------------------------------------------------------------------------
# The points of a round that a game excludes cause a warning that a reason can override.

QUEEN_OF_SPADES_POINTS: Final = 13
MIN_FIRST_SCORE: Final = 1000
MIN_BID: Final = 60
BID_STEP: Final = 5
POINTS_PER_HAND: Final = 125
NO_TRUMP_BONUS: Final = 50
MAX_TOTAL_WITHOUT_BID: Final = 495
DECK_SIZE: Final = 52
MAX_REMOVED_CARDS: Final = 8
"""The number of 2s and 3s in the deck. Some are removed so that everybody gets the same number of cards."""


def _check_queen(played: PlayedRound) -> Iterator[RoundFault]:
    """Warn if the recorded points of a Hearts round are complete but nobody has 13 or more.

    The player who took the queen of spades must have at least 13 points.
    """
    if (
        sum(played.line.points.values()) == played.round.total
        and max(played.line.points.values()) < QUEEN_OF_SPADES_POINTS
    ):
        yield (
            "queen-of-spades",
            lazy_text("Somebody took the queen of spades and has at least 13 points. Nobody has so many."),
        )


def _check_first_meld(played: PlayedRound) -> Iterator[RoundFault]:
    """Warn if a side's first score in Dice is below 1,000."""
    short = [
        side for side, each in played.line.points.items() if not played.before[side] and 0 < each < MIN_FIRST_SCORE
    ]
    if short:
        message = lazy_text(
            "The first score of a player is 1,000 or more. Check %(sides)s.", sides=format_side_names(short)
        )
        yield "first-meld", message


def _check_quarters(played: PlayedRound) -> Iterator[RoundFault]:
    """Warn if several players lose two quarters in Thirty One. Only the player who knocked can lose two."""
    if sum(each > 1 for each in played.line.points.values()) > 1:
        yield "two-knocked", lazy_text("Only the player who knocked can lose 2 quarters.")


def check_saskatchewan_payments(played: PlayedRound) -> Iterator[RoundFault]:
    """Warn if payments in Saskatchewan Rummy do not match the tricks or hearts, or if money remains in the pot."""
    if not played.by_the_book:
        return
    paid = sum(played.line.points.values())
    fitting = list_possible_payments(played.place, len(played.line.points))
    if fitting and paid not in fitting:
        cents = join_with_or([str(each) for each in fitting])
        text = lazy_text("All players together pay %(cents)s cents here, not %(paid)s.", cents=cents, paid=paid)
        yield "round-total", text
    left = sum(played.before.values()) + paid
    if played.round.is_signed and left:
        text = lazy_text(
            "PayDay pays out all that was paid in. The totals add up to 0 then, not to %(left)s.", left=left
        )
        yield "pot-left", text


def list_possible_payments(place: int, sides: int) -> Sequence[int]:
    """Return the possible sums of all payments in a round, in cents, or an empty sequence if any sum is possible.

    Players pay for tricks in the first round, and for hearts in the second. Several sums are possible, because some 2s
    and 3s are removed to make all hands the same size.

    >>> list_possible_payments(0, 4), list_possible_payments(1, 4), list_possible_payments(2, 4)
    ((55, 60, 65), (55, 60, 65), ())
    """
    if place == 0:
        return tuple(
            sorted(
                {5 * ((DECK_SIZE - n) // sides) for n in range(MAX_REMOVED_CARDS + 1) if (DECK_SIZE - n) % sides == 0}
            )
        )
    return (55, 60, 65) if place == 1 else ()


def _check_bids(played: PlayedRound) -> Iterator[RoundFault]:
    """Warn if scores in Oh Hell! do not match the bids, or if the bids add up to the number of cards dealt.

    A side that makes its bid scores the bid with a 1 in front, such as 13 for 3. The bids may add up to the number of
    cards only in the one-card round, because everybody then bids at the same time.
    """
    cards = played.round.cards
    if cards is None:
        return
    bids, points = played.line.bids, played.line.points
    scores = {bid: int(f"1{bid}") for bid in range(cards + 1)}
    bid_of = {score: bid for bid, score in scores.items()}
    wrong = [side for side, each in points.items() if each and each not in bid_of]
    if wrong:
        text = lazy_plural(
            "With %(number)s card a player scores 0, or the bid with a 1 in front: %(least)s to %(most)s. "
            "Check %(sides)s.",
            "With %(number)s cards a player scores 0, or the bid with a 1 in front: %(least)s to %(most)s. "
            "Check %(sides)s.",
            cards,
            least=scores[0],
            most=scores[cards]
            if cards < 10
            else lazy_text("19, or %(made)s for a bid of %(bid)s", made=scores[10], bid=10),
            sides=format_side_names(wrong),
        )
        yield "no-such-points", text
    high = [side for side, bid in bids.items() if bid > cards]
    if high:
        yield (
            "bid-too-high",
            lazy_plural(
                "Nobody can bid more than the %(number)s card dealt. Check %(sides)s.",
                "Nobody can bid more than the %(number)s cards dealt. Check %(sides)s.",
                cards,
                sides=format_side_names(high),
            ),
        )
    for side, bid in bids.items():
        if bid <= cards and points[side] in bid_of and points[side] != scores[bid]:
            text = lazy_text(
                "%(side)s bid %(bid)s. That scores %(made)s or 0, not %(points)s.",
                side=side,
                bid=bid,
                made=scores[bid],
                points=points[side],
            )
            yield "not-the-bid", text
    if cards > 1 and len(bids) == len(points) and sum(bids.values()) == cards:
        yield (
            "bids-add-up",
            lazy_text("The bids add up to the %(cards)s cards dealt. The dealer may not bid so.", cards=cards),
        )
    elif not wrong:
        yield from _check_tricks(cards, {side: bid_of[each] for side, each in points.items() if each}, played.line)


def _check_tricks(cards: int, made: Mapping[str, int], line: PadLine) -> Iterator[RoundFault]:
    """Warn if the tricks of the round are impossible.

    `made` contains the bid of each side that scored, keyed by side.
    """
    left = cards - sum(made.values())
    missed = [side for side in line.points if side not in made]
    if left < 0:
        text = lazy_text(
            "The bids that score are %(bid)s tricks together. Only %(cards)s were played.",
            bid=cards - left,
            cards=cards,
        )
        yield "too-many-tricks", text
    elif not missed and (cards > 1 or left):
        yield (
            "everybody-made-it",
            lazy_text("Not everybody can make the bid here: the bids may not add up to the cards dealt.")
            if cards > 1
            else lazy_text("There is one trick, so the bids of players who all score add up to 1."),
        )
    elif missed and not _can_all_bids_fail(left, [line.bids.get(side) for side in missed]):
        text = lazy_plural(
            "%(number)s trick is left for %(sides)s. However it falls, one of them makes the bid.",
            "%(number)s tricks are left for %(sides)s. However they fall, one of them makes the bid.",
            left,
            sides=format_side_names(missed),
        )
        yield "bid-was-made", text


def _can_all_bids_fail(tricks: int, bids: Sequence[int | None]) -> bool:
    """Return whether the tricks can be distributed so that no side takes exactly its bid.

    >>> _can_all_bids_fail(1, [0, 0]), _can_all_bids_fail(2, [0, 0])
    (False, True)
    >>> _can_all_bids_fail(0, [3]), _can_all_bids_fail(3, [3]), _can_all_bids_fail(3, [None])
    (True, False, True)
    """
    if not bids:
        return tricks == 0
    first, *others = bids
    return any(taken != first and _can_all_bids_fail(tricks - taken, others) for taken in range(tricks + 1))


def _check_highest_bid(played: PlayedRound) -> Iterator[RoundFault]:
    """Warn if the teams' points in 500 Rummy are impossible, given the bid and the 125 points in a hand."""
    line, sides = played.line, tuple(played.line.points)
    if len(sides) != 2:
        return
    if line.bid is None:
        bids = range(MIN_BID, POINTS_PER_HAND + 1, BID_STEP)
        possible = any(
            line.points[by] in _list_possible_scores(by, bid, no_trump=no_trump, played=played)
            for by in sides
            for bid in bids
            for no_trump in (False, True)
        )
        if not possible:
            yield "not-the-bid", lazy_text("There is no bid by which the two teams score so. A hand has 125 points.")
        return
    if line.bid < MIN_BID or line.bid % BID_STEP:
        yield "bid-too-low", lazy_text("The least bid is 60, and bids go up by 5. %(bid)s is recorded.", bid=line.bid)
    if line.bid > POINTS_PER_HAND:
        yield "bid-too-high", lazy_text("A hand has 125 points. Nobody can make a bid of %(bid)s.", bid=line.bid)
    by = line.bid_by or sides[0]
    other = next(side for side in sides if side != by)
    scores = _list_possible_scores(by, line.bid, no_trump=line.no_trump, played=played)
    if not scores:
        text = lazy_text(
            "%(other)s did not bid and scores what it took: 125 at most, and up to 495 in all. Check %(other)s.",
            other=other,
        )
        yield "points-too-high", text
    elif line.points[by] not in scores:
        text = lazy_text(
            "%(by)s bid %(bid)s, and %(other)s scored %(taken)s. So %(by)s scores %(scores)s, not %(points)s.",
            by=by,
            bid=line.bid,
            other=other,
            taken=line.points[other],
            scores=join_with_or([format_signed_number(each) for each in scores]),
            points=format_signed_number(line.points[by]),
        )
        yield "not-the-bid", text


def _list_possible_scores(by: str, bid: int, *, no_trump: bool, played: PlayedRound) -> tuple[int, ...]:
    """Return the scores that the bidding team can have, given the other team's points."""
    other = next(side for side in played.line.points if side != by)
    most = max(0, MAX_TOTAL_WITHOUT_BID - played.before[other])
    scores: dict[int, None] = {}
    for taken in range(0, POINTS_PER_HAND + 1, BID_STEP):
        if min(taken, most) == played.line.points[other]:
            own = POINTS_PER_HAND - taken
            scores[(own + NO_TRUMP_BONUS * no_trump) if own >= bid else -bid] = None
    return tuple(scores)


# --- The games -------------------------------------------------------------------------------------------------------

_LOW_PLAYS_FIRST: Final = TableDraw(
    rule=_("Metzker Book, page 12"),
    instruction=_("Cut for deal."),
    question=_("Who cut the low card?"),
    words=_("Low card plays first: that matters, for there are five hands."),
    places=(TableDrawPosition(_("Low card"), _("plays first"), _("plays first")),),
    keeper=ELECTED_SCOREKEEPER_TEXT,
)
_THE_DOUBLE: Final = TableDraw(
    rule=_("Metzker Book, pages 20 and 21"),
    instruction=_("Draw until somebody has the double of the round."),
    name=_("the draw for the double"),
    words=_("The player with the double begins. Where nobody was dealt it, each draws from the pile."),
    keeper=ELECTED_SCOREKEEPER_TEXT,
)
_THROWS_FIRST: Final = TableDraw(
    rule="",
    instruction=_("Agree on who throws first."),
    name=_("the choice of who throws first"),
    words=_("The book leaves open who throws first."),
    keeper=ELECTED_SCOREKEEPER_TEXT,
)
_DECIDE_WHO_DEALS: Final = replace(
    RANDOM_DEALER_DRAW,
    rule=_("Metzker Book, page 9"),
    instruction=_("Decide who deals."),
    words=_("One deals the hand, another the foot."),
)

_RUMMY_COUNTS: Final = (("K-10", _("10 points")), ("9-3", _("5 points")))
_DEALER_BIDS: Final = _("The dealer may not bid what would make the bids add up to the cards dealt.")

_BOOK_GAMES: Final = (
    ScorePadGame(
        name="10-dime-rummy", title=_("10 Dime Rummy"), page="1", players=_("any number"), wins=HIGH_WINS, unit=5,
        lowest=None,
        rounds=_make_rounds(
            _("1 set of 3"), _("2 sets of 3"), _("1 set of 4"), _("2 sets of 4"),
            _("1 set of 5"), _("2 sets of 5"), _("1 set of 6"), _("2 sets of 6"),
        ),
        wild=_("Jokers and 2s are wild; sets only."),
        counts=((_("Jokers"), _("50 points")), ("2s", _("25 points")), (_("Aces"), _("20 points")), *_RUMMY_COUNTS),
        notes=(_("Count all points played out in front of you less any cards still in your hand."),
               _("The highest score after the 8th round wins the pot.")),
    ),
    ScorePadGame(
        name="500-rummy", title=_("500 Rummy"), page="2", players=_("4, two teams"), sides=(2, 2), wins=HIGH_WINS,
        target=500, losing_total=-150, unit=5, lowest=None,
        bidding=BidKind.HIGHEST, check=_check_highest_bid,
        counts=((_("Aces"), _("10 points")), ("10's", _("10 points")), ("5's", _("5 points")),
                (_("Queen of spades"), _("25 points")),
                (_("Total a hand"), _("125 points"))),
        notes=(_("The bidding team scores what it took if that is its bid or more, else minus its bid; a no trump bid "
               "that is made scores 50 extra."),
               _("The other team always scores what it took, up to 495 in all: one must bid out to win at 500.")),
    ),
    ScorePadGame(
        name="arizona-rummy", title=_("Arizona Rummy"), page="3", players=_("any number"), wins=LOW_WINS, unit=5,
        scoring_side_limit=ScoringSideLimit.NOT_ALL,
        scoring_side_warning=_("The player who went out scores 0."),
        rounds=_make_wild_rank_rounds(),
        wild=_("The rank of the round is wild; at least one natural card in each grouping."),
        counts=((_("Jokers"), _("50 points")), (_("Wilds"), _("25 points")), (_("Ace"), _("20 points")),
                ("K-10", _("10 points")),
                ("9-2", _("5 points"))),
        notes=(_("Count back the cards remaining in your hand."),),
    ),
    ScorePadGame(
        name="canadian-salad", title=_("Canadian Salad (Whist)"), page="4", players="4", sides=(4, 4), wins=LOW_WINS,
        unit=5,
        rounds=(
            PadRound(_("Red cards"), _("5 points each"), 130, 100),
            PadRound(_("Even cards"), _("2, 4, 6, 8, 10, Q: 5 points each"), 120, 100),
            PadRound(_("Each trick"), _("10 points each"), 130, 100, 10),
            PadRound(_("Each heart"), _("10 points each"), 130, 100, 10),
            PadRound(_("Each face card"), _("10 points each"), 120, 100, 10),
            PadRound(_("Each seven"), _("30 points each"), 120, 100, 30),
            PadRound(_("Each ace"), _("30 points each"), 120, 100, 30),
            PadRound(_("Each queen"), _("30 points each"), 120, 100, 30),
            PadRound(_("King of spades"), _("75 points"), 75, unit=75),
            PadRound(_("Last trick"), _("75 points"), 75, unit=75),
        ),
        notes=(_("No trumps at all; the player who takes the trick counts the cards in it."),
               _("The player with all cards of interest scores 0 and everyone else 100; not for the king of spades and "
               "the last trick.")),
    ),
    ScorePadGame(
        name="desert-rummy", title=_("Desert Rummy"), page="5", players=_("any number"), wins=HIGH_WINS, target=11,
        allowed_points=(0, 1), scoring_side_limit=ScoringSideLimit.SOMEBODY,
        scoring_side_warning=_("Somebody melds in every hand: it ends with a player who has melded."),
        steps=(
            _("2 sets of 3"), _("2 runs of 3"), _("1 run of 4 and 1 set of 3"), _("2 sets of 4"),
            _("1 run of 5 and 1 set of 3"),
            _("3 sets of 3"), _("1 run of 7"), _("2 runs of 4 in same suit"), _("1 run of 6 and 1 set of 3"),
            _("2 sets of 5"),
            _("1 run of 9"),
        ),
        wild=_("Jokers and twos are wild; at least as many tame cards as wilds."),
        notes=(_("There are no points: write 1 for everybody who melded in this hand, 0 for the others."),
               _("Players each work on their own meld. The first to complete the 11th wins.")),
    ),
    ScorePadGame(
        name="euchre", title=_("Euchre"), page="6", players=_("4, two teams"), sides=(2, 2), wins=HIGH_WINS, target=10,
        allowed_points=(0, 1, 2, 4), scoring_side_limit=ScoringSideLimit.ALL_BUT_ONE,
        scoring_side_warning=_("One team scores in a hand, and the other scores 0."),
        counts=((_("Bidding team, 3-4 tricks"), _("1 point")), (_("Bidding team, 5 tricks"), _("2 points")),
                (_("5 tricks, going alone"), _("4 points")),
                (_("Bidding team under 3 tricks: Euchre!"), _("other team 2 points"))),
    ),
    ScorePadGame(
        name="five-hundreds", title=_("Five Hundreds"), page="7", players=_("2 to 4"), sides=(2, 4), wins=HIGH_WINS,
        target=500, unit=5, lowest=None, max_points_in_all=420, wild=_("There are no wilds."),
        counts=((_("Ace"), _("25 points")), ("K-10", _("10 points")), ("9-2", _("5 points"))),
        notes=(_("Count back any cards in your hand against any cards on the table."),
               _("If several go over 500 in the same round, the higher score wins.")),
    ),
    ScorePadGame(
        name="golf", title=_("Golf"), page="8", players=_("any number"), wins=LOW_WINS,
        lowest=-100, highest=80, rounds=_make_rounds(*[""] * 9),
        counts=((_("Kings"), _("free")), (_("Pair"), _("free: two of the same value, one above the other")),
                (_("Red 7s"), _("free")),
                (_("Jokers"), _("minus 5")), ("Q-10", "10"), ("9-2", _("face value")), (_("Ace"), "1"),
                (_("Block of 4 cards"), _("minus 10")), (_("Block of 4 jokers"), _("minus 50"))),
        notes=(_("The highest score of a round pays a quarter, everybody who ties for it too; "
                 "double if they knocked."),),
    ),
    ScorePadGame(
        name="hand-and-foot-canasta", title=_("Hand and Foot Canasta"), page="9–10", players=_("2, 4 or 6, two teams"),
        draw=_DECIDE_WHO_DEALS, sides=(2, 2), wins=HIGH_WINS, unit=5, lowest=None,
        rounds=_make_rounds(_("minimum meld 90"), _("minimum meld 120"), _("minimum meld 150"), _("minimum meld 180")),
        wild=_("Jokers and 2s are wild; at least as many naturals as wild to start each set."),
        counts=((_("Jokers"), _("50 points")), ("2s", _("25 points")), (_("Ace"), _("20 points")),
                ("K-8", _("10 points")),
                ("4-7", _("5 points")), (_("Black 3"), _("5 points")), (_("For going out"), _("100 points")),
                (_("Red three"), _("100 points each")), (_("Red canasta, 7 natural cards"), _("500 points")),
                (_("Black canasta, naturals and wilds"), _("300 points")),
                (_("Wild canasta, 7 wild cards"), _("2000 points"))),
        notes=(_("The over: the canastas. The under: the card count of all cards on the table, less the cards in hand "
               "or foot."),
               _("Without a meld, red threes on the table count against you.")),
    ),
    ScorePadGame(
        name="hearts", title=_("Hearts"), page="11", players=_("any number"), wins=LOW_WINS, target=100,
        check=_check_queen,
        turns=tuple(PadRound("", asks, 26, 26)
                    for asks in (_("pass left"), _("pass right"), _("pass across"), _("no passing (keeper)"))),
        counts=((_("Hearts"), _("1 point each")), (_("Queen of spades"), _("13 points")),
                (_("POWER: all hearts and the queen of spades"), _("26 points to every other player, 0 to the one"))),
        notes=(_("Three cards are passed, two where more than four play; across is then two players to the left."),
               _("The player who takes the first trick counts the points in the kitty at the end."),
               _("Once anybody reaches 100 the game is over, and the lowest score wins.")),
    ),
    ScorePadGame(
        name="honeymoon-whist", title=_("Honeymoon Whist"), page="12", players="2", sides=(2, 2), wins=HIGH_WINS,
        draw=_LOW_PLAYS_FIRST, highest=7, scoring_side_limit=ScoringSideLimit.ALL_BUT_ONE,
        scoring_side_warning=_("Of the 13 tricks only one player takes more than 6. The other scores 0."),
        rounds=(*(PadRound(suit, _("%(suit)s trump", suit=suit)) for suit in _SUITS),
        PadRound(_("No-trump"), _("no trump"))),
        notes=(_("You score tricks after you take 6."),),
    ),
    ScorePadGame(
        name="horseshit-rummy", title=_("Horseshit Rummy"), page="13", players=_("any number"), wins=HIGH_WINS,
        target=1500,
        unit=5, lowest=None,
        wild=_("The dealer's face up card is wild for everyone; 2s and jokers are removed; sets only."),
        counts=((_("Wilds"), _("100 points")), (_("Ace"), _("100 points (alternate rule: 50)")), *_RUMMY_COUNTS),
        notes=(_("Count all points played out in front of you less any cards still in your hand."),),
    ),
    ScorePadGame(
        name="oh-hell", title=_("Oh Hell! (3 to 5 players)"), page="14", players=_("3 to 5"), sides=(3, 5),
        wins=HIGH_WINS,
        bidding=BidKind.EACH, check=_check_bids, rounds=_make_down_and_up_rounds(10),
        notes=(
            _("A bid made exactly scores the bid with a 1 in front: 0 becomes 10, 1 becomes 11, and 10 becomes 110. "
              "Otherwise nothing."),
            _DEALER_BIDS,
        ),
    ),
    ScorePadGame(
        name="oh-hell-6-7", title=_("Oh Hell! (6 or 7 players)"), page="14", players=_("6 or 7"), sides=(6, 7),
        wins=HIGH_WINS, bidding=BidKind.EACH, check=_check_bids, rounds=_make_down_and_up_rounds(7),
        notes=(
            _("A bid made exactly scores the bid with a 1 in front: 0 becomes 10, 1 becomes 11. Otherwise nothing."),
            _DEALER_BIDS,
        ),
    ),
    ScorePadGame(
        name="push", title=_("Push (Rummy)"), page="15", players=_("4, two teams"), sides=(2, 2), wins=LOW_WINS, unit=5,
        scoring_side_limit=ScoringSideLimit.ALL_BUT_ONE,
        scoring_side_warning=_("The team that went out scores 0, and only that team."),
        rounds=_make_rounds(
            _("6 cards dealt: 2 sets of three"), _("7 cards dealt: 1 set of 3, 1 run of 4"),
            _("8 cards dealt: 2 runs of 4"),
            _("9 cards dealt: 3 sets of 3"), _("10 cards dealt: 2 runs of 5"),
        ),
        wild=_("Jokers and twos are wild."),
        counts=((_("Wild cards"), _("25 points")), (_("Ace"), _("20 points")), ("K Q J 10", _("10 points")),
                ("9-3", _("5 points"))),
        notes=(_("The team that went out counts nothing; the other team counts the cards in both hands."),),
    ),
    ScorePadGame(
        name="saskatchewan-rummy", title=_("Saskatchewan Rummy"), page="16", players=_("any number"), wins=LOW_WINS,
        unit=5, check=check_saskatchewan_payments,
        rounds=(
            PadRound(_("Each trick"), _("5 cents each")), PadRound(_("Each heart"), _("5 cents each")),
            PadRound(_("Each queen"), _("10 cents each"), 40, unit=10),
            PadRound(_("King of clubs"), _("25 cents"), 25, unit=25),
            PadRound(_("Last trick"), _("50 cents"), 50, unit=50),
            PadRound(_("PayDay"), _("5 cents a pass; what you win is minus"), is_signed=True),
        ),
        notes=(_("Write what each pays, in cents. Aces are high, no trump."),
               _("PayDay: the first player out takes half the money in the pot, "
                 "the second and third divide the rest.")),
    ),
    ScorePadGame(
        name="sweep", title=_("Sweep"), page="17", players=_("any number"), wins=LOW_WINS, target=300,
        scoring_side_limit=ScoringSideLimit.ALL_BUT_ONE,
        scoring_side_warning=_("The player who went out scores 0, and only that player."),
        counts=((_("Face cards"), _("10 points each")), (_("2 to 9"), _("face value")), (_("Aces"), _("1 point")),
                ("10's", _("25 points")),
                (_("Jokers, where Scoop is played"), _("50 points"))),
        notes=(_("A player who did not go out counts the cards left in hand and the down cards."),
               _("The game ends when one player reaches 300; the lowest score wins.")),
    ),
    ScorePadGame(
        name="thirty-one", title=_("Thirty One"), page="18", players=_("any number"), wins=LOW_WINS,
        allowed_points=(0, 1, 2), scoring_side_limit=ScoringSideLimit.SOMEBODY,
        scoring_side_warning=_("Somebody loses a quarter in every round."),
        check=_check_quarters,
        counts=((_("Lowest hand of the round"), _("loses a quarter, so does everybody who ties")),
                (_("Lowest, and knocked"), _("loses two")), ("31", _("everyone else loses a quarter")),
                (_("Three of the same cards"), _("worth 30 ½ in play"))),
        notes=(_("Write the quarters each loses. Players start with 3, and have one round on their face after that."),
               _("The last player remaining wins the pot: record that player as the one who won outright.")),
    ),
    ScorePadGame(
        name="10000", title=_("Dice (10,000)"), page="19", players=_("any number"), wins=HIGH_WINS, target=10_000,
        draw=_THROWS_FIRST,
        back_to_zero=True, unit=50, check=_check_first_meld,
        counts=(("5", "50"), ("1", "100"), (_("3 of a kind 1's"), "1,000"), (_("3 of a kind"), "x00"),
                (_("4 of a kind"), _("x00 times 2")), (_("5 of a kind"), _("x00 times 4")), (_("Straight"), "1,000"),
                (_("3 pair"), "1,500"), (_("6 of a kind in one roll"), _("wins the game"))),
        notes=(_("A total of 1,000 is required to meld; nothing counts before."),
               _("Write what was thrown. At 10,000 or over, the score works down from there to zero or less."),
               _("Six of a kind in one roll wins outright. Alternate rule: the game ends at 10,000.")),
    ),
    ScorePadGame(
        name="chicken-foot", title=_("Chicken Foot (Dominoes)"), page="20", players=_("any number"), wins=LOW_WINS,
        draw=_THE_DOUBLE,
        rounds=tuple(PadRound(f"{n}-{n}", _("starts with the %(double)s", double=f"{n}-{n}")) for n in range(10)),
        counts=((_("Each pip left in hand"), _("1 point")), ("0-0", _("50 points"))),
        notes=(_("The rounds here are those of a set up to the double nine; "
                 "the book leaves open which set is used."),),
    ),
    ScorePadGame(
        name="mexican-train", title=_("Mexican Train (Dominoes)"), page="21", players=_("2 to 8"), sides=(2, 8),
        draw=_THE_DOUBLE, wins=LOW_WINS, max_points_in_all=1092,
        scoring_side_limit=ScoringSideLimit.NOT_ALL,
        scoring_side_warning=_("The player who has played all dominoes scores 0."),
        rounds=_make_double_rounds(12),
        counts=((_("Each pip left in hand"), _("1 point")), (_("Double blank"), _("0 (alternate rule: 50 points)"))),
    ),
    ScorePadGame(
        name="sticks", title=_("Sticks"), page="22", players=_("any number"), wins=HIGH_WINS, target=7,
        scoring_side_limit=ScoringSideLimit.SOMEBODY,
        scoring_side_warning=_("Somebody turns up a stick in every hand: it ends with a player who has."),
        wild=_("2s and jokers are wild; at least one natural card in each sequence."),
        notes=(_("Write the sticks each has turned face up in this hand, free ones too."),
               _("The first person to collect 7 sticks wins; a free stick cannot be the 7th.")),
    ),
)  # fmt: skip

SCORE_PAD_GAMES: Final[Mapping[str, ScorePadGame]] = {each.name: each for each in _BOOK_GAMES}
