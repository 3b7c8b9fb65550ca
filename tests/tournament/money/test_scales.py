from __future__ import annotations

from typing import Any

import pytest
from django.forms import ValidationError
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import an_entrant, an_event
from tests.kit import client_as, event_url, get_page, page_text, refused
from tests.prebuilt import prebuilt
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event, Finish
from tournament.models.tournament import DEFAULT_PRIZE_TABLE
from tournament.money.selectors.prizes import load_prizes, preview_prizes
from tournament.purse.pool import make_prize_pool
from tournament.purse.prizes import FlatAmounts, compute_payout, make_placings_from_finish, make_prize_table
from tournament.setup.forms import FlatPrizesField, PrizeTableField
from tournament.setup.services.tournaments import change_event

BY = Event.PrizesBy


def ties(entries: int, cuts: list[int]) -> list[list[int]]:
    """Divide the entries from 1 to `entries` into groups of tied entries. A group ends after each number in `cuts`."""
    groups: list[list[int]] = [[]]
    for number in range(1, entries + 1):
        groups[-1].append(number)
        if number in cuts:
            groups.append([])
    return [group for group in groups if group]


@given(
    st.integers(0, 10**8),
    st.integers(1, 70),
    st.sampled_from([1, 100, 500]),
    st.lists(st.integers(1, 70), max_size=12),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=9),
)
def test_awards_add_up_to_the_pool_by_table_and_by_flat_amounts(
    fees: int, entries: int, unit: int, cuts: list[int], flat: list[int]
) -> None:
    pool = make_prize_pool(fees, guarantee_cents=sum(flat))
    finish = make_placings_from_finish(ties(entries, cuts))
    for division in (make_prize_table(DEFAULT_PRIZE_TABLE, unit).find_scale(entries), FlatAmounts(tuple(flat))):
        payout = compute_payout(pool.pool_cents, division, finish)
        assert sum(award.cents for award in payout.awards) == sum(payout.places_cents) == pool.pool_cents


