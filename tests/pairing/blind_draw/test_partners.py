"""Test the draw of partners, undoing it, and the draw of a second-chance event."""

from __future__ import annotations

import hashlib
import random

import pytest

from pairing.blind_draw.selectors import (
    EliminationCause,
    load_partner_draws,
    load_second_chance_candidates,
    make_partner_draw_record,
)
from pairing.blind_draw.services import (
    close_registration,
    enter_second_chance_players,
    make_draw,
    make_partner_draw,
    post_draw,
    post_partner_draw,
    seal_partner_draw,
    take_back_partner_draw,
)
from pairing.models import PartnerDraw, PartnerSeal
from pairing.stages.selectors.records import load_current_entry_numbers
from pairing.stages.services.stages import open_next_stage
from scoring.cards.services.signing import require_signing_code
from tests.factories import a_director, a_player, a_tournament, a_user, an_event
from tests.kit import fresh, refused
from tests.pairing.helpers.commands import run_json_line
from tests.pairing.helpers.events import an_event_in_play, win
from tests.pairing.helpers.partners import drawn, pairs, posted, second_chance
from tests.pairing.helpers.stages import FINALS, QUALIFIER, play_pool, staged
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.errors import DomainError, NotAllowed
from tournament.models import Entrant, Event, Member, Player
from tournament.registration.selectors.entries import (
    load_entry_summary,
    load_joined_pairs,
    load_partner_seekers,
    make_partner_seeker_context,
)
from tournament.registration.services.entries import EntryRequest, add_entry, substitute_player, withdraw_entrant
from tournament.registration.services.pairs import change_partner_pool, join_partners, split_pair
from tournament.registration.services.people import Person, merge_players

pytestmark = pytest.mark.django_db


def test_the_code_of_a_half_signs_for_the_pair_while_its_player_is_in_it() -> None:
    event = pairs(2)
    pair, *_ = posted(event)
    one, other = pair.halves.order_by("number")
    for code in (one.sign_code, other.sign_code, pair.sign_code):
        require_signing_code(pair, code.lower())
    seat = next(member.seat for member in pair.members.all() if member.player.name == "Player 1")
    substitute_player(pair, seat, Person("Somebody Else"), by=SYSTEM_ACTOR, reason="ill")
    require_signing_code(pair, other.sign_code)
    with pytest.raises(DomainError, match="not your signing code"):
        require_signing_code(pair, one.sign_code)


def people_of(entrant: Entrant) -> frozenset[str]:
    return frozenset(member.player.name for member in entrant.members.all())


def test_seven_who_ask_become_three_pairs_and_one_is_left_over() -> None:
    event = pairs(7)
    sealed = seal_partner_draw(event, by=a_director(event.tournament))
    assert sealed.numbers == list(range(1, 8))
    assert sealed.commitment == hashlib.sha256(bytes.fromhex(sealed.secret)).hexdigest()
    made = make_partner_draw(event, "7H QS", by=SYSTEM_ACTOR, key="k")
    assert make_partner_draw(event, "7H QS", by=SYSTEM_ACTOR, key="k") == made
    assert load_partner_seekers(event).count() == 7, "a preview changes nothing"
    assert load_partner_draws(event) == []
    entries = post_partner_draw(event, by=SYSTEM_ACTOR)
    assert [entry.number for entry in entries] == [8, 9, 10]
    names = dict(event.entrants.values_list("number", "name"))
    assert [entry.name for entry in entries] == [f"{names[one]} / {names[other]}" for one, other in made.pairs]
    (left,) = load_partner_seekers(event)
    assert [left.number] == made.left
    why = make_partner_seeker_context(left)
    assert why is not None and why["left_over"] and not why["others"]
    assert load_current_entry_numbers(event) == [8, 9, 10]
    record = make_partner_draw_record(PartnerDraw.objects.get())
    assert run_json_line("verify_partners", record) == {"ok": True}
    wrong = run_json_line("verify_partners", {**record, "pairs": record["pairs"][::-1]})
    assert [error["code"] for error in wrong["errors"]] == ["pairs-mismatch"]


