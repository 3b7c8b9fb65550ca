"""Generate random cases, with every kind of line and option, for variants other than two-sided gin."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import strategies as st

from tests.scoring.rules.sheet.sheet_strategies import bonuses, cards, counts, names, side_pairs
from tests.scoring.rules.variants import recount_captain, recount_score_pad
from tests.scoring.rules.variants.recount_fort_worth import WILD
from tests.scoring.rules.variants.recount_score_pad import BOOK, meant

# --- Captain ---------------------------------------------------------------------------------------------------------

sides_of_three = st.one_of(st.just(["A", "B", "C"]), st.lists(names, min_size=3, max_size=3, unique=True))


captain_options = st.fixed_dictionaries(
    {},
    optional={
        "target": st.one_of(st.integers(1, 300), st.just(10**9)),
        "knock": st.integers(0, 12),
        "undercut_bonus": st.one_of(st.just(0), bonuses),
        "gin_bonus": st.one_of(st.just(0), bonuses),
    },
)


@st.composite
def captain_hands(draw: st.DrawFn, box: str, captain: str, knock: int) -> dict[str, Any]:
    """Generate a hand between the player in the box and the captain."""
    outcome = draw(st.sampled_from(["knock", "knock", "gin", "points", "stock", "void"]))
    line: dict[str, Any] = {"outcome": outcome}
    if draw(st.integers(0, 3)) == 0:
        line["dealer"] = box
    if outcome == "points":
        line["points"] = draw(st.one_of(st.just(0), st.integers(0, 99)))
        if line["points"] or draw(st.booleans()):
            line["to"] = draw(st.sampled_from([box, captain]))
    if outcome in ("knock", "gin"):
        by, against = draw(st.permutations([box, captain]))
        own = draw(st.integers(0, knock)) if outcome == "knock" else 0
        line |= {"by": by, "counts": {by: own, against: draw(counts)}}
        if draw(st.integers(0, 4)) == 0:
            line["missing"] = {against: draw(st.integers(1, 3))}
        if draw(st.integers(0, 4)) == 0:
            line["extra"] = {against: draw(st.lists(cards, min_size=1, max_size=3, unique=True))}
    return line


@st.composite
def captain_cases(draw: st.DrawFn, most: int = 12) -> dict[str, Any]:
    """Generate captain game sheets, open or complete, in which the right two players played each hand."""
    sides, options = draw(sides_of_three), draw(captain_options)
    case: dict[str, Any] = {"rules": "captain", "options": options, "sides": sides, "lines": []}
    for _ in range(draw(st.integers(0, most))):
        box, captain, _ = next_roles(case)
        case["lines"].append(draw(captain_hands(box, captain, options.get("knock", 10))))
        if recount_captain.recount(case)[0]["complete"]:
            break
    return case


def next_roles(case: dict[str, Any]) -> tuple[str, str, str]:
    """Return the players in the box, as captain, and sitting out in the next hand, based only on the rule's text."""
    lines = recount_captain.recount(case)[0]["lines"]
    if not lines:
        return tuple(case["sides"])
    box, captain, out = lines[-1]["roles"].values()
    if lines[-1]["points"][box]:
        return box, out, captain
    return (captain, out, box) if lines[-1]["points"][captain] else (box, captain, out)


# --- Court Whist -----------------------------------------------------------------------------------------------------

ALL_HANDS = list(product(range(1, 8), range(1, 5)))


@st.composite
def whist_hands(draw: st.DrawFn, game: int, hand: int) -> dict[str, Any]:
    line: dict[str, Any] = {"game": game, "hand": hand}
    if draw(st.integers(0, 5)) == 0:
        return line | {"sit_out": True}
    line["tricks"] = draw(st.integers(0, 13))
    if game == 4:
        line["lady_tricks"] = draw(st.integers(0, line["tricks"]))
    if game == 6:
        line["spoken"] = draw(st.one_of(st.integers(0, 4), st.just(10**9)))
    if game == 7:
        line["faces"] = draw(st.integers(0, 12))
    return line


@st.composite
def whist_cards(draw: st.DrawFn) -> dict[str, Any]:
    """Generate Court Whist cards, complete or not, with their hands in any order."""
    places = draw(st.permutations(ALL_HANDS))[: draw(st.one_of(st.integers(0, 28), st.just(28)))]
    lines = [draw(whist_hands(*place)) for place in places]
    return {"rules": "court-whist", "sides": [draw(names)], "lines": lines}


# --- Fort Worth ------------------------------------------------------------------------------------------------------

fort_worth_options = st.fixed_dictionaries(
    {},
    optional={
        "length": st.sampled_from(list(WILD)),
        "spades": st.booleans(),
        "kings_double": st.booleans(),
        "double_negative": st.booleans(),
        "value_cents": st.one_of(st.integers(0, 7), st.integers(0, 5_000)),
    },
)


low_or_any = st.one_of(st.integers(0, 4), st.integers(0, 110), st.integers(0, 1_000))


turn_cards = st.one_of(st.sampled_from(["AS", "AS", "4S", "AH"]), cards)


