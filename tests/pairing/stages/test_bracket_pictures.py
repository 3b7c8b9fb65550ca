"""Bracket pictures on screen and on paper. Each state is shown with a word, a symbol, and a shape."""

from __future__ import annotations

import io
import re

import pytest
from pypdf import PdfReader

from pairing.draws.knockout.bracket import make_bracket, make_double_elimination_bracket
from pairing.draws.knockout.progress import make_bracket_progress
from pairing.draws.layouts.brackets import lay_out_bracket, split_into_tiles
from pairing.draws.results import MatchOutcome
from pairing.stages.pdf.brackets import _find_areas, make_bracket_picture, write_poster, write_tiles
from pairing.stages.pictures.brackets import (
    PAGE_BRACKET_DIMENSIONS,
    draw_bracket,
    draw_match_state_legend,
    shorten_bracket_names,
)
from pairing.stages.selectors.boards import BracketBoard

LONG = "Maximiliane Featherstonehaugh-Cholmondeley"
NAMES = {1: LONG, 2: "Ada", 3: "Alan", 4: "Grace"}
FOUR = [("W1M1", 1, 2), ("W1M2", 3, 4), ("W2M1", 1, 3), ("L1M1", 2, 4), ("L2M1", 3, 2), ("F1M1", 1, 3)]


def two_lives(played: int) -> BracketBoard:
    won = [MatchOutcome.won(*who) for who in FOUR[:played]]
    return BracketBoard(
        make_bracket_progress(make_double_elimination_bracket((1, 2, 3, 4)), won), NAMES, {}, {"W1M1": {1: 150, 2: 98}}
    )


def svg_of(board: BracketBoard) -> str:
    layout = lay_out_bracket(board.progress.bracket, PAGE_BRACKET_DIMENSIONS)
    return draw_bracket(board, layout, "Bracket", address=lambda ident: f"/{ident}")


def drawn(board: BracketBoard) -> dict[str, str]:
    """Return the SVG drawing of each match, keyed by the match ID at the end of its URL."""
    fitted = shorten_bracket_names(board, PAGE_BRACKET_DIMENSIONS.box_width)
    found = re.findall(r'<a class="bracket-match.*?</a>', svg_of(fitted))
    return {re.search(r'href="/(\w+)"', one)[1]: one for one in found}


def printed(board: BracketBoard) -> str:
    target = io.BytesIO()
    assert write_poster(target, make_bracket_picture(board, "Desert Classic")) == 1
    return PdfReader(target).pages[0].extract_text()


def in_each_state() -> BracketBoard:
    """Return a bracket of eight with a match in each state.

    Round one has a played, a corrected, a called, and a ready match. In round two, R2M1 is being played.
    """
    progress = make_bracket_progress(
        make_bracket(range(1, 9)), [MatchOutcome.won("R1M1", 1, 2), MatchOutcome.won("R1M2", 3, 4)]
    )
    tables = {"R1M3": 7, "R2M1": 12}
    return BracketBoard(progress, {}, tables, {}, started=frozenset({"R2M1"}), corrected=frozenset({"R1M2"}))


STATES = {
    "R1M1": "✓ Done",
    "R1M2": "✎ Corrected",
    "R1M3": "◎ Called",
    "R1M4": "○ Ready",
    "R2M1": "▶ Playing",
    "R2M2": "◷ Waiting",
}


@pytest.mark.parametrize(("ident", "words"), STATES.items())
def test_each_state_has_its_word_and_sign_on_the_edge(ident: str, words: str) -> None:
    match = drawn(in_each_state())[ident]
    assert f">{words}</text>" in match
    title = re.search("<title>(.*?)</title>", match)[1]
    assert f", {words[2:]}" in title
    assert f'aria-label="{title}"' in match
    assert words in printed(in_each_state())


def test_the_states_differ_in_shape_and_not_only_in_word() -> None:
    matches = drawn(in_each_state())
    assert ["bracket-stripes" in matches[ident] for ident in STATES] == [False, False, False, False, True, False]
    assert ["bracket-inner" in matches[ident] for ident in STATES] == [False, True, False, False, False, False]
    assert [">12</text>" in matches["R2M1"], ">7</text>" in matches["R1M3"]] == [True, True]
    assert {f"is-{state}" in matches[ident] for ident, state in (("R2M2", "waiting"), ("R1M3", "called"))} == {True}


