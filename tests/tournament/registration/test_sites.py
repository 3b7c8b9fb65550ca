from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import a_director, a_tournament, a_user, an_entrant, an_event
from tests.kit import desk_url, public_url, refused
from tests.prebuilt import prebuilt
from tournament.core.permissions import Actor, make_player_actor, make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed, ReasonRequired
from tournament.models import AuditEntry, Entrant, EntrantFact, Event, ImportRow
from tournament.registration.public import PUBLIC_FORM_ACTOR
from tournament.registration.selectors.entries import load_entry_summary
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.imported_lists import import_valid_rows, resolve_import_row, store_uploaded_list
from tournament.registration.services.people import Person
from tournament.registration.services.waiting_list import change_site
from tournament.setup.services.tournaments import change_event, create_event
from tournament.spreadsheets import ENTRY_LIST_FIELDS, RowParsingContext, guess_columns_by_headings, parse_entry_row

FORM = {"name": "Ada Lovelace", "email": "ada@example.org", "consent": "on", "key": "k1"}
SITES = ["Austin, TX", "Köln"]


@prebuilt
def two_sites(**fields: object) -> Event:
    return an_event(fee_cents=0, sites=SITES, **fields)


def desk_of(event: Event) -> Actor:
    return make_staff_actor(a_user("desk", event.tournament))


def test_a_list_names_the_site_however_it_is_spelt() -> None:
    assert guess_columns_by_headings(["Name", "Venue"])["site"] == 1
    assert guess_columns_by_headings(["Location", "Name"])["site"] == 0
    wanted = RowParsingContext("Singles", sites=tuple(SITES))
    empty = dict.fromkeys(ENTRY_LIST_FIELDS, "")
    said = [
        parse_entry_row({**empty, "name": "Ada", "site": cell}, wanted) for cell in ("AUSTIN TX", "koln ", "Paris", "")
    ]
    assert [reading.site for reading in said] == ["Austin, TX", "Köln", "", ""]
    levels = [[(remark.level, remark.code) for remark in reading.remarks] for reading in said]
    assert levels == [[], [], [("mend", "bad-site")], [("look", "no-site")]]
    assert "Austin, TX or Köln" in said[2].remarks[0].text
    elsewhere = parse_entry_row({**empty, "name": "Ada", "site": "Paris"}, RowParsingContext("Singles"))
    assert (elsewhere.site, [remark.code for remark in elsewhere.remarks]) == ("", ["not-taken"])


@pytest.mark.django_db
def test_the_public_form_asks_and_keeps_the_answer(client: Client) -> None:
    event = two_sites()
    address = public_url(event, "register/")
    assert "Austin, TX" in client.get(address).content.decode()
    assert client.post(address, FORM).status_code == 422
    assert client.post(address, {**FORM, "site": "Paris"}).status_code == 422
    assert not Entrant.objects.exists()
    assert client.post(address, {**FORM, "site": "Köln"}).status_code == 302
    entrant = Entrant.objects.get()
    assert entrant.site == "Köln"
    assert "<strong>Köln</strong>" in client.get(f"/my/{entrant.token}/").content.decode()


@pytest.mark.django_db
def test_an_event_at_one_place_has_no_sites(client: Client) -> None:
    event = an_event(fee_cents=0)
    address = public_url(event, "register/")
    assert 'name="site"' not in client.get(address).content.decode()
    assert client.post(address, {**FORM, "site": "Köln"}).status_code == 302
    assert Entrant.objects.get().site == ""
    with pytest.raises(DomainError, match="has no sites"):
        add_entry(event, EntryRequest((Person("Alan"),), site="Köln"), by=PUBLIC_FORM_ACTOR)


@pytest.mark.django_db
def test_the_desk_changes_a_site_on_record() -> None:
    event = two_sites()
    entrant, desk = an_entrant(event, "Ada", site="Köln"), desk_of(event)
    assert change_site(entrant, SITES[0], by=desk, reason="moved").site == SITES[0]
    fact = EntrantFact.objects.get(kind=EntrantFact.Kind.SITE)
    assert (fact.data, fact.reason) == ({"was": "Köln", "site": "Austin, TX"}, "moved")
    assert AuditEntry.objects.get(verb="entrant.site").data == {"number": 1, "was": "Köln", "site": "Austin, TX"}
    assert load_entry_summary(entrant).state == "in"
    with pytest.raises(Conflict, match="already plays at Austin, TX"):
        change_site(entrant, SITES[0], by=desk)
    for wrong in ("", "Paris"):
        with pytest.raises(DomainError, match="Austin, TX, Köln"):
            change_site(entrant, wrong, by=desk)
    with pytest.raises(NotAllowed):
        change_site(entrant, "Köln", by=make_player_actor(entrant))


