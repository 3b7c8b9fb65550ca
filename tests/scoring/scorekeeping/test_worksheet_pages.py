from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from pairing.models import Seating
from scoring.models import SheetLine
from tests.factories import a_user, an_event, plan_of
from tests.kit import desk_url, fresh, public_url
from tests.pairing.helpers.ending import finish_over
from tests.scoring.helpers.turning import (
    a_closed_event,
    a_posted_event,
    an_event_in_play,
    an_open_event,
    gin,
    play_all_rounds,
    play_round,
    sign_both_sides,
    stock,
    the_card,
    the_sheet,
)
from tournament.models import Entrant, Event

pytestmark = pytest.mark.django_db


def desk(client: Client, event: Event, role: str = "director") -> str:
    client.force_login(a_user(role, event.tournament))
    return desk_url(event)


def typed(number: int, **fields: Any) -> dict[str, Any]:
    return {"key": "k", "number": number, **{name.replace("__", "-"): value for name, value in fields.items()}}


TWO_TABLES = {"t1__how": "gin-A", "t1__B": "10", "t2__how": "run-B", "t2__A": "14", "t2__B": "5"}


def test_a_round_is_typed_and_posted_and_the_next_one_shown(client: Client) -> None:
    event = an_event_in_play()
    address = desk(client, event, "desk") + "worksheet/"
    page = client.get(address).content.decode()
    assert "Round 1" in page and "One couple cuts" in page and "Post round 1" in page
    first = the_sheet(event).couples
    assert client.post(address, typed(1, **TWO_TABLES)).status_code == 302
    assert SheetLine.objects.get().line == {
        "results": [gin("A", 10), {"outcome": "run", "by": "B", "counts": {"A": 14, "B": 5}}]
    }
    page = client.get(address).content.decode()
    assert "Round 2" in page and "The <strong>Guys</strong> deal" in page
    assert "Guys 10, Girls 9: 1 to Guys" in page
    assert [one.left for one in the_sheet(event).couples] == [one.left for one in first]


def test_what_is_wrong_stands_at_its_table_and_nothing_is_lost(client: Client) -> None:
    event = an_event_in_play()
    address = desk(client, event) + "worksheet/"
    sent = typed(1, **{**TWO_TABLES, "t2__B": "10"})
    answer = client.post(address, sent)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "9 is the most" in page and 'value="14"' in page and 'value="run-B" aria-label' in page
    missing = client.post(address, typed(1, t1__how="gin-A", t1__B="10"))
    assert missing.status_code == 422 and "Not reported yet" in missing.content.decode()
    half = client.post(address, typed(1, **{**TWO_TABLES, "t2__A": ""})).content.decode()
    assert f"Enter how many points {the_sheet(event).couples[1].left.name} has left" in half
    assert not SheetLine.objects.exists()


def test_the_improbable_is_asked_about_once(client: Client) -> None:
    event = an_event_in_play()
    address = desk(client, event) + "worksheet/"
    sent = typed(1, **{**TWO_TABLES, "t1__B": "115"})
    page = client.post(address, sent)
    assert page.status_code == 422 and "give the reason" in page.content.decode()
    assert client.post(address, {**sent, "override": "counted twice"}).status_code == 302
    assert SheetLine.objects.get().reason == "counted twice"


def test_a_table_that_did_not_play_is_left_out(client: Client) -> None:
    event = an_event_in_play()
    address = desk(client, event) + "worksheet/"
    assert client.post(address, typed(1, t1__how="none", t2__how="stock", t2__A="4", t2__B="9")).status_code == 302
    assert SheetLine.objects.get().line == {"results": [stock(4, 9)]}
    page = client.get(f"{address}1/")
    assert page.status_code == 302 and "/hand/1/" in page.headers["Location"]


