from __future__ import annotations

import csv
import io
import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pairing.desk.services.pairings import hold_entrant
from pairing.draws.stages.plan import StageKind
from pairing.models import Pairing
from pairing.results.services.results import remove_entrant
from pairing.stages.kind.ladder import describe_ladder_terms, print_ladder
from pairing.stages.selectors.plans import load_event_plan
from scoring.prints.pdf.prints import list_printouts
from tests.factories import a_tournament, an_event
from tests.kit import entrant_of, event_url, fresh, page_text
from tests.pairing.helpers.plan_form import at_the_page
from tests.pairing.helpers.plan_form import shown as sent_back
from tests.pairing.helpers.stages import FINALS, QUALIFIER, path, shown, staged, walk
from tests.pairing.stages.evenings import BRACKET, a_ladder, end, open_games, play, send_next, the_line
from tests.scoring.helpers.papers import text_of
from tests.scoring.helpers.stages import phone
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import DomainError
from tournament.models import Event

pytestmark = pytest.mark.django_db


def public(event: Event, name: str) -> str:
    cache.clear()
    return page_text(shown(event, name))


# --- The plan --------------------------------------------------------------------------------------------------------


def test_the_form_saves_a_ladder_and_shows_its_fields_again() -> None:
    event = an_event(a_tournament())
    client, page = at_the_page(event)
    sent = sent_back(client.post(page, {"format": "stages", "preset": "swiss"}).context)
    sent |= {"stages-0-kind": "ladder", "stages-0-games": 12, "stages-0-held": 2, "stages-0-best": 4}
    assert client.post(page, sent).status_code == 302
    terms = load_event_plan(fresh(event)).first.pool
    assert terms is not None and (terms.qualifier.games, terms.held, terms.best) == (12, 2, 4)
    again = client.get(page)
    row = sent_back(again.context)
    assert (row["stages-0-kind"], row["stages-0-games"], row["stages-0-held"], row["stages-0-best"]) == (
        "ladder",
        12,
        2,
        4,
    )
    html = again.content.decode()
    assert "Ladder: the winner stays, the loser goes to the end of the line" in html
    assert "Tables held" in html and "At each table the winner stays until they lose." in html
    own = {field.name: classes for field, classes in again.context["plan"].rows[0].iter_fields_of_some_kinds()}
    assert own["held"] == "in-ladder" and "in-ladder" in own["games"].split() and "in-ladder" in own["best"].split()
    assert "in-ladder" not in own["rounds"].split() + own["wins"].split() + own["by_site"].split()


def test_left_empty_one_table_is_held_for_the_usual_number_of_games() -> None:
    event = an_event(a_tournament())
    client, page = at_the_page(event)
    sent = sent_back(client.post(page, {"format": "stages", "preset": "swiss"}).context)
    assert client.post(page, {**sent, "stages-0-kind": "ladder"}).status_code == 302
    terms = load_event_plan(fresh(event)).first.pool
    assert terms is not None and (terms.qualifier.games, terms.held, terms.best) == (20, 1, None)


@pytest.mark.parametrize(("field", "typed"), [("held", "0"), ("held", "51"), ("games", "0")])
def test_what_cannot_be_stands_beside_its_field(field: str, typed: str) -> None:
    event = an_event(a_tournament())
    client, page = at_the_page(event)
    sent = sent_back(client.post(page, {"format": "stages", "preset": "swiss"}).context)
    refused = client.post(page, {**sent, "stages-0-kind": "ladder", f"stages-0-{field}": typed})
    assert refused.status_code == 422 and refused.context["plan"].rows[0].errors[field]


def test_it_is_said_in_sentences() -> None:
    one = load_event_plan(a_ladder(3, 1)).first
    assert describe_ladder_terms(one, None) == [
        "The winner stays at the table, and the loser goes to the end of the line.",
        "1 game in all.",
        "The longest run of wins decides, then total wins, then fewest losses.",
    ]
    several = load_event_plan(a_ladder(6, 12, BRACKET, held=2, best=2)).first
    assert describe_ladder_terms(several, None) == [
        "The winner stays at the table, and the loser goes to the end of the line.",
        "12 games in all.",
        "2 tables are in use at once.",
        "The longest run of wins decides, then total wins, then fewest losses.",
        "The best 2 advance.",
    ]


# --- For everybody ---------------------------------------------------------------------------------------------------


def test_the_page_of_the_stages_says_who_holds_who_plays_and_who_is_next() -> None:
    event = a_ladder(5, 12)
    line = the_line(event)
    names = [f"Player {entry}" for entry in line]
    page = public(event, "stages/")
    assert "0 of 12 games played." in page and "Holding the table" not in page and "At the table" not in page
    assert f"The line {' '.join(names)}" in page
    play(event, line[0], line[0])
    page = public(event, "stages/")
    assert "2 of 12 games played." in page and f"Holding the table {names[0]} 2 in a row" in page
    assert f"The line {names[3]} {names[4]} {names[1]} {names[2]}" in page
    send_next(event)
    page = public(event, "stages/")
    both = sorted((line[0], line[3]))
    said = {line[0]: f"{names[0]} 2 in a row", line[3]: names[3]}
    assert f"At the table {said[both[0]]} – {said[both[1]]}" in page
    assert "Holding the table" not in page and "1 being played · 3 waiting" in page
    end(event, line[3])
    assert f"Holding the table {names[3]} 1 in a row" in public(event, "stages/")


