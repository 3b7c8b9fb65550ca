from __future__ import annotations

import datetime as dt
import re
import threading

import pytest
from django.db import connection, connections
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chance import examples
from tests.factories import a_director, a_tournament, a_user, an_entrant, an_event
from tests.kit import refused
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_player_actor, make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import AuditEntry, Entrant, Event, Player
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.services.fees_and_refunds import take_payment
from tournament.purse.entry import EntryState, EntryStatusChange, WaitingListEntry, sort_waiting_list, summarize_entry
from tournament.registration.selectors.entries import (
    count_free_places,
    list_entrants,
    load_members,
    load_waiting_list,
    make_waiting_list_context,
)
from tournament.registration.selectors.people import (
    find_duplicate_players,
    find_events_entered_twice,
    load_player,
    load_public_entries,
)
from tournament.registration.services.entries import (
    EntryRequest,
    add_entry,
    approve_entrant,
    approve_entrants,
    reinstate_entrant,
    reject_entrant,
    substitute_player,
    withdraw_entrant,
)
from tournament.registration.services.people import Person, merge_players, undo_merge
from tournament.registration.services.waiting_list import move_up_waiting_list, promote_from_waiting_list

FORM = Actor("the public form")
ADA = Person("Ada Lovelace", "ada@example.org", "555 1", "London")


def an_entry(name: str = "Ada Lovelace", **changes: object) -> EntryRequest:
    mail = f"{name.lower().replace(' ', '.')}@example.org"
    return EntryRequest((Person(name, mail),), **changes)  # type: ignore[arg-type]


@prebuilt
def entered(event: Event, *names: str) -> list[Entrant]:
    return [add_entry(event, an_entry(name), by=FORM) for name in names]


def states(event: Event) -> list[str]:
    return list(event.entrants.order_by("number").values_list("state", flat=True))


pytestmark = pytest.mark.django_db


def test_entering_gives_number_link_code_and_fee() -> None:
    event = an_event()
    entrant = add_entry(event, EntryRequest((ADA,), notes="no stairs"), by=FORM)
    assert (entrant.number, entrant.name, entrant.club, entrant.state) == (1, "Ada Lovelace", "London", "in")
    assert re.fullmatch(r"([a-z2-9]{4}-){2}[a-z2-9]{4}", entrant.token)
    assert entrant.sign_code.isdigit()
    assert len(entrant.sign_code) == 6
    assert load_entry_account(entrant).due_cents == 30000
    assert AuditEntry.objects.get(verb="entrant.entered").data["number"] == 1


@pytest.mark.parametrize(("hour", "cents"), [(6, 27500), (8, 30000)])
def test_the_early_fee_ends_at_midnight_of_the_venue(hour: int, cents: int) -> None:
    event = an_event(early_fee_cents=27500, early_until=dt.date(2026, 10, 1))
    at = dt.datetime(2026, 10, 2, hour, tzinfo=dt.UTC)
    assert load_entry_account(add_entry(event, an_entry(at=at), by=FORM)).owed_cents == cents, "Los Angeles is at UTC-7"


def test_the_same_form_sent_twice_enters_once() -> None:
    event = an_event()
    first = add_entry(event, an_entry(), by=FORM, key="a" * 32)
    assert add_entry(event, an_entry(), by=FORM, key="a" * 32).pk == first.pk
    assert event.entrants.count() == 1


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"state": "draft"}, "not-open-yet"),
        ({"opens_at": dt.datetime(2999, 1, 1, tzinfo=dt.UTC)}, "not-open-yet"),
        ({"closes_at": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)}, "closed"),
        ({"state": "closed"}, "closed"),
        ({"state": "in-play"}, "closed"),
    ],
)
def test_the_public_form_keeps_to_its_window(fields: dict[str, object], code: str) -> None:
    event = an_event(**fields)
    with refused(code):
        add_entry(event, an_entry(), by=FORM)
    assert event.entrants.count() == 0


def test_the_desk_enters_people_after_closing_but_not_into_a_drawn_event() -> None:
    event = an_event(state="closed")
    add_entry(event, an_entry(), by=a_director(event.tournament))
    Event.objects.filter(pk=event.pk).update(state="drawn")
    with pytest.raises(Conflict, match="draw is made"):
        add_entry(event, an_entry("Alan Turing"), by=a_director(event.tournament))