def test_the_second_final_is_struck_through_where_it_is_not_needed() -> None:
    assert ">◇ If needed</text>" in drawn(two_lives(5))["F2M1"]
    over = drawn(two_lives(6))["F2M1"]
    assert ">– Not needed</text>" in over and "bracket-struck" in over
    assert "Not needed" in printed(two_lives(6))


def test_who_drops_down_is_told_by_the_name_of_the_match() -> None:
    matches = drawn(two_lives(2))
    assert ">W2·1</text>" in matches["W2M1"]
    assert ">Loser of W2·1</text>" in matches["L2M1"]
    assert "Loser of W2·1" in printed(two_lives(2))


def test_a_long_name_is_shortened_never_squeezed_and_whole_in_the_titles() -> None:
    match = drawn(two_lives(1))["W1M1"]
    assert "textLength" not in match
    shown = re.search(rf"bracket-name[^>]*><title>{LONG}</title>([^<]*…)</text>", match)[1]
    assert len(shown) > 12 and LONG.split()[1].startswith(shown.removesuffix("…"))
    assert LONG in match.partition("<title>")[2].partition("</title>")[0]


def test_the_legend_says_what_can_happen_in_this_bracket() -> None:
    assert draw_match_state_legend(two_lives=two_lives(0).is_double_elimination).count("<li>") == 9
    shown = draw_match_state_legend(two_lives=in_each_state().is_double_elimination)
    assert "If needed" not in shown and shown.count("<li>") == 7


def test_the_parts_have_their_names_over_their_columns() -> None:
    shown = svg_of(two_lives(0))
    heads = re.findall(r'bracket-head"[^>]*>([^<]*)<', shown)
    assert heads == [
        "Winners’ side, round 1",
        "Winners’ side, round 2",
        "Losers’ side, round 1",
        "Losers’ side, round 2",
        "Final",
        "Second final",
    ]
    assert all(head in printed(two_lives(0)) for head in heads)


def test_no_box_is_cut_by_the_edge_of_a_sheet() -> None:
    whole = make_bracket_picture(
        BracketBoard(make_bracket_progress(make_bracket(range(1, 65)), []), {}, {}, {}), "Desert Classic"
    )
    drawn = _find_areas(whole)
    tiles = split_into_tiles((whole.width, whole.height), (550.0, 700.0), drawn)
    assert len({tile.name for tile in tiles}) == len(tiles) > 4
    for box in (each for each in drawn if each.is_indivisible):
        holds = [tile for tile in tiles if _within(box.x_range, tile.across) and _within(box.y_range, tile.down)]
        assert len(holds) == 1, box
    assert all(tile.across[1] - tile.across[0] <= 550 and tile.down[1] - tile.down[0] <= 700 for tile in tiles)


def _within(part: tuple[float, float], whole: tuple[float, float]) -> bool:
    return whole[0] <= part[0] and part[1] <= whole[1]


def test_tiles_hold_the_same_picture_as_the_poster() -> None:
    board = two_lives(3)
    target = io.BytesIO()
    sheets = write_tiles(target, make_bracket_picture(board, "Desert Classic"), paper="a4")
    assert sheets == len(PdfReader(target).pages) > 1


def test_a_name_is_written_one_way_in_all_boxes() -> None:
    progress = make_bracket_progress(make_bracket((1, 2, 3, 4)), [MatchOutcome.won("R1M1", 1, 2)])
    names = {1: "Katherine Johnson", 2: "Ada", 3: "Alan", 4: "Grace"}
    for scores in ({}, {"R1M1": {1: 150, 2: 98}}):
        boxes = drawn(BracketBoard(progress, names, {}, scores))
        first, final = (re.findall(r"([^<>]*Johnson)</text>", boxes[ident]) for ident in ("R1M1", "R2M1"))
        assert first == final
    assert first == ["K. Johnson"]
