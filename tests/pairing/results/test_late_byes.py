"""Late entries take over byes in a bracket.

The tests check which bye is taken, how the bracket changes, which entries are rejected, and how this is proved.
"""

from __future__ import annotations

import hashlib
import random

import pytest
from django.test import Client
from django.urls import reverse

from pairing.desk.services.sending import call_match_to_table, call_ready_matches
from pairing.draws.knockout.progress import BracketMatchProgress, BracketMatchState
from pairing.draws.places import find_entries_with_bye
from pairing.models import AvoidPair, LateEntry, LateEntryTakenBack
from pairing.results.selectors.late_entries import load_open_byes
from pairing.results.services.corrections import undo_result
from pairing.results.services.finish import finish_event
from pairing.results.services.late_entries import take_over_bye, undo_late_entry
from pairing.results.services.results import remove_entrant
from pairing.stages.selectors.course import load_final_placings
from pairing.stages.selectors.records import load_posted_draw
from scoring.card_state.selectors.players import load_entrant_matches
from tests.factories import an_entrant
from tests.kit import client_as, entrant_of, event_url, fresh, refused
from tests.pairing.helpers.corrections import count_rows
from tests.pairing.helpers.effects import look_and_do
from tests.pairing.helpers.events import a_posted_event, an_event_in_play, the_match, win
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, progress_of, staged
from tests.prebuilt import prebuilt
from tests.verifying import failed_checks
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import AuditEntry, Entrant, EntrantFact, Event, Member, Player
from tournament.money.selectors.ledger import load_payout, load_prize_breakdown
from tournament.registration.services.entries import EntryRequest, add_entry, withdraw_entrant
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db


@prebuilt
def came_late(event: Event, number: int = 99) -> Entrant:
    an_entrant(event, f"Came Late {number}", number=number)
    return entrant_of(event, number)


def joined(event: Event, number: int = 99) -> LateEntry:
    return take_over_bye(came_late(event, number), by=SYSTEM_ACTOR, reason="the train")


def lots(event: Event) -> list[int]:
    """Return the entries that have a bye, in the order in which late entries take over their byes.

    The order is computed from the draw's published ID and secret.
    """
    made = load_posted_draw(event)
    assert made is not None
    begin = f"{made.commitment.draw_id}|{made.commitment.secret}|late entries"
    byes = find_entries_with_bye(made.places or made.stages.get(number=1).record["places"])
    return sorted(byes, key=lambda entry: hashlib.sha256(f"{begin}|{entry}".encode()).digest())


def first_match(event: Event, entry: int) -> BracketMatchProgress:
    return next(view for view in progress_of(event).views.values() if entry in view.entries)


def play_on(event: Event) -> None:
    while progress_of(event).ready:
        win(event, progress_of(event).ready[0].match.id)


