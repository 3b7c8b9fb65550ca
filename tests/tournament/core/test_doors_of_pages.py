"""Staff can open the pages that their role permits, strangers cannot, and the public sees nothing unpublished."""

from __future__ import annotations

import datetime as dt
import re
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import a_tournament, a_user, an_entrant, an_event
from tests.kit import client_as, event_url
from tournament.core.permissions import (
    ROLES_BY_ACTION,
    SYSTEM_ACTOR,
    Actor,
    is_allowed,
    load_roles,
    make_player_actor,
    make_staff_actor,
    require_permission,
)
from tournament.errors import NotAllowed, NotFound
from tournament.models import Event, SignInLink, Tournament, User
from tournament.setup.services.sign_in import (
    SIGN_IN_LINK_LIFETIME,
    create_sign_in_link_for_staff,
    make_sign_in_link,
    use_sign_in_link,
)
from tournament.setup.services.tournaments import grant_role

pytestmark = pytest.mark.django_db


def _url(name: str, event: Event | Tournament, **more: Any) -> str:
    if isinstance(event, Tournament):
        return reverse(f"tournament:{name}", kwargs={"tournament": event.slug, **more})
    return event_url(f"tournament:{name}", event, **more)


# --- Roles ---------------------------------------------------------------------------------------------------------

EXPECTED = {
    "director": {"direct", "desk", "look", "approve", "links"},
    "coordinator": {"desk", "look", "approve"},
    "desk": {"desk", "look"},
    "hotel": {"look", "approve"},
}


@pytest.mark.parametrize("role", EXPECTED)
def test_each_role_has_its_permissions_here_and_none_elsewhere(role: str) -> None:
    here, elsewhere = a_tournament(), a_tournament()
    user = a_user(role, here)
    assert {act for act in ROLES_BY_ACTION if is_allowed(user, act, here)} == EXPECTED[role]
    assert load_roles(user, elsewhere) == frozenset()


def test_former_staff_have_no_permissions() -> None:
    here = a_tournament()
    user = a_user("director", here, is_active=False)
    assert not is_allowed(user, "look", here)


def test_an_administrator_has_all_permissions() -> None:
    assert is_allowed(a_user(is_superuser=True), "direct", a_tournament())


@pytest.mark.parametrize("act", ROLES_BY_ACTION)
def test_a_refusal_names_the_roles_that_may(act: str) -> None:
    event = an_event()
    require_permission(SYSTEM_ACTOR, act, event.tournament)
    for by in (make_staff_actor(a_user()), make_player_actor(an_entrant(event)), Actor("nobody")):
        with pytest.raises(NotAllowed) as refusal:
            require_permission(by, act, event.tournament)
        assert refusal.value.http_status == 403


# --- Console pages -------------------------------------------------------------------------------------------------

OF_TOURNAMENT = {
    "today": "look",
    "desk_log": "desk",
    "tournament_settings": "direct",
    "new_event": "direct",
    "desk_staff": "direct",
    "remove_demo": "direct",
}
OF_EVENT = {
    "desk_settings": "direct",
    "desk_checkin": "desk",
    "desk_payments": "desk",
    "desk_expenses": "desk",
    "desk_ledger": "desk",
    "desk_drawers": "desk",
    "desk_close": "desk",
    "desk_whole_money": "desk",
    "desk_accounting": "direct",
    "desk_links": "links",
    "desk_prizes": "look",
}
OF_ENTRANT = {"desk_money": "desk", "desk_sale": "desk", "receipt": "desk"}
PAGES = {**OF_TOURNAMENT, **OF_EVENT, **OF_ENTRANT}


def _page(name: str, event: Event) -> str:
    if name in OF_TOURNAMENT:
        return _url(name, event.tournament)
    return _url(name, event, **({"number": 1} if name in OF_ENTRANT else {}))


@pytest.mark.parametrize("name", PAGES)
def test_a_console_page_opens_only_with_permission(name: str) -> None:
    event = an_event()
    an_entrant(event, number=1)
    url = _page(name, event)
    login = Client().get(url)
    assert (login.status_code, login["Location"]) == (302, f"/accounts/login/?next={url}")
    for role, acts in EXPECTED.items():
        answer = client_as(role, event.tournament).get(url)
        assert answer.status_code == (200 if PAGES[name] in acts else 403), role
    assert client_as("director", a_tournament()).get(url).status_code == 403


def test_a_desk_of_a_tournament_that_is_not_there_is_not_found() -> None:
    assert client_as("director", a_tournament()).get("/desk/nowhere/").status_code == 404


def test_the_desk_lists_my_tournaments_and_no_others() -> None:
    mine, other = a_tournament(name="Mine Open"), a_tournament(name="Other Open")
    page = client_as("desk", mine).get("/desk/").content.decode()
    assert "Mine Open" in page
    assert "Other Open" not in page
    assert other.slug not in page


