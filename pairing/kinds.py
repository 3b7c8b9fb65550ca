"""Register all kinds of stage with their functions and pages. To add a new kind, add it to `HOOKS_BY_KIND`."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from pairing.draws.desk.desk import PairingInput, PairingSuggestion, suggest_pairs, suggest_round
from pairing.draws.forecast.forecast import count_games_per_round
from pairing.draws.pairs.record import NoPossiblePairing, pair_by_record
from pairing.draws.stages.plan import StageKind
from pairing.draws.stages.pools import Pool
from pairing.event_pages.pages.by_kind import BRACKET_PAGES, COUPLES_PAGES, TABLES_PAGES, WHIST_PAGES
from pairing.stages.kind.ladder import LADDER_HOOKS
from pairing.stages.pdf.brackets import compute_poster_font_size, print_poster, print_tiles
from pairing.stages.pdf.games import print_group_crosstables
from pairing.stages.selectors.brackets import load_bracket_stage
from pairing.stages.selectors.kinds import StageKindHooks, StagePrintout
from pairing.stages.selectors.plans import StageKindFormSpec, describe_knockout_terms, describe_pool_terms
from pairing.stages.selectors.pools import load_play_off_stage, load_pool_stage
from pairing.stages.selectors.tables import load_rotating_sides_stage, load_tables_stage
from pairing.stages.services.stages import advance_play_off, make_bracket_matches, make_group_games
from pairing.stages.services.tables import (
    plan_initial_rotation_tables,
    plan_initial_tables,
    require_draw_fits_sides,
    require_draw_fits_tables,
    seat_first_round,
    start_rotating_sides,
)

KNOCKOUT_FORM_FIELDS: Final = ("places", "seeded", "byes_to", "fallback")
BRACKET_PRINTOUTS: Final = {
    "bracket-poster": StagePrintout(
        gettext_noop("Bracket, one poster"), print_poster, compute_poster_font_size, "bracket-tiles"
    ),
    "bracket-tiles": StagePrintout(gettext_noop("Bracket, tiled pages"), print_tiles),
}


def _suggest_pairs(pool: Pool, at: PairingInput, now: datetime) -> PairingSuggestion:
    return suggest_pairs(at, now=now)


def _suggest_round(pool: Pool, at: PairingInput, now: datetime) -> PairingSuggestion:
    try:
        return suggest_round(at)
    except NoPossiblePairing:
        return PairingSuggestion((), (), pair_by_record((), seed=at.seed), too_few=True)


_ROTATING_SIDES_HOOKS: Final = StageKindHooks(
    load=load_rotating_sides_stage,
    create_initial_matches=start_rotating_sides,
    plan_first_seating=plan_initial_rotation_tables,
    require_draw_fits=require_draw_fits_sides,
    pages=COUPLES_PAGES,
)
HOOKS_BY_KIND: Final[Mapping[StageKind, StageKindHooks]] = {
    StageKind.RECORD: StageKindHooks(
        load=load_pool_stage,
        form_spec=StageKindFormSpec(
            label=_("Qualifying by record: advance with enough wins, eliminated with too many losses"),
            fields=("games", "wins", "losses", "unbeaten_play_on", "best"),
            describe=describe_pool_terms,
        ),
        suggest_pairs=_suggest_pairs,
    ),
    StageKind.FIXED: StageKindHooks(
        load=load_pool_stage,
        form_spec=StageKindFormSpec(
            label=_("A fixed number of games; the best advance"),
            fields=("games", "best", "by_site"),
            describe=describe_pool_terms,
        ),
        suggest_pairs=_suggest_pairs,
    ),
    StageKind.SWISS: StageKindHooks(
        load=load_pool_stage,
        form_spec=StageKindFormSpec(
            label=_("Swiss: round by round, winners meet winners"),
            fields=("rounds", "best"),
            describe=describe_pool_terms,
        ),
        suggest_pairs=_suggest_round,
        count_games_per_wave=count_games_per_round,
    ),
    StageKind.ROUND_ROBIN: StageKindHooks(
        load=load_pool_stage,
        form_spec=StageKindFormSpec(
            label=_("Round robin: everybody meets everybody, in one group or several"),
            fields=("groups", "best"),
            describe=describe_pool_terms,
        ),
        create_initial_matches=make_group_games,
        printouts={"groups": StagePrintout(gettext_noop("Group tables"), print_group_crosstables)},
    ),
    StageKind.LADDER: LADDER_HOOKS,
    StageKind.PLAY_OFF: StageKindHooks(
        load=load_play_off_stage,
        form_spec=StageKindFormSpec(
            label=_("Play-off for the last places"),
            fields=("places", "byes_to", "fallback"),
            describe=describe_knockout_terms,
        ),
        create_initial_matches=lambda write, stage: advance_play_off(write),
        create_following_matches=advance_play_off,
    ),
    StageKind.SINGLE: StageKindHooks(
        load=load_bracket_stage,
        form_spec=StageKindFormSpec(
            label=_("Knockout: one loss and a player is out"),
            fields=KNOCKOUT_FORM_FIELDS,
            describe=describe_knockout_terms,
        ),
        create_initial_matches=make_bracket_matches,
        printouts=BRACKET_PRINTOUTS,
        pages=BRACKET_PAGES,
    ),
    StageKind.DOUBLE: StageKindHooks(
        load=load_bracket_stage,
        form_spec=StageKindFormSpec(
            label=_("Double elimination: two losses and a player is out"),
            fields=KNOCKOUT_FORM_FIELDS,
            describe=describe_knockout_terms,
        ),
        create_initial_matches=make_bracket_matches,
        printouts=BRACKET_PRINTOUTS,
    ),
    StageKind.TABLES: StageKindHooks(
        load=load_tables_stage,
        create_initial_matches=seat_first_round,
        plan_first_seating=plan_initial_tables,
        require_draw_fits=require_draw_fits_tables,
        pages=TABLES_PAGES,
    ),
    StageKind.ROTATION: _ROTATING_SIDES_HOOKS,
    StageKind.COURT_WHIST: replace(_ROTATING_SIDES_HOOKS, pages=WHIST_PAGES),
}
STAGE_KIND_FORM_SPECS: Final = {
    kind: room.form_spec for kind, room in HOOKS_BY_KIND.items() if room.form_spec is not None
}