def test_the_sums_are_counted_while_the_tables_report(client: Client) -> None:
    event = an_event_in_play()
    address = desk(client, event) + "worksheet/sums/"
    empty = client.post(address, typed(1)).content.decode()
    assert "No table has reported yet" in empty and "2 tables have not reported yet" in empty
    some = client.post(address, typed(1, t1__how="double-gin-B", t1__A="22")).content.decode()
    assert (
        "22 and 2 gins to Girls" in some
        and "1 table has not reported" in some
        and "2 gins to Girls, in no game yet" in some
    )
    wrong = client.post(address, typed(1, t1__how="run-B", t1__A="22", t1__B="12")).content.decode()
    assert "9 is the most" in wrong
    unfinished = client.post(address, typed(1, t1__how="gin-B", t1__A="x")).content.decode()
    assert "No table has reported yet" in unfinished
    assert not SheetLine.objects.exists()


def test_a_round_is_corrected_where_it_was_typed(client: Client) -> None:
    event = an_event_in_play()
    play_round(event, gin("A", 10), gin("B", 4))
    address = desk(client, event) + "worksheet/1/"
    page = client.get(address).content.decode()
    assert 'value="gin-B"' in page and "checked" in page
    sent = typed(1, t1__how="gin-A", t1__B="10", t1__A="0", t2__how="gin-A", t2__A="0", t2__B="4")
    assert "needs a reason" in client.post(address, sent).content.decode()
    assert client.post(address, {**sent, "reason": "Tom went out"}).status_code == 302
    assert the_card(event).lines[0].line == {"results": [gin("A", 10), gin("A", 4)]}
    assert client.get(desk(client, event) + "worksheet/2/").status_code == 404


def test_before_play_the_page_says_what_comes_first(client: Client) -> None:
    waiting = a_closed_event()
    assert "Go to the draw" in client.get(desk(client, waiting) + "worksheet/").content.decode()
    drawn = a_posted_event()
    assert "Play has not started" in client.get(desk(client, drawn) + "worksheet/").content.decode()
    assert client.get(desk(client, an_event()) + "worksheet/").status_code == 404
    assert client.get(desk(client, an_event()) + "rounds/").status_code == 404


def test_a_missing_round_can_be_seated(client: Client) -> None:
    event = an_event_in_play()
    play_round(event, gin(), gin())
    Seating.objects.filter(round=2).delete()
    address = desk(client, event) + "worksheet/"
    assert "Post the tables of round 2" in client.get(address).content.decode()
    assert client.post(address, {"act": "seat"}).status_code == 302
    assert Seating.objects.filter(round=2).count() == 1


def test_the_end_signatures_and_the_finish(client: Client) -> None:
    event = an_event_in_play(target=60)
    play_all_rounds(event, "B")
    address = desk(client, event)
    page = client.get(address + "worksheet/").content.decode()
    assert "The three games are over" in page and "One player of each side signs" in page
    sign_both_sides(event)
    page = client.get(address + "worksheet/").content.decode()
    assert "The Girls win" in page and "Finish the event" in page
    assert finish_over(client, address + "finish/").status_code == 302
    assert fresh(event).state == "finished"
    assert client.get(address + "worksheet/").status_code == 200