def test_opening_is_a_post_by_the_director() -> None:
    event = an_event(state=Event.State.DRAFT)
    director = client_as("director", event.tournament)
    url = _url("open_event", event)
    assert director.get(url).status_code == 302
    event.refresh_from_db()
    assert event.state == Event.State.DRAFT
    assert client_as("desk", event.tournament).post(url).status_code == 403
    assert director.post(url).status_code == 302
    event.refresh_from_db()
    assert event.state == Event.State.OPEN
    again = director.post(url)
    assert again.status_code == 409
    assert "already" in again.content.decode()


def test_a_refusal_is_json_where_json_is_asked_for() -> None:
    event = an_event(state=Event.State.OPEN)
    answer = client_as("director", event.tournament).post(_url("open_event", event), HTTP_ACCEPT="application/json")
    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "already-there"


def test_a_post_without_its_token_is_refused() -> None:
    event = an_event(state=Event.State.DRAFT)
    client = Client(enforce_csrf_checks=True)
    client.force_login(a_user("director", event.tournament))
    assert client.post(_url("open_event", event)).status_code == 403
    event.refresh_from_db()
    assert event.state == Event.State.DRAFT


# --- Public pages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["event", "prizes"])
def test_a_draft_is_seen_by_its_staff_only(name: str) -> None:
    event = an_event(state=Event.State.DRAFT)
    url = _url(name, event)
    assert Client().get(url).status_code == 404
    assert client_as("director", a_tournament()).get(url).status_code == 404
    assert client_as("hotel", event.tournament).get(url).status_code == 200
    listed = Client().get(_url("tournament", event.tournament)).content.decode()
    assert url not in listed


def test_an_open_event_is_on_the_tournament_s_page() -> None:
    event = an_event(state=Event.State.OPEN)
    page = Client().get(_url("tournament", event.tournament)).content.decode()
    assert _url("event", event) in page


def test_unknown_urls_are_not_found() -> None:
    event = an_event()
    for path in ("/t/nowhere/", f"/t/{event.tournament.slug}/nowhere/"):
        answer = Client().get(path)
        assert answer.status_code == 404
        assert "There is no" in answer.content.decode()


def test_the_public_page_shows_no_address_and_no_phone() -> None:
    event = an_event()
    entrant = an_entrant(event)
    person = entrant.members.get().player
    person.email, person.phone = "private@example.org", "+1 555 0100"
    person.save()
    page = Client().get(_url("event", event)).content.decode()
    assert "private@example.org" not in page
    assert "555 0100" not in page


# --- Settings pages ------------------------------------------------------------------------------------------------

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


def test_a_director_makes_an_event_in_the_hall_s_own_time() -> None:
    tournament = a_tournament(time_zone="America/Los_Angeles")
    client = client_as("director", tournament)
    answer = client.post(_url("new_event", tournament), {**EVENT, "closes_at": "2026-11-20T18:00"})
    assert answer.status_code == 302
    event = tournament.events.get()
    assert event.closes_at == dt.datetime(2026, 11, 21, 2, tzinfo=dt.UTC)
    page = client.get(_url("desk_settings", event)).content.decode()
    assert "2026-11-20T18:00" in page