@pytest.mark.parametrize("entries", range(1, 100))
def test_the_usual_table_pays_one_in_four_and_one_at_least(entries: int) -> None:
    assert len(make_prize_table(DEFAULT_PRIZE_TABLE).find_scale(entries).percents) == min(8, max(1, entries // 4))


@pytest.mark.parametrize(
    ("rows", "code", "text"),
    [
        ([], "bad-table", "from 1 entry"),
        ([[2, ["100"]]], "bad-table", "from 1 entry"),
        ([[1, ["100"]], [8, ["100"]], [4, ["100"]]], "bad-table", "go up"),
        ([[1, ["100"]], [8, ["65", "30"]]], "bad-scale", "From 8 entries on: The percents must be exactly 100 in all."),
        ([[1, ["100"]], [8, ["65", "30"]]], "bad-scale", "These add up to 95, which is 5 short."),
        ([[1, ["100", "0.5"]]], "bad-scale", "These add up to 100.5, which is 0.5 over."),
    ],
)
def test_a_table_that_does_not_add_up_is_refused_with_the_sum(rows: list[Any], code: str, text: str) -> None:
    with refused(code) as refusal:
        make_prize_table(rows)
    assert text in str(refusal.value.message)


def test_typed_scales_are_parsed_and_shown_again() -> None:
    table, flat = PrizeTableField(), FlatPrizesField()
    rows = [[1, ["100"]], [8, ["65", "35"]]]
    assert table.clean("1: 100\n\n 8 : 65%; 35") == rows
    assert table.prepare_value(rows) == "1: 100\n8: 65, 35"
    assert flat.clean("$500, 300.50; 200") == [500_00, 300_50, 200_00]
    assert flat.prepare_value([500_00, 300_50]) == "500.00, 300.50"
    for field, typed in ((table, "8 65"), (table, "x: 100"), (flat, "1,000, 500"), (flat, "a lot")):
        with pytest.raises(ValidationError):
            field.clean(typed)


def worth(event: Event) -> list[int]:
    return [row.cents for row in load_prizes(Event.objects.get(pk=event.pk)).places]


@pytest.mark.django_db
def test_the_table_follows_the_number_of_entries() -> None:
    event = an_event(fee_cents=0, added_cents=1_000_00, prizes_by=BY.TABLE)
    for _turn in range(7):
        an_entrant(event)
    assert worth(event) == [1_000_00]
    an_entrant(event)
    assert worth(event) == [650_00, 350_00]


@pytest.mark.django_db
def test_flat_amounts_are_paid_with_a_subsidy() -> None:
    event = an_event(fee_cents=0, added_cents=700_00, prizes_by=BY.FLAT, flat_cents=[500_00, 300_00])
    for _turn in range(3):
        an_entrant(event)
    assert worth(event) == [500_00, 300_00]
    assert load_prizes(event).pool.subsidy_cents == 100_00
    Event.objects.filter(pk=event.pk).update(added_cents=900_00)
    assert worth(event) == [600_00, 300_00]
    Finish.objects.create(event=event, places=[[2], [1, 3]], by_name="test")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    event = Event.objects.get(pk=event.pk)
    assert [(row.number, row.cents) for row in load_prizes(event).awards] == [(2, 600_00), (1, 150_00), (3, 150_00)]
    assert all(check.passed for check in verify_event(event) if check.kind in ("ledger", "payouts"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, "With 3 entries or more the places get: 50%, 30%, 20%."),
        ({"prizes_by": BY.TABLE}, ""),
        ({"prizes_by": BY.FLAT, "flat_cents": [500_00, 300_00]}, ""),
    ],
)
def test_the_public_page_shows_the_scale_before_the_first_entry(settings: dict[str, Any], text: str) -> None:
    event = an_event(**settings)
    address = event_url("tournament:prizes", event)
    page = " ".join(Client().get(address).content.decode().split())
    assert text in page
    assert text or "the places get" not in page
    full = an_event(**settings)
    for _turn in range(3):
        an_entrant(full)
    address = event_url("tournament:prizes", full)
    assert "the places get" not in Client().get(address).content.decode(), "the table says it"


@pytest.mark.django_db
def test_settings_that_cannot_be_paid_are_refused() -> None:
    event = an_event()
    for changes in ({"prizes_by": BY.FLAT}, {"prizes_by": BY.TABLE, "prize_table": [[1, ["90"]]]}):
        with refused("bad-scale"):
            change_event(event, changes, by=SYSTEM_ACTOR)
    drawn = an_event(state=Event.State.DRAWN)
    with refused("reason-needed"):
        change_event(drawn, {"prizes_by": BY.TABLE}, by=SYSTEM_ACTOR)


@pytest.mark.django_db
def test_the_preview_shows_the_prizes_of_any_field() -> None:
    event = an_event(fee_cents=100_00, prizes_by=BY.TABLE, guarantee_cents=500_00)
    found = preview_prizes(event, 16)
    assert (found["pool"].pool_cents, len(found["places"])) == (1_312_00, 4)
    assert preview_prizes(event, 0)["pool"].subsidy_cents == 500_00
    client = client_as("desk", event)
    address = event_url("tournament:desk_prize_preview", event)
    text = get_page(address, client, entries="16")
    for words in ("Prizes with 16 entries", "$1,600.00", "$1,312.00", "45%"):
        assert words in text
    assert "Prizes with" not in get_page(address, client, entries="x")


@pytest.mark.django_db
def test_the_director_chooses_flat_amounts_in_the_setup_and_a_wrong_table_stays_beside_its_field() -> None:
    event = an_event(state=Event.State.DRAFT)
    client = client_as("director", event)
    address = event_url("tournament:event_setup", event, "prizes")
    facts = {"prize_percent": "80%", "prize_scale": "50, 30, 20", "added_cents": "0", "unit_cents": "1.00"}
    wrong = client.post(address, {**facts, "prizes_by": "table", "prize_table": "1: 100\n8: 65, 30"})
    assert "From 8 entries on" in wrong.content.decode()
    assert client.post(address, {**facts, "prizes_by": "flat", "flat_cents": "500, 300"}).status_code == 302
    event.refresh_from_db()
    assert (event.prizes_by, event.flat_cents, event.prize_percent) == ("flat", [500_00, 300_00], "80")


@pytest.fixture
def rounded(db: None) -> Event:
    """Return an open event with a prize pool of $246.00 and prizes that are rounded to multiples of $5.00."""
    return an_event(prize_scale=["60", "20", "12", "8"], unit_cents=5_00, added_cents=246_00, fee_cents=0, state="open")


@prebuilt
def entered(event: Event, entries: int = 4) -> Event:
    for number in range(1, entries + 1):
        an_entrant(event, number=number)
    return event


def words_of(client: Client, name: str, event: Event, **query: str) -> str:
    answer = client.get(event_url(name, event), query)
    return page_text(answer)


ROUNDED = (
    "Each place gets its share of the pool, rounded down to whole units of $5.00. That leaves $15.00, which goes in "
    "units of $5.00 to the places that lost the most by rounding: 2nd, 3rd, 4th. First place also gets the last $1.00, "
    "which is less than a unit."
)


def test_the_prizes_page_explains_the_rounding(rounded: Event) -> None:
    assert ROUNDED in words_of(Client(), "tournament:prizes", entered(rounded))


def test_the_prizes_page_shows_each_place_to_the_cent(rounded: Event) -> None:
    words = words_of(Client(), "tournament:prizes", entered(rounded))
    assert "1st $146.00 $147.60 2nd $50.00 $49.20 3rd $30.00 $29.52 4th $20.00 $19.68" in words


def test_the_preview_explains_the_rounding_and_links_to_the_setting(rounded: Event) -> None:
    client = client_as("director", rounded)
    words = words_of(client, "tournament:desk_prize_preview", rounded, entries="4")
    assert ROUNDED in words
    assert "Pay to the cent: enter 0.01 as the unit in Setup" in words


def test_without_rounding_nothing_is_explained(rounded: Event) -> None:
    rounded.unit_cents = 1
    rounded.save()
    assert "rounded down" not in words_of(Client(), "tournament:prizes", entered(rounded))
