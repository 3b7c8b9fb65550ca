"""What the folder says of itself: its public names, its examples, its formats."""

import doctest
import importlib
import pkgutil

import pytest

import pairing.draws
from pairing.draws import FORMATS, formats

MODULES = [
    "pairing.draws",
    *(module.name for module in pkgutil.walk_packages(pairing.draws.__path__, "pairing.draws.")),
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_verbs_have_examples() -> None:
    verbs = [
        getattr(pairing.draws, name)
        for name in pairing.draws.__all__
        if callable(getattr(pairing.draws, name)) and name.islower()
    ]
    without = {verb.__name__ for verb in verbs if ">>>" not in (verb.__doc__ or "")}
    assert without == {"answer_verify_draw", "changes"}


def test_every_module_of_the_formats_is_a_format() -> None:
    modules = [
        importlib.import_module(f"{formats.__name__}.{module.name}")
        for module in pkgutil.iter_modules(formats.__path__)
    ]
    assert {module.NAME: module.pair for module in modules} == FORMATS


def test_the_public_names() -> None:
    assert sorted(pairing.draws.__all__) == [
        "AnyBracket",
        "AnyMatch",
        "AnyProgress",
        "AvoidList",
        "BLIND",
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
        "FORMATS",
        "Followed",
        "GRA_PARTNERSHIP",
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
        "SECRET_BYTES",
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
