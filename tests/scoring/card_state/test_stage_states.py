"""Phones, wall displays, and prints show in every kind of stage whether a game is waiting, called, or done."""

from __future__ import annotations

import io
import re

import pytest
from django.test import Client
from pypdf import PdfReader

from pairing.desk.services.pairings import PairsToSend
from pairing.desk.services.sending import call_match_to_table
from pairing.stages.pdf.games import write_group_crosstables
from pairing.stages.pictures.groups import load_group_board
from pairing.stages.services.stages import open_next_stage
from scoring.card_state.selectors.players import load_ready_seated_matches
from scoring.posting.services.opening import get_or_open_card
from tests.kit import fresh, public_url
from tests.pairing.helpers.events import send_pairs, the_match
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged, won
from tests.scoring.helpers.playing import gin, play
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db

IN_GROUPS = ({"kind": "round-robin", "groups": 1, "best": 2}, FINALS)


def write_a_line(event: Event, ident: str) -> None:
    meeting = next(found for found in load_ready_seated_matches(fresh(event)) if found.match.ident == ident)
    play(get_or_open_card(meeting, 1, by=SYSTEM_ACTOR), gin())


def correct(event: Event, ident: str, winner: int, loser: int) -> None:
    won(event, ident, winner, loser)
    won(event, ident, loser, winner)


def shown(event: Event, page: str) -> str:
    return Client().get(public_url(event, page)).content.decode()


def state_shown(page: str, ident: str) -> str:
    """Return the symbol and the word that show a match's state in its box on the page."""
    box = page[page.index(f'id="match-{ident}"') :]
    found = re.search(r'state-sign" aria-hidden="true">(.)</span>\s*(\w+)', box)
    assert found is not None
    return f"{found[1]} {found[2]}"


def test_games_of_a_pool() -> None:
    event = staged(10, QUALIFIER, FINALS)
    send_pairs(event, PairsToSend(pairs=tuple((n, n + 1) for n in (1, 3, 5, 7, 9))), by=SYSTEM_ACTOR)
    won(event, "G1", 1, 2)
    correct(event, "G2", 3, 4)
    call_match_to_table(the_match(event, "G3"), 7, by=SYSTEM_ACTOR)
    call_match_to_table(the_match(event, "G4"), 8, by=SYSTEM_ACTOR)
    write_a_line(event, "G4")
    said = {ident: state_shown(shown(event, f"match/{ident}/"), ident) for ident in ("G1", "G2", "G3", "G4", "G5")}
    assert said == {"G1": "✓ Done", "G2": "✎ Corrected", "G3": "◎ Called", "G4": "▶ Playing", "G5": "○ Ready"}
    listed = shown(event, "pairings/")
    assert all(word in listed for word in ("◎</span> Called", "▶</span> Playing"))
    wall = shown(event, "wall/")
    assert all(word in wall for word in ("◎</span> Called", "▶</span> Playing", "✓</span> Done", "✎</span> Corrected"))
    assert wall.index("Player 4 beats Player 3, 250 to 180") < wall.index("Player 1 beats Player 2")


def test_games_of_a_play_off() -> None:
    plan = {"kind": "fixed", "games": 1}, {"kind": "play-off", "places": 1}, FINALS
    event = staged(16, *plan)
    send_pairs(event, PairsToSend(pairs=tuple((n, n + 1) for n in range(1, 17, 2))), by=SYSTEM_ACTOR)
    for game in range(1, 9):
        won(event, f"G{game}", 2 * game - 1, 2 * game)
    open_next_stage(event, by=SYSTEM_ACTOR)
    sides = {ident: match.meeting.sides for ident, match in course_of(event).current_stage.matches.items()}
    assert list(sides) == ["P1M1", "P1M2", "P1M3", "P1M4"]
    won(event, "P1M1", *sides["P1M1"])
    correct(event, "P1M2", *sides["P1M2"])
    call_match_to_table(the_match(event, "P1M3"), 7, by=SYSTEM_ACTOR)
    call_match_to_table(the_match(event, "P1M4"), 8, by=SYSTEM_ACTOR)
    write_a_line(event, "P1M4")
    for page in ("stages/", "wall/"):
        said = [state_shown(shown(event, page), ident) for ident in sides]
        assert said == ["✓ Done", "✎ Corrected", "◎ Called", "▶ Playing"], page


def test_games_of_a_group_in_their_cells() -> None:
    event = staged(8, *IN_GROUPS)
    first = course_of(event).current_stage.ready_matches[:4]
    sides = [course_of(event).current_stage.matches[ident].meeting.sides for ident in first]
    (one, other), (wrong, right) = sides[:2]
    won(event, first[0], one, other)
    correct(event, first[1], wrong, right)
    call_match_to_table(the_match(event, first[2]), 7, by=SYSTEM_ACTOR)
    call_match_to_table(the_match(event, first[3]), 8, by=SYSTEM_ACTOR)
    write_a_line(event, first[3])
    page = shown(event, "groups/").split('<div class="group-narrow">', maxsplit=1)[0]
    assert page.count(">✎</text>") == page.count('class="group-outer"') == 2
    assert page.count(">◎</text>") == page.count(">▶</text>") == page.count('class="bracket-stripes"') == 2
    assert page.count("(corrected)") == 4, "in the title and in the label of both rows"
    assert "called with Player" in page and "plays Player" in page
    assert page.count(">·</text>") == 2 * (28 - 4)
    groups, paper = load_group_board(fresh(event)), io.BytesIO()
    assert groups is not None
    write_group_crosstables(paper, "Groups", groups)
    text = PdfReader(paper).pages[0].extract_text()
    assert text.count("✎") == 3 and text.count("◎") == text.count("▶") == 3, "two cells and the key"


def test_a_result_taken_back_and_given_again_is_called_corrected() -> None:
    event = staged(4, *IN_GROUPS)
    decide = course_of(event).current_stage.ready_matches[0]
    sides = course_of(event).current_stage.matches[decide].meeting.sides
    won(event, decide, *sides)
    assert load_group_board(fresh(event)).corrected == frozenset()  # type: ignore[union-attr]
    won(event, decide, *sides)
    assert load_group_board(fresh(event)).corrected == {decide}  # type: ignore[union-attr]
