"""Explain pairings that were not made at the desk: play-off rounds, the first round of a bracket, and groups.

The explanations refer to entries by number. Each round comes with a case that the `pair` command can rerun, and with a
flag that tells whether the result is the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pairing.draws.cases.pair import make_side_json, run_pair_case
from pairing.draws.knockout.bracket import make_bracket, make_double_elimination_bracket
from pairing.draws.pairs.reasons import PairReason, explain_pairing, format_byes
from pairing.draws.pairs.record import EntryWithRecord, Pair, pair_by_record
from pairing.draws.places import (
    BracketPlaces,
    EntryMove,
    compute_ranks_by_position,
    find_entries_with_bye,
    iter_first_round_pairs,
)
from pairing.draws.stages.plan import StageKind
from pairing.draws.stages.play_off import PlayOffRound
from pairing.draws.stages.pools import add_late_entries_to_groups, schedule_round_robin
from tournament.lazy_text import join_texts, lazy_text

_Case = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExplainedPairings:
    """The pairs and byes of a round, bracket or group with their reasons, and the case that reproduces them.

    `is_reproducible` is true if the `pair` command makes the same pairs from the case. `members` are the entries of a
    group in which everybody plays everybody. `proof` explains why no pairing is better, if there was a choice.
    """

    name: str
    pairs: tuple[tuple[Pair, str], ...]
    byes: tuple[tuple[int, str], ...]
    case: _Case
    is_reproducible: bool
    proof: str = ""
    members: tuple[tuple[int, str], ...] = ()


def make_pair_by_record_case(entries: Iterable[EntryWithRecord], seed: str) -> _Case:
    """Return the case with which the `pair` command pairs these entries by record.

    Anybody can read a case, so it has no names. It lists a person, under a neutral name, only if two entries share that
    person, because these two entries must not meet.

    >>> waiting = EntryWithRecord(4, 1, met=frozenset({9, 3}), persons=frozenset({"Ann"}))
    >>> make_pair_by_record_case([waiting], "s")["entries"]
    [{'number': 4, 'wins': 1, 'losses': 0, 'byes': 0, 'met': [], 'persons': []}]
    """
    listed = sorted(entries, key=lambda entry: entry.number)
    holders: dict[str, int] = {}
    for entry in listed:
        for person in entry.persons:
            holders[person] = holders.get(person, 0) + 1
    shared = {person: f"p{turn}" for turn, person in enumerate(sorted(p for p, n in holders.items() if n > 1), start=1)}
    here = {entry.number for entry in listed}
    return {
        "format": "record",
        "seed": seed,
        "entries": [
            {
                "number": entry.number,
                "wins": entry.wins,
                "losses": entry.losses,
                "byes": entry.byes,
                "met": sorted(entry.met & here),
                "persons": sorted(shared[person] for person in entry.persons if person in shared),
            }
            for entry in listed
        ],
    }


RETAINED_MATCH_REASON: Final = lazy_text("It stays as it was played, although a result before it was corrected since.")


def explain_play_off_round(played: PlayOffRound) -> ExplainedPairings:
    """Explain the pairs and byes of a play-off round.

    >>> from pairing.draws.stages.play_off import ByeRule, PlayOffInput, make_play_off
    >>> three = [EntryWithRecord(4, 2, met=frozenset({9})), EntryWithRecord(9, 2), EntryWithRecord(7, 3)]
    >>> rule = ByeRule(preferred_win_counts=(3,))
    >>> drawn = explain_play_off_round(make_play_off(PlayOffInput(three, 2, rule=rule)).rounds[0])
    >>> print(*drawn.pairs, *drawn.byes, drawn.is_reproducible)
    ((4, 9), 'Only these two play in this round. They have met before.') \
(7, 'All with 3 wins get a bye') True
    """
    paired = pair_by_record(played.contenders, seed=played.seed)
    case = make_pair_by_record_case(played.contenders, played.seed)
    lots = lazy_text("By the lots of this round among the %(field)s who play in it.", field=len(played.contenders))
    only = len(paired.pairs) == 1
    how = lazy_text("Only these two play in this round.") if only else lots
    reasons, _bye = explain_pairing(played.contenders, paired)
    return ExplainedPairings(
        name=lazy_text("Round %(number)s", number=played.number),
        pairs=(
            *((match.sides, RETAINED_MATCH_REASON) for match in played.matches if match.kept),
            *((reason.pair, f"{how} {_describe_earlier_meeting(reason, only=only)}") for reason in reasons),
        ),
        byes=tuple((bye.entry, bye.why) for bye in played.byes),
        case=case,
        is_reproducible=tuple(map(tuple, run_pair_case(case).get("pairs", ()))) == paired.pairs,
        proof=paired.proof.value,
    )


def _describe_earlier_meeting(reason: PairReason, *, only: bool) -> str:
    if not reason.is_rematch:
        return lazy_text("They had not met.")
    if only:
        return lazy_text("They have met before.")
    if reason.rematch_proof is None:
        return lazy_text("They have met before: so have all possible pairs of this round.")
    return lazy_text("They have met before; that is unavoidable, because %(barrier)s.", barrier=reason.rematch_proof)


def explain_seeded_bracket(kind: StageKind, places: BracketPlaces) -> ExplainedPairings:
    """Explain the first-round pairs and byes of a seeded bracket, in which each entry's position follows from its rank.

    >>> drawn = explain_seeded_bracket(StageKind.SINGLE, (11, None, 13, 12))
    >>> print(*drawn.pairs, *drawn.byes, drawn.is_reproducible)
    ((13, 12), 'Number 3 against number 2 of the order: the higher of the two plays the lowest one left.') \