def test_entering_twice_is_refused_unless_the_event_has_re_entries() -> None:
    event = an_event()
    entered(event, "Ada Lovelace")
    with pytest.raises(Conflict) as refusal:
        add_entry(event, EntryRequest((Person("ADA  lovelace", "ADA.LOVELACE@example.org"),)), by=FORM)
    assert (refusal.value.code, refusal.value.data["number"]) == ("already-entered", 1)
    with pytest.raises(DomainError, match="no re-entries"):
        add_entry(event, an_entry(is_reentry=True), by=FORM)
    Event.objects.filter(pk=event.pk).update(reentry=True, reentry_until=timezone.now() + dt.timedelta(hours=1))
    with pytest.raises(Conflict, match="still in with number 1") as refusal:
        add_entry(event, an_entry(is_reentry=True), by=FORM)
    assert refusal.value.code == "still-in"
    event.entrants.update(state=Entrant.State.REMOVED)
    with pytest.raises(DomainError, match="as in the earlier entry") as refused:
        add_entry(event, EntryRequest((Person("Ada Lovelace"),), is_reentry=True), by=FORM)
    assert (refused.value.code, event.entrants.count()) == ("no-earlier-entry", 1)
    again = add_entry(event, an_entry(is_reentry=True), by=FORM)
    assert (again.number, again.reentry_of.number) == (2, 1)
    assert Player.objects.count() == 1
    Event.objects.filter(pk=event.pk).update(reentry_until=timezone.now() - dt.timedelta(hours=1))
    with pytest.raises(DomainError, match="time for re-entries is over"):
        add_entry(event, an_entry(is_reentry=True), by=FORM)


def test_a_couple_may_share_a_mailbox_and_strangers_a_name() -> None:
    event = an_event()
    add_entry(event, EntryRequest((Person("Ada King", "kings@example.org"),)), by=FORM)
    add_entry(event, EntryRequest((Person("William King", "kings@example.org"),)), by=FORM)
    add_entry(event, EntryRequest((Person("Ada King", "other@example.org"),)), by=FORM)
    assert event.entrants.count() == Player.objects.count() == 3


def test_a_pair_enters_under_both_names() -> None:
    event = an_event(entry_size=2)
    pair = EntryRequest((Person("Ada Lovelace", "ada@example.org"), Person("Alan Turing")))
    assert add_entry(event, pair, by=FORM).name == "Ada Lovelace / Alan Turing"
    with pytest.raises(DomainError, match="2 players"):
        add_entry(event, an_entry("Emmy Noether"), by=FORM)
    with pytest.raises(DomainError, match="same player"):
        add_entry(event, EntryRequest((Person("Emmy Noether"), Person("emmy noether"))), by=FORM)


def test_three_approvals_each_by_its_own_role() -> None:
    tournament = a_tournament()
    event = an_event(tournament, approvals=["director", "coordinator", "hotel"])
    (entrant,) = entered(event, "Ada Lovelace")
    assert entrant.state == "applied"
    by = {role: make_staff_actor(a_user(role, tournament)) for role in ("director", "coordinator", "hotel", "desk")}
    with pytest.raises(NotAllowed):
        approve_entrant(entrant, "hotel", by=by["director"])
    with pytest.raises(NotAllowed):
        approve_entrant(entrant, "director", by=by["desk"])
    assert approve_entrant(entrant, "hotel", by=by["hotel"]).state == "applied"
    assert approve_entrant(entrant, "director", by=by["director"]).state == "applied"
    with pytest.raises(Conflict, match="does not need this approval"):
        approve_entrant(entrant, "director", by=by["director"])
    assert approve_entrants(event, [1], "coordinator", by=by["coordinator"]) == 1
    assert states(event) == ["in"]


def test_one_refusal_ends_the_entry_and_cancels_the_fee() -> None:
    tournament = a_tournament()
    event = an_event(tournament, approvals=["director", "coordinator", "hotel"])
    (entrant,) = entered(event, "Ada Lovelace")
    hotel = make_staff_actor(a_user("hotel", tournament))
    with pytest.raises(DomainError, match="Write the reason"):
        reject_entrant(entrant, "hotel", by=hotel, reason=" ")
    refused = reject_entrant(entrant, "hotel", by=hotel, reason="no room booked")
    assert refused.state == "refused"
    assert load_entry_account(refused).due_cents == 0
    back = reinstate_entrant(refused, by=a_director(tournament), reason="room found")
    assert (back.state, load_entry_account(back).due_cents) == ("applied", 30000)