def test_everybody_sees_the_round_the_score_sheet_and_the_worksheet(client: Client) -> None:
    event = an_event_in_play(3, 3)
    public = public_url(event)
    assert "Round 1" in client.get(public + "rounds/").content.decode()
    play_round(event, gin("A", 10), gin("B", 4), stock(12, 4))
    page = client.get(public + "rounds/").content.decode()
    assert "Round 2" in page and "Worksheet" in page and "Guys gin, 10 unmatched" in page
    wall = client.get(public + "rounds/wall/").content.decode()
    assert "Round 2" in wall and "Worksheet of round 1" in wall and "10 and 1 gin to Guys" in wall
    assert all(who.name in wall for who in Entrant.objects.all())
    panel = client.get(public + "rounds/wall/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in panel and "Worksheet of round 1" in panel


def test_before_the_draw_the_public_pages_say_so_and_other_events_have_none(client: Client) -> None:
    event = an_open_event()
    public = public_url(event)
    for page in ("rounds/", "rounds/wall/"):
        assert "not been posted yet" in client.get(public + page).content.decode()
    other = an_event()
    assert client.get(public_url(other, "rounds/")).status_code == 404


def test_the_navigation_leads_to_the_rounds(client: Client) -> None:
    event = an_event_in_play()
    public = client.get(public_url(event)).content.decode()
    assert "/rounds/" in public and "/bracket/" not in public
    page = client.get(desk(client, event) + "today/").content.decode()
    assert f"{event.slug}/rounds/" in page and "Follow round 1" in page
    assert client.get(desk(client, event) + "rounds/").headers["Location"].endswith("/worksheet/")


def test_a_player_sees_the_sheet_on_their_phone_and_signs_for_their_side_only(client: Client) -> None:
    event = an_event_in_play(target=60)
    ann = Entrant.objects.get(event=event, number=3)
    page = client.get(f"/my/{ann.token}/match/").content.decode()
    assert "The scorekeeper enters every round" in page
    play_all_rounds(event, "B")
    card = the_card(event).card.token
    page = client.get(f"/my/{ann.token}/card/{card}/sign/").content.decode()
    assert "Girls</span></label>" in page and "Guys</span></label>" not in page


def test_the_draw_is_looked_at_before_it_is_posted(client: Client) -> None:
    event = a_closed_event(3, 3)
    address = desk(client, event) + "draw/"
    assert client.post(address, {"act": "cut", "public": "7H", "key": "k"}).status_code == 302
    page = client.get(address).content.decode()
    assert all(name in page for name in ("Tom", "Ben", "Kurt", "Ann", "Eva", "Ida"))
    assert client.post(address, {"act": "post"}).status_code == 302
    assert "Ann" in client.get(public_url(event, "draw/")).content.decode()


def test_uneven_sides_are_told_on_the_draws_page(client: Client) -> None:
    event = a_closed_event(3, 2)
    address = desk(client, event) + "draw/"
    page = client.post(address, {"act": "cut", "public": "7H", "key": "k"}, follow=True).content.decode()
    assert "1 of the Guys is too many" in page


def test_the_format_and_the_names_of_the_sides_are_chosen_on_one_page(client: Client) -> None:
    event = an_event(fee_cents=0)
    address = desk(client, event) + "format/"
    sent = {"format": "rotation", "key": "k", "rotation-left": "North", "rotation-right": "South"}
    assert client.post(address, sent).status_code == 302
    chosen = fresh(event)
    assert chosen.plan == plan_of("rotation", {"sides": ["North", "South"]})
    same = {"format": "court-whist", "key": "k2", "court-whist-left": "Same", "court-whist-right": "same"}
    assert "two names" in client.post(address, same).content.decode()
    assert client.post(address, {"format": "court-whist", "key": "k3"}).status_code == 302
    assert fresh(event).plan == plan_of("court-whist", {"sides": ["Gentlemen", "Ladies"]})


def test_the_worksheet_asks_as_often_whatever_the_field(client: Client, django_assert_num_queries: Any) -> None:
    for size in (1, 3):
        event = an_event_in_play(size, size)
        play_round(event, *(stock(n, n + 2) for n in range(size)))
        address = desk(client, event) + "worksheet/"
        client.get(address)
        with django_assert_num_queries(WORKSHEET_QUERIES):
            assert client.get(address).status_code == 200


WORKSHEET_QUERIES = 12


def test_pages_of_a_bracket_lead_to_the_rounds(client: Client) -> None:
    event = an_event_in_play()
    public = public_url(event)
    for page in ("bracket/", "match/M1/", "pairings/", "standings/"):
        assert client.get(public + page).headers["Location"] == public + "rounds/"
    assert client.get(public + "wall/").headers["Location"] == public + "rounds/wall/"
    assert client.get(desk(client, event) + "results/").headers["Location"].endswith("/today/")


def test_a_finished_event_is_opened_again_with_a_reason(client: Client) -> None:
    event = an_event_in_play(target=60)
    play_all_rounds(event, "B")
    sign_both_sides(event)
    address = desk(client, event)
    finish_over(client, address + "finish/")
    assert "Open the event again" in client.get(address + "worksheet/").content.decode()
    assert client.post(address + "reopen/", {"reason": "a sum was wrong"}).headers["Location"].endswith("/today/")
    assert fresh(event).state == "in-play"
