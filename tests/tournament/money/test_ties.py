"""What a tie between those still in play would pay, before it happens."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from pairing.finish.services import finish_event
from tests.pairing.helpers.events import an_event_in_play, fresh, play_all
from tournament.core.permissions import SYSTEM
from tournament.models import Event
from tournament.money.selectors.prizes import load_prizes, load_ties
from tournament.purse import pay_out, place_finish, preview_ties
from tournament.purse.places import FlatAmounts


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8), st.integers(2, 8))
def test_each_tie_pays_what_the_payout_then_pays(amounts: list[int], still_in: int) -> None:
    for tie in preview_ties(amounts, still_in):
        before = [[number] for number in range(1, tie.first)]
        tied = list(range(tie.first, tie.last + 1))
        after = [[number] for number in range(tie.last + 1, len(amounts) + 1)]
        payout = pay_out(sum(amounts), FlatAmounts(tuple(amounts)), place_finish([*before, tied, *after]))
        worth = {award.entry: award.cents for award in payout.awards}
        share = [tie.cents + (turn < tie.odd_cents) for turn in range(len(tied))]
        assert [worth.get(one, 0) for one in tied] == share


def test_a_large_field_reads_of_the_places_that_are_paid() -> None:
    ties = [str(tie) for tie in preview_ties((50, 30, 20), 64)]
    assert ties == ["1–2", "1–3", "2–3"]
    assert preview_ties((), 4) == preview_ties((0, 0), 4) == preview_ties((50, 30), 1) == ()


def ties_of(event: Event) -> dict[str, int]:
    event = fresh(event)
    return {str(tie): tie.cents for tie in load_ties(event, load_prizes(event))}


@pytest.mark.django_db
def test_the_prizes_pages_say_what_ties_would_pay_until_all_is_decided() -> None:
    event = an_event_in_play(4, added_cents=1_000_00)
    assert ties_of(event)["1–4"] == 250_00
    address = reverse("tournament:prizes", args=[event.tournament.slug, event.slug])
    said = " ".join(Client().get(address).content.decode().split())
    assert "What a tie would pay" in said
    assert "<td>Tie for 1st–4th</td><td>" in said
    play_all(event)
    assert ties_of(event) == {}
    finish_event(fresh(event), by=SYSTEM)
    assert ties_of(event) == {}
    assert "What a tie would pay" not in Client().get(address).content.decode()


@pytest.mark.django_db
def test_before_the_draw_nothing_is_said() -> None:
    event = an_event_in_play(2, added_cents=100_00)
    assert ties_of(event) == {"1–2": 50_00}
    Event.objects.filter(pk=event.pk).update(state=Event.State.CLOSED)
    assert ties_of(event) == {}