def test_over_capacity_waits_in_order_and_the_page_says_why() -> None:
    event = an_event(capacity=2)
    entrants = entered(event, "Ada One", "Bob Two", "Cyd Three", "Dan Four")
    assert states(event) == ["in", "in", "waiting", "waiting"]
    why = make_waiting_list_context(entrants[3])
    assert why == {"place": 2, "of": 2, "capacity": 2, "free": 0, "rule": "arrival"}
    assert make_waiting_list_context(entrants[0]) is None


def test_a_free_place_goes_to_the_next_in_the_same_write() -> None:
    event = an_event(capacity=1)
    first, _second, third = entered(event, "Ada One", "Bob Two", "Cyd Three")
    withdraw_entrant(third, by=make_player_actor(third))
    withdraw_entrant(first, by=make_player_actor(first))
    assert states(event) == ["withdrawn", "in", "withdrawn"]
    assert AuditEntry.objects.filter(verb="entrant.withdrawn").last().data["promoted"] == [2]
    with pytest.raises(Conflict, match="Nothing was changed"):
        withdraw_entrant(first, by=make_player_actor(first))


def test_paid_first_moves_up_paid_entries() -> None:
    event = an_event(capacity=1, promotion="paid-first")
    first, _second, third = entered(event, "Ada One", "Bob Two", "Cyd Three")
    take_payment(third, 30000, "cash", by=a_director(event.tournament), key="k")
    assert [one.number for one in load_waiting_list(event)] == [3, 2]
    withdraw_entrant(first, by=make_player_actor(first))
    assert states(event) == ["withdrawn", "waiting", "in"]


def test_with_the_directors_choice_nobody_else_moves_up() -> None:
    event = an_event(capacity=1, promotion="director")
    first, _second, third = entered(event, "Ada One", "Bob Two", "Cyd Three")
    by = a_director(event.tournament)
    with pytest.raises(Conflict, match="All places are taken"):
        promote_from_waiting_list(third, by=by)
    withdraw_entrant(first, by=by)
    assert states(event) == ["withdrawn", "waiting", "waiting"]
    (late,) = entered(event, "Dan Four")
    assert late.state == "waiting", "the free place belongs to those who wait"
    assert promote_from_waiting_list(third, by=by).state == "in"


def test_the_director_fills_added_places() -> None:
    event = an_event(capacity=1)
    entered(event, "Ada One", "Bob Two", "Cyd Three")
    Event.objects.filter(pk=event.pk).update(capacity=2)
    event.refresh_from_db()
    assert move_up_waiting_list(event, by=a_director(event.tournament)) == [2]
    with pytest.raises(Conflict, match="Nobody can move up"):
        move_up_waiting_list(event, by=a_director(event.tournament))


def test_a_withdrawal_after_the_draw_leaves_the_fee_in_the_pool_and_the_place_in_the_bracket() -> None:
    event = an_event(capacity=1)
    first, _second = entered(event, "Ada One", "Bob Two")
    Event.objects.filter(pk=event.pk).update(state="in-play")
    assert withdraw_entrant(first, by=make_player_actor(first)).state == "removed"
    assert load_entry_account(first).due_cents == 30000
    assert states(event) == ["removed", "waiting"]


def test_nobody_else_withdraws_an_entry() -> None:
    one, other = entered(an_event(), "Ada One", "Bob Two")
    with pytest.raises(NotAllowed):
        withdraw_entrant(one, by=make_player_actor(other))


def test_money_paid_before_a_withdrawal_stays_on_the_books_until_it_is_refunded() -> None:
    event = an_event()
    paid, unpaid = entered(event, "Ada One", "Bob Two")
    take_payment(paid, 30000, "cash", by=a_director(event.tournament), key="k")
    assert load_entry_account(withdraw_entrant(paid, by=make_player_actor(paid))).collected_cents == 30000
    assert load_entry_account(withdraw_entrant(unpaid, by=make_player_actor(unpaid))).due_cents == 0
    for _again in range(2):
        back = reinstate_entrant(unpaid, by=a_director(event.tournament), reason="came after all")
        assert load_entry_account(back).due_cents == 30000
        withdraw_entrant(back, by=make_player_actor(back))


