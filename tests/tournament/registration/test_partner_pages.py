from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import a_director, a_tournament, an_event
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event
from tournament.money.services.fees_and_refunds import take_payment
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.pairs import join_partners
from tournament.registration.services.people import Person
from tournament.setup.forms import EventForm

pytestmark = pytest.mark.django_db

ANN = {"name": "Ann Smith", "email": "ann@example.org", "phone": "", "club": "", "public_name": "", "notes": ""}
TOGETHER = {
    **ANN,
    "way": "together",
    "partner": "Bob Jones",
    "partner_email": "bob@example.org",
    "consent": "on",
    "partner_consent": "on",
    "key": "a" * 32,
}
ALONE = {**ANN, "way": "ask", "consent": "on", "key": "b" * 32}


@prebuilt
def pairs(**fields: object) -> Event:
    return an_event(entry_size=2, name="Partnership", **{"fee_cents": 50000, **fields})


def test_two_enter_together_with_a_consent_of_each() -> None:
    event = pairs()
    page = Client().get(event_url("tournament:register", event)).content.decode()
    assert "$500.00" in page and "$250.00" in page
    Client().post(event_url("tournament:register", event), TOGETHER)
    pair = event.entrants.get()
    assert (pair.name, pair.state, pair.asks_partner) == ("Ann Smith / Bob Jones", "in", False)
    people = [member.player for member in pair.members.order_by("seat")]
    assert [person.email for person in people] == ["ann@example.org", "bob@example.org"]
    assert all(person.consent_at for person in people)


def test_a_partner_who_does_not_agree_is_shown_by_initials() -> None:
    event = pairs()
    Client().post(event_url("tournament:register", event), {**TOGETHER, "partner_consent": ""})
    assert event.entrants.get().name == "Ann Smith / B. J."
    page = Client().get(event_url("tournament:entrants", event)).content.decode()
    assert "Ann Smith / B. J." in page and "Bob Jones" not in page


def test_a_player_without_a_partner_reads_why_they_wait() -> None:
    event = pairs()
    answer = Client().post(
        event_url("tournament:register", event), {**ALONE, "partner": "left over from before"}, follow=True
    )
    ann = event.entrants.get()
    assert (ann.name, ann.state) == ("Ann Smith", "seeking")
    assert "You are looking for a partner." in answer.content.decode()
    assert "Nobody else is looking for a partner yet." in answer.content.decode()
    add_entry(event, EntryRequest((Person("Cid Young"),), asks_for_partner=True), by=SYSTEM_ACTOR)
    page = Client().get(reverse("tournament:my", kwargs={"token": ann.token})).content.decode()
    assert "One other player is looking for a partner, too." in page
    assert "Looking for a partner" in Client().get(event_url("tournament:entrants", event)).content.decode()


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({"way": "together"}, {"partner"}),
        ({"way": ""}, {"partner"}),
        ({"way": "ask"}, {"pool"}),
        ({"way": "ask", "pool": "C"}, {"pool"}),
        (
            {"way": "together", "partner": "!!", "partner_consent": "on", "partner_email": "bob"},
            {"partner", "partner_email"},
        ),
    ],
)
def test_missing_fields_are_reported_and_input_is_kept(changes: dict[str, str], faults: set[str]) -> None:
    event = pairs(partners="a-b")
    answer = Client().post(event_url("tournament:register", event), {**ALONE, **changes})
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == faults
    assert "ann@example.org" in answer.content.decode()
    assert not event.entrants.exists()


def test_with_two_pools_players_choose_and_see_the_other_pool() -> None:
    event = pairs(partners="a-b")
    add_entry(event, EntryRequest((Person("Cid Young"),), asks_for_partner=True, pool="B"), by=SYSTEM_ACTOR)
    answer = Client().post(event_url("tournament:register", event), {**ALONE, "pool": "A"}, follow=True)
    assert event.entrants.get(number=2).pool == "A"
    assert "your partner comes from pool B. One player in pool B is looking for a partner." in " ".join(
        answer.content.decode().split()
    )


def test_where_pairs_enter_together_nobody_is_asked_how() -> None:
    event = pairs(partners="together")
    page = Client().get(event_url("tournament:register", event)).content.decode()
    assert 'name="way"' not in page and "$250.00" not in page
    Client().post(
        event_url("tournament:register", event), {name: value for name, value in TOGETHER.items() if name != "way"}
    )
    assert event.entrants.get().name == "Ann Smith / Bob Jones"
    singles = Client().get(event_url("tournament:register", an_event())).content.decode()
    assert 'name="partner"' not in singles and 'name="way"' not in singles


def test_the_desk_enters_both_ways_and_may_leave_the_pool_for_later() -> None:
    event = pairs(partners="a-b")
    desk = client_as("desk", event)
    desk.post(event_url("tournament:new_entrant", event), {**ALONE, "email": ""})
    consents = {"consent": "on", "partner_consent": "on"}
    both = {**ANN, **consents, "name": "Dot Gray", "way": "together", "partner": "Eve", "key": "c"}
    desk.post(event_url("tournament:new_entrant", event), both)
    found = list(event.entrants.order_by("number").values_list("name", "state", "pool"))
    assert found == [("Ann Smith", "seeking", ""), ("Dot Gray / Eve", "in", "")]
    page = desk.get(event_url("tournament:desk_entrant", event, number=1)).content.decode()
    assert "No pool yet. Choose one." in page
    desk.post(event_url("tournament:desk_entrant_act", event, number=1), {"act": "pool", "pool": "B"})
    assert event.entrants.get(number=1).pool == "B"
    assert (
        desk.post(event_url("tournament:new_entrant", event), {**ANN, "name": "", "way": "ask", "key": "d"}).status_code
        == 422
    )


