"""Generate random valid cases with every kind of hand and every option."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

ONE_GAME = ("gra-singles", "standard", "oklahoma")
RULES = (*ONE_GAME, "hollywood", "gra-partnership")
RANKS = "A23456789TJQK"
CARDS = [rank + suit for rank in RANKS for suit in "CDHS"]
ACE_FOR_GIN = dict.fromkeys(RULES, True) | {"standard": False}
KNOCK: dict[str, Any] = dict.fromkeys(RULES, "up-card") | {"standard": 10}
BIG_GIN: dict[str, Any] = dict.fromkeys(RULES) | {"standard": 31}

names = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8).filter(
    lambda name: name not in ("winner", "gins")
)
side_pairs = st.one_of(st.just(["A", "B"]), st.lists(names, min_size=2, max_size=2, unique=True))
cards = st.sampled_from(CARDS)
counts = st.integers(0, 98)
bonuses = st.integers(0, 60)


def pip_value(card: str) -> int:
    return min(RANKS.index(card[0]) + 1, 10)


PARTNERSHIP_OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "target": st.one_of(st.integers(1, 400), st.just(10**9)),
    "knock": st.one_of(st.just("up-card"), st.integers(0, 12)),
    "ace": st.sampled_from(["gin", "one"]),
    "gin_bonus": bonuses,
    "undercut_bonus": bonuses,
}
GIN_OPTIONS = PARTNERSHIP_OPTIONS | {
    "big_gin_bonus": st.one_of(st.none(), bonuses),
    "spades_double": st.booleans(),
    "box_bonus": bonuses,
    "game_bonus": bonuses,
    "shutout": st.sampled_from(["none", "double"]),
}


def option_sets(rules: str) -> st.SearchStrategy[dict[str, Any]]:
    if rules == "gra-partnership":
        return st.fixed_dictionaries({}, optional=PARTNERSHIP_OPTIONS | {"boards": st.integers(1, 4)})
    return st.fixed_dictionaries({}, optional=GIN_OPTIONS)


@st.composite
def hands(draw: st.DrawFn, rules: str, options: dict[str, Any], sides: list[str]) -> dict[str, Any]:
    """Generate a hand that is possible under these rules and options."""
    big_gin = options.get("big_gin_bonus", BIG_GIN[rules]) is not None
    outcome = draw(st.sampled_from(["knock", "gin", "stock", "void", "points"] + ["big-gin"] * big_gin))
    line: dict[str, Any] = {"outcome": outcome}
    up = draw(st.one_of(st.none(), cards))
    if draw(st.booleans()):
        line["dealer"] = draw(st.sampled_from(sides))
    if outcome in ("knock", "gin", "big-gin"):
        by, against = draw(st.permutations(sides))
        own = 0
        if outcome == "knock":
            up, own = draw(_knock(rules, options, up))
        line |= {"by": by, "counts": {by: own, against: draw(counts)}}
        if draw(st.integers(0, 3)) == 0:
            line["missing"] = {against: draw(st.integers(0, 3))}
        if draw(st.integers(0, 3)) == 0:
            line["extra"] = {against: draw(st.lists(cards, max_size=3, unique=True))}
    if outcome == "points":
        line["points"] = draw(st.one_of(st.just(0), st.integers(0, 130)))
        if line["points"] or draw(st.booleans()):
            line["to"] = draw(st.sampled_from(sides))
    return line if up is None else {"up": up, **line}


@st.composite
def _knock(draw: st.DrawFn, rules: str, options: dict[str, Any], up: str | None) -> tuple[str | None, int]:
    """Generate an up card under which a player may knock, and a count to knock with."""
    limit = options.get("knock", KNOCK[rules])
    for_gin = options.get("ace", "gin" if ACE_FOR_GIN[rules] else "one") == "gin"
    if limit == "up-card" and up is None:
        up = draw(cards)
    if up is not None and for_gin and up[0] == "A":
        up = "9" + up[1]
    return up, draw(st.integers(0, pip_value(up) if limit == "up-card" and up else limit))


@st.composite
def team_hands(draw: st.DrawFn, options: dict[str, Any], sides: list[str]) -> dict[str, Any]:
    """Generate a line with a hand for each board, all of them possible under the same up card."""
    boards = [draw(hands("gra-partnership", options, sides)) for _ in range(options.get("boards", 2))]
    knocked = [board.get("up") for board in boards if board["outcome"] == "knock"]
    any_card = st.none() if knocked else st.one_of(st.none(), cards)
    up = max(filter(None, knocked), key=pip_value, default=draw(any_card))
    line = {} if up is None else {"up": up}
    return line | {"boards": [{k: v for k, v in board.items() if k != "up"} for board in boards]}


def lines_of(rules: str, options: dict[str, Any], sides: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return team_hands(options, sides) if rules == "gra-partnership" else hands(rules, options, sides)


def hands_of(line: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the two-sided hands that are recorded in a line."""
    return line.get("boards", [line])


@st.composite
def endless_cases(draw: st.DrawFn, most: int = 12, among: tuple[str, ...] = RULES) -> dict[str, Any]:
    """Generate cases whose lines may continue after the sheet is complete."""
    rules = draw(st.sampled_from(among))
    options = draw(option_sets(rules))
    sides = draw(side_pairs)
    lines = draw(st.lists(lines_of(rules, options, sides), max_size=most))
    return {"rules": rules, "options": options, "sides": sides, "lines": lines}