def test_reinstated_goes_to_the_end_of_the_list_when_full() -> None:
    event = an_event(capacity=1)
    first, _second, _third = entered(event, "Ada One", "Bob Two", "Cyd Three")
    withdraw_entrant(first, by=make_player_actor(first))
    back = reinstate_entrant(first, by=a_director(event.tournament), reason="mistake")
    assert back.state == "waiting"
    assert [one.number for one in load_waiting_list(event)] == [3, 1]


def test_a_substitute_takes_the_number_and_a_new_link() -> None:
    event = an_event()
    (entrant,) = entered(event, "Ada Lovelace")
    by = a_director(event.tournament)
    changed = substitute_player(entrant, 1, Person("Mary Somerville", "mary@example.org"), by=by, reason="Ada is ill")
    assert (changed.number, changed.name) == (1, "Mary Somerville")
    assert changed.token != entrant.token
    assert [m.player.name for m in load_members(changed)] == ["Mary Somerville"]
    assert changed.members.count() == 2, "the record keeps both"
    with pytest.raises(Conflict, match="already entered in this event"):
        substitute_player(changed, 1, Person("Mary Somerville", "mary@example.org"), by=by, reason="again")


def test_merged_records_are_one_person_until_undone() -> None:
    tournament = a_tournament()
    singles, pairs = an_event(tournament), an_event(tournament, name="Open")
    add_entry(singles, EntryRequest((Person("Ada Lovelace", "ada@example.org"),)), by=FORM)
    add_entry(pairs, EntryRequest((Person("Ada Lovelace", "ada@work.example"),)), by=FORM)
    (twin,) = find_duplicate_players(tournament)
    assert twin["why"] == "the same name"
    by = a_director(tournament)
    merge = merge_players(tournament, twin["one"], twin["other"], by=by, reason="told at the desk")
    gone = Player.objects.get(pk=twin["other"].pk)
    assert load_player(tournament, gone.pk) == twin["one"]
    assert [e.event_id for e in load_public_entries(tournament, twin["one"])] == [singles.pk, pairs.pk]
    assert find_duplicate_players(tournament) == []
    with pytest.raises(Conflict):
        add_entry(pairs, EntryRequest((Person("Ada Lovelace", "ada@example.org"),)), by=FORM)
    with pytest.raises(Conflict, match="merged in the meantime"):
        merge_players(tournament, twin["one"], gone, by=by, reason="again")
    undo_merge(tournament, merge, by=by, reason="two sisters")
    assert [e.event_id for e in load_public_entries(tournament, twin["one"])] == [singles.pk]
    with pytest.raises(Conflict, match="undone already"):
        undo_merge(tournament, merge, by=by, reason="again")


def test_a_merge_of_a_merge_is_undone_in_its_turn() -> None:
    event = an_event()
    mails = ("a@example.org", "b@example.org", "c@example.org")
    a, b, c = (add_entry(event, EntryRequest((Person("Ada L", m),)), by=FORM).members.get().player for m in mails)
    by = a_director(event.tournament)
    first = merge_players(event.tournament, b, a, by=by, reason="one")
    second = merge_players(event.tournament, c, b, by=by, reason="two")
    assert {p.merged_into_id for p in Player.objects.filter(pk__in=[a.pk, b.pk])} == {c.pk}
    assert find_events_entered_twice(event.tournament, c) == ["Singles"]
    with pytest.raises(Conflict, match="later"):
        undo_merge(event.tournament, first, by=by, reason="no")
    undo_merge(event.tournament, second, by=by, reason="no")
    assert Player.objects.get(pk=a.pk).merged_into_id == b.pk


def test_similar_names_are_found_and_different_ones_are_not() -> None:
    event = an_event()
    entered(event, "Sofia Kovalevskaya", "Sofya Kovalevskaia", "Alan Turing", "Grace Hopper")
    assert [(t["one"].name, t["other"].name, t["why"]) for t in find_duplicate_players(event.tournament)] == [
        ("Sofia Kovalevskaya", "Sofya Kovalevskaia", "similar names")
    ]


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.sampled_from(["enter", "withdraw", "refuse", "reinstate"]), max_size=14), st.integers(1, 4))
def test_no_place_is_ever_given_twice_or_left_empty(acts: list[str], capacity: int) -> None:
    event = an_event(capacity=capacity)
    for turn, act in enumerate(acts):
        _act(event, act, turn)
        taken = event.entrants.filter(state="in").count()
        waiting = event.entrants.filter(state="waiting").count()
        assert taken <= capacity
        assert waiting == 0 or count_free_places(event) == 0
    numbers = list(event.entrants.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))