def test_both_links_lead_to_the_pair_until_it_is_split() -> None:
    event = pairs()
    by = a_director(event.tournament)
    ann, bob = (
        add_entry(event, EntryRequest((Person(name),), asks_for_partner=True), by=SYSTEM_ACTOR)
        for name in ("Ann Smith", "Bob Jones")
    )
    take_payment(ann, 20000, "cash", by=by, key="1")
    pair = join_partners(ann, bob, by=by, reason="sisters")
    for half in (ann, bob):
        page = Client().get(reverse("tournament:my", kwargs={"token": half.token})).content.decode()
        assert "Ann Smith / Bob Jones" in page
        assert "$300.00" in page, "still to pay by the pair"
    director = client_as("director", event)
    assert "Plays in entry 3" in director.get(event_url("tournament:desk_entrant", event, number=1)).content.decode()
    shown = director.get(event_url("tournament:desk_entrant", event, number=3)).content.decode()
    assert "entry 1, Ann Smith" in shown and "Split the pair Ann Smith / Bob Jones?" in shown
    assert "$200.00" in director.get(event_url("tournament:desk_money", event, number=3)).content.decode()
    checkin = director.get(event_url("tournament:desk_checkin", event)).content.decode()
    assert checkin.count(">Check in<") >= 1 and "arrived-3" in checkin and "arrived-1" not in checkin
    director.post(event_url("tournament:desk_entrant_act", event, number=3), {"act": "part", "reason": "one is ill"})
    assert (
        "You are looking for a partner."
        in Client().get(reverse("tournament:my", kwargs={"token": ann.token})).content.decode()
    )
    gone = Client().get(reverse("tournament:my", kwargs={"token": pair.token})).content.decode()
    assert "This pair was split." in gone
    assert "Withdraw my entry" not in gone


def test_a_payment_of_a_half_is_corrected_on_the_page_of_the_pair() -> None:
    event = pairs()
    by = a_director(event.tournament)
    ann, bob = (
        add_entry(event, EntryRequest((Person(name),), asks_for_partner=True), by=SYSTEM_ACTOR)
        for name in ("Ann Smith", "Bob Jones")
    )
    line = take_payment(ann, 20000, "cash", by=by, key="1")
    join_partners(ann, bob, by=by, reason="sisters")
    correction = {"act": "correct", "line": line.pk, "correct-reason": "not theirs", "correct-key": "k"}
    assert (
        client_as("director", event).post(event_url("tournament:desk_money", event, number=3), correction).status_code
        == 302
    )
    assert ann.ledger.get(kind="correction").corrects == line


def test_a_player_without_a_partner_is_checked_in_and_gets_messages() -> None:
    event = pairs()
    add_entry(event, EntryRequest((Person("Ann Smith"),), asks_for_partner=True), by=SYSTEM_ACTOR)
    desk = client_as("desk", event)
    desk.post(event_url("tournament:desk_arrived", event), {"one": "1"})
    assert event.entrants.get().arrived
    desk.post(
        event_url("tournament:desk_messages", event),
        {"subject": "Draw", "body": "At nine.", "audience": "seeking", "key": "m", "sure": "1"},
    )
    assert event.messages.get().copies.get().entrant.number == 1


def test_the_settings_have_partners_and_second_chance() -> None:
    tournament = a_tournament()
    first, event = an_event(tournament, slug="first"), pairs(tournament=tournament, slug="second")
    stranger = an_event()
    form = EventForm(instance=Event.objects.get(pk=event.pk))
    offered = [choice.value for choice, _label in form.fields["second_chance_of"].choices if choice]  # type: ignore[attr-defined]
    assert offered == [first.pk]
    client = client_as("director", event)
    fields = {
        "name": "Partnership", "slug": "second", "entry_size": "2", "fee_cents": "500", "promotion": "arrival",
        "prize_percent": "82", "prize_scale": "50, 30, 20", "unit_cents": "5", "partners": "a-b",
    }  # fmt: skip
    assert (
        client.post(event_url("tournament:desk_settings", event), {**fields, "second_chance_of": first.pk}).status_code
        == 302
    )
    event.refresh_from_db()
    assert (event.partners, event.second_chance_of) == ("a-b", first)
    assert (
        "second_chance_of"
        in client.post(event_url("tournament:desk_settings", event), {**fields, "second_chance_of": stranger.pk})
        .context["form"]
        .errors
    )
    del fields["partners"]
    client.post(event_url("tournament:desk_settings", event), {**fields, "second_chance_of": ""})
    event.refresh_from_db()
    assert (event.partners, event.second_chance_of) == ("a-b", None)
