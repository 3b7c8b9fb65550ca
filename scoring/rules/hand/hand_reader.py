"""Read and validate a recorded hand of gin between two sides, or convert it back to JSON.

An impossible hand is rejected, and the error names the broken rule. All problems of a hand are reported together. The
fields of a line are specified in CONTRACTS.md, tally, “Two-sided gin hands”.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from scoring.rules.book.options import NumberRange, Rulebook, RuleTopic
from scoring.rules.hand.cards import PlayingCard, read_card, read_cards
from scoring.rules.hand.hands import (
    FINISHING_OUTCOMES,
    HAND_SIZE,
    MAX_POINTS,
    FinishedHand,
    Hand,
    HandOutcome,
    PointsOnlyHand,
    TypedGinOptions,
    UnscoredHand,
)
from tournament.cases import (
    FieldReader,
    ProblemCollector,
    describe_value,
    join_path,
    read_integer,
    read_object,
    shorten_text,
)
from tournament.lazy_text import join_texts, lazy_text

HAND_FIELDS: Final = (
    "outcome", "dealer", "by", "counts", "missing", "extra", "to", "points",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class UpCardReading:
    """The up card read from a line.

    `card` is None if the line has no up card. `is_legible` is False if the recorded up card is not a valid card.
    """

    card: PlayingCard | None
    is_legible: bool = True


_Reader = Callable[[Any, str, ProblemCollector], dict[str, int] | None]


class SideReader:
    """Reads the names of sides, and objects of the form `{side: number}`.

    If `sides` is empty because the sides' names were unreadable, every name is accepted.
    """

    def __init__(self, sides: tuple[str, ...]) -> None:
        self.sides = sides

    def read_side(self, value: Any, path: str, problems: ProblemCollector) -> str | None:
        """Return the name of a side.

        If the name is invalid, add the problem `bad-value` or `unknown-side`, and return None.
        """
        if not isinstance(value, str):
            problems.add_bad_value(path, lazy_text("%(value)s is not the name of a side.", value=describe_value(value)))
            return None
        return value if self._is_known_side(value, path, problems) else None

    def _is_known_side(self, name: str, path: str, problems: ProblemCollector) -> bool:
        if not self.sides or name in self.sides:
            return True
        message = lazy_text(
            "%(name)s is not a side of this sheet: %(shortened)s.",
            name=describe_value(name),
            shortened=", ".join(map(shorten_text, self.sides)),
        )
        problems.add("unknown-side", path, message)
        return False

    def make_number_reader(self, within: NumberRange, *, each: bool = True) -> _Reader:
        """Return a function that reads objects of the form `{side: number}`.

        If `each` is True, every side must have a number.

        The function adds the problems `bad-value`, `unknown-side`, and `missing-field`.
        """
        return partial(self._read_numbers, within=within, each=each)

    def _read_numbers(
        self, value: Any, path: str, problems: ProblemCollector, *, within: NumberRange, each: bool
    ) -> dict[str, int] | None:
        given = read_object(value, path, problems)
        if given is None:
            return None
        numbers = {}
        for name, entry in given.items():
            where = join_path(path, shorten_text(name))
            if not self._is_known_side(name, where, problems):
                continue
            number = read_integer(entry, where, problems, minimum=within.lowest, maximum=within.highest)
            if number is not None:
                numbers[name] = number
        for side in self.sides if each else ():
            if side not in given:
                problems.add(
                    "missing-field",
                    join_path(path, side),
                    lazy_text("The number of %(side)s is missing.", side=shorten_text(side)),
                )
        return numbers


class HandReader(SideReader):
    def __init__(self, sides: tuple[str, ...], terms: TypedGinOptions, rulebook: Rulebook) -> None:
        super().__init__(sides)
        self.terms = terms
        self.rulebook = rulebook

    def read(self, fields: FieldReader) -> Hand | None:
        """Read a hand. If it is invalid, add its problems and return None."""
        return self.read_board(fields, self.read_up(fields))

    def read_up(self, fields: FieldReader) -> UpCardReading:
        card = fields.read("up", read_card, None)
        return UpCardReading(card, is_legible=card is not None or "up" not in fields)

    def read_board(self, fields: FieldReader, up: UpCardReading) -> Hand | None:
        before = len(fields.problems.found)
        written = fields.choice("outcome", [outcome.value for outcome in HandOutcome])
        dealer = fields.read("dealer", self.read_side, None)
        hand = None
        if written is None:
            fields.finish(known=HAND_FIELDS)
        else:
            hand = self._read_outcome(fields, HandOutcome(written), up, dealer)
            fields.finish()
        return hand if up.is_legible and len(fields.problems.found) == before else None

    def _read_outcome(
        self, fields: FieldReader, outcome: HandOutcome, up: UpCardReading, dealer: str | None
    ) -> Hand | None:
        if outcome in FINISHING_OUTCOMES:
            return self._read_finish(fields, outcome, up, dealer)
        if outcome is HandOutcome.POINTS:
            points = fields.integer("points", minimum=0, maximum=MAX_POINTS)
            needs_side = points is not None and points > 0
            to = fields.read("to", self.read_side) if needs_side else fields.read("to", self.read_side, None)
            return None if points is None else PointsOnlyHand(to=to, points=points, up=up.card, dealer=dealer)
        return UnscoredHand(outcome=outcome, up=up.card, dealer=dealer)

    def _read_finish(
        self, fields: FieldReader, outcome: HandOutcome, up: UpCardReading, dealer: str | None
    ) -> Hand | None:
        by = fields.read("by", self.read_side)
        counts = fields.read("counts", self._read_counts) or {}
        against = None if by is None else self._find_opponent(by, counts)
        missing = fields.read("missing", self._read_missing, None) or {}
        extra = fields.read("extra", self._read_extra, None) or {}
        if by is not None:
            self._reject_wrong_card_count(fields, by, is_missing=by in missing, is_extra=by in extra)
        own = None if by is None else counts.get(by)
        self._reject_illegal_finish(fields, outcome, up, own)
        if by is None or against is None or own is None or against not in counts:
            return None
        return FinishedHand(
            outcome=outcome,
            by=by,
            against=against,
            own_count=own,
            other_count=counts[against],
            missing=missing.get(against, 0),
            extra=extra.get(against, ()),
            up=up.card,
            dealer=dealer,
        )

    def _reject_wrong_card_count(self, fields: FieldReader, by: str, *, is_missing: bool, is_extra: bool) -> None:
        """Add a problem if missing or extra cards are recorded for `by`, the side that ended the hand.

        Only the opponent of that side can have the wrong number of cards.
        """
        name = shorten_text(by)
        if is_missing:
            message = lazy_text("Only the opponent of %(by)s, who finished the hand, can have cards missing.", by=name)
            fields.problems.add_bad_value(
                join_path(fields.get_path("missing"), by), self.rulebook.add_citation(RuleTopic.WRONG_COUNT, message)
            )
        if is_extra:
            message = lazy_text("Only the opponent of %(by)s, who finished the hand, can have cards too many.", by=name)
            fields.problems.add_bad_value(
                join_path(fields.get_path("extra"), by), self.rulebook.add_citation(RuleTopic.WRONG_COUNT, message)
            )

    def _find_opponent(self, by: str, counts: Mapping[str, int]) -> str | None:
        """Return the opponent of `by`, or None if it cannot be determined."""
        return next((side for side in self.sides if side != by), None)

    def _list_sides_to_count(self) -> tuple[str, ...]:
        return self.sides

    def _reject_illegal_finish(
        self, fields: FieldReader, outcome: HandOutcome, up: UpCardReading, own: int | None
    ) -> None:
        """Add a problem for a knock or gin that the rules forbid.

        `own` is the deadwood count of the player who ended the hand, or None if it is unreadable.
        """
        if outcome is HandOutcome.KNOCK:
            self._reject_high_knock(fields, up, own)
            return
        if outcome is HandOutcome.BIG_GIN and not self.terms.plays_big_gin:
            message = lazy_text("Big gin is not played: this rule sheet has no bonus for it. Record it as gin.")
            fields.problems.add_bad_value(fields.get_path("outcome"), message)
        if own:
            by = fields.data["by"]
            message = lazy_text(
                "%(own)s does not go with %(outcome)s: the player who gins has no unmatched points.",
                own=own,
                outcome=outcome,
            )
            fields.problems.add_bad_value(join_path(fields.get_path("counts"), by), message)

    def _reject_high_knock(self, fields: FieldReader, up: UpCardReading, own: int | None) -> None:
        with_citation, problems = self.rulebook.add_citation, fields.problems
        if self.terms.requires_gin(up.card):
            message = lazy_text("The up card is an ace: the hand is played for gin, nobody can knock.")
            problems.add("ace-requires-gin", fields.get_path("outcome"), with_citation(RuleTopic.ACE, message))
            return
        limit = self.terms.find_knock_limit(up.card)
        if limit is None and up.is_legible:
            message = lazy_text("“up” is missing: a knock is limited by the up card.")
            problems.add("missing-field", fields.get_path("up"), with_citation(RuleTopic.KNOCK_CARD, message))
        elif limit is not None and own is not None and own > limit:
            path = join_path(fields.get_path("counts"), fields.data["by"])
            problems.add("knock-too-high", path, self._describe_high_knock(own, limit, up.card))

    def _describe_high_knock(self, own: int, limit: int, up: PlayingCard | None) -> str:
        if up is not None and self.terms.knock is None:
            message = lazy_text(
                "You cannot knock with %(own)s. The up card is %(up)s, so %(limit)s is the most.",
                own=own,
                up=up.symbol,
                limit=limit,
            )
        else:
            message = lazy_text("You cannot knock with %(own)s. The most is %(limit)s.", own=own, limit=limit)
        with_citation = self.rulebook.add_citation(RuleTopic.KNOCK_CARD, message)
        if RuleTopic.IMPROPER_KNOCK not in self.rulebook.rules:
            return with_citation
        then = lazy_text("It is played open, or the opponent accepts it.")
        return join_texts(" ", [with_citation, self.rulebook.add_citation(RuleTopic.IMPROPER_KNOCK, then)])

    def _list_known_sides(self, value: Any, path: str, problems: ProblemCollector) -> list[tuple[str, str, Any]]:
        """Return the known sides of a `{side: value}` object, each with its path and value."""
        found = read_object(value, path, problems) or {}
        entries = ((name, join_path(path, shorten_text(name)), entry) for name, entry in found.items())
        return [entry for entry in entries if self._is_known_side(entry[0], entry[1], problems)]

    def _read_counts(self, value: Any, path: str, problems: ProblemCollector) -> dict[str, int]:
        counts = {}
        for side, where, entry in self._list_known_sides(value, path, problems):
            count = read_integer(entry, where, problems, minimum=0, maximum=MAX_POINTS)
            if count is not None:
                counts[side] = count
        for side in self._list_sides_to_count() if isinstance(value, dict) else ():
            if side not in value:
                problems.add(
                    "missing-field",
                    join_path(path, side),
                    lazy_text("The count of %(side)s is missing.", side=shorten_text(side)),
                )
        return counts

    def _read_missing(self, value: Any, path: str, problems: ProblemCollector) -> dict[str, int]:
        each = self._list_known_sides(value, path, problems)
        return {side: read_integer(n, where, problems, minimum=0, maximum=HAND_SIZE) or 0 for side, where, n in each}

    def _read_extra(self, value: Any, path: str, problems: ProblemCollector) -> dict[str, tuple[PlayingCard, ...]]:
        each = self._list_known_sides(value, path, problems)
        return {side: read_cards(entry, where, problems) for side, where, entry in each}


def hand_to_json(hand: Hand) -> dict[str, Any]:
    """Return the hand as JSON for `HandReader`, without fields that are not recorded."""
    line: dict[str, Any] = {} if hand.up is None else {"up": str(hand.up)}
    line["outcome"] = str(hand.outcome)
    if hand.dealer is not None:
        line["dealer"] = hand.dealer
    if isinstance(hand, FinishedHand):
        line |= {"by": hand.by, "counts": {hand.by: hand.own_count, hand.against: hand.other_count}}
        if hand.missing:
            line["missing"] = {hand.against: hand.missing}
        if hand.extra:
            line["extra"] = {hand.against: [str(card) for card in hand.extra]}
    elif isinstance(hand, PointsOnlyHand):
        line |= {"points": hand.points} if hand.to is None else {"to": hand.to, "points": hand.points}
    return line
