from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from babel.numbers import get_currency_precision
from django.apps import apps
from django.db.models import CASCADE, PROTECT, RESTRICT, Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from tzlocal import reload_localzone

from tests.factories import a_director, a_player, a_tournament, a_user, an_entrant, an_event
from tests.kit import event_url, get_page, refused
from tournament.core.permissions import Actor, is_allowed, make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import AuditEntry, Entrant, Event, LedgerLine, Player, StaffRole, Tournament, User
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person
from tournament.setup.forms import CURRENCIES, EventForm, TournamentForm
from tournament.setup.services.tournaments import (
    change_event,
    change_tournament,
    create_event,
    create_tournament,
    grant_role,
    remove_tournament,
    revoke_role,
)

pytestmark = pytest.mark.django_db

FIELDS: dict[str, Any] = {
    "name": "Desert Classic",
    "slug": "desert",
    "venue": "Palm Desert",
    "starts_on": dt.date(2026, 11, 27),
    "ends_on": dt.date(2026, 11, 29),
}


def test_the_creator_of_a_tournament_is_its_director() -> None:
    user = a_user()
    made = create_tournament(by=make_staff_actor(user), **FIELDS)
    assert is_allowed(user, "direct", made)
    assert AuditEntry.objects.get(tournament=made).verb == "tournament.created"


def test_nobody_makes_one_without_signing_in() -> None:
    with pytest.raises(NotAllowed):
        create_tournament(by=Actor("somebody"), **FIELDS)
    assert Tournament.objects.count() == 0


def test_a_taken_address_is_refused_at_its_field() -> None:
    by = make_staff_actor(a_user())
    create_tournament(by=by, **FIELDS)
    with pytest.raises(Conflict) as refusal:
        create_tournament(by=by, **FIELDS)
    assert (refusal.value.code, refusal.value.data) == ("slug-taken", {"field": "slug"})
    assert (Tournament.objects.count(), StaffRole.objects.count()) == (1, 1)


def test_a_change_to_a_taken_address_is_refused() -> None:
    here, taken = a_tournament(), a_tournament()
    by = a_director(here)
    with refused("slug-taken"):
        change_tournament(here, {"slug": taken.slug}, by=by)
    one, other = an_event(here), an_event(here)
    with refused("slug-taken"):
        change_event(one, {"slug": other.slug}, by=by)
    with pytest.raises(Conflict):
        create_event(here, by=by, name="Again", slug=other.slug)


def test_two_tournaments_may_use_the_same_event_address() -> None:
    for tournament in (a_tournament(), a_tournament()):
        create_event(tournament, by=a_director(tournament), name="Singles", slug="singles")
    assert Event.objects.filter(slug="singles").count() == 2


def test_the_log_shows_each_change_as_it_was_and_as_it_is() -> None:
    event = an_event(capacity=None)
    change_event(event, {"name": event.name, "capacity": 64}, by=a_director(event.tournament))
    assert AuditEntry.objects.get().data == {"changed": {"capacity": ["None", "64"]}}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"prize_scale": ["50", "30"]}, "bad-scale"),
        ({"prize_scale": ["a lot"]}, "bad-value"),
        ({"prize_scale": []}, "bad-scale"),
        ({"prize_percent": "101"}, "bad-value"),
        ({"unit_cents": 0}, "bad-value"),
        ({"early_fee_cents": 40000, "early_until": dt.date(2026, 10, 1)}, "bad-value"),
        ({"early_fee_cents": 20000}, "bad-value"),
    ],
)
def test_money_that_cannot_be_charged_or_paid_is_never_saved(changes: dict[str, Any], code: str) -> None:
    event = an_event(fee_cents=30000)
    director = a_director(event.tournament)
    with refused(code):
        change_event(event, changes, by=director)
    with pytest.raises(DomainError):
        create_event(event.tournament, by=director, name="Other", slug="other", **{"fee_cents": 30000, **changes})
    event.refresh_from_db()
    assert (event.version, event.prize_percent, event.unit_cents) == (0, "82", 100)


