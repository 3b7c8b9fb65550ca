"""Test what happens if the first laptop is restored from a backup while a second one follows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.laptop.pairs import a_laptop, pair
from tests.laptop.runs import manage
from tests.processes import until

EPOCHS = """
from tournament.models import Installation
print(*Installation.objects.values_list("epoch", "origin"))
"""


@pytest.mark.long
def test_the_second_laptop_loses_nothing_and_shuts_the_restored_one_out(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    first, second = a_laptop(tmp_path / "first", "first"), a_laptop(tmp_path / "second", "second")
    first.write("Before")
    backup = json.loads(manage(first.folder, "backup"))["file"]
    with first.connected():
        pair(first, second)
    with second.connected() as following:
        with first.connected():
            first.write("Lost", 2)
            until(lambda: second.names() == ["Before 0", "Lost 0", "Lost 1"], following)
        manage(first.folder, "restore", backup, "--yes")
        with first.connected():
            until(lambda: "was restored from a backup" in first.problem(), following)
            until(lambda: second.problem().endswith("Add this laptop again."), following)
            first.write("Alone")
        assert second.names() == ["Before 0", "Lost 0", "Lost 1"]

    # As if the second laptop had not been reachable since the restore.
    link = second.folder / "second-laptop" / "link.json"
    link.write_text(json.dumps({**json.loads(link.read_text()), "seen_epoch": 0}))
    assert second.link("take-over").stderr == ""
    with second.connected() as telling, first.connected():
        until(lambda: first.role() == "shut-out", telling)
        until(lambda: second.has("missing-acts.json"), telling)
    assert "(2, 'restored')" in first.shell(EPOCHS) and "(2, 'taken-over')" in second.shell(EPOCHS)
    acts = json.loads((second.folder / "second-laptop" / "missing-acts.json").read_text())
    assert "Alone 0" in {row["about"] for act in acts for row in act["rows"]}
    assert not {"Lost 0", "Lost 1"} & {row["about"] for act in acts for row in act["rows"]}
