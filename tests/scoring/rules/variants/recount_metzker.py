"""Score the couples tournament independently of the program's code, based only on the specification of `tally`."""

from __future__ import annotations

from typing import Any


def recount(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the expected answer of `tally`, and the number of lines up to the end of the game."""
    target = case.get("options", {}).get("target", 200)
    teams = case["sides"]
    scores: dict[Any, list[list[int]]] = {team: [[], [], []] for team in teams}  # what was entered, game by game
    gins = {team: [0, 0, 0] for team in teams}
    winners: list[Any] = [None, None, None]
    lines: list[dict[str, Any]] = []
    for line in case["lines"]:
        if None not in winners:
            break
        points, ginned = _sums(line["results"], teams)
        had = {team: [bool(scores[team][game]) for game in range(3)] for team in teams}
        was_open = [winner is None for winner in winners]
        for team, other in (teams, teams[::-1]):
            more = ginned[team] - ginned[other]
            for game in range(3):
                if more > 0 and was_open[game] and had[team][game]:
                    gins[team][game] += more
            net = points[team] - points[other]
            if net > 0:
                _enter(net, scores[team], was_open)
        for game in range(3):
            at = [team for team in teams if sum(scores[team][game]) >= target]
            winners[game] = winners[game] or (at[0] if at else None)
        lines.append(
            {
                "points": {t: max(0, 2 * points[t] - sum(points.values())) for t in teams},
                "columns": [{t: sum(scores[t][game]) for t in teams} for game in range(3)],
                "event": ", ".join(result["outcome"] for result in line["results"]),
            }
        )
    games = [
        {**{t: sum(scores[t][g]) for t in teams}, "gins": {t: gins[t][g] for t in teams}, "winner": winners[g]}
        for g in range(3)
    ]
    return _answer(games, lines, teams), len(lines)


def _enter(net: int, columns: list[list[int]], was_open: list[bool]) -> None:
    """Add a score to each open game that already has a score, and to the first open game that has none."""
    first = True
    for game in range(3):
        if was_open[game] and (columns[game] or first):
            first = first and bool(columns[game])
            columns[game].append(net)


def _sums(results: list[dict[str, Any]], teams: list[str]) -> tuple[dict[str, int], dict[str, int]]:
    points, gins = dict.fromkeys(teams, 0), dict.fromkeys(teams, 0)
    for result in results:
        counts = result["counts"]
        if result["outcome"] == "stock":
            for team, other in (teams, teams[::-1]):
                points[team] += max(0, counts[other] - counts[team])
            continue
        me = result["by"]
        you = teams[1 - teams.index(me)]
        if result["outcome"] == "run":
            if counts[you] > counts[me]:
                points[me] += counts[you] - counts[me]
            else:
                points[you] += 25 + 2 * counts[me]
        else:
            points[me] += counts[you]
            gins[me] += {"gin": 1, "double-gin": 2}[result["outcome"]]
    return points, gins


def _answer(games: list[dict[str, Any]], lines: list[dict[str, Any]], teams: list[str]) -> dict[str, Any]:
    closed = [game for game in games if game["winner"] is not None]
    totals = {t: sum(25 * game["gins"][t] + 200 * (game["winner"] == t) for game in closed) for t in teams}
    one, two = teams
    over = len(closed) == 3
    better = None if totals[one] == totals[two] else one if totals[one] > totals[two] else two
    return {"complete": over, "winner": better if over else None, "totals": totals, "games": games, "lines": lines}