@pytest.mark.parametrize("state", [Event.State.DRAWN, Event.State.IN_PLAY])
def test_after_the_draw_a_change_of_money_needs_a_reason(state: str) -> None:
    event = an_event(state=state)
    director = a_director(event.tournament)
    with refused("reason-needed"):
        change_event(event, {"prize_percent": "90"}, by=director)
    change_event(event, {"name": "Singles I"}, by=director)
    change_event(event, {"prize_percent": "90"}, by=director, reason="the players voted")
    event.refresh_from_db()
    assert (event.prize_percent, event.name) == ("90", "Singles I")
    assert AuditEntry.objects.latest("seq").reason == "the players voted"


def test_a_finished_event_is_not_changed() -> None:
    event = an_event(state=Event.State.FINISHED)
    with refused("finished"):
        change_event(event, {"name": "Other"}, by=a_director(event.tournament), reason="why not")


@pytest.mark.parametrize("role", ["desk", "hotel", "coordinator"])
def test_only_a_director_sets_things(role: str) -> None:
    event = an_event()
    other = make_staff_actor(a_user(role, event.tournament))
    with pytest.raises(NotAllowed):
        change_tournament(event.tournament, {"name": "Mine"}, by=other)
    with pytest.raises(NotAllowed):
        change_event(event, {"name": "Mine"}, by=other)
    with pytest.raises(NotAllowed):
        create_event(event.tournament, by=other, name="Mine", slug="mine")
    with pytest.raises(NotAllowed):
        grant_role(event.tournament, a_user(), "director", by=other)


def test_a_role_is_given_once_and_the_last_director_stays() -> None:
    tournament = a_tournament()
    director = a_director(tournament)
    helper = a_user()
    for _turn in range(2):
        role = grant_role(tournament, helper, "director", by=director)
    assert tournament.roles.count() == 2
    revoke_role(role, by=director)
    with refused("last-director"):
        revoke_role(tournament.roles.get(), by=director)
    assert tournament.roles.count() == 1


def test_removing_the_demo_deletes_its_rows_and_nothing_else() -> None:
    demo, real = a_tournament(is_demo=True), a_tournament()
    in_both = a_player("Plays in both")
    for tournament in (demo, real):
        event = an_event(tournament)
        entrant = an_entrant(event, player=in_both)
        an_entrant(event, reentry_of=entrant)
        LedgerLine.objects.create(event=event, entrant=entrant, kind="charge", cents=1, by_name="test")
    director = a_director(demo)
    change_tournament(demo, {"name": "DEMO"}, by=director)
    remove_tournament(demo, by=director)
    assert list(Tournament.objects.all()) == [real]
    assert Entrant.objects.count() == 2
    assert LedgerLine.objects.count() == 1
    assert in_both in Player.objects.all()
    assert Player.objects.count() == 2, "who played in the demo only went with it"


def test_no_table_prevents_removing_the_demo() -> None:
    """Removing the demo deletes its tournament and all rows that refer to the tournament.

    No other table may refer to these rows in a way that prevents their deletion.
    """

    def keys(model: type[Model], *kinds: object) -> set[type[Model]]:
        fields = (field for field in model._meta.concrete_fields if field.remote_field is not None)
        return {field.related_model for field in fields if field.remote_field.on_delete in kinds}

    goes: set[type[Model]] = {Tournament}
    while more := {model for model in apps.get_models() if model not in goes and keys(model, CASCADE) & goes}:
        goes |= more
    held = {
        model.__name__ for model in apps.get_models() if model not in goes and keys(model, RESTRICT, PROTECT) & goes
    }
    assert held == set()


def test_a_real_tournament_is_never_removed() -> None:
    tournament = a_tournament()
    with refused("not-removable"):
        remove_tournament(tournament, by=a_director(tournament))
    assert Tournament.objects.filter(pk=tournament.pk).exists()


@pytest.mark.parametrize("currency", CURRENCIES)
def test_every_currency_offered_has_cents(currency: str) -> None:
    assert get_currency_precision(currency) == 2


EVENT = {
    "name": "Singles",
    "slug": "singles",
    "entry_size": "1",
    "fee_cents": "300",
    "promotion": "arrival",
    "prize_percent": "82",
    "prize_scale": "50, 30, 20",
    "unit_cents": "5",
}


