"""Compute the answer of the `standings` command independently of the program's code.

The functions do exactly what docs/draw.md, part 10, says, without any optimization.
"""

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

USUAL = ["wins", "losses", "play-off", "head-to-head", "opponents-wins", "point-spread", "draw"]
Group = list[int]


def places_by_hand(case: dict[str, Any]) -> list[tuple[int | None, int]]:
    """Return each entry with its place, in the same order as the answer of `standings`."""
    out = {int(entry) for entry, why in case.get("removed", {}).items() if why == "disqualified"}
    groups = asked([entry for entry in case["entries"] if entry not in out], case.get("tie_breaks", USUAL), case)
    found: list[tuple[int | None, int]] = []
    for group in groups:
        place = len(found) + 1
        found += [(place, entry) for entry in sorted(group)]
    return found + [(None, entry) for entry in sorted(out)]


def asked(tied: Group, tie_breaks: list[str], case: dict[str, Any]) -> list[Group]:
    if len(tied) < 2 or not tie_breaks:
        return [tied] if tied else []
    by = tie_breaks[0]
    values = {entry: value(by, entry, tied, case) for entry in tied}
    parts = [[e for e in tied if values[e] == one] for one in sorted(set(values.values()), reverse=True)]
    rest = tie_breaks if by == "head-to-head" and len(parts) > 1 else tie_breaks[1:]
    return [group for part in parts for group in asked(part, rest, case)]


def result(match: dict[str, Any], entry: int) -> str:
    """Return an entry's result in a match: “win”, “loss”, or an empty string."""
    if entry not in match["sides"] or match.get("void"):
        return ""
    if "credit" in match:
        return "win" if match["credit"] == "bye" else "loss"
    if "losers" in match:
        return "loss" if entry in match["losers"] else ""
    return "win" if match["winner"] == entry else "loss"


def plain_wins(entry: int, case: dict[str, Any]) -> int:
    return sum(result(match, entry) == "win" for match in case["matches"])


def opponent(match: dict[str, Any], entry: int) -> int | None:
    return next((side for side in match["sides"] if side != entry), None)


def average(total: int, count: int, case: dict[str, Any]) -> Fraction:
    if not case.get("groups"):
        return Fraction(total)
    return Fraction(total, count) if count else Fraction(0)


def value(by: str, entry: int, tied: Group, case: dict[str, Any]) -> Fraction:
    """Return an entry's value for one tie-break. Higher values are better."""
    own = [match for match in case["matches"] if result(match, entry)]
    losses = len(own) - plain_wins(entry, case)
    if by == "wins":
        return average(plain_wins(entry, case), len(own), case)
    if by == "losses":
        return Fraction(0 if case.get("groups") else -losses)
    if by == "opponents-wins":
        met = [other for match in own if (other := opponent(match, entry)) is not None]
        return average(sum(plain_wins(other, case) for other in met), len(met), case)
    if by == "point-spread":
        both = [m for m in own if len(m["sides"]) == 2 and all(str(side) in m.get("points", {}) for side in m["sides"])]
        return average(
            sum(m["points"][str(entry)] - m["points"][str(opponent(m, entry))] for m in both), len(both), case
        )
    if by == "head-to-head":
        return Fraction(head_to_head(entry, tied, case))
    named: list[dict[int, int]] = [{int(k): v for k, v in finish.items()} for finish in case.get("play_offs", [])]
    if by == "draw":
        named = [{number: at for at, number in enumerate(drawn)} for drawn in case.get("draws", [])]
    last = next((each for each in reversed(named) if all(e in each for e in tied)), None)
    return Fraction(-last[entry] if last else 0)


def head_to_head(entry: int, tied: Group, case: dict[str, Any]) -> int:
    """Return an entry's value for the head-to-head tie-break among the tied entries.

    A match without a winner or a loser does not count as a meeting.
    """
    met = {
        (one, other): [
            m for m in case["matches"] if {one, other} == set(m["sides"]) and result(m, one) and result(m, other)
        ]
        for one, other in combinations(sorted(tied), 2)
    }
    own = [match for pair, matches in met.items() if entry in pair for match in matches]
    times = {len(matches) for matches in met.values()}
    if len(times) == 1 and 0 not in times:
        return sum(result(match, entry) == "win" for match in own)
    with_all = all(matches for pair, matches in met.items() if entry in pair)
    return int(with_all and all(result(match, entry) == "win" for match in own))


def random_match(entries: list[int], chance: random.Random) -> dict[str, Any]:
    if len(entries) < 2 or chance.random() < 0.15:
        return {"sides": [chance.choice(entries)], "credit": chance.choice(["bye", "penalty"])}
    sides = chance.sample(entries, 2)
    match: dict[str, Any] = {"sides": sides}
    end = chance.random()
    if end < 0.7:
        match["winner"] = chance.choice(sides)
    elif end < 0.8:
        match["void"] = True
    else:
        match["losers"] = chance.sample(sides, chance.randint(1, 2))
    if chance.random() < 0.6:
        told = sides if chance.random() < 0.8 else sides[:1]
        match["points"] = {str(side): chance.choice([-10, 0, 100, 100, 150]) for side in told}
    return match


def random_case(chance: random.Random) -> dict[str, Any]:
    entries = chance.sample(range(1, 30), chance.randint(0, 7))
    count = chance.choice([0, 3, 8, 15, 25]) if entries else 0
    case: dict[str, Any] = {"entries": entries, "matches": [random_match(entries, chance) for _ in range(count)]}
    if chance.random() < 0.6:
        case["tie_breaks"] = chance.sample(USUAL, chance.randint(0, len(USUAL)))
    if chance.random() < 0.5:
        named = [chance.sample(entries, chance.randint(0, len(entries))) for _ in range(chance.randint(0, 3))]
        case["play_offs"] = [{str(e): chance.randint(1, 3) for e in each} for each in named]
    if chance.random() < 0.5:
        case["draws"] = [chance.sample(entries, chance.randint(0, len(entries))) for _ in range(chance.randint(0, 3))]
    if chance.random() < 0.4 and entries:
        gone = chance.sample(entries, chance.randint(0, min(2, len(entries))))
        case["removed"] = {str(e): chance.choice(["withdrawn", "disqualified"]) for e in gone}
    if chance.random() < 0.4 and entries:
        cut = chance.randint(0, len(entries))
        case["groups"] = [group for group in (entries[:cut], entries[cut:]) if group]
    return case
