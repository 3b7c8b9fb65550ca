"""Who meets whom: the blind draw, the bracket, its progress and its places. No database, clock or chance.

    numbers ──draw_order──► order ──draw_partners──► pairs of those who asked for a partner
    numbers ──draw_order──► order ──place_order──► places ──make_bracket──► bracket
    places ──make_double_bracket──► both brackets of a double elimination, final and reset
    bracket + facts ──make_progress──► progress ──make_placings──► placings, for the purse

    entries, meetings ──make_qualifying──► qualifying ──rank, draw_line, make_play_off──► who is in the final
    entries ──pair_by_record──► pairs ──explain_pairing──► why

Formats without a bracket are one step each: `pair_by_record`, `round_robin`, `rotation`, `seat` (tables) and
`move_winners` (Court Whist).

What an event needs of it is named here; the modules below are its own affair.
"""

from pairing.draws.avoid import AvoidList
from pairing.draws.blind import SECRET_BYTES, answer_verify_draw, commitment_to, draw_order
from pairing.draws.bracket import Bracket, Entry, Match, Source, WinnerOf, make_bracket
from pairing.draws.constraints import Constraints, KeptApart, PairingRules
from pairing.draws.credits import BracketFact, Cause, Credit, MatchOutcome, Removal, Removed, Result, SidesKept
from pairing.draws.double_bracket import DoubleBracket, DoubleMatch, LoserOf, Part, make_double_bracket
from pairing.draws.double_layout import lay_out_double
from pairing.draws.double_progress import DoubleProgress, make_double_placings, make_double_progress
from pairing.draws.draw import BLIND, DrawKind, DrawnBracket, DrawTerms, place_by_terms, place_order
from pairing.draws.elimination import (
    AnyBracket,
    AnyMatch,
    AnyProgress,
    RoundKey,
    lay_out_any,
    make_any_placings,
    make_any_progress,
    round_of,
    rounds_of,
)
from pairing.draws.formats import FORMATS, answer_pair
from pairing.draws.keeping import Choice, Followed, Torn, follow
from pairing.draws.layout import Box, Connector, Header, Layout, Measures, Point, lay_out
from pairing.draws.movement import WhistTable, move_winners
from pairing.draws.own_credits import Meeting, OwnCredit, OwnRecord, own_records
from pairing.draws.partners import DrawnPartners, NotTogether, draw_partners
from pairing.draws.partners_case import answer_verify_partners
from pairing.draws.places import Move, MoveReason, Places, bye_entries, first_round
from pairing.draws.placing import Placings, make_placings
from pairing.draws.plan import KnockoutTerms, Plan, PoolTerms, StageKind, StagePlan, read_plan, read_stage
from pairing.draws.play_off import (
    ByeBy,
    ByeRule,
    Contender,
    CutLine,
    GivenBye,
    PlayOff,
    PlayOffMatch,
    PlayOffRound,
    draw_line,
    give_byes,
    make_play_off,
)
from pairing.draws.pools import (
    GoingOn,
    Played,
    Pool,
    PoolPart,
    group_schedule,
    level_in,
    make_groups,
    make_pool,
    walked_over,
    who_goes_on,
)
from pairing.draws.progress import Changes, MatchView, Progress, Side, State, changes, make_progress
from pairing.draws.qualifier import (
    GRA_PARTNERSHIP,
    Qualifier,
    QualifierTerms,
    Qualifying,
    Way,
    make_qualifying,
    qualifier_terms_of,
)
from pairing.draws.record import pair_by_record
from pairing.draws.record_barrier import Barrier, find_barriers
from pairing.draws.record_field import Broken, CannotPair, Cost, Proof, RecordEntry, RecordPairing
from pairing.draws.record_reasons import Because, ByeReason, PairReason, Reasons, explain_pairing
from pairing.draws.schedule import rotation, round_robin
from pairing.draws.seating import Seating, seat, table_sizes
from pairing.draws.seeding import bracket_size, seeded_places
from pairing.draws.stage_places import groups_of_play_off, groups_of_pool, place_stages
from pairing.draws.standings import Decision, Evidence, Ranked, TieBreak, level_groups, place_ranking, rank
from pairing.draws.standings_case import answer_standings

__all__ = [
    "BLIND",
    "FORMATS",
    "GRA_PARTNERSHIP",
    "SECRET_BYTES",
    "AnyBracket",
    "AnyMatch",
    "AnyProgress",
    "AvoidList",
    "Barrier",
    "Because",
    "Box",
    "Bracket",
    "BracketFact",
    "Broken",
    "ByeBy",
    "ByeReason",
    "ByeRule",
    "CannotPair",
    "Cause",
    "Changes",
    "Choice",
    "Connector",
    "Constraints",
    "Contender",
    "Cost",
    "Credit",
    "CutLine",
    "Decision",
    "DoubleBracket",
    "DoubleMatch",
    "DoubleProgress",
    "DrawKind",
    "DrawTerms",
    "DrawnBracket",
    "DrawnPartners",
    "Entry",
    "Evidence",
    "Followed",
    "GivenBye",
    "GoingOn",
    "Header",
    "KeptApart",
    "KnockoutTerms",
    "Layout",
    "LoserOf",
    "Match",
    "MatchOutcome",
    "MatchView",
    "Measures",
    "Meeting",
    "Move",
    "MoveReason",
    "NotTogether",
    "OwnCredit",
    "OwnRecord",
    "PairReason",
    "PairingRules",
    "Part",
    "Places",
    "Placings",
    "Plan",
    "PlayOff",
    "PlayOffMatch",
    "PlayOffRound",
    "Played",
    "Point",
    "Pool",
    "PoolPart",
    "PoolTerms",
    "Progress",
    "Proof",
    "Qualifier",
    "QualifierTerms",
    "Qualifying",
    "Ranked",
    "Reasons",
    "RecordEntry",
    "RecordPairing",
    "Removal",
    "Removed",
    "Result",
    "RoundKey",
    "Seating",
    "Side",
    "SidesKept",
    "Source",
    "StageKind",
    "StagePlan",
    "State",
    "TieBreak",
    "Torn",
    "Way",
    "WhistTable",
    "WinnerOf",
    "answer_pair",
    "answer_standings",
    "answer_verify_draw",
    "answer_verify_partners",
    "bracket_size",
    "bye_entries",
    "changes",
    "commitment_to",
    "draw_line",
    "draw_order",
    "draw_partners",
    "explain_pairing",
    "find_barriers",
    "first_round",
    "follow",
    "give_byes",
    "group_schedule",
    "groups_of_play_off",
    "groups_of_pool",
    "lay_out",
    "lay_out_any",
    "lay_out_double",
    "level_groups",
    "level_in",
    "make_any_placings",
    "make_any_progress",
    "make_bracket",
    "make_double_bracket",
    "make_double_placings",
    "make_double_progress",
    "make_groups",
    "make_placings",
    "make_play_off",
    "make_pool",
    "make_progress",
    "make_qualifying",
    "move_winners",
    "own_records",
    "pair_by_record",
    "place_by_terms",
    "place_order",
    "place_ranking",
    "place_stages",
    "qualifier_terms_of",
    "rank",
    "read_plan",
    "read_stage",
    "rotation",
    "round_of",
    "round_robin",
    "rounds_of",
    "seat",
    "seeded_places",
    "table_sizes",
    "walked_over",
    "who_goes_on",
]