def test_an_event_form_gives_cents_a_scale_and_moments_with_a_zone() -> None:
    form = EventForm({**EVENT, "opens_at": "2026-10-01T09:00"})
    assert form.is_valid(), form.errors
    cleaned = form.cleaned_data
    assert (cleaned["fee_cents"], cleaned["unit_cents"], cleaned["added_cents"]) == (30000, 500, 0)
    assert cleaned["prize_scale"] == ["50", "30", "20"]
    assert cleaned["opens_at"].tzinfo is not None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"slug": "log"}, "slug"),
        ({"slug": "new-event"}, "slug"),
        ({"fee_cents": "-5"}, "fee_cents"),
        ({"early_fee_cents": "275"}, "early_until"),
        ({"early_until": "2026-10-01"}, "early_until"),
        ({"reentry_until": "2026-10-01T09:00"}, "reentry"),
        ({"prize_scale": ""}, "prize_scale"),
        ({"opens_at": "9999-12-31T23:59"}, "opens_at"),
        ({"closes_at": "0001-01-01T00:00"}, "closes_at"),
        ({"early_fee_cents": "275", "early_until": "0026-10-01"}, "early_until"),
    ],
)
def test_an_event_form_shows_each_error_at_its_field(changes: dict[str, str], field: str) -> None:
    form = EventForm({**EVENT, **changes})
    assert not form.is_valid()
    assert list(form.errors) == [field]


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Auckland"])
def test_years_that_time_zones_cannot_represent_are_refused(zone: str) -> None:
    with timezone.override(zone):
        form = EventForm({**EVENT, "opens_at": "9999-12-31T23:59", "closes_at": "0001-01-01T00:00"})
        assert {"opens_at", "closes_at"} <= set(form.errors)


def test_an_empty_address_is_made_unique_from_the_name(client: Client) -> None:
    a_tournament(slug="desert-classic")
    client.force_login(a_user())
    facts = {**FIELDS, "slug": "", "time_zone": "America/Los_Angeles", "currency": "USD"}
    assert client.post(reverse("tournament:new_tournament"), facts).status_code == 302
    made = Tournament.objects.get(slug="desert-classic-2")
    for slug in ("singles", "singles-2"):
        path = reverse("tournament:new_event", kwargs={"tournament": made.slug})
        assert client.post(path, {**EVENT, "slug": ""}).status_code == 302
        assert made.events.order_by("-pk")[0].slug == slug


def test_an_address_in_use_is_not_emptied() -> None:
    form = EventForm({**EVENT, "slug": ""}, instance=an_event())
    assert list(form.errors) == ["slug"]


def test_a_tournament_ends_after_it_begins() -> None:
    form = TournamentForm(
        {**FIELDS, "time_zone": "America/Los_Angeles", "currency": "USD", "ends_on": dt.date(2026, 11, 1)}
    )
    assert list(form.errors) == ["ends_on"]


MADE = {**FIELDS, "time_zone": "America/Los_Angeles", "currency": "USD"}


def test_the_first_account_enters_its_name_once(client: Client) -> None:
    user = User.objects.create_user("director@example.org", None, name="Demo Director", is_named=False)
    client.force_login(user)
    new = reverse("tournament:new_tournament")
    assert client.post(new, MADE).context["form"].errors.keys() == {"your_name"}
    assert client.post(new, {**MADE, "your_name": "Dora Quinn"}).status_code == 302
    assert AuditEntry.objects.get(verb="tournament.created").by_name == "Dora Quinn"
    assert "your_name" not in client.get(new).context["form"].fields


def test_a_tournament_that_is_refused_names_nobody(client: Client) -> None:
    a_tournament(slug="desert")
    user = User.objects.create_user("director@example.org", None, name="Demo Director", is_named=False)
    client.force_login(user)
    client.post(reverse("tournament:new_tournament"), {**MADE, "your_name": "Dora Quinn"})
    user.refresh_from_db()
    assert (user.name, user.is_named) == ("Demo Director", False)