class TestTheBracket:
    def test_the_first_bye_by_lot_becomes_a_match_and_every_other_match_keeps_its_name_and_sides(self) -> None:
        event = an_event_in_play(5)
        before = progress_of(event)
        late = joined(event)
        after = progress_of(event)
        first = lots(event)[0]
        assert (late.bye.number, late.open_byes, late.match.ident) == (first, lots(event), "R1M2")
        assert set(after["R1M2"].entries) == {first, 99} and after["R1M2"].state is BracketMatchState.READY
        assert set(after.views) == {*before.views, "R1M2"}
        assert after["R1M1"].entries == before["R1M1"].entries
        opponents = {side.entry for side in after[after.bracket.next_matches["R1M2"].id].sides}
        assert first not in opponents
        assert after.bracket.entries == tuple(place for place in after.bracket.places if place is not None)
        assert failed_checks(event) == []

    @pytest.mark.parametrize("entrants", [3, 5, 6, 9, 12])
    def test_every_bye_can_be_taken_in_the_order_of_the_lots_and_then_none_is_left(self, entrants: int) -> None:
        event = an_event_in_play(entrants)
        order = lots(event)
        assert [joined(event, 100 + turn).bye.number for turn in range(len(order))] == order
        with refused("no-bye"):
            joined(event, 200)
        assert None not in progress_of(event).bracket.places
        play_on(event)
        placings = load_final_placings(fresh(event))
        assert placings is not None
        assert sorted(entry for placing in placings.finish for entry in placing.entries) == sorted(
            [*range(1, entrants + 1), *(100 + turn for turn in range(len(order)))]
        )
        assert failed_checks(event) == []

    def test_the_draw_stays_as_it_was_sealed(self) -> None:
        event = an_event_in_play(6)
        made = load_posted_draw(event)
        joined(event)
        again = load_posted_draw(event)
        assert made is not None and again is not None
        assert (again.order, again.places, again.commitment.numbers) == (made.order, made.places, [1, 2, 3, 4, 5, 6])

    def test_who_wins_against_the_late_entry_goes_on_where_the_bye_led(self) -> None:
        event = an_event_in_play(3)
        holder = lots(event)[0]
        joined(event)
        side = progress_of(event)["R1M2"].entries.index(99)
        win(event, "R1M2", side)
        assert 99 in progress_of(event)["R2M1"].entries
        undo_result(the_match(event, "R1M2"), by=SYSTEM_ACTOR, reason="the other card")
        win(event, "R1M2", 1 - side)
        assert holder in progress_of(event)["R2M1"].entries
        win(event, "R1M1")
        win(event, "R2M1")
        assert failed_checks(event) == []

    def test_a_late_entry_who_withdraws_gives_a_walk_over(self) -> None:
        event = an_event_in_play(3)
        late = joined(event)
        withdraw_entrant(late.entrant, by=SYSTEM_ACTOR, reason="the last train")
        assert progress_of(event)["R1M2"].winner == late.bye.number
        assert failed_checks(event) == []

    def test_places_and_purse_count_the_late_entry_and_its_fee(self) -> None:
        event = an_event_in_play(3)
        Event.objects.filter(pk=event.pk).update(fee_cents=5000)
        before = load_prize_breakdown(fresh(event)).pool.collected_cents
        late = add_entry(fresh(event), EntryRequest((Person("Ann Late"),)), by=SYSTEM_ACTOR)
        assert late.state == Entrant.State.IN
        take_over_bye(entrant_of(event, late.number), by=SYSTEM_ACTOR, reason="the plane")
        win(event, "R1M2", progress_of(event)["R1M2"].entries.index(late.number))
        win(event, "R1M1")
        win(event, "R2M1", progress_of(event)["R2M1"].entries.index(late.number))
        finish_event(fresh(event), by=SYSTEM_ACTOR)
        assert event.finishes.get().places[0] == [late.number]
        payout = load_payout(fresh(event))
        assert payout is not None
        assert event.ledger.filter(entrant=late, cents__gt=0).exists()
        assert load_prize_breakdown(fresh(event)).pool.collected_cents >= before
        assert failed_checks(event) == []

    def test_a_bracket_that_is_the_first_stage_takes_them_too(self) -> None:
        event = staged(5, {"kind": "single-elimination"})
        late = joined(event)
        assert late.stage is not None and late.bye.number == lots(event)[0]
        assert 99 in course_of(event).entries and late.match.ident in course_of(event).current_stage.ready_matches
        play_on(event)
        assert course_of(event).is_complete
        finish_event(fresh(event), by=SYSTEM_ACTOR)
        assert failed_checks(event) == []

    def test_the_late_entry_is_checked_in_where_others_are(self) -> None:
        event = an_event_in_play(3)
        joined(event)
        assert entrant_of(event, 99).arrived
        assert EntrantFact.objects.filter(entrant__number=99, kind=EntrantFact.Kind.ARRIVED).count() == 1


