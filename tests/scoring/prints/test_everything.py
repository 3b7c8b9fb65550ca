"""“Print everything now” creates a single file with which an event can continue on paper at any time."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from pairing.draws.stages.plan import StageKind
from pairing.results.services.finish import finish_event
from scoring.prints.pdf.prints import PrintRequest, list_printouts, print_prize_places
from scoring.rules.variants import VARIANTS
from scoring.tasks.prints import print_job
from tests.factories import a_user, an_entrant, an_event
from tests.kit import fresh, pdf_pages
from tests.pairing.helpers.stages import begun
from tests.scoring.helpers import turning
from tests.scoring.helpers.playing import an_event_in_play, knock, play, post, the_card
from tests.scoring.helpers.table_events import a_table_event_in_play
from tests.scoring.helpers.whist import a_whist_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict
from tournament.models import Event, Job

pytestmark = pytest.mark.django_db

FOUR = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Gödel")


@pytest.fixture(autouse=True)
def _files(settings: Any, tmp_path: Any) -> None:
    settings.MEDIA_ROOT = tmp_path


def _pages(event: Event, **options: Any) -> list[str]:
    _title, build = list_printouts(StageKind)["everything"]
    content = build(PrintRequest(event, site="http://hall.local/", **options), lambda done, total: None)
    return [" ".join(page.split()) for page in pdf_pages(content)]


def _contents(cover: str) -> dict[str, int]:
    """Return the sections that the cover page lists, with their first pages."""
    listed = cover[cover.index(" AM " if " AM " in cover else " PM ") + 4 : cover.index("To go on by hand")]
    return {title.strip(): int(page) for title, page in re.findall(r"(.+?) page (\d+)", listed)}


def test_what_is_played_now_is_all_there_where_the_cover_says() -> None:
    event = an_event_in_play(FOUR)
    play(the_card(event, "R1M1"), knock("B"))
    pages = _pages(event)
    contents = _contents(pages[0])
    starts = {
        "Players": "Players: Singles",
        "Pairings and tables": "Pairings: Singles",
        "Bracket, one poster": "Semifinals",
        "Result sheet, one page": "Results so far",
        "Score cards being played, with every hand so far": "knock, 5 against 20",
        "Score cards of matches to begin": "Grace Hopper",
        "Blank score cards": "Round ____",
        "Rules in brief": "the rules in brief",
    }
    assert list(contents) == list(starts)
    for title, words in starts.items():
        assert words in pages[contents[title] - 1], title
    begun_page = pages[contents["Score cards being played, with every hand so far"] - 1]
    assert "Signature" in begun_page and "FINAL SCORE" in begun_page, "it is written on"


def test_the_money_is_in_it_and_once_finished_the_payouts() -> None:
    event = an_event_in_play(("Ada", "Alan"))
    with pytest.raises(Conflict):
        print_prize_places(PrintRequest(event), lambda done, total: None)
    Event.objects.filter(pk=event.pk).update(added_cents=500_00)
    event = fresh(event)
    in_play = _pages(event)
    assert "Prizes by place" in _contents(in_play[0]) and "Prize pool so far" in in_play[-1]
    post(the_card(event))
    finish_event(event, by=SYSTEM_ACTOR)
    finished = _pages(fresh(event))
    assert list(_contents(finished[0]))[-1] == "Payouts, with lines to sign" and "Final results" in " ".join(finished)


def test_a_pool_goes_on_from_its_standings_with_every_game() -> None:
    pages = _pages(begun(8, 2))
    standings = pages[_contents(pages[0])["Standings"] - 1]
    assert re.search(r"Group 1 1 \d Player \d 1–0 \+70 W\d", standings)


def test_before_the_draw_there_are_players_blank_cards_and_rules() -> None:
    event = an_event()
    an_entrant(event, "Ada Lovelace")
    pages = _pages(event)
    assert list(_contents(pages[0])) == ["Players", "Blank score cards", "Rules in brief"]
    assert "Ada Lovelace" in pages[1]


def test_an_event_at_tables_has_its_totals_round_by_round() -> None:
    event = a_table_event_in_play(8, "fort-worth", {"size": 4, "rounds": 2})
    pages = _pages(event, paper="a4")
    assert {"Standings", "Score cards of matches to begin"} <= set(_contents(pages[0]))
    assert "Points, round by round" in pages[_contents(pages[0])["Standings"] - 1]


def test_where_two_sides_turn_there_are_the_tables_of_the_round_and_the_open_cards() -> None:
    event = turning.an_event_in_play(2, 2)
    turning.play_round(event, turning.gin(), turning.gin())
    couples = _pages(turning.fresh(event))
    contents = _contents(couples[0])
    assert {"Pairings and tables", "Score cards being played, with every hand so far"} <= set(contents)
    assert "Scorekeeper" in couples[contents["Score cards being played, with every hand so far"] - 1]
    whist = _pages(turning.fresh(a_whist_event(2, 2)))
    first = whist[_contents(whist[0])["Score cards of matches to begin"] - 1]
    assert re.search(r"Round 1 · Game 1 · \w+", first) and "page 1 of" not in first, "whose card it is, all of it"


@pytest.mark.parametrize("rules", VARIANTS)
def test_the_rules_in_short_are_a_page_for_every_rule_set(rules: str) -> None:
    event = an_event()
    event.rule_sheets.all().delete()
    event.rule_sheets.create(version=1, variant=rules, options=VARIANTS[rules].defaults(), by_name="test")
    assert f"{VARIANTS[rules].title}: the rules in brief" in " ".join(_pages(event))


def test_from_the_page_to_a_file_that_says_the_round() -> None:
    event = an_event_in_play(FOUR)
    client, place = Client(), {"tournament": event.tournament.slug, "event": event.slug}
    client.force_login(a_user("desk", event.tournament))
    page = reverse("scoring:desk_prints", kwargs=place)
    assert "Print everything now" in client.get(page).content.decode()
    assert client.post(page, {"kind": "everything", "paper": "papyrus"}).status_code == 200
    answer = client.post(page, {"kind": "everything", "paper": "a4"})
    job = Job.objects.get()
    print_job(job.pk)
    name = client.get(f"{answer['Location']}file/")["Content-Disposition"]
    assert re.search(rf'"{event.slug}-everything-round-1-\d{{4}}-\d\d-\d\d-\d{{4}}\.pdf"', name), name
    job.refresh_from_db()
    assert (job.done, round(float(PdfReader(job.file).pages[0].mediabox.height))) == (job.total, 842)