(11, 'Bye as number 1 of the order: 1 bye, for the best.') True
    """
    rank = {
        entry: held
        for entry, held in zip(places, compute_ranks_by_position(len(places)), strict=True)
        if entry is not None
    }
    byes = find_entries_with_bye(places)
    why = lazy_text("the higher of the two plays the lowest one left")
    case = {"format": kind.value, "entries": sorted(rank, key=rank.__getitem__), "seeded": True}
    return ExplainedPairings(
        name=lazy_text("Round 1"),
        pairs=tuple(
            (
                (one, other),
                lazy_text(
                    "Number %(rank)s against number %(rank_2)s of the order: %(why)s.",
                    rank=rank[one],
                    rank_2=rank[other],
                    why=why,
                ),
            )
            for one, other in iter_first_round_pairs(places)
        ),
        byes=tuple(
            (
                entry,
                lazy_text(
                    "Bye as number %(rank)s of the order: %(byes)s, for the best.",
                    rank=rank[entry],
                    byes=format_byes(len(byes)),
                ),
            )
            for entry in sorted(byes, key=rank.__getitem__)
        ),
        case=case,
        is_reproducible=_is_reproduced_by(case, places),
    )


def explain_drawn_bracket(
    kind: StageKind,
    order: Sequence[int],
    places: BracketPlaces,
    byes: Mapping[int, str],
    moves: Sequence[EntryMove] = (),
) -> ExplainedPairings:
    """Explain the first-round pairs and byes of a bracket drawn by lot.

    `byes` contains the reason for each bye that a rule gave, keyed by entry.

    >>> drawn = explain_drawn_bracket(StageKind.SINGLE, (4, 1, 3), (3, None, 1, 4), {3: "All with 5 wins get a bye"})
    >>> print(*drawn.pairs, *drawn.byes, drawn.is_reproducible)
    ((1, 4), 'Drawn as numbers 2 and 1 of 3.') (3, 'All with 5 wins get a bye') True
    """
    turn = {entry: at for at, entry in enumerate(order, start=1)}
    resting = find_entries_with_bye(places)
    pairs = iter_first_round_pairs(places)
    drawn = {
        (one, other): lazy_text(
            "Drawn as numbers %(turn)s and %(turn_2)s of %(order)s.",
            turn=turn[one],
            turn_2=turn[other],
            order=len(order),
        )
        for one, other in pairs
    }
    by_draw = lazy_text("%(resting)s, spread evenly over the bracket", resting=format_byes(len(resting)))
    case: _Case = {"format": kind.value, "entries": list(order), "byes_to": [entry for entry in byes if entry in turn]}
    if not _is_reproduced_by(case, places):
        case = {"format": kind.value, "entries": [entry for entry in places if entry is not None]}
    return ExplainedPairings(
        name=lazy_text("Round 1"),
        pairs=tuple(
            (
                pair,
                join_texts(
                    " ", [why, *dict.fromkeys(str(move) for move in moves if move.entry in pair or move.other in pair)]
                ),
            )
            for pair, why in drawn.items()
        ),
        byes=tuple(
            (
                entry,
                byes.get(entry)
                or lazy_text("Bye by the draw, as number %(turn)s: %(by_draw)s.", turn=turn[entry], by_draw=by_draw),
            )
            for entry in sorted(resting, key=turn.__getitem__)
        ),
        case=case,
        is_reproducible=_is_reproduced_by(case, places),
    )


def _is_reproduced_by(case: _Case, places: BracketPlaces) -> bool:
    is_double = case["format"] == StageKind.DOUBLE.value
    matches = make_double_elimination_bracket(places).matches if is_double else make_bracket(places).matches
    expected = [(match.id, [make_side_json(side) for side in match.sides]) for match in matches]
    return [(match["id"], match["sides"]) for match in run_pair_case(case)["matches"]] == expected


LATE_ENTRY_REASON: Final = lazy_text("Came late: into the smallest group, against everybody in it.")


def explain_groups(
    entries: Sequence[int], groups: Sequence[Sequence[int]], late: Sequence[int] = ()
) -> tuple[ExplainedPairings, ...]:
    """Explain why each entry is in its group. Late entries (`late`) are not part of the cases.

    >>> for drawn in explain_groups([4, 9, 7, 2], [[4, 2], [9, 7]]):
    ...     print(drawn.name, *drawn.members, drawn.is_reproducible)
    Group 1 (4, 'Number 1 of the order.') (2, 'Number 4 of the order.') True
    Group 2 (9, 'Number 2 of the order.') (7, 'Number 3 of the order.') True
    """
    turn = {entry: at for at, entry in enumerate(entries, start=1)}
    found = []
    for number, (group, whole) in enumerate(
        zip(groups, add_late_entries_to_groups(groups, late), strict=True), start=1
    ):
        case = {"format": "round-robin", "entries": list(group)}
        answers = tuple(map(tuple, run_pair_case(case)["rounds"])) == schedule_round_robin(group)
        members = tuple(
            (
                entry,
                lazy_text("Number %(turn)s of the order.", turn=turn[entry]) if entry in group else LATE_ENTRY_REASON,
            )
            for entry in whole
        )
        found.append(
            ExplainedPairings(lazy_text("Group %(number)s", number=number), (), (), case, answers, members=members)
        )
    return tuple(found)