@pytest.mark.django_db
def test_after_the_draw_only_a_director_changes_a_site_with_a_reason() -> None:
    event = two_sites(state=Event.State.IN_PLAY)
    entrant, director = an_entrant(event, "Ada", site="Köln"), a_director(event.tournament)
    with pytest.raises(NotAllowed):
        change_site(entrant, SITES[0], by=desk_of(event), reason="moved")
    with pytest.raises(ReasonRequired, match="Enter why"):
        change_site(entrant, SITES[0], by=director)
    assert change_site(entrant, SITES[0], by=director, reason="moved").site == SITES[0]
    Event.objects.update(state=Event.State.FINISHED)
    with pytest.raises(Conflict, match="finished"):
        change_site(entrant, "Köln", by=director, reason="moved back")


@pytest.mark.django_db
def test_the_settings_refuse_impossible_lists_of_sites() -> None:
    tournament = a_tournament()
    director = a_director(tournament)
    for wrong in (["Köln"], ["Köln", "KOLN"], ["Köln", "?!"], [f"Site {n}" for n in range(21)]):
        with refused("bad-sites"):
            create_event(tournament, by=director, slug="singles", name="Singles", sites=wrong)
    event = create_event(tournament, by=director, slug="singles", name="Singles", sites=SITES)
    entrant = an_entrant(event, "Ada", site="Köln")
    with pytest.raises(Conflict, match=r"1 Ada \(Köln\)"):
        change_event(event, {"sites": []}, by=director)
    more = change_event(event, {"sites": [*SITES, "Oslo"]}, by=director)
    assert more.sites == [*SITES, "Oslo"]
    change_site(entrant, "Oslo", by=director)
    assert change_event(event, {"sites": ["Austin, TX", "Oslo"]}, by=director).sites == ["Austin, TX", "Oslo"]


@pytest.mark.django_db
def test_the_director_writes_the_sites_one_a_line(client: Client) -> None:
    event = an_event(fee_cents=0)
    client.force_login(a_user("director", event.tournament))
    address = desk_url(event, "settings/")
    form = client.get(address).context["form"]
    kept = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    kept["prize_scale"] = "50, 30, 20"
    kept["prize_table"] = kept["flat_cents"] = ""
    assert client.post(address, {**kept, "sites": " Austin, TX \r\n\r\nKöln\r\n"}).status_code == 302
    event.refresh_from_db()
    assert event.sites == SITES
    assert "Austin, TX\nKöln" in client.get(address).content.decode()
    said = client.post(address, {**kept, "sites": "Köln"})
    assert said.status_code == 200 and "An event has no sites, or 2 to" in said.content.decode()
    assert client.post(address, {**kept, "sites": f"Köln\n{'x' * 101}"}).status_code == 200


@pytest.mark.django_db
def test_lists_show_filter_and_export_the_sites(client: Client) -> None:
    event = two_sites()
    an_entrant(event, "Ada", site="Köln")
    an_entrant(event, "Alan", site="Austin, TX")
    an_entrant(event, "Grace")
    client.force_login(a_user("director", event.tournament))
    desk = desk_url(event, "entrants/")
    public = public_url(event, "entrants/")
    for address in (desk, public):
        page = client.get(address, {"site": "Köln"}).content.decode()
        assert "Ada" in page and "Alan" not in page and "Grace" not in page
        sheet = client.get(address, {"_export": "csv"}).content.decode()
        assert '"Austin, TX"' in sheet and "Köln" in sheet
        only = client.get(address, {"_export": "csv", "site": "Austin, TX"}).content.decode()
        assert "Alan" in only and "Ada" not in only
    assert "No site yet. Choose one" in client.get(f"{desk}3/").content.decode()
    assert client.post(f"{desk}3/act/", {"act": "site", "site": "Köln"}).status_code == 302
    page = client.get(f"{desk}3/").content.decode()
    assert "Plays at Köln." in page and "Changed sites: Köln" in page
    made = client.post(f"{desk}new/", {"name": "Alan Kay", "key": "k2", "site": "Köln"})
    assert (made.status_code, Entrant.objects.get(number=4).site) == (302, "Köln")
    plain = an_event(event.tournament)
    an_entrant(plain, "Ada")
    for address in (desk, public):
        page = client.get(address.replace(event.slug, plain.slug)).content.decode()
        assert "Ada" in page and ">Site<" not in page and "All sites" not in page


@pytest.mark.django_db
def test_an_imported_list_enters_people_at_their_sites() -> None:
    event = two_sites()
    director = a_director(event.tournament)
    batch = store_uploaded_list(event, "list.csv", b"Name,Venue\nAda,koln\nAlan,Paris\nGrace,\n", by=director)
    verdicts = list(batch.rows.order_by("number").values_list("verdict", flat=True))
    assert verdicts == [ImportRow.Verdict.NEW, ImportRow.Verdict.LOOK, ImportRow.Verdict.LOOK]
    for row in batch.rows.exclude(verdict=ImportRow.Verdict.NEW):
        resolve_import_row(row, "accept", by=director)
    assert import_valid_rows(batch, by=director) == 2
    assert list(event.entrants.order_by("number").values_list("name", "site")) == [("Ada", "Köln"), ("Grace", "")]