def _act(event: Event, act: str, turn: int) -> None:
    if act == "enter":
        add_entry(event, an_entry(f"Player {turn}"), by=SYSTEM_ACTOR)
        return
    wanted = ["in", "waiting"] if act in ("withdraw", "refuse") else ["withdrawn", "refused"]
    entrant = event.entrants.filter(state__in=wanted).order_by("-number" if turn % 2 else "number").first()
    if entrant is None:
        return
    if act == "withdraw":
        withdraw_entrant(entrant, by=SYSTEM_ACTOR)
    elif act == "refuse":
        reject_entrant(entrant, "director", by=SYSTEM_ACTOR, reason="why not")
    else:
        reinstate_entrant(entrant, by=SYSTEM_ACTOR, reason="why not")


def test_facts_lead_out_and_back_in() -> None:
    entered_fact = EntryStatusChange("entered")
    assert summarize_entry([entered_fact]).state == EntryState.IN
    assert summarize_entry([entered_fact, EntryStatusChange("no-show")]).state == EntryState.REMOVED
    assert (
        summarize_entry([entered_fact, EntryStatusChange("left-out"), EntryStatusChange("kept")]).state == EntryState.IN
    )
    waits = [EntryStatusChange("entered", asked=("hotel",)), EntryStatusChange("wait-listed", since="2026")]
    assert summarize_entry([*waits, EntryStatusChange("approved", "hotel")]).state == EntryState.WAITING
    assert summarize_entry([*waits, EntryStatusChange("promoted")]).state == EntryState.APPLIED
    with pytest.raises(DomainError):
        summarize_entry([EntryStatusChange("abducted")])


@given(st.lists(st.tuples(st.integers(1, 99), st.sampled_from("abc"), st.booleans()), unique_by=lambda t: t[0]))
def test_the_waiting_list_is_the_same_in_any_order_of_asking(rows: list[tuple[int, str, bool]]) -> None:
    waiting = [WaitingListEntry(*row) for row in rows]
    for rule in ("arrival", "paid-first", "director"):
        order = sort_waiting_list(waiting, rule)
        assert order == sort_waiting_list(reversed(waiting), rule)
        assert sorted(one.number for one in order) == sorted(one.number for one in waiting)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_eight_phones_at_once_get_eight_numbers_and_four_places() -> None:
    event = an_event(capacity=4)
    start, failures = threading.Barrier(8), []

    def phone(turn: int) -> None:
        try:
            start.wait()
            add_entry(event, an_entry(f"Player {turn}"), by=FORM, key=f"phone-{turn}")
        except Exception as error:
            failures.append(error)
        finally:
            connections.close_all()

    phones = [threading.Thread(target=phone, args=(turn,)) for turn in range(8)]
    for thread in phones:
        thread.start()
    for thread in phones:
        thread.join()
    assert failures == []
    assert list(event.entrants.values_list("number", flat=True)) == list(range(1, 9))
    assert sorted(states(event)) == ["in"] * 4 + ["waiting"] * 4
    assert connection.vendor in ("sqlite", "postgresql")


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_the_same_form_from_two_threads_at_once_enters_once() -> None:
    event = an_event()
    start, made = threading.Barrier(4), []

    def send() -> None:
        try:
            start.wait()
            made.append(add_entry(event, an_entry(), by=FORM, key="k" * 32).pk)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert len(set(made)) == 1
    assert event.entrants.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("search", ["word " * 3000, "x" * 70_000, "Ada Lovelace " * 10])
@pytest.mark.parametrize("public", [True, False])
def test_a_search_of_any_length_is_answered(search: str, public: bool) -> None:
    event = an_event()
    entrant = an_entrant(event, "Ada Lovelace")
    found = list(list_entrants(event, search=search, public=public))
    assert found == ([entrant] if "Ada" in search else [])
