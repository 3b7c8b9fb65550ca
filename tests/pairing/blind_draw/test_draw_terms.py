"""Draws in which staff name byes or seeds before the cut.

The tests check which entries get them, which terms are rejected, what is public, and how the draw is proved.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from django.test import Client

from pairing.blind_draw.services import make_draw, post_draw, renew_commitment, set_draw_terms, take_back_draw
from pairing.draws.places import find_entries_with_bye, iter_first_round_pairs, place_seeds
from pairing.draws.separation.draw import DrawKind, DrawTerms
from pairing.models import Draw, DrawTermsSaid
from pairing.stages.selectors.records import load_posted_draw
from pairing.stages.services.plans import choose_format
from pairing.stages.services.stages import open_next_stage
from tests.factories import a_director, a_user
from tests.kit import desk_url, fresh, public_url, refused
from tests.pairing.helpers.events import a_closed_event, an_open_event
from tests.pairing.helpers.stages import course_of, decide_ready, staged
from tests.prebuilt import prebuilt
from tests.verifying import failed_checks
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Event

pytestmark = pytest.mark.django_db

DOUBLE = {"format": "stages", "format_options": {"stages": [{"kind": "double-elimination"}]}}
SEEDED = {"format": "stages", "format_options": {"stages": [{"kind": "single-elimination", "seeded": True}]}}


@prebuilt
def drawn(event: Event, kind: DrawKind, *entries: int) -> Draw:
    set_draw_terms(event, DrawTerms(kind, entries), by=SYSTEM_ACTOR)
    made = make_draw(fresh(event), "7H QS 2D", by=SYSTEM_ACTOR)
    post_draw(fresh(event), by=SYSTEM_ACTOR)
    return made


def places_of(event: Event) -> list[int | None]:
    made = load_posted_draw(event)
    assert made is not None
    places: list[int | None] = made.places
    return places


@pytest.mark.parametrize("fields", [{}, DOUBLE], ids=["knockout", "double"])
@pytest.mark.parametrize("named", [(6,), (5, 1, 3), (4, 2, 6, 1, 3)])
def test_the_first_named_have_the_byes(fields: dict[str, Any], named: tuple[int, ...]) -> None:
    event = a_closed_event(6, **fields)
    made = drawn(event, DrawKind.BYES, *named)
    assert set(named[:2]) <= set(find_entries_with_bye(places_of(event)))
    assert len(find_entries_with_bye(places_of(event))) == 2
    assert made.terms == {"kind": "byes", "entries": list(named)}
    assert failed_checks(event) == []


@pytest.mark.parametrize("fields", [{}, DOUBLE, SEEDED], ids=["knockout", "double", "planned"])
def test_seeds_stand_by_their_rank_and_the_others_are_drawn_behind_them(fields: dict[str, Any]) -> None:
    event = a_closed_event(7, **fields)
    made = drawn(event, DrawKind.SEEDED, 5, 2, 7)
    behind = [entry for entry in made.order if entry not in (5, 2, 7)]
    assert places_of(event) == list(place_seeds([5, 2, 7, *behind]))
    assert find_entries_with_bye(places_of(event)) == (5,)
    assert failed_checks(event) == []


def test_a_seeded_first_stage_waits_for_the_order_of_the_seeds() -> None:
    event = an_open_event(4)
    choose_format(event, "stages", SEEDED["format_options"], by=SYSTEM_ACTOR)
    closed = a_closed_event(4, **SEEDED)
    with refused("no-seeds"):
        make_draw(closed, "7H", by=SYSTEM_ACTOR)
    set_draw_terms(closed, DrawTerms(), by=SYSTEM_ACTOR)
    assert len(make_draw(fresh(closed), "7H", by=SYSTEM_ACTOR).places) == 4


@pytest.mark.parametrize(
    ("terms", "code"), [(DrawTerms(DrawKind.BYES, (3, 99)), "not-in-draw"), (DrawTerms(DrawKind.SEEDED), "nobody")]
)
def test_what_cannot_be_named_is_refused(terms: DrawTerms, code: str) -> None:
    event = a_closed_event(4)
    with refused(code):
        set_draw_terms(event, terms, by=SYSTEM_ACTOR)
    assert not DrawTermsSaid.objects.exists()


def test_nobody_names_them_after_the_cut_or_at_the_desk_or_for_tables() -> None:
    event = a_closed_event(4)
    with pytest.raises(NotAllowed):
        set_draw_terms(event, DrawTerms(), by=make_staff_actor(a_user("desk", event.tournament)))
    make_draw(event, "7H", by=SYSTEM_ACTOR)
    with pytest.raises(Conflict, match="The draw is made"):
        set_draw_terms(fresh(event), DrawTerms(DrawKind.BYES, (1,)), by=SYSTEM_ACTOR)
    tables = a_closed_event(8, format="tables", format_options={"size": 4, "rounds": 2})
    with pytest.raises(DomainError, match="starts with a bracket"):
        set_draw_terms(tables, DrawTerms(DrawKind.BYES, (1,)), by=SYSTEM_ACTOR)


def test_a_draw_taken_back_leaves_what_was_said_and_who_went_is_passed_over() -> None:
    event = a_closed_event(5)
    drawn(event, DrawKind.BYES, 4, 2, 1)
    take_back_draw(fresh(event), by=SYSTEM_ACTOR, reason="a name was missing")
    event.entrants.filter(number=4).update(state="withdrawn")
    renew_commitment(fresh(event), by=SYSTEM_ACTOR)
    made = make_draw(fresh(event), "2C", by=SYSTEM_ACTOR)
    assert made.terms == {"kind": "byes", "entries": [2, 1]}


def test_a_changed_row_is_found() -> None:
    event = a_closed_event(6)
    made = drawn(event, DrawKind.BYES, 4, 2)
    made.terms = {"kind": "byes", "entries": [entry for entry in made.order if entry not in (4, 2)][:2]}
    made.save(update_fields=["terms"])
    assert any("places of Bracket" in said for said in failed_checks(event))


class TestPages:
    def director(self, event: Event) -> tuple[Client, str]:
        client = Client()
        client.force_login(a_director(event.tournament).user)
        return client, desk_url(event, "draw/")

    def test_from_the_form_to_the_check_page(self) -> None:
        event = a_closed_event(6)
        client, page = self.director(event)
        filled = client.post(page, {"act": "fill"}).content.decode()
        assert "1 Player 1\n2 Player 2" in filled
        assert not DrawTermsSaid.objects.exists()
        answer = client.post(page, {"act": "terms", "kind": "byes", "entries": "3 Player 3\nplayer 5"})
        assert answer.status_code == 302
        public = Client().get(public_url(event, "draw/")).content.decode()
        assert "Byes promised before the cut" in public
        client.post(page, {"act": "cut", "public": "7H", "key": "k"})
        assert "Byes promised before the cut" in client.get(page).content.decode()
        client.post(page, {"act": "post"})
        assert set(find_entries_with_bye(places_of(event))) == {3, 5}
        check = Client().get(public_url(event, "draw/check/")).content.decode()
        assert 'name="byes_to" autocomplete="off" value="3 5"' in check

    @pytest.mark.parametrize(
        ("typed", "said"),
        [("3 1 3", "Twice in the list: 3"), ("Nobody", "Write the entry number"), ("", "Name at least one")],
    )
    def test_what_cannot_be_read_stays_and_is_said(self, typed: str, said: str) -> None:
        event = a_closed_event(4)
        client, page = self.director(event)
        answer = client.post(page, {"act": "terms", "kind": "seeded", "entries": typed}).content.decode()
        assert said in answer
        assert typed in answer
        assert not DrawTermsSaid.objects.exists()

    def test_a_preview_of_groups_shows_the_groups(self) -> None:
        options = {"stages": [{"kind": "round-robin", "groups": 2, "best": 2}, {"kind": "single-elimination"}]}
        event = a_closed_event(6, format="stages", format_options=options)
        client, page = self.director(event)
        client.post(page, {"act": "cut", "public": "7H", "key": "k"})
        found = client.get(page)
        assert [len(group) for group in found.context["preview"]["groups"]] == [3, 3]
        assert "Byes in round one" not in found.content.decode()


def test_seeds_of_one_group_do_not_meet_in_round_one() -> None:
    event, dice = (
        staged(8, {"kind": "round-robin", "groups": 4, "best": 2}, {"kind": "single-elimination", "seeded": True}),
        random.Random(4),
    )
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, dice)
    stage = open_next_stage(event, by=SYSTEM_ACTOR)
    groups = [set(group) for group in stage.record["mates"]]
    assert len(groups) == 4
    assert not [pair for pair in iter_first_round_pairs(stage.record["places"]) if set(pair) in groups]
    assert failed_checks(event) == []
