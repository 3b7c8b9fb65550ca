"""Read the rows of golden sheets whose variant has its own notation.

Each function returns the line that the row records, and those parts of the expected answer that only this variant has.
A part that is None must be missing from the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.scoring.rules.sheet.golden_hands import read_hand, read_record


def read_captain_row(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a row such as `B knock 5-20 | A B C`: B knocked with a count of 5 against 20.

    The last letters are the player in the box, the captain, and the player who sits out.
    """
    record, roles = (part.split() for part in row.split("|"))
    box, captain, out = roles
    line: dict[str, Any] = {}
    if record[0].startswith("dealer="):
        line["dealer"] = record.pop(0).removeprefix("dealer=")
    if record[0] in ("stock", "void"):
        line["outcome"] = record[0]
    elif record[0] == "points":
        line |= {"outcome": "points", "points": int(record[-1])}
        line |= {"to": record[1]} if len(record) == 3 else {}
    else:
        by, outcome, counts, *wrong = record
        against = captain if by == box else box
        own, other = counts.split("-")
        line |= {"outcome": outcome, "by": by, "counts": {by: int(own), against: int(other)}}
        if wrong and wrong[0] == "missing":
            line["missing"] = {against: int(wrong[1])}
        elif wrong:
            line["extra"] = {against: wrong[1:]}
    return line, {"roles": {"box": box, "captain": captain, "out": out}}


WHIST_FIELDS = {"lady": "lady_tricks", "spoken": "spoken", "faces": "faces"}


def read_court_whist_row(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a row such as `4.1 7 lady 3`: seven tricks in hand 1 of game 4, three of them taken by the lady.

    `6.2 5 spoken 1` means five tricks in hand 2 of game 6, in which the player spoke once although it costs points.
    `2.3 sits out` means that the player did not play hand 3 of game 2.
    """
    place, *record = row.split()
    game, hand = place.split(".")
    line: dict[str, Any] = {"game": int(game), "hand": int(hand)}
    if record == ["sits", "out"]:
        return line | {"sit_out": True}, {}
    line["tricks"] = int(record[0])
    if len(record) > 1:
        _, name, number = record
        line[WHIST_FIELDS[name]] = int(number)
    return line, {}


def read_fort_worth_row(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a row such as `4S A closes B 34 C 12`: the turn card, the closing player, and the others' counts.

    In a row such as `-- stymie A 5 B 7`, nobody closes, and no turn card is recorded.
    """
    turn, *record = row.split()
    line: dict[str, Any] = {} if turn == "--" else {"turn": turn}
    if record[0] == "stymie":
        counts = record[1:]
    else:
        line["by"] = record[0]
        assert record[1] == "closes", row
        counts = record[2:]
    line["counts"] = {side: int(count) for side, count in zip(counts[::2], counts[1::2], strict=True)}
    return line, {}


def read_hollywood_row(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a row such as `8H A knock 5-20 | 15 0 | 15 0  0 0  0 0`.

    The parts of the row are the hand, its points for both sides, and the totals of the three games after it.
    """
    record, points, games = (part.strip() for part in row.split("|"))
    line, _ = read_record(sides, record)
    columns = [dict(zip(sides, map(int, game.split()), strict=True)) for game in games.split("  ")]
    worth = dict(zip(sides, map(int, points.split()), strict=True))
    return line, {"points": worth, "columns": columns, "running": None}


def read_metzker_row(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a row such as `Guys gin 10; Girls run 6-4; stock 5-9 | 4 0  0 0  0 0`.

    The part before the bar contains the results of one round, separated by semicolons. The part after it contains the
    totals of the Guys and the Girls in each of the three games, including this round.

    `Guys gin 10` has only the opponent's count. `Girls run 6-4` has the count of the player who ran first, and then the
    opponent's. `stock 5-9` has the counts of the Guys and the Girls.
    """
    record, games = (part.strip() for part in row.split("|"))
    results = [_read_couple(sides, result.split()) for result in record.split(";")]
    columns = [dict(zip(sides, map(int, game.split()), strict=True)) for game in games.split("  ")]
    return {"results": results}, {"columns": columns, "running": None}


def _read_couple(sides: list[str], words: list[str]) -> dict[str, Any]:
    *by, outcome, counts = words
    own, _, other = counts.rpartition("-")
    numbers = [int(own or 0), int(other)]
    if not by:
        return {"outcome": outcome, "counts": dict(zip(sides, numbers, strict=True))}
    against = next(side for side in sides if side != by[0])
    return {"outcome": outcome, "by": by[0], "counts": dict(zip([by[0], against], numbers, strict=True))}


def read_partnership_row(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a row such as `8H A knock 5-20 & B gin 0-14`: the up card, and a hand for each board."""
    up, rest = row.split(maxsplit=1)
    boards = [read_hand(sides, board.strip()) for board in rest.split("&")]
    return ({} if up == "--" else {"up": up}) | {"boards": boards}, {}


PAD_ROW = re.compile(r"([-\d ]+?)(?: won (\S+))?(?: @ (.+))?")


def read_score_pad_row(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a row such as `15 0 30 won B @ Red cards`: the points of the sides in order, the winner, and the round."""
    found = PAD_ROW.fullmatch(row)
    assert found, row
    points, won_by, name = found.groups()
    line: dict[str, Any] = {"points": dict(zip(sides, map(int, points.split()), strict=True))}
    if won_by:
        line["won_by"] = won_by
    return line | ({"round": name} if name else {}), {}


WORD_FIELDS = {"words": "words", "long": "long_words", "deadwood": "deadwood"}


def read_word_gin_row(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a row such as `A gin words 31-12 long 1-0 deadwood 0-7`, with pairs in the order of the sides."""
    by, outcome, *pairs = row.split()
    line: dict[str, Any] = {"outcome": outcome, "by": by}
    for name, pair in zip(pairs[::2], pairs[1::2], strict=True):
        line[WORD_FIELDS[name]] = dict(zip(sides, map(int, pair.split("-")), strict=True))
    return line, {}


ROW_READERS: dict[str, Callable[[list[str], str], tuple[dict[str, Any], dict[str, Any]]]] = {
    "captain": read_captain_row,
    "court-whist": read_court_whist_row,
    "fort-worth": read_fort_worth_row,
    "hollywood": read_hollywood_row,
    "metzker": read_metzker_row,
    "gra-partnership": read_partnership_row,
    "score-pad": read_score_pad_row,
    "word-gin": read_word_gin_row,
}