def test_at_two_tables_both_who_hold_them_are_named() -> None:
    event = a_ladder(6, 12, held=2)
    line = the_line(event)
    send_next(event)
    end(event, line[0])
    end(event, line[2])
    page = public(event, "stages/")
    assert f"Holding the tables Player {line[0]} 1 in a row Player {line[2]} 1 in a row" in page


def test_when_it_is_over_nobody_holds_and_nobody_waits() -> None:
    event = a_ladder(3, 2)
    first = the_line(event)[0]
    play(event, first, first)
    page = public(event, "stages/")
    assert "2 of 2 games played." in page and "Holding the table" not in page and "The line" not in page


def test_the_standings_have_the_longest_run_and_say_how_each_place_was_decided() -> None:
    event = a_ladder(4, 12)
    first, second, third, fourth = the_line(event)
    play(event, first, first, fourth)
    html = shown(event, "standings/")
    head = [page_text(cell) for cell in re.findall(r"<th\b.*?</th>", html, re.S)]
    wanted = ("Place", "Name", "Longest run", "Won–lost")
    at = [next(at for at, cell in enumerate(head) if cell.startswith(said)) for said in wanted]
    assert at == sorted(at)
    page = page_text(html)
    assert f"Player {first} 2 2–1" in page and f"Player {fourth} 1 1–0" in page
    assert f"Before Player {fourth} by longest run of wins, 2 to 1." in page
    assert f"Before Player {min(second, third)} by longest run of wins, 1 to 0." in page
    assert f"Tied with Player {max(second, third)} in everything that counts: they share places 3 to 4." in page
    assert "holds the table" in page and "in the line" in page
    sheet = shown(event, "standings/?_export=csv").splitlines()
    assert "Longest run" in sheet[0] and next(csv.reader(sheet[1:]))[:3] == ["1", f"Player {first}", "2"]


def test_other_pools_have_no_such_column() -> None:
    assert "Longest run" not in shown(staged(4, QUALIFIER, FINALS), "standings/")


def test_the_pairings_page_has_the_games_and_the_line_in_its_order() -> None:
    event = a_ladder(5, 12)
    line = the_line(event)
    play(event, line[0])
    send_next(event)
    page = public(event, "pairings/")
    one, other = sorted((line[0], line[2]))
    assert f"Player {one}" in page and f"Player {other}" in page
    assert (
        f"3 players are waiting for a game Player {line[3]} 0–0 · Player {line[4]} 0–0 · Player {line[1]} 0–1" in page
    )


def test_why_these_pairs_says_who_stayed_and_who_was_next() -> None:
    event = a_ladder(4, 12)
    line = the_line(event)
    play(event, line[0])
    send_next(event)
    page = page_text(Client().get(event_url("pairing:proofs", event)))
    assert f"Player {line[0]} and Player {line[1]} are next in the line." in page
    assert f"Player {line[0]} won the last game and stays; Player {line[2]} is next in the line." in page
    for made in Pairing.objects.all():
        proof = Client().get(event_url("pairing:proof", event, pairing=made.pk))
        assert proof.status_code == 200
        assert "Same record" not in proof.content.decode() and "Rematch" not in proof.content.decode()
        told = Client().get(event_url("pairing:proof_json", event, pairing=made.pk)).json()
        assert told["sent_pairs"] == made.pairs and "case" not in told
    assert f"Player {line[0]} won the last game and stays" in page_text(shown(event, "match/G2/"))


def test_every_page_answers_from_the_first_game_to_the_last_place() -> None:
    event = a_ladder(4, 3)
    walk(event)
    line = the_line(event)
    play(event, line[0])
    send_next(event)
    walk(event)
    end(event, line[2])
    remove_entrant(entrant_of(event, line[1]), "withdrawn", by=SYSTEM_ACTOR, reason="taken ill")
    play(event, line[2])
    walk(event)


@pytest.mark.parametrize("page", ["stages/", "pairings/", "standings/", "wall/"])
def test_public_pages_ask_the_same_number_of_questions(page: str) -> None:
    counts = []
    for entrants in (4, 16):
        event = a_ladder(entrants, 12, held=2)
        send_next(event)
        cache.clear()
        with CaptureQueriesContext(connection) as asked:
            assert Client().get(path(event, page)).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 30


# --- A player's own page ---------------------------------------------------------------------------------------------


