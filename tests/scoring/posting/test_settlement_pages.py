"""Players can pay each other for points. Such payments are off by default, and use posted (final) cards only.

They are separate from the tournament's money.
"""

from __future__ import annotations

import csv
import io

import pypdfium2
import pytest
from django.test import Client

from scoring.posting.pdf import load_settlement
from tests.kit import client_as, fresh
from tests.prebuilt import prebuilt
from tests.scoring.helpers.table_events import a_table_event_in_play, open_cards, play_fort_worth, sign_all
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event, Posting
from tournament.money.selectors.ledger import load_prize_pool
from tournament.setup.services.tournaments import change_event

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def event() -> Event:
    """Return an event with two tables of three, in which a point is worth a cent.

    One table's card is posted (final).
    """
    event = a_table_event_in_play(6, "fort-worth", {"size": 3, "rounds": 1}, length="very-short", value_cents=1)
    first, second = open_cards(event)
    play_fort_worth(first, {"B": 10, "C": 20})
    sign_all(first)
    play_fort_worth(second, {"B": 10, "C": 20})
    return fresh(event)


def on(event: Event, who: str) -> Event:
    return change_event(event, {"settlement": who}, by=SYSTEM_ACTOR)


def address(event: Event, of: str = "desk", page: str = "settlement/") -> str:
    return f"/{of}/{event.tournament.slug}/{event.slug}/{page}"


def test_the_posted_cards_count_and_the_purse_knows_nothing_of_them(event: Event) -> None:
    before = load_prize_pool(event), Posting.objects.count()
    found = load_settlement(event)
    assert (found.games, found.open_games) == (1, 1)
    assert len(found.balances) == 3
    winner, *losers = found.balances
    assert winner[1] == -sum(cents for _who, cents in losers) > 0
    assert list(found.payments) == [(who, winner[0], -cents) for who, cents in reversed(losers)]
    sign_all(open_cards(event)[0])
    assert (load_settlement(event).games, len(load_settlement(event).balances)) == (2, 6)
    assert (load_prize_pool(event), Posting.objects.count()) == before


def test_it_is_off_until_a_director_switches_it_on(event: Event) -> None:
    staff, anybody = client_as("director", event), Client()
    answers = [staff.get(address(event)), staff.get(address(event, page="settlement/print/"))]
    answers.append(anybody.get(address(event, "t")))
    assert [answer.status_code for answer in answers] == [404] * 3
    assert "Player settlement" not in staff.get(address(event, page="today/")).content.decode()
    event = on(event, Event.Settlement.DIRECTORS)
    said = staff.get(address(event)).content.decode()
    assert load_settlement(event).payments[0][0].name in said
    assert "1 game is not posted yet." in said
    assert anybody.get(address(event, "t")).status_code == 404
    assert "Player settlement" not in anybody.get(address(event, "t", "")).content.decode()
    event = on(event, Event.Settlement.PUBLIC)
    assert "Who pays whom" in anybody.get(address(event, "t")).content.decode()
    assert "Player settlement" in anybody.get(address(event, "t", "")).content.decode()


def test_it_is_printed_with_the_same_payments(event: Event) -> None:
    event = on(event, Event.Settlement.DIRECTORS)
    answer = client_as("director", event).get(address(event, page="settlement/print/"))
    (page,) = pypdfium2.PdfDocument(io.BytesIO(answer.content))
    printed = page.get_textpage().get_text_range()
    for payer, payee, cents in load_settlement(event).payments:
        assert payer.name in printed and payee.name in printed and f"{cents / 100:.2f}" in printed


def test_both_its_lists_are_files_at_the_desk_alone(event: Event) -> None:
    event = on(event, Event.Settlement.PUBLIC)
    staff, found = client_as("director", event), load_settlement(event)
    said = staff.get(address(event)).content.decode()

    def rows(listed: str) -> list[dict[str, str]]:
        assert f"?list={listed}&amp;_export=xlsx" in said
        sent = staff.get(f"{address(event)}?list={listed}&_export=csv")
        return list(csv.DictReader(io.StringIO(sent.content.decode("utf-8-sig"))))

    paid = [(row["Pays"], row["To"], round(float(row["Amount"]) * 100)) for row in rows("payments")]
    assert paid == [(payer.name, payee.name, cents) for payer, payee, cents in found.payments]
    balances = [(row["Name"], round(float(row["Balance"]) * 100)) for row in rows("balances")]
    assert balances == [(entrant.name, cents) for entrant, cents in found.balances]
    assert "_export" not in Client().get(address(event, "t")).content.decode()


def test_the_setting_is_one_of_its_choices(event: Event) -> None:
    said = client_as("director", event).get(address(event, page="settings/")).content.decode()
    assert "Playing for money is against the law in many places" in said
