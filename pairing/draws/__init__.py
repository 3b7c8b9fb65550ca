"""Who meets whom: the blind draw, the bracket, its progress and its places. No database, clock or chance.

    numbers ──draw_order──► order ──place_order──► places ──make_bracket──► bracket
    places ──make_double_bracket──► both brackets of a double elimination, final and reset
    bracket + facts ──make_progress──► progress ──make_placings──► placings, for the purse

Formats without a bracket are one step each: `pair_by_record`, `round_robin`, `rotation`, `seat` (tables) and
`move_winners` (Court Whist).

What an event needs of it is named here; the modules below are its own affair.
"""

from pairing.draws.avoid import AvoidList
from pairing.draws.blind import SECRET_BYTES, answer_verify_draw, commitment_to, draw_order
from pairing.draws.bracket import Bracket, Entry, Match, Source, WinnerOf, make_bracket
from pairing.draws.credits import BracketFact, Cause, Credit, MatchOutcome, Removal, Removed, Result
from pairing.draws.double_bracket import DoubleBracket, DoubleMatch, LoserOf, Part, make_double_bracket
from pairing.draws.draw import DrawnBracket, place_order
from pairing.draws.formats import FORMATS, answer_pair
from pairing.draws.layout import Box, Connector, Header, Layout, Measures, Point, lay_out
from pairing.draws.movement import WhistTable, move_winners
from pairing.draws.places import Move, MoveReason, Places, bye_entries, first_round
from pairing.draws.placing import Placings, make_placings
from pairing.draws.progress import Changes, MatchView, Progress, Side, State, changes, make_progress
from pairing.draws.record import pair_by_record
from pairing.draws.record_field import CannotPair, Cost, Proof, RecordEntry, RecordPairing
from pairing.draws.schedule import rotation, round_robin
from pairing.draws.seating import Seating, seat, table_sizes
from pairing.draws.seeding import bracket_size, seeded_places

__all__ = [
    "FORMATS",
    "SECRET_BYTES",
    "AvoidList",
    "Box",
    "Bracket",
    "BracketFact",
    "CannotPair",
    "Cause",
    "Changes",
    "Connector",
    "Cost",
    "Credit",
    "DoubleBracket",
    "DoubleMatch",
    "DrawnBracket",
    "Entry",
    "Header",
    "Layout",
    "LoserOf",
    "Match",
    "MatchOutcome",
    "MatchView",
    "Measures",
    "Move",
    "MoveReason",
    "Part",
    "Places",
    "Placings",
    "Point",
    "Progress",
    "Proof",
    "RecordEntry",
    "RecordPairing",
    "Removal",
    "Removed",
    "Result",
    "Seating",
    "Side",
    "Source",
    "State",
    "WhistTable",
    "WinnerOf",
    "answer_pair",
    "answer_verify_draw",
    "bracket_size",
    "bye_entries",
    "changes",
    "commitment_to",
    "draw_order",
    "first_round",
    "lay_out",
    "make_bracket",
    "make_double_bracket",
    "make_placings",
    "make_progress",
    "move_winners",
    "pair_by_record",
    "place_order",
    "rotation",
    "round_robin",
    "seat",
    "seeded_places",
    "table_sizes",
]