def test_the_pairs_play_the_event_s_own_draw() -> None:
    event = pairs(8)
    entries = posted(event)
    for entry in entries:
        Entrant.objects.filter(pk=entry.pk).update(arrived=True)
    close_registration(event, by=SYSTEM_ACTOR)
    make_draw(fresh(event), "9C", by=SYSTEM_ACTOR)
    assert sorted(post_draw(fresh(event), by=SYSTEM_ACTOR).order) == [9, 10, 11, 12]


def test_only_a_director_draws_partners() -> None:
    event = pairs(4)
    desk = make_staff_actor(a_user("desk", event.tournament))
    with pytest.raises(NotAllowed):
        seal_partner_draw(event, by=desk)
    made = drawn(event)
    for act in (
        lambda: make_partner_draw(event, "2C", by=desk),
        lambda: post_partner_draw(event, by=desk),
        lambda: take_back_partner_draw(made, by=desk, reason="no"),
        lambda: enter_second_chance_players(event, [], by=desk),
    ):
        with pytest.raises(NotAllowed):
            act()


def test_of_two_pools_one_of_each_is_drawn_together() -> None:
    event = pairs(7, pools="AABABAA")
    made = drawn(event)
    in_b = {3, 5}
    assert len(made.pairs) == 2 and len(made.left) == 3
    assert all(len(in_b & set(pair)) == 1 for pair in made.pairs)
    assert run_json_line("verify_partners", make_partner_draw_record(made)) == {"ok": True}


def test_who_is_neither_a_nor_b_is_named_before_the_seal() -> None:
    event = pairs(2, pools="AB")
    late = add_entry(event, EntryRequest((Person("Zoe"),), asks_for_partner=True), by=SYSTEM_ACTOR)
    with pytest.raises(DomainError) as refusal:
        seal_partner_draw(event, by=SYSTEM_ACTOR)
    assert refusal.value.code == "no-pool" and "3 Zoe" in refusal.value.message
    change_partner_pool(late, "A", by=SYSTEM_ACTOR)
    assert seal_partner_draw(event, by=SYSTEM_ACTOR).pools == {"A": [1, 3], "B": [2]}


def test_the_director_may_let_somebody_wait_for_the_next_draw() -> None:
    event = pairs(5)
    sealed = seal_partner_draw(event, [1, 2, 4, 5], by=SYSTEM_ACTOR)
    make_partner_draw(event, "7H", by=SYSTEM_ACTOR)
    post_partner_draw(event, by=SYSTEM_ACTOR)
    assert sealed.numbers == [1, 2, 4, 5]
    (left,) = load_partner_seekers(event)
    assert left.number == 3
    assert not load_entry_summary(left).left_over, "they were in no draw"


@pytest.mark.parametrize("act", ["withdraw", "join", "pool"])
def test_a_list_that_changed_is_sealed_again(act: str) -> None:
    event = pairs(5, pools="AABBA")
    entrants = list(load_partner_seekers(event).select_related("event__tournament"))
    seal_partner_draw(event, by=SYSTEM_ACTOR)
    if act == "withdraw":
        withdraw_entrant(entrants[0], by=SYSTEM_ACTOR)
    elif act == "join":
        join_partners(entrants[0], entrants[2], by=SYSTEM_ACTOR, reason="friends")
    else:
        change_partner_pool(entrants[0], "B", by=SYSTEM_ACTOR)
    with refused("list-changed"):
        make_partner_draw(event, "7H", by=SYSTEM_ACTOR)
    old = PartnerSeal.objects.get()
    again = seal_partner_draw(event, by=SYSTEM_ACTOR)
    assert (again.secret == old.secret, again.draw_id == old.draw_id) == (False, False)
    make_partner_draw(event, "7H", by=SYSTEM_ACTOR)
    withdraw_entrant(load_partner_seekers(event).select_related("event__tournament")[0], by=SYSTEM_ACTOR)
    with refused("list-changed"):
        post_partner_draw(event, by=SYSTEM_ACTOR)
    assert not event.entrants.filter(source="partners").exclude(state="in").exists()


