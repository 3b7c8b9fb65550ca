import random
from functools import partial

from tests.chance import examples
from tests.pairing.draws.cases.standings_by_hand import places_by_hand, random_case
from tests.pairing.helpers.commands import run_json_lines, spoil

KNOWN = {"entries", "matches", "tie_breaks", "play_offs", "draws", "removed", "groups"}
CODES = {"bad-value", "missing-field", "unknown-field", "bad-json"}


standings = partial(run_json_lines, "standings")


def test_the_shape_of_an_answer() -> None:
    good = {"entries": [4, 9], "matches": [{"sides": [4, 9], "winner": 9}]}
    answers, status = standings(good, b"", {"entries": [4]}, good)
    assert status == 1
    assert answers[0] == answers[2]
    assert answers[0] == {
        "ok": True,
        "places": [
            {"place": 1, "entry": 9, "why": "Before entry 4 by wins, 1 to 0."},
            {"place": 2, "entry": 4, "why": "Behind entry 9 by wins, 1 to 0."},
        ],
    }
    assert answers[1]["errors"] == [{"code": "missing-field", "path": "matches", "message": "“matches” is missing."}]


def test_spoiled_cases_by_the_thousand_have_a_code_and_a_path_each() -> None:
    chance = random.Random(1850)
    cases = [spoil(random_case(chance), chance, ("zz", "credit", "void")) for _ in range(examples(4000))]
    answers, _ = standings(*cases)
    assert len(answers) == len(cases)
    assert 0.01 < sum(answer["ok"] for answer in answers) / len(answers) < 0.99
    for case, answer in zip(cases, answers, strict=True):
        if answer["ok"]:
            assert set(case) <= KNOWN
            assert [(row["place"], row["entry"]) for row in answer["places"]] == places_by_hand(case)
            continue
        assert answer["errors"]
        for error in answer["errors"]:
            assert set(error) == {"code", "path", "message"}
            assert error["code"] in CODES
            assert error["message"].endswith((".", "!"))