@st.composite
def fort_worth_cases(draw: st.DrawFn, *, whole: bool = False) -> dict[str, Any]:
    """Generate Fort Worth sheets. If `whole` is true, all of them are complete."""
    options = draw(fort_worth_options)
    sides = draw(st.one_of(st.just(["P1", "P2", "P3"]), st.lists(names, min_size=2, max_size=5, unique=True)))
    most = len(WILD[options.get("length", "full")])
    number = most if whole else draw(st.integers(0, most))
    lines = [draw(fort_worth_hands(sides, spades=options.get("spades", False))) for _ in range(number)]
    return {"rules": "fort-worth", "options": options, "sides": sides, "lines": lines}


@st.composite
def fort_worth_hands(draw: st.DrawFn, sides: list[str], *, spades: bool) -> dict[str, Any]:
    by = draw(st.one_of(st.none(), st.sampled_from(sides)))
    line: dict[str, Any] = {"counts": {side: draw(low_or_any) for side in sides if side != by}}
    if by is not None:
        line["by"] = by
    if spades or draw(st.booleans()):
        line["turn"] = draw(turn_cards)
    return line


# --- Metzker couples -------------------------------------------------------------------------------------------------

unmatched = st.integers(0, 60)


@st.composite
def couple_results(draw: st.DrawFn, sides: list[str]) -> dict[str, Any]:
    outcome = draw(st.sampled_from(["gin", "double-gin", "run", "run", "stock"]))
    if outcome == "stock":
        return {"outcome": outcome, "counts": {side: draw(unmatched) for side in sides}}
    by, against = draw(st.permutations(sides))
    own = draw(st.integers(0, 9)) if outcome == "run" else 0
    return {"outcome": outcome, "by": by, "counts": {by: own, against: draw(unmatched)}}


@st.composite
def couples_cases(draw: st.DrawFn, most: int = 9) -> dict[str, Any]:
    """Generate cases whose rounds may continue after the sheet is complete."""
    options = draw(st.fixed_dictionaries({}, optional={"target": st.integers(1, 250)}))
    sides = draw(side_pairs)
    rounds = st.fixed_dictionaries({"results": st.lists(couple_results(sides), min_size=1, max_size=4)})
    return {"rules": "metzker", "options": options, "sides": sides, "lines": draw(st.lists(rounds, max_size=most))}


# --- Score pads ------------------------------------------------------------------------------------------------------

round_names = st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=9), max_size=6)


pad_options = st.fixed_dictionaries(
    {},
    optional={
        "game": st.one_of(st.none(), st.sampled_from(sorted(BOOK))),
        "rounds": st.one_of(st.none(), round_names),
        "wins": st.sampled_from(["high", "low", None]),
        "target": st.one_of(st.none(), st.integers(1, 150)),
        "losing_total": st.one_of(st.none(), st.integers(-100, -1)),
        "back_to_zero": st.sampled_from([None, False, True]),
    },
)


pad_points = st.one_of(st.integers(-30, 60), st.sampled_from([0, 50, -(10**9), 10**9]))


@st.composite
def pad_cases(draw: st.DrawFn, most: int = 14) -> dict[str, Any]:
    """Generate score pads, open or complete.

    No line follows the end of the game, and a recorded winner never contradicts the points.
    """
    sides = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    case: dict[str, Any] = {"rules": "score-pad", "options": draw(pad_options), "sides": sides, "lines": []}
    rounds = meant(case["options"])["rounds"]
    for at in range(draw(st.integers(0, most))):
        line: dict[str, Any] = {"points": {side: draw(pad_points) for side in sides}}
        if draw(st.integers(0, 4)) == 0:
            line = {"round": rounds[at] if at < len(rounds) else str(at + 1), **line}
        longer = case | {"lines": [*case["lines"], line]}
        by_points = recount_score_pad.recount(longer)[0]["winner"]
        if draw(st.integers(0, 8)) == 0:
            line["won_by"] = by_points or draw(st.sampled_from(sides))
        case = longer
        if recount_score_pad.recount(case)[0]["complete"]:
            break
    return case


# --- Word gin --------------------------------------------------------------------------------------------------------

word_points = st.integers(0, 90)


@st.composite
def word_hands(draw: st.DrawFn, sides: list[str]) -> dict[str, Any]:
    outcome = draw(st.sampled_from(["gin", "knock", "stock"]))
    by = draw(st.sampled_from(sides))
    deadwood = {side: draw(word_points) for side in sides}
    if outcome == "gin":
        deadwood[by] = 0
    elif draw(st.integers(0, 2)) == 0:
        deadwood = dict.fromkeys(sides, deadwood[by])
    line = {"outcome": outcome, "by": by, "words": {side: draw(word_points) for side in sides}, "deadwood": deadwood}
    long_words = {side: draw(st.integers(1, 2)) for side in sides if draw(st.integers(0, 3)) == 0}
    return {**line, "long_words": long_words} if long_words else line


@st.composite
def word_cases(draw: st.DrawFn, most: int = 14) -> dict[str, Any]:
    """Generate cases whose lines may continue after the sheet is complete."""
    target = st.integers(1, 400)
    options = draw(
        st.fixed_dictionaries(
            {}, optional={"target": target, "progressive": st.booleans(), "min_letters": st.integers(1, 10)}
        )
    )
    sides = draw(side_pairs)
    lines = draw(st.lists(word_hands(sides), max_size=most))
    return {"rules": "word-gin", "options": options, "sides": sides, "lines": lines}
