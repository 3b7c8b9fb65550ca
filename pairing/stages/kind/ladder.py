"""The ladder as a kind of stage.

This module is a good example to follow when adding a kind. It has functions to load, show, describe and print a stage.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import IO, Any, Final

from django import forms
from django.utils.translation import gettext, gettext_lazy, gettext_noop, ngettext
from django.utils.translation import gettext as _

from pairing.draws.ladder import Ladder, count_challenges_per_wave, is_challenge, make_ladder, suggest_challenges
from pairing.draws.separation.draw import DrawTerms
from pairing.draws.stages.plan import MAX_WINNER_STAYS_TABLES, PoolTerms, StageKind, StagePlan
from pairing.draws.stages.pools import Pool, PoolFacts
from pairing.draws.stages.standings import TieBreak
from pairing.models import Stage
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.kinds import EntryNamer, ExtraPoolColumn, StageKindHooks, StagePrintout, StageState
from pairing.stages.selectors.plans import StageKindFormSpec, describe_advancement_rules
from pairing.stages.selectors.pools import PoolStage, load_match_end_times, load_pool_stage, load_wait_start_times
from pairing.stages.selectors.records import EventStageFacts
from tournament.core.pdf.lists import ListColumn, PrintedList, write_printed_list
from tournament.core.selectors.events import load_entry_names
from tournament.errors import Conflict
from tournament.models import Event


def _load_ladder_stage(
    facts: EventStageFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]
) -> PoolStage:
    sent = {match.ident: match.pk for match in facts.matches.get(row.pk, [])}

    def make(kind: StageKind, terms: PoolTerms, played: PoolFacts, tie_breaks: Sequence[TieBreak]) -> Pool:
        # Runs of wins follow the order in which games were sent to tables.
        in_order = sorted(played.meetings, key=lambda meeting: sent[meeting.match])
        return make_ladder(kind, terms, replace(played, meetings=tuple(in_order)), tie_breaks)

    stage = load_pool_stage(facts, row, planned, before, make)
    games = {ident for ident, match in stage.matches.items() if is_challenge(match.meeting)}
    ended = {ident: at for ident, at in load_match_end_times(stage).items() if ident in games}
    return replace(
        stage, pool=require_ladder(stage.pool).with_waiting_times(load_wait_start_times(facts.event, stage, ended))
    )


def _make_ladder_context(board: EntryNamer, stage: StageState) -> Mapping[str, Any]:
    ladder = require_ladder(stage.pool)

    def with_run(entry: int) -> dict[str, Any]:
        return {"name": board.name(entry), "run": ladder.count_current_streak(entry)}

    open_games = (meeting for meeting in ladder.meetings if is_challenge(meeting) and meeting.outcome is None)
    return {
        "ladder": ladder,
        "at_table": [[with_run(side) for side in meeting.sides] for meeting in open_games],
        "holders": [with_run(entry) for entry in ladder.holders],
        "line": [board.name(entry) for entry in ladder.waiting_line if entry not in ladder.holders],
    }


def require_ladder(pool: Pool | None) -> Ladder:
    assert isinstance(pool, Ladder)
    return pool


# --- Rules and terms -------------------------------------------------------------------------------------------------


def describe_ladder_terms(plan: StagePlan, drawn: DrawTerms | None) -> list[str]:
    terms = plan.pool
    assert terms is not None
    counted = ngettext("%(challenges)s game in all.", "%(challenges)s games in all.", terms.qualifier.games)
    sentences = [gettext("The winner stays at the table, and the loser goes to the end of the line."), counted]
    sentences += [gettext("%(held)s tables are in use at once.")] if terms.held > 1 else []
    sentences += [gettext("The longest run of wins decides, then total wins, then fewest losses.")]
    numbers = {"challenges": terms.qualifier.games, "held": terms.held}
    return [*(text % numbers for text in sentences), *describe_advancement_rules(terms)]


def _make_tables_field() -> forms.Field:
    return forms.IntegerField(
        label=gettext_lazy("Tables held"),
        min_value=1,
        max_value=MAX_WINNER_STAYS_TABLES,
        required=False,
        help_text=gettext_lazy("At each table the winner stays until they lose. Leave empty for one table."),
    )


LADDER_FORM_SPEC: Final = StageKindFormSpec(
    label=gettext_lazy("Ladder: the winner stays, the loser goes to the end of the line"),
    fields=("games", "held", "best"),
    extra_fields={"held": _make_tables_field},
    describe=describe_ladder_terms,
)


# --- The printed ladder ----------------------------------------------------------------------------------------------

LADDER_COLUMNS = (
    ListColumn(gettext_lazy("Place"), 0.8, align="right"),
    ListColumn(gettext_lazy("No."), 0.7, align="right"),
    ListColumn(gettext_lazy("Name"), 4, bold=True),
    ListColumn(gettext_lazy("Longest run"), 1.2, align="right"),
    ListColumn(gettext_lazy("Won–lost"), 1.2, align="right"),
    ListColumn(gettext_lazy("Now"), 2.6),
)


def print_ladder(target: IO[bytes], event: Event, paper: str) -> None:
    """Print the standings of the latest ladder, with the position of each entrant who is waiting in line to play.

    Raises:
        Conflict: `no-ladder`.
    """
    stage = next((pool for pool in reversed(load_event_stages(event).pools) if isinstance(pool.pool, Ladder)), None)
    if stage is None:
        raise Conflict("no-ladder", _("The ladder has not started yet. Post the draw first, or open its stage."))
    ladder = require_ladder(stage.pool)
    over, so_far = _("The ladder is over: %(played)s games."), _("%(played)s of %(games)s games played so far.")
    note = (over if ladder.is_complete else so_far) % {"played": ladder.finished_game_count, "games": ladder.challenges}
    names, rows = load_entry_names(event), []
    for row in (row for _part, ranked in ladder.standings for row in ranked):
        place, run = "–" if row.place is None else str(row.place), str(ladder.longest_streaks[row.entry])
        rows.append(
            (place, str(row.entry), names[row.entry], run, str(row.record), _describe_ladder_state(ladder, row.entry))
        )
    title = f"{stage.name}: {event.name}"
    write_printed_list(
        target, PrintedList(title, f"{event.tournament.name} · {note}", LADDER_COLUMNS, rows), paper=paper
    )


def _describe_ladder_state(ladder: Ladder, entry: int) -> str:
    entrant = ladder.qualifying[entry]
    if entrant.removal is not None:
        return "out"
    if entrant.is_playing:
        return _("at a table")
    if entry in ladder.holders:
        return _("holds the table (%(record)s in a row)") % {"record": ladder.count_current_streak(entry)}
    ahead = ladder.count_entries_ahead(entry)
    return "" if ahead is None else _("number %(value)s in the line") % {"value": ahead + 1}


LADDER_HOOKS: Final = StageKindHooks(
    load=_load_ladder_stage,
    form_spec=LADDER_FORM_SPEC,
    suggest_pairs=suggest_challenges,
    count_games_per_wave=count_challenges_per_wave,
    section_template=("pairing/stages/ladder/stage.html", _make_ladder_context),
    standings_column=ExtraPoolColumn(
        gettext_lazy("Longest run"), lambda pool, entry: require_ladder(pool).longest_streaks[entry]
    ),
    printouts={"ladder": StagePrintout(gettext_noop("Ladder"), print_ladder)},
)
