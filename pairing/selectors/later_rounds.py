"""The later matches of a play-off that a corrected result touches, by their names on record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pairing.draws.knockout.keeping import LaterChoice
from pairing.draws.results.credits import MatchOutcome
from pairing.draws.stages.play_off import PlayOffMatch
from pairing.draws.stages.play_off_corrections import follow_play_off
from pairing.models import Match, TableCall
from pairing.selectors.boards import load_begun_of
from pairing.selectors.play_off_stage import PlayOffStage
from pairing.selectors.stage_state import StageState
from pairing.selectors.stages import load_course
from tournament.models import Event

Named = Mapping[str, PlayOffMatch]


@dataclass(frozen=True, slots=True)
class LaterRounds:
    """As `FollowedPlayOff`, each match with its name."""

    touched: Named
    kept: Named
    freed: Named
    torn: Named


def load_later_rounds(
    event: Event, match: Match, outcome: MatchOutcome, choices: Mapping[str, LaterChoice] | None = None
) -> LaterRounds | None:
    """None outside of a play-off."""
    found = load_course(event).find(match.ident)
    stage = found[0] if found is not None else None
    if not isinstance(stage, PlayOffStage):
        return None
    known = {
        one.meeting: ident for each in stage.play_off.rounds for one in each.matches if (ident := stage.ident_of(one))
    }
    chosen = {meeting: (choices or {})[ident] for meeting, ident in known.items() if ident in (choices or {})}
    in_play = _begun(event, stage)
    begun = [meeting for meeting, ident in known.items() if ident in in_play]
    followed = follow_play_off(stage.play_off, outcome, match.round, chosen, begun)

    def named(matches: tuple[PlayOffMatch, ...]) -> Named:
        return {known[one.meeting]: one for one in matches if one.meeting in known}

    return LaterRounds(named(followed.touched), named(followed.kept), named(followed.freed), named(followed.torn))


def _begun(event: Event, stage: StageState) -> frozenset[str]:
    """Those that can be played and are at a table, or have a line on their card."""
    open_now = {ident: frozenset(stage.matches[ident].meeting.sides) for ident in stage.ready}
    calls = TableCall.objects.filter(match__stage=stage.row, match__ident__in=open_now).order_by("pk")
    last = dict(calls.values_list("match__ident", "table"))
    called = frozenset(ident for ident, table in last.items() if table is not None)
    return called | (load_begun_of(event, open_now) if open_now else frozenset())