class TestWhichBye:
    def test_a_bye_whose_match_is_called_is_passed_by(self) -> None:
        event = an_event_in_play(5)
        order = lots(event)
        ready = [entry for entry in order if first_match(event, entry).state is BracketMatchState.READY]
        call_ready_matches(event, 1, 8, by=SYSTEM_ACTOR)
        found = load_open_byes(fresh(event))
        assert found is not None and len(ready) == 2
        assert list(found.byes) == [entry for entry in order if entry not in ready]
        assert joined(event).bye.number not in ready

    def test_called_begun_or_decided_shuts_the_bye(self) -> None:
        event = an_event_in_play(3)
        win(event, "R1M1")
        call_match_to_table(the_match(event, "R2M1"), 4, by=SYSTEM_ACTOR)
        with refused("no-bye"):
            joined(event)
        call_match_to_table(the_match(event, "R2M1"), None, by=SYSTEM_ACTOR)
        found = load_open_byes(fresh(event))
        assert found is not None and len(found.byes) == 1
        win(event, "R2M1")
        with refused("no-bye"):
            take_over_bye(entrant_of(event, 99), by=SYSTEM_ACTOR, reason="late")
        undo_result(the_match(event, "R2M1"), by=SYSTEM_ACTOR, reason="was written on the wrong card")
        with refused("no-bye"):
            take_over_bye(entrant_of(event, 99), by=SYSTEM_ACTOR, reason="late")

    def test_the_bye_of_somebody_who_is_out_is_none(self) -> None:
        event = an_event_in_play(6)
        first, second = lots(event)
        remove_entrant(entrant_of(event, first), EntrantFact.Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="ill")
        assert joined(event).bye.number == second
        assert failed_checks(event) == []

    def test_whom_the_director_keeps_apart_is_passed_over_as_long_as_there_is_another(self) -> None:
        event = an_event_in_play(6)
        first, second = lots(event)
        late, other = came_late(event), came_late(event, 98)
        for one in (late, other):
            AvoidPair.objects.create(event=event, one=entrant_of(event, first), other=one, by_name="test")
        made = take_over_bye(late, by=SYSTEM_ACTOR, reason="the train")
        assert (made.bye.number, made.kept_apart, made.open_byes) == (second, [first], [first, second])
        forced = take_over_bye(other, by=SYSTEM_ACTOR, reason="the train")
        assert (forced.bye.number, forced.kept_apart) == (first, [])
        assert failed_checks(event) == []

    def test_nobody_takes_their_own_bye(self) -> None:
        event = an_event_in_play(3)
        holder = lots(event)[0]
        late = came_late(event)
        person = Player.objects.create(name="Ann Twice")
        for one in (late, entrant_of(event, holder)):
            one.members.all().delete()
            Member.objects.create(entrant=one, player=person, by_name="test")
        with refused("no-bye"):
            take_over_bye(late, by=SYSTEM_ACTOR, reason="again")


class TestRefused:
    def test_each_with_its_sentence_and_nothing_written(self) -> None:
        event = an_event_in_play(3)
        late = came_late(event)
        with refused("reason-needed"):
            take_over_bye(late, by=SYSTEM_ACTOR, reason=" ")
        with refused("in-already"):
            take_over_bye(entrant_of(event, 1), by=SYSTEM_ACTOR, reason="x")
        Entrant.objects.filter(pk=late.pk).update(state=Entrant.State.WAITING)
        with refused("not-in"):
            take_over_bye(late, by=SYSTEM_ACTOR, reason="x")
        assert not LateEntry.objects.exists()

    def test_before_play_the_draw_is_taken_back_instead(self) -> None:
        event = a_posted_event(3)
        with refused("not-in-play"):
            joined(event)

    @pytest.mark.parametrize(
        "event_of",
        [
            lambda: an_event_in_play(4),
            lambda: staged(5, {"kind": "double-elimination"}),
            lambda: staged(4, QUALIFIER, FINALS),
        ],
        ids=["no byes", "double", "a pool"],
    )
    def test_where_there_is_no_place(self, event_of: object) -> None:
        event = event_of()  # type: ignore[operator]
        with refused("no-late-entry"):
            joined(event)

    def test_nobody_is_entered_in_play_when_no_bye_is_open(self) -> None:
        event = an_event_in_play(4)
        with refused("drawn"):
            add_entry(event, EntryRequest((Person("Ann Late"),)), by=SYSTEM_ACTOR)

    def test_sent_twice_it_is_one(self) -> None:
        event = an_event_in_play(5)
        late = came_late(event)
        made = [take_over_bye(late, by=SYSTEM_ACTOR, reason="the train", key="k") for _ in range(2)]
        assert made[0] == made[1] and LateEntry.objects.count() == 1
        assert AuditEntry.objects.filter(verb="bracket.joined").count() == 1


class TestTakenBack:
    def test_the_bye_is_a_bye_again_and_the_next_late_entry_has_a_match_of_another_name(self) -> None:
        event = an_event_in_play(3)
        before = progress_of(event)
        late = joined(event)
        with refused("reason-needed"):
            undo_late_entry(late, by=SYSTEM_ACTOR, reason="")
        undo_late_entry(late, by=SYSTEM_ACTOR, reason="the wrong event", key="b")
        undo_late_entry(late, by=SYSTEM_ACTOR, reason="the wrong event", key="b")
        with refused("taken-back"):
            undo_late_entry(late, by=SYSTEM_ACTOR, reason="again")
        assert dict(progress_of(event).views) == dict(before.views)
        assert (LateEntry.objects.count(), LateEntryTakenBack.objects.count()) == (1, 1)
        assert failed_checks(event) == []
        assert joined(event, 98).match.ident == "R1M3"
        assert set(progress_of(event).views) == {"R1M1", "R1M3", "R2M1"}
        play_on(event)
        assert failed_checks(event) == []

    def test_not_once_its_match_is_called_or_decided(self) -> None:
        event = an_event_in_play(3)
        late = joined(event)
        call_match_to_table(the_match(event, "R1M2"), 4, by=SYSTEM_ACTOR)
        with refused("play-began"):
            undo_late_entry(late, by=SYSTEM_ACTOR, reason="x")
        call_match_to_table(the_match(event, "R1M2"), None, by=SYSTEM_ACTOR)
        win(event, "R1M2")
        with refused("play-began"):
            undo_late_entry(late, by=SYSTEM_ACTOR, reason="x")