def test_a_seal_is_opened_once_and_a_preview_stands_in_the_way() -> None:
    event = pairs(4)
    with refused("not-sealed"):
        make_partner_draw(event, "7H", by=SYSTEM_ACTOR)
    made = drawn(event)
    for act in (
        lambda: seal_partner_draw(event, by=SYSTEM_ACTOR),
        lambda: make_partner_draw(event, "2C", by=SYSTEM_ACTOR, key="2"),
    ):
        with refused("drawn-already"):
            act()
    take_back_partner_draw(made, by=SYSTEM_ACTOR, reason="a card was seen")
    assert [one.taken_back.reason for one in load_partner_draws(event)] == ["a card was seen"]
    with refused("not-sealed"):
        make_partner_draw(event, "2C", by=SYSTEM_ACTOR, key="3")
    with refused("no-draw"):
        post_partner_draw(event, by=SYSTEM_ACTOR)


def test_a_posted_draw_taken_back_takes_its_pairs_apart() -> None:
    event = pairs(7)
    first = posted(event)
    made = PartnerDraw.objects.get()
    with refused("reason-needed"):
        take_back_partner_draw(made, by=SYSTEM_ACTOR, reason=" ")
    withdraw_entrant(first[1], by=SYSTEM_ACTOR)
    gone = take_back_partner_draw(made, by=SYSTEM_ACTOR, reason="a name was missing")
    assert [pair.number for pair in gone] == [first[0].number, first[2].number]
    assert load_partner_seekers(event).count() == 5
    assert not any(load_entry_summary(entrant).left_over for entrant in load_partner_seekers(event))
    with refused("taken-back"):
        take_back_partner_draw(made, by=SYSTEM_ACTOR, reason="again")


def test_a_substitute_in_a_pair_stands_in_the_way_and_nothing_is_half_done() -> None:
    event = pairs(4)
    first, _second = posted(event)
    substitute_player(first, 1, Person("Sub Stitute"), by=SYSTEM_ACTOR, reason="ill")
    with refused("substituted"):
        take_back_partner_draw(PartnerDraw.objects.get(), by=SYSTEM_ACTOR, reason="no")
    assert len(load_joined_pairs(event)) == 2
    assert not hasattr(PartnerDraw.objects.get(), "taken_back")


def test_after_the_event_s_draw_partners_are_settled() -> None:
    event = pairs(6)
    made = drawn(event)
    Event.objects.filter(pk=event.pk).update(state="drawn")
    for act in (
        lambda: post_partner_draw(event, by=SYSTEM_ACTOR),
        lambda: take_back_partner_draw(made, by=SYSTEM_ACTOR, reason="no"),
        lambda: seal_partner_draw(event, by=SYSTEM_ACTOR),
    ):
        with refused("drawn"):
            act()


def test_who_was_taken_apart_is_not_drawn_together_again_where_that_can_be_avoided() -> None:
    for public in ("7H", "8H", "9H"):
        event = pairs(4)
        first = posted(event, public)
        before = {people_of(pair) for pair in first}
        for pair in first:
            split_pair(pair, by=SYSTEM_ACTOR, reason="another round")
        again = posted(event, public)
        assert not before & {people_of(pair) for pair in again}


def test_two_entries_of_one_person_are_never_drawn_together() -> None:
    event = pairs(3)
    for turn in (1, 2):
        other = add_entry(
            event,
            EntryRequest((Person(f"P. Layer {turn}", f"other{turn}@example.org"),), asks_for_partner=True),
            by=SYSTEM_ACTOR,
        )
        twin = Player.objects.get(name=f"Player {turn}")
        merge_players(event.tournament, twin, other.members.get().player, by=SYSTEM_ACTOR, reason="one person")
    sealed = seal_partner_draw(event, by=SYSTEM_ACTOR)
    assert sealed.same_person == [[1, 4], [2, 5]]
    make_partner_draw(event, "7H", by=SYSTEM_ACTOR)
    for pair in post_partner_draw(event, by=SYSTEM_ACTOR):
        assert len({member.player.merged_into_id or member.player_id for member in pair.members.all()}) == 2


# --- A second chance -----------------------------------------------------------------------------------------------


def paired_up(event: Event) -> None:
    """Turn the event's single players into pairs."""
    for entrant in event.entrants.all():
        Member.objects.create(entrant=entrant, player=a_player(f"Partner {entrant.number}"), seat=2, by_name="test")


