from __future__ import annotations

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from pairing.results.services.finish import finish_event
from tests.kit import event_url, fresh
from tests.pairing.helpers.events import an_event_in_play, play_all, win
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event
from tournament.money.selectors.prizes import load_bracket_prizes, load_possible_tie_shares, load_prizes
from tournament.purse.prizes import FlatAmounts, compute_payout, compute_tie_shares, make_placings_from_finish


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8), st.integers(2, 8))
def test_the_previewed_ties_match_the_payout(amounts: list[int], still_in: int) -> None:
    for tie in compute_tie_shares(amounts, still_in):
        before = [[number] for number in range(1, tie.first)]
        tied = list(range(tie.first, tie.last + 1))
        after = [[number] for number in range(tie.last + 1, len(amounts) + 1)]
        payout = compute_payout(
            sum(amounts), FlatAmounts(tuple(amounts)), make_placings_from_finish([*before, tied, *after])
        )
        worth = {award.entry: award.cents for award in payout.awards}
        share = [tie.cents + (turn < tie.odd_cents) for turn in range(len(tied))]
        assert [worth.get(one, 0) for one in tied] == share


def test_in_a_large_field_only_ties_for_paid_places_are_listed() -> None:
    ties = [str(tie) for tie in compute_tie_shares((50, 30, 20), 64)]
    assert ties == ["1–2", "1–3", "2–3"]
    assert compute_tie_shares((), 4) == compute_tie_shares((0, 0), 4) == compute_tie_shares((50, 30), 1) == ()


def ties_of(event: Event) -> dict[str, int]:
    event = fresh(event)
    return {str(tie): tie.cents for tie in load_possible_tie_shares(event, load_prizes(event))}


def in_bracket(event: Event) -> dict[str, int]:
    event = fresh(event)
    return {str(tie): tie.cents for tie in load_bracket_prizes(event, load_prizes(event))}


def prizes_page(event: Event) -> str:
    address = event_url("tournament:prizes", event)
    return " ".join(Client().get(address).content.decode().split())


@pytest.mark.django_db
def test_the_prizes_page_shows_possible_ties_of_a_pool_in_play() -> None:
    stages = [{"kind": "swiss", "rounds": 2}, {"kind": "single-elimination"}]
    event = an_event_in_play(4, format="stages", format_options={"stages": stages}, added_cents=1_000_00)
    assert ties_of(event)["1–4"] == 250_00
    assert "<td>Tie for 1st–4th</td><td>" in prizes_page(event)
    assert in_bracket(event) == {}


@pytest.mark.django_db
def test_in_a_bracket_only_the_losers_of_one_round_can_tie() -> None:
    event = an_event_in_play(4, added_cents=1_000_00)
    assert ties_of(event) == {}
    assert in_bracket(event) == {"1": 500_00, "2": 300_00, "3–4": 100_00}
    win(event, "R1M1")
    assert in_bracket(event) == {"1": 500_00, "2": 300_00, "3–4": 100_00}
    assert "<td>Tie for 3rd–4th</td><td>" in prizes_page(event)


@pytest.mark.django_db
def test_once_all_is_decided_no_ties_are_shown() -> None:
    event = an_event_in_play(4, added_cents=1_000_00)
    play_all(event)
    assert ties_of(event) == in_bracket(event) == {}
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    assert ties_of(event) == in_bracket(event) == {}
    assert "Tie for 3rd–4th</td><td>" not in prizes_page(event)
