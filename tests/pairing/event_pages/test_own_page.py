from __future__ import annotations

import re

import pytest
from django.test import Client

from pairing.desk.services.sending import call_match_to_table
from pairing.results.services.finish import finish_event
from pairing.results.services.results import remove_entrant
from tests.factories import a_director, a_tournament, an_event
from tests.kit import fresh, page_text, public_url
from tests.pairing.helpers.events import a_posted_event, an_event_in_play, play_all, the_match, win
from tests.pairing.helpers.stages import staged
from tests.scoring.helpers import turning
from tests.scoring.helpers.table_events import a_table_event_in_play
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, EntrantFact, Event
from tournament.money.services.fees_and_refunds import take_payment
from tournament.registration.services.entries import EntryRequest, Person, add_entry

pytestmark = pytest.mark.django_db


def own(who: Entrant) -> str:
    answer = Client().get(f"/my/{who.token}/")
    assert answer.status_code == 200
    return answer.content.decode()


def first_said(who: Entrant) -> str:
    """Return the text of the first part of the player's own page."""
    found = re.search(r'<section class="next-match box".*?</section>', own(who), re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split()) if found else ""


def sides(event: Event, ident: str) -> tuple[Entrant, Entrant]:
    """Return the winner and the loser of a decided match."""
    result = the_match(event, ident).results.get()
    won, lost = sorted(event.entrants.filter(number__in=map(int, result.credits)), key=lambda one: one != result.winner)
    return won, lost


def test_table_and_opponent_come_first_then_money_and_the_link_last() -> None:
    event = an_event_in_play(4)
    call_match_to_table(the_match(event, "R1M1"), 12, by=SYSTEM_ACTOR)
    win(event, "R1M2")
    one = event.entrants.exclude(number__in=[who.number for who in sides(event, "R1M2")]).first()
    assert one is not None
    assert re.fullmatch(r"Table 12 You play Player \d", first_said(one))
    page = own(one)
    parts = [page.index(part) for part in ('class="next-match', 'id="money"', 'id="stands"', 'id="my-link"')]
    assert parts == sorted(parts)


def test_what_is_owed_is_one_line_until_it_is_paid() -> None:
    event = an_event(a_tournament(), fee_cents=6000)
    director = a_director(event.tournament)
    who = add_entry(event, EntryRequest((Person("Ada Lovelace", "ada@example.org"),)), by=director)
    assert re.search(r"You owe</span> <strong[^>]*>\$60\.00</strong>", own(who))
    take_payment(who, 6000, "cash", by=director, key="one")
    assert "You owe" not in own(who)


def test_before_play_waiting_out_won_and_finished() -> None:
    before = a_posted_event(4).entrants.get(number=1)
    assert re.fullmatch(r"You play Player \d No table yet\. Your table will appear here\.", first_said(before))
    event = an_event_in_play(4)
    win(event, "R1M1")
    won, lost = sides(event, "R1M1")
    assert first_said(won) == "Waiting for your opponent You will play the winner of Semifinal 2."
    assert first_said(lost).startswith("You are eliminated")
    over = an_event_in_play(4)
    play_all(over)
    champion, _second = sides(over, "R2M1")
    assert first_said(champion) == "You have won the event"
    finish_event(fresh(over), by=SYSTEM_ACTOR)
    assert first_said(champion) == "" and "Place and prize" in own(champion)


def test_a_player_who_withdraws_while_they_wait_is_eliminated() -> None:
    event = an_event_in_play(4)
    win(event, "R1M1")
    won, _lost = sides(event, "R1M1")
    remove_entrant(won, EntrantFact.Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="had to leave")
    assert first_said(won).startswith("You are eliminated")
    found = Client().get(public_url(event, f"?part=found&q={won.number}"), HTTP_HX_REQUEST="true")
    assert "Eliminated" in page_text(found)


def test_it_opens_in_each_kind_of_event() -> None:
    for kind in ({"kind": "swiss", "rounds": 3}, {"kind": "round-robin"}, {"kind": "double-elimination"}):
        assert first_said(staged(6, kind).entrants.get(number=1))
    tables = a_table_event_in_play(8, "fort-worth", {"size": 4, "rounds": 2})
    assert "at your table" in first_said(tables.entrants.get(number=1))
    assert first_said(turning.an_event_in_play(format="rotation").entrants.first()) == ""