class TestVerified:
    def test_a_bye_that_is_not_the_first_by_lot_is_found(self) -> None:
        event = an_event_in_play(5)
        late, order = joined(event), lots(event)
        LateEntry.objects.filter(pk=late.pk).update(bye=entrant_of(event, order[1]))
        assert any("late entries" in found for found in failed_checks(event))

    def test_byes_in_another_order_than_that_of_the_lots_are_found(self) -> None:
        event = an_event_in_play(5)
        late, order = joined(event), lots(event)
        other = LateEntry.objects.filter(pk=late.pk)
        other.update(open_byes=order[::-1], bye=entrant_of(event, order[-1]))
        assert any("late entries" in found for found in failed_checks(event))


class TestPages:
    def test_the_director_sees_the_byes_and_what_it_changes_and_the_public_the_reason(self) -> None:
        event = an_event_in_play(5)
        late, client = came_late(event), client_as("director", event)
        holder = entrant_of(event, lots(event)[0])
        shown = client.get(event_url("pairing:desk_late_bye", event)).content.decode()
        assert shown.index(holder.name) < shown.index(entrant_of(event, lots(event)[1]).name)
        before = count_rows(event)
        fields = {"late-entrant": str(late.pk), "late-reason": "the train", "late-key": "k"}
        assert client.post(event_url("pairing:desk_late_bye", event), {**fields, "act": "look"}).status_code == 200
        assert count_rows(event) == before
        said, done = look_and_do(client, event_url("pairing:desk_late_bye", event), fields)
        assert late.name in said and holder.name in said and done.status_code == 302
        public = Client().get(event_url("pairing:draw", event)).content.decode()
        assert "Late entries" in public and "the train" in public and late.name in public
        for name in ("bracket", "pairings"):
            assert late.name in Client().get(event_url(f"pairing:{name}", event)).content.decode()
        assert Client().get(event_url("pairing:check_draw", event)).status_code == 200
        back = {"back-late_entry": str(LateEntry.objects.get().pk), "back-reason": "wrong event", "back-key": "b"}
        assert late.name in client.get(event_url("pairing:desk_late_bye_back", event)).content.decode()
        _said, done = look_and_do(client, event_url("pairing:desk_late_bye_back", event), back)
        assert done.status_code == 302
        assert "wrong event" in Client().get(event_url("pairing:draw", event)).content.decode()

    def test_their_phone_shows_their_match(self) -> None:
        event = an_event_in_play(3)
        late = joined(event)
        (meeting,) = load_entrant_matches(late.entrant)
        assert meeting.match.ident == "R1M2"
        assert {one.number for one in meeting.entrants} == {99, late.bye.number}
        way = Client().get(reverse("pairing:my_path", kwargs={"token": late.entrant.token}), follow=True)
        assert late.bye.name in way.content.decode() and late.entrant.name in way.content.decode()

    def test_where_nobody_can_come_the_page_says_so(self) -> None:
        for event in (a_posted_event(4), staged(5, {"kind": "double-elimination"})):
            assert (
                "A substitute can play"
                in client_as("director", event).get(event_url("pairing:desk_late_bye", event)).content.decode()
            )


def test_any_order_of_late_entries_calls_and_results_ends_with_everybody_placed_once() -> None:
    for seed in range(4):
        dice = random.Random(seed)
        event = an_event_in_play(11)
        number = 100
        while not progress_of(event).is_complete:
            found = load_open_byes(fresh(event))
            if found is not None and found.byes and dice.random() < 0.4:
                joined(event, number)
                number += 1
            ready = [view.match.id for view in progress_of(event).ready]
            win(event, dice.choice(ready), dice.randrange(2))
        placings = load_final_placings(fresh(event))
        assert placings is not None
        placed = sorted(entry for placing in placings.finish for entry in placing.entries)
        assert placed == [*range(1, 12), *range(100, number)]
        assert failed_checks(event) == []