def test_who_did_not_qualify_plays_the_second_chance_with_new_partners() -> None:
    first = staged(16, QUALIFIER, FINALS)
    paired_up(first)
    play_pool(first, random.Random(2))
    event = second_chance(fresh(first), entry_size=2)
    out_by_record = {beaten.entrant.number for beaten in load_second_chance_candidates(event)}
    open_next_stage(first, by=SYSTEM_ACTOR)
    offered = load_second_chance_candidates(event)
    assert out_by_record and out_by_record <= {beaten.entrant.number for beaten in offered}
    assert {beaten.end for beaten in offered} == {EliminationCause.NOT_QUALIFIED}
    numbers = {beaten.entrant.number for beaten in offered}
    assert len(offered) == 2 * len(numbers) >= 8
    withdraw_entrant(first.entrants.get(number=min(numbers)), by=SYSTEM_ACTOR)
    assert len(load_second_chance_candidates(event)) == len(offered) - 2

    chosen = [beaten.player.pk for beaten in load_second_chance_candidates(event)]
    made = enter_second_chance_players(event, chosen, by=SYSTEM_ACTOR, key="k")
    assert enter_second_chance_players(event, chosen, by=SYSTEM_ACTOR, key="k") == made
    assert {entrant.state for entrant in made} == {"seeking"}
    assert {entrant.members.get().player_id for entrant in made} == set(chosen)
    assert all(beaten.is_in for beaten in load_second_chance_candidates(event))
    sealed = seal_partner_draw(event, by=SYSTEM_ACTOR)
    assert len(sealed.before) == len(chosen) // 2
    make_partner_draw(event, "7H", by=SYSTEM_ACTOR)
    before = {people_of(entrant) for entrant in first.entrants.all()}
    for pair in post_partner_draw(event, by=SYSTEM_ACTOR):
        assert people_of(pair) not in before


def test_the_beaten_of_a_bracket_enter_a_singles_event_alone() -> None:
    first = an_event_in_play(4)
    win(first, "R1M1")
    event = second_chance(fresh(first))
    (beaten,) = load_second_chance_candidates(event)
    assert beaten.end is EliminationCause.BEATEN
    (entrant,) = enter_second_chance_players(event, [beaten.player.pk], by=SYSTEM_ACTOR)
    assert (entrant.state, entrant.name, entrant.source) == ("in", beaten.entrant.name, "second-chance")
    assert Player.objects.count() == 4


def test_only_whoever_is_out_is_taken_over_and_nobody_twice() -> None:
    first = an_event_in_play(4)
    event = second_chance(fresh(first))
    assert load_second_chance_candidates(event) == []
    win(first, "R1M1")
    (beaten,) = load_second_chance_candidates(event)
    still = next(e for e in first.entrants.all() if e.pk != beaten.entrant.pk).members.get().player_id
    for players, code in (([still], "not-over"), ([], "nobody")):
        with refused(code):
            enter_second_chance_players(event, players, by=SYSTEM_ACTOR)
    enter_second_chance_players(event, [beaten.player.pk], by=SYSTEM_ACTOR)
    with refused("nobody"):
        enter_second_chance_players(event, [beaten.player.pk], by=SYSTEM_ACTOR)
    with refused("no-first-event"):
        enter_second_chance_players(an_event(a_tournament()), [beaten.player.pk], by=SYSTEM_ACTOR)


def test_the_pool_of_before_goes_along() -> None:
    first = pairs(4, pools="ABAB", format="single-elimination")
    for pair in posted(first):
        Entrant.objects.filter(pk=pair.pk).update(arrived=True)
    close_registration(first, by=SYSTEM_ACTOR)
    make_draw(fresh(first), "9C", by=SYSTEM_ACTOR)
    post_draw(fresh(first), by=SYSTEM_ACTOR)
    win(first, "R1M1")
    event = second_chance(fresh(first), entry_size=2, partners="a-b")
    made = enter_second_chance_players(
        event, [beaten.player.pk for beaten in load_second_chance_candidates(event)], by=SYSTEM_ACTOR
    )
    assert sorted(entrant.pool for entrant in made) == ["A", "B"]


@pytest.mark.parametrize("entrants", [8, 32])
def test_the_second_chance_is_read_in_the_same_number_of_questions(
    entrants: int, django_assert_max_num_queries: object
) -> None:
    first = an_event_in_play(entrants)
    win(first, "R1M1")
    win(first, "R1M2")
    event = fresh(second_chance(fresh(first)))
    with django_assert_max_num_queries(14):  # type: ignore[operator]
        assert len(load_second_chance_candidates(event)) == 2
