"""Players, couples, and clubs are kept apart by one list, which applies to draws, groups, tables, and pairing."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import combinations

import pytest
from django.test import Client

from pairing.blind_draw.services import make_draw, post_draw
from pairing.desk.selectors.desk import load_pairing_desk
from pairing.draws.places import iter_first_round_pairs
from pairing.models import AvoidPair, ClubsApart, Seating
from pairing.results.services.late_entries import join_stage
from pairing.stages.selectors.apart import (
    load_avoid_list,
    load_keep_apart_requests,
    load_last_round_with_clubs_apart,
    load_pairing_rules,
    load_separated_pairs,
)
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.services.apart import (
    KeepApartPeriod,
    keep_clubs_apart,
    keep_couples_apart,
    keep_entrants_apart,
    stop_keeping_apart,
)
from pairing.stages.services.stages import open_next_stage
from pairing.stages.services.tables import seat_next_round
from tests.factories import a_director, a_user, an_entrant
from tests.kit import client_as, desk_url, fresh, public_url, refused
from tests.pairing.helpers.events import a_closed_event, an_event_in_play, an_open_event
from tests.pairing.helpers.seatings import play_round
from tests.pairing.helpers.stages import course_of, decide_ready, staged
from tests.prebuilt import prebuilt
from tests.verifying import failed_checks
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.core.services.record import writing
from tournament.errors import Conflict, NotAllowed
from tournament.models import Entrant, Event
from tournament.setup.services.tournaments import change_event_state

pytestmark = pytest.mark.django_db

Kind = AvoidPair.Kind
NEVER, COUPLE = KeepApartPeriod(Kind.NEVER), KeepApartPeriod(Kind.NEVER, is_couple=True)


@prebuilt
def with_clubs(event: Event, *clubs: tuple[int, ...]) -> Event:
    for at, members in enumerate(clubs):
        event.entrants.filter(number__in=members).update(club=f"Club {at}")
    return event


def entrants(event: Event, *numbers: int) -> list[Entrant]:
    return [event.entrants.select_related("event__tournament").get(number=number) for number in numbers]


def pairs_in(groups: Iterable[Iterable[int]]) -> set[tuple[int, int]]:
    return {pair for group in groups for pair in combinations(sorted(group), 2)}


def test_the_blind_draw_keeps_a_club_apart_and_the_record_says_so() -> None:
    event = with_clubs(a_closed_event(8), (1, 2, 3, 4))
    keep_clubs_apart(event, 1, by=SYSTEM_ACTOR)
    made = make_draw(fresh(event), "7H", by=SYSTEM_ACTOR)
    assert made.avoid["groups"] == [[1, 2, 3, 4]]
    assert not [pair for pair in iter_first_round_pairs(made.places) if set(pair) <= {1, 2, 3, 4}]
    post_draw(fresh(event), by=SYSTEM_ACTOR)
    assert failed_checks(event) == []
    page = Client().get(public_url(event, "draw/")).content.decode()
    assert "Clubs kept apart in round one" in page and "no exchange helps" not in page
    check = Client().get(public_url(event, "draw/check/")).content.decode()
    assert 'name="clubs" autocomplete="off" value="1 2 3 4"' in check


def test_a_bracket_keeps_apart_until_the_round_that_is_said() -> None:
    event = with_clubs(a_closed_event(16), (1, 2, 3, 4))
    keep_clubs_apart(event, 2, by=SYSTEM_ACTOR)
    keep_entrants_apart(
        *entrants(event, 5, 6), by=SYSTEM_ACTOR, reason="sisters", period=KeepApartPeriod(Kind.NOT_BEFORE, 4)
    )
    keep_entrants_apart(*entrants(event, 7, 8), by=SYSTEM_ACTOR, reason="brothers", period=NEVER)
    made = make_draw(fresh(event), "7H", by=SYSTEM_ACTOR)
    place = {entry: at for at, entry in enumerate(made.places)}
    assert len({place[entry] // 4 for entry in (1, 2, 3, 4)}) == 4, "a quarter each"
    assert place[5] // 8 != place[6] // 8 and place[7] // 8 != place[8] // 8, "a half each"
    assert (made.avoid["later"], made.avoid["clubs_until"]) == ([[5, 6, 3], [7, 8, 99]], 2)
    post_draw(fresh(event), by=SYSTEM_ACTOR)
    assert failed_checks(event) == []
    page = Client().get(public_url(event, "draw/")).content.decode()
    assert "Clubs kept apart up to round 2" in page and "as long as possible" in page
    check = Client().get(public_url(event, "draw/check/")).content.decode()
    assert 'name="later" autocomplete="off" value="5 6 3, 7 8 99"' in check


def test_a_blind_bracket_after_groups_parts_those_of_one_group() -> None:
    options = {"stages": [{"kind": "round-robin", "groups": 4, "best": 2}, {"kind": "single-elimination"}]}
    for turn in range(3):
        event = staged(16, *options["stages"])
        while not course_of(event).current_stage.is_complete:
            decide_ready(event, random.Random(turn))
        stage = open_next_stage(event, by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut=f"{turn}H"))
        groups = course_of(event).stages[0].row.record["groups"]
        of = {entry: at for at, group in enumerate(groups) for entry in group}
        assert all(of[one] != of[other] for one, other in iter_first_round_pairs(tuple(stage.record["places"])))
        assert failed_checks(event) == []


def test_who_cannot_be_parted_is_said_in_the_preview() -> None:
    event = with_clubs(a_closed_event(4), (1, 2, 3))
    keep_clubs_apart(event, 1, by=SYSTEM_ACTOR)
    made = make_draw(fresh(event), "7H", by=SYSTEM_ACTOR)
    stays = [move for move in made.moves if move["with"] is None]
    assert [move["reason"] for move in stays] == ["club"]
    client = Client()
    client.force_login(a_director(event.tournament).user)
    page = client.get(desk_url(event, "draw/")).content.decode()
    assert "no exchange keeps everyone apart who should be" in page


def test_groups_of_a_first_stage_part_clubs_couples_and_pairs() -> None:
    options = {"stages": [{"kind": "round-robin", "groups": 4, "best": 1}, {"kind": "single-elimination"}]}
    event = with_clubs(a_closed_event(12, format="stages", format_options=options), (1, 2, 3, 4))
    keep_clubs_apart(event, None, by=SYSTEM_ACTOR)
    keep_couples_apart(event, [(5, 6), (7, 8)], by=SYSTEM_ACTOR, reason="couples", period=COUPLE)
    keep_entrants_apart(*entrants(event, 9, 10), by=SYSTEM_ACTOR, reason="brothers", period=NEVER)
    made = make_draw(fresh(event), "7H", by=SYSTEM_ACTOR)
    post_draw(fresh(event), by=SYSTEM_ACTOR)
    groups = made.stages.get().record["groups"]
    assert sorted(map(len, groups)) == [3, 3, 3, 3]
    assert not pairs_in(groups) & {*combinations((1, 2, 3, 4), 2), (5, 6), (7, 8), (9, 10)}
    assert failed_checks(event) == []


def test_later_tables_keep_apart_who_is_on_the_list_until_their_round() -> None:
    event = with_clubs(an_event_in_play(8, format="tables", format_options={"size": 2, "rounds": 3}), (1, 2, 3, 4))
    keep_clubs_apart(event, 2, by=SYSTEM_ACTOR)
    keep_entrants_apart(
        *entrants(event, 5, 6), by=SYSTEM_ACTOR, reason="sisters", period=KeepApartPeriod(Kind.NOT_BEFORE, 3)
    )
    apart = {*combinations((1, 2, 3, 4), 2), (5, 6)}
    assert load_separated_pairs(event, range(1, 9), 2) == apart
    assert load_separated_pairs(event, range(1, 9), 3) == set()
    play_round(event)
    seating = seat_next_round(fresh(event), by=SYSTEM_ACTOR)
    assert not pairs_in(seating.tables) & apart
    assert (seating.record["repeats"], seating.record["together"]) == (0, [])


def test_tables_that_cannot_part_two_say_so() -> None:
    event = an_event_in_play(4, format="tables", format_options={"size": 4, "rounds": 2})
    keep_entrants_apart(*entrants(event, 1, 2), by=SYSTEM_ACTOR, reason="sisters", period=NEVER)
    play_round(event)
    seat_next_round(fresh(event), by=SYSTEM_ACTOR)
    assert Seating.objects.get(round=2).record["together"] == [[1, 2]]
    client = Client()
    client.force_login(a_director(event.tournament).user)
    page = client.get(desk_url(event, "seatings/")).content.decode()
    assert "Player 1 and Player 2 should be kept apart" in page


@pytest.mark.parametrize(
    "stage", [{"kind": "swiss", "rounds": 3}, {"kind": "fixed", "games": 3}], ids=["swiss", "desk"]
)
def test_the_desk_and_swiss_rounds_keep_clubs_and_couples_apart(stage: dict[str, object]) -> None:
    event = with_clubs(staged(8, stage), (1, 2, 3, 4))
    keep_clubs_apart(event, 2, by=SYSTEM_ACTOR)
    keep_couples_apart(
        event, [(5, 6)], by=SYSTEM_ACTOR, reason="a couple", period=KeepApartPeriod(Kind.NOT_BEFORE, 3, is_couple=True)
    )
    desk = load_pairing_desk(fresh(event))
    assert desk is not None
    pairs = {tuple(sorted(one.pair)) for one in desk.groups[0].suggestion.pairs}
    assert len(pairs) == 4
    assert not pairs & {*combinations((1, 2, 3, 4), 2), (5, 6)}
    rules = load_pairing_rules(event, dict(event.entrants.values_list("number", "club")), (), is_first_stage=True)
    assert rules.make_constraints(dict.fromkeys(range(1, 9), 2)).find_shared_groups(5, 6) == {"the couple 5 and 6"}
    assert not rules.make_constraints(dict.fromkeys(range(1, 9), 3))


class TestTheList:
    def test_couples_come_in_one_act_and_only_once(self) -> None:
        event = an_open_event(6)
        keep_couples_apart(event, [(2, 1), (3, 4)], by=SYSTEM_ACTOR, reason="couples", period=COUPLE)
        assert keep_couples_apart(event, [(1, 2)], by=SYSTEM_ACTOR, reason="again", period=COUPLE) == []
        assert list(AvoidPair.objects.values_list("one__number", "other__number", "is_couple")) == [
            (1, 2, True),
            (3, 4, True),
        ]
        stop_keeping_apart(AvoidPair.objects.first(), by=SYSTEM_ACTOR)
        assert load_avoid_list(event).pairs == [(3, 4)]

    @pytest.mark.parametrize(
        ("couples", "long", "code"),
        [
            ([], COUPLE, "nobody"),
            ([(1, 99)], COUPLE, "bad-pair"),
            ([(1, 1)], COUPLE, "bad-pair"),
            ([(1, 2)], KeepApartPeriod(Kind.NOT_BEFORE, is_couple=True), "bad-round"),
        ],
    )
    def test_what_is_no_couple_is_refused_as_a_whole(
        self, couples: list[tuple[int, int]], long: KeepApartPeriod, code: str
    ) -> None:
        event = an_open_event(4)
        with refused(code):
            keep_couples_apart(event, [(3, 4), *couples] if couples else [], by=SYSTEM_ACTOR, reason="x", period=long)
        assert not AvoidPair.objects.exists()

    def test_clubs_are_said_again_by_a_new_fact_and_the_same_adds_nothing(self) -> None:
        event = an_open_event(4)
        for until in (2, 2, None, 0):
            keep_clubs_apart(event, until, by=SYSTEM_ACTOR)
        assert list(ClubsApart.objects.values_list("until", flat=True)) == [2, None, 0]
        assert load_last_round_with_clubs_apart(event) == 0
        with pytest.raises(NotAllowed):
            keep_clubs_apart(event, 1, by=make_staff_actor(a_user("desk", event.tournament)))
        drawn = a_closed_event(4)
        make_draw(drawn, "7H", by=SYSTEM_ACTOR)
        with pytest.raises(Conflict):
            keep_clubs_apart(fresh(drawn), 1, by=SYSTEM_ACTOR)

    def test_the_page_takes_all_three_and_keeps_what_it_cannot_read(self) -> None:
        event = with_clubs(an_open_event(6), (1, 2))
        client = Client()
        client.force_login(a_director(event.tournament).user)
        page = desk_url(event, "apart/")
        one, other = entrants(event, 3, 4)
        two = {"act": "apart", "two-one": one.pk, "two-other": other.pk, "two-reason": "twins", "two-kind": "never"}
        assert client.post(page, two).status_code == 302
        assert client.post(page, {"act": "clubs", "clubs-long": "until", "clubs-until_round": "3"}).status_code == 302
        couples = {"act": "couples", "couples-kind": "not-before", "couples-reason": "a couple"}
        answer = client.post(page, {**couples, "couples-couples": "5 and 6", "couples-before_round": "2"})
        assert answer.status_code == 422
        assert "5 and 6” is not two entry numbers" in answer.content.decode()
        typed = {**couples, "couples-couples": "5 6", "couples-before_round": "2"}
        assert client.post(page, typed).status_code == 302
        assert load_last_round_with_clubs_apart(event) == 3
        assert AvoidPair.objects.get(is_couple=True).before_round == 2
        shown = client.get(page).content.decode()
        assert "until round 2" in shown and "Club 0 2" in shown
        client.post(page, {"act": "together", "pair": AvoidPair.objects.get(is_couple=True).pk})
        assert load_avoid_list(event).pairs == [(3, 4)]


def test_two_entries_of_one_person_in_one_group_do_not_play_each_other_and_it_is_said() -> None:
    options = {"stages": [{"kind": "round-robin"}]}
    event = a_closed_event(5, format="stages", format_options=options)
    one, other = entrants(event, 2, 4)
    other.members.update(player=one.members.get().player)
    keep_entrants_apart(*entrants(event, 1, 3), by=SYSTEM_ACTOR, reason="brothers", period=NEVER)
    make_draw(fresh(event), "7H", by=SYSTEM_ACTOR)
    post_draw(fresh(event), by=SYSTEM_ACTOR)
    with writing(event, verb="event.in-play", by=SYSTEM_ACTOR) as write:
        assert write.event is not None
        change_event_state(write, write.event, Event.State.IN_PLAY)
    met = [frozenset(match.meeting.sides) for match in course_of(event).current_stage.matches.values()]
    assert len(met) == 9 and frozenset({2, 4}) not in met
    page = Client().get(public_url(event, "stages/")).content.decode()
    assert "are the same person, in one group: they do not play each other" in page
    assert "no exchange keeps everyone apart who should be" in page, "who shall never meet is said as well"
    late = an_entrant(event, number=9, player=one.members.get().player)
    join_stage(late, by=SYSTEM_ACTOR, reason="the plane")
    assert sum(9 in match.meeting.sides for match in course_of(event).current_stage.matches.values()) == 3
    assert failed_checks(event) == []
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, random.Random(1))


def test_a_request_in_the_notes_is_named_until_it_is_decided() -> None:
    event = a_closed_event(4)
    one, other, third, fourth = entrants(event, 1, 2, 3, 4)
    event.entrants.filter(pk=one.pk).update(notes=f"Senior: yes. Keep apart: {other.name}, {third.name}")
    event.entrants.filter(pk=fourth.pk).update(notes="Please keep apart from my brother")
    client = client_as("director", event)
    address = desk_url(event)
    for page in ("apart/", "draw/"):
        shown = client.get(address + page).content.decode()
        assert "Requests to decide:" in shown and f"{other.name}, {third.name}" in shown
        assert "from my brother" in shown and "Nobody. Two" not in shown
    keep_entrants_apart(one, other, by=SYSTEM_ACTOR, reason="they asked")
    assert [request["entrant"] for request in load_keep_apart_requests(event)] == [one, fourth], "of two one is decided"
    stop_keeping_apart(keep_entrants_apart(third, one, by=SYSTEM_ACTOR, reason="they asked"), by=SYSTEM_ACTOR)
    assert [request["entrant"] for request in load_keep_apart_requests(event)] == [fourth]
    keep_entrants_apart(fourth, other, by=SYSTEM_ACTOR, reason="brothers")
    assert load_keep_apart_requests(event) == []
    assert "Requests to decide" not in client.get(address + "draw/").content.decode()