def test_a_taken_slug_is_an_error_on_the_form() -> None:
    event = an_event(slug="singles")
    client = client_as("director", event.tournament)
    answer = client.post(_url("new_event", event.tournament), {**EVENT, "name": "Second Chance"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "This web address is taken already" in page
    assert "Second Chance" in page
    other = an_event(event.tournament, slug="other")
    answer = client.post(_url("desk_settings", other), EVENT)
    assert "This web address is taken already" in answer.content.decode()


def test_a_scale_that_is_not_a_hundred_is_an_error_on_the_form() -> None:
    event = an_event()
    answer = client_as("director", event.tournament).post(_url("desk_settings", event), {**EVENT, "prize_scale": "50"})
    assert "exactly 100" in answer.content.decode()
    event.refresh_from_db()
    assert event.prize_scale == ["50", "30", "20"]


def test_a_signed_in_user_creates_a_tournament() -> None:
    fields = {
        "name": "Desert Classic",
        "slug": "desert",
        "venue": "Palm Desert",
        "starts_on": "2026-11-27",
        "ends_on": "2026-11-29",
        "time_zone": "America/Los_Angeles",
        "currency": "USD",
    }
    client = Client()
    assert client.get("/desk/new/").status_code == 302
    user = a_user()
    client.force_login(user)
    assert client.post("/desk/new/", fields).status_code == 302
    assert is_allowed(user, "direct", Tournament.objects.get(slug="desert"))


def test_the_demo_is_removed_by_a_post() -> None:
    demo = a_tournament(is_demo=True)
    client = client_as("director", demo)
    assert client.get(_url("remove_demo", demo)).status_code == 200
    assert Tournament.objects.filter(pk=demo.pk).exists()
    assert client.post(_url("remove_demo", demo)).status_code == 302
    assert not Tournament.objects.filter(pk=demo.pk).exists()


# --- Staff and sign-in links ---------------------------------------------------------------------------------------


def _grant(client: Client, tournament: Tournament, email: str) -> str:
    facts = {"act": "grant", "name": "Ann", "email": email, "role": "desk"}
    return client.post(_url("desk_staff", tournament), facts).content.decode()


def test_somebody_new_gets_a_role_and_a_link() -> None:
    tournament = a_tournament()
    page = _grant(client_as("director", tournament), tournament, "Ann@example.org")
    user = User.objects.get(email="ann@example.org")
    assert is_allowed(user, "desk", tournament)
    assert "/sign-in/" in page
    assert SignInLink.objects.get().user == user


@pytest.mark.parametrize("whose", ["password", "signed in before", "administrator", "staff elsewhere"])
def test_no_director_gets_a_link_to_another_s_account(whose: str) -> None:
    tournament = a_tournament()
    user = User.objects.create_user("ann@example.org", None, name="Ann")
    if whose == "password":
        user.set_password("her-own-1")
    user.last_login = timezone.now() if whose == "signed in before" else None
    user.is_superuser = whose == "administrator"
    user.save()
    if whose == "staff elsewhere":
        a_tournament().roles.create(user=user, role="director")
    page = _grant(client_as("director", tournament), tournament, "ann@example.org")
    assert is_allowed(user, "desk", tournament)
    assert "/sign-in/" not in page
    assert not SignInLink.objects.exists()


def _ask_for_link(client: Client, tournament: Tournament, user: User) -> Any:
    return client.post(_url("staff_link", tournament, pk=user.pk))


def test_a_new_link_for_staff_ends_the_earlier_ones() -> None:
    tournament = a_tournament(time_zone="America/Los_Angeles")
    client, ann = client_as("director", tournament), a_user("desk", tournament, password=None)
    ann.last_login = timezone.now()
    ann.save()
    earlier = make_sign_in_link(ann)
    page = _ask_for_link(client, tournament, ann).content.decode()
    link = re.search(r"http://testserver(/sign-in/[\w-]+/)", page)
    assert link is not None and 'src="data:image/svg+xml' in page
    row = tournament.log.get(verb="staff.link")
    assert (row.about, row.user) == (str(ann), User.objects.get(roles__role="director"))
    with pytest.raises(NotFound):
        use_sign_in_link(earlier)
    phone = Client()
    assert phone.post(link[1])["Location"] == _url("today", tournament)
    assert phone.session["_auth_user_id"] == str(ann.pk)
    assert Client().post(link[1]).status_code == 404, "it works once"


def test_no_link_gives_access_beyond_its_director() -> None:
    here, elsewhere = a_tournament(), a_tournament()
    director, admin = client_as("director", here), a_user("desk", here, password=None, is_superuser=True)
    both, stranger = a_user("desk", here, password=None), a_user(password=None)
    elsewhere.roles.create(user=both, role="hotel")
    answers = [_ask_for_link(director, here, user) for user in (admin, both, stranger)]
    assert [answer.status_code for answer in answers] == [403, 403, 404]
    assert not SignInLink.objects.exists() and not here.log.filter(verb="staff.link").exists()
    page = director.get(_url("desk_staff", here)).content.decode()
    assert page.count("would open more than this tournament") == 2
    elsewhere.roles.create(user=User.objects.get(roles__tournament=here, roles__role="director"), role="director")
    assert _ask_for_link(director, here, both).status_code == 200, "they direct both"


def test_a_role_elsewhere_ends_the_links_that_were_made_before() -> None:
    here, elsewhere, ann = a_tournament(), a_tournament(), a_user(password=None)
    grant_role(here, ann, "desk", by=SYSTEM_ACTOR)
    link = create_sign_in_link_for_staff(here, ann, by=SYSTEM_ACTOR, goes_to="/")
    grant_role(elsewhere, ann, "director", by=SYSTEM_ACTOR)
    with pytest.raises(NotFound):
        use_sign_in_link(link)


def test_roles_are_explained_and_the_one_with_the_fewest_rights_is_preset() -> None:
    tournament = a_tournament()
    page = client_as("director", tournament).get(_url("desk_staff", tournament)).content.decode()
    assert re.findall(r'name="role" value="(\w+)"[^>]*checked', page) == ["hotel"]
    assert len(EXPECTED["hotel"]) == min(map(len, EXPECTED.values()))
    for explained in ("gives the hotel’s approval", "takes payments", "gives the coordinator’s", "Does everything"):
        assert explained in page


def test_the_last_director_cannot_be_removed() -> None:
    tournament = a_tournament()
    client = client_as("director", tournament)
    role = tournament.roles.get()
    assert client.post(_url("desk_staff", tournament), {"act": "take", "role": role.pk}).status_code == 409
    assert client.post(_url("desk_staff", tournament), {"act": "take", "role": "x"}).status_code == 302
    assert tournament.roles.count() == 1


def test_a_role_of_another_tournament_is_not_taken_here() -> None:
    here, elsewhere = a_tournament(), a_tournament()
    a_user("desk", elsewhere)
    role = elsewhere.roles.get()
    client_as("director", here).post(_url("desk_staff", here), {"act": "take", "role": role.pk})
    assert elsewhere.roles.count() == 1


def test_at_the_start_a_user_without_password_gets_a_link() -> None:
    def said() -> str:
        out = StringIO()
        call_command("sign_in_link", first=True, site="http://hall.test/", stdout=out)
        return out.getvalue()

    link = re.search(r"http://hall\.test(/sign-in/\S+)", said())
    first = User.objects.get()
    assert link is not None and first.is_superuser
    assert Client().post(link[1])["Location"] == "/desk/"
    first.set_password("her-own-1")
    first.save()
    assert "/sign-in/" not in said() and "/accounts/login/" in said()
    User.objects.update(is_active=False)
    director = a_user("director", a_tournament())
    User.objects.filter(pk=director.pk).update(password="!")
    assert "/sign-in/" in said() and SignInLink.objects.latest("pk").user == director


def test_a_link_signs_in_once_and_only_by_post() -> None:
    user = a_user()
    url = reverse("tournament:sign_in", kwargs={"token": make_sign_in_link(user, goes_to="/desk/")})
    client = Client()
    for _turn in range(2):
        assert client.get(url).status_code == 200
    assert "_auth_user_id" not in client.session
    answer = client.post(url)
    assert (answer.status_code, answer["Location"]) == (302, "/desk/")
    assert client.session["_auth_user_id"] == str(user.pk)
    assert Client().post(url).status_code == 404


def test_a_link_never_leads_to_another_site() -> None:
    url = reverse("tournament:sign_in", kwargs={"token": make_sign_in_link(a_user(), goes_to="https://example.org/")})
    assert Client().post(url)["Location"] == "/"


def test_only_the_digest_of_a_link_is_stored() -> None:
    token = make_sign_in_link(a_user())
    link = SignInLink.objects.get()
    assert token not in (link.digest, link.goes_to)
    assert len(link.digest) == 64


@pytest.mark.parametrize(("late", "works"), [(dt.timedelta(minutes=-1), True), (dt.timedelta(minutes=1), False)])
def test_a_link_expires(late: dt.timedelta, works: bool) -> None:
    token = make_sign_in_link(a_user())
    with time_machine.travel(timezone.now() + SIGN_IN_LINK_LIFETIME + late):
        if works:
            assert use_sign_in_link(token).used_at is not None
            return
        with pytest.raises(NotFound) as refusal:
            use_sign_in_link(token)
        assert refusal.value.code == "link-used"


def test_a_link_of_a_disabled_account_is_dead() -> None:
    user = a_user()
    token = make_sign_in_link(user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    for wrong in (token, "no such link"):
        with pytest.raises(NotFound):
            use_sign_in_link(wrong)


@pytest.mark.parametrize(
    ("role", "hidden"),
    [
        ("director", set()),
        ("desk", {"draw", "settings", "staff"}),
        ("hotel", {"draw", "settings", "staff", "check-in", "tables", "results", "messages", "new", "import", "twins"}),
    ],
)
def test_no_link_leads_to_a_page_that_refuses_the_user(role: str, hidden: set[str]) -> None:
    event = an_event()
    place = f"/desk/{event.tournament.slug}/"
    pages = {
        "draw": f"{place}{event.slug}/draw/",
        "settings": f"{place}{event.slug}/settings/",
        "staff": f"{place}staff/",
        "check-in": f"{place}{event.slug}/check-in/",
        "tables": f"{place}{event.slug}/tables/",
        "results": f"{place}{event.slug}/results/",
        "messages": f"{place}{event.slug}/messages/",
        "new": f"{place}{event.slug}/entrants/new/",
        "import": f"{place}{event.slug}/import/",
    }
    client = client_as(role, event.tournament)
    page = "".join(client.get(f"{place}{event.slug}/{part}/").content.decode() for part in ("entrants", "setup"))
    refused = {name for name, url in pages.items() if client.get(url).status_code == 403}
    assert {name for name, url in pages.items() if f'href="{url}"' not in page} == refused == hidden - {"twins"}
    assert (f'href="{place}players/"' in page) == (role == "director")