def test_a_player_reads_how_many_are_before_them_in_the_line() -> None:
    event = a_ladder(5, 12)
    first, second, third, fourth, fifth = the_line(event)
    assert "0 players are before you in the line." in phone(event, first)
    assert "4 players are before you in the line." in phone(event, fifth)
    play(event, first)
    assert "0 players are before you in the line." in phone(event, third)
    assert "1 player is before you in the line." in phone(event, fourth)
    loser = phone(event, second)
    assert "3 players are before you in the line." in loser and "0–1: in the line" in loser
    holder = phone(event, first)
    assert "You are 1–0. You are waiting for a game" in holder and "1–0: holds the table" in holder
    assert "before you in the line" not in holder and "4 other players are waiting" in holder
    hold_entrant(entrant_of(event, fourth), by=SYSTEM_ACTOR)
    assert "You are on hold" in phone(event, fourth)
    send_next(event)
    assert "1 player is before you in the line." in phone(event, fifth), "who is on hold keeps their turn"


def test_at_the_end_they_read_their_place() -> None:
    event = a_ladder(3, 2)
    first, second, third = the_line(event)
    play(event, first, third)
    for place, entry in enumerate((third, first, second), start=1):
        assert f"You finished in place {place}" in phone(event, entry)


def test_before_the_bracket_they_read_where_they_stand() -> None:
    event = a_ladder(3, 2, BRACKET, best=2)
    first, _second, third = the_line(event)
    play(event, first, third)
    page = phone(event, first)
    assert "1–1: the ladder is over, the standings decide" in page and "Your place in the standings: 2." in page


# --- On paper --------------------------------------------------------------------------------------------------------


def the_paper(event: Event, paper: str = "letter") -> str:
    target = io.BytesIO()
    print_ladder(target, fresh(event), paper)
    return " ".join(text_of(target.getvalue()).split())


def test_the_paper_has_everybody_by_the_standings_with_what_they_do_now() -> None:
    event = a_ladder(5, 12)
    first, second, third, fourth, fifth = the_line(event)
    play(event, first, first)
    text = the_paper(event)
    assert "Ladder: Singles" in text and "2 of 12 games played so far." in text
    assert "Place No. Name Longest run Won–lost Now" in text
    assert f"1 {first} Player {first} 2 2–0 holds the table (2 in a row)" in text
    assert f"Player {fourth} 0 0–0 number 1 in the line" in text
    assert f"Player {third} 0 0–1 number 4 in the line" in text
    send_next(event)
    remove_entrant(entrant_of(event, fifth), "withdrawn", by=SYSTEM_ACTOR, reason="taken ill")
    text = the_paper(event, "a4")
    assert f"Player {first} 2 2–0 at a table" in text and f"Player {fourth} 0 0–0 at a table" in text
    assert f"Player {fifth} 0 0–0 out" in text and f"Player {second} 0 0–1 number 1 in the line" in text


def test_the_paper_of_a_ladder_that_is_over_has_the_disqualified_without_a_place() -> None:
    event = a_ladder(3, 2)
    first, second, third = the_line(event)
    play(event, first, third)
    remove_entrant(entrant_of(event, first), "disqualified", by=SYSTEM_ACTOR, reason="played for money")
    text = the_paper(event)
    assert "The ladder is over: 2 games." in text and "in the line" not in text and "holds" not in text
    assert f"1 {third} Player {third} 1 1–0" in text and f"2 {second} Player {second} 0 0–1" in text
    assert f"– {first} Player {first} 1 1–1 out" in text


def test_without_a_ladder_there_is_no_paper() -> None:
    with pytest.raises(DomainError, match="The ladder has not started yet"):
        the_paper(staged(4, QUALIFIER, FINALS))
    with pytest.raises(DomainError, match="Post the draw first"):
        the_paper(an_event(a_tournament(), format="stages", format_options={"stages": [{"kind": "ladder"}]}))


def test_it_is_offered_only_where_the_event_has_a_ladder() -> None:
    assert "ladder" in list_printouts([StageKind.LADDER, StageKind.SINGLE])
    assert "ladder" not in list_printouts(kind for kind in StageKind if kind is not StageKind.LADDER)
    event, other = a_ladder(3, 2, BRACKET, best=2), staged(4, QUALIFIER, FINALS)
    pages = [at_the_prints(one) for one in (event, other)]
    assert ['value="ladder"' in page for page in pages] == [True, False]
    assert all('value="bracket-poster"' in page for page in pages)


def at_the_prints(event: Event) -> str:
    client, _page = at_the_page(event)
    return client.get(path(event, "prints/", "desk")).content.decode()


def test_a_game_that_is_open_is_at_a_table_of_the_wall() -> None:
    event = a_ladder(4, 3)
    line = the_line(event)
    send_next(event)
    (sides,) = open_games(event).values()
    page = public(event, "wall/")
    assert all(f"Player {side}" in page for side in (*sides, *line))