@pytest.mark.parametrize(
    ("zone", "proposed"),
    [("Europe/Prague", "Europe/Prague"), ("Etc/UTC", "America/Los_Angeles"), ("UTC", "America/Los_Angeles")],
)
def test_the_time_zone_is_that_of_the_machine(zone: str, proposed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    reload_localzone()
    assert TournamentForm()["time_zone"].value() == proposed
    monkeypatch.undo()
    reload_localzone()


def list_time_zones(form: TournamentForm) -> dict[str, dict[str, str]]:
    """Return the time zones that the form offers, by group and label."""
    return {
        str(group): {str(label): zone for zone, label in zones} for group, zones in form.fields["time_zone"].choices
    }


def test_the_time_zones_of_the_united_states_come_first_and_begin_with_their_city() -> None:
    first, america, *_others = list_time_zones(TournamentForm()).items()
    assert first[0] == "United States" and first[1]["Los Angeles (Pacific)"] == "America/Los_Angeles"
    assert america[1]["Mexico City"] == "America/Mexico_City"
    assert america[1]["Indiana, Knox"] == "America/Indiana/Knox"


def test_no_time_zone_is_listed_twice() -> None:
    zones = [zone for group in list_time_zones(TournamentForm()).values() for zone in group.values()]
    assert len(zones) == len(set(zones)) > 400


@pytest.mark.parametrize(("zone", "group"), [("Asia/Tokyo", "Asia"), ("US/Pacific", "Other"), ("UTC", "Other")])
def test_the_settings_keep_the_time_zone_of_a_tournament(zone: str, group: str) -> None:
    tournament = a_tournament(time_zone=zone)
    assert zone in list_time_zones(TournamentForm(instance=tournament))[group].values()
    form = TournamentForm({**MADE, "slug": tournament.slug, "time_zone": zone}, instance=tournament)
    assert "time_zone" not in form.errors


def test_days_of_one_day_are_written_once(client: Client) -> None:
    day = dt.date(2026, 11, 28)
    event = an_event(a_tournament(starts_on=day, ends_on=day))
    page = get_page(reverse("tournament:tournament", kwargs={"tournament": event.tournament.slug}), client)
    assert "Nov 28, 2026" in page and "Nov 28 –" not in page


def test_players_see_the_start_of_play_and_the_late_fee(client: Client) -> None:
    tomorrow = timezone.localdate(timezone=ZoneInfo("America/Los_Angeles")) + dt.timedelta(days=1)
    starts = dt.datetime(2026, 11, 28, 18, 0, tzinfo=dt.UTC)
    event = an_event(starts_at=starts, fee_cents=300_00, late_fee_cents=325_00, late_from=tomorrow)
    for name in ("event", "register"):
        page = get_page(event_url(f"tournament:{name}", event), client)
        assert "Late fee (from" in page and "$325.00" in page
    assert "10:00 AM" in get_page(event_url("tournament:event", event), client)
    Event.objects.filter(pk=event.pk).update(late_from=tomorrow - dt.timedelta(days=1))
    page = get_page(event_url("tournament:register", event), client)
    assert "Entry fee: <strong>$325.00</strong>" in page


def test_a_late_entry_is_charged_the_late_fee() -> None:
    today = timezone.localdate(timezone=ZoneInfo("America/Los_Angeles"))
    event = an_event(fee_cents=300_00, late_fee_cents=325_00, late_from=today)
    entrant = add_entry(event, EntryRequest((Person("Ada"),)), by=a_director(event.tournament))
    assert entrant.ledger.get(kind="charge").cents == 325_00


def test_the_page_to_share_has_the_link_and_its_code(client: Client) -> None:
    event = an_event()
    client.force_login(a_user("desk", event.tournament))
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    page = get_page(reverse("tournament:desk_share", kwargs=slugs), client)
    assert f"http://testserver{reverse('tournament:event', kwargs=slugs)}" in page and "data:image" in page


@pytest.mark.parametrize(("site", "warns"), [("http://127.0.0.1:8000", True), ("http://192.168.1.20:8000", False)])
def test_the_page_to_share_warns_of_an_address_that_no_phone_can_open(
    client: Client, settings: Any, site: str, warns: bool
) -> None:
    settings.SITE_URL = site
    event = an_event()
    client.force_login(a_user("desk", event.tournament))
    page = get_page(event_url("tournament:desk_share", event), client)
    assert ("Phones cannot open this address." in page) == warns


def test_staff_change_their_own_name(client: Client) -> None:
    event = an_event()
    user = a_user("desk", event.tournament)
    client.force_login(user)
    page = reverse("tournament:own_name")
    assert f'href="{page}"' in get_page(reverse("account_email"), client)
    assert client.post(page, {"name": " "}).status_code == 422
    answer = client.post(page, {"name": "Dana Reyes"}, follow=True).content.decode()
    user.refresh_from_db()
    assert user.name == "Dana Reyes"
    assert "You are now Dana Reyes." in answer
