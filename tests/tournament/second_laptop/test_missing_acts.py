"""The old laptop stores requests that the other laptop lacks. A director on the other laptop decides which to add."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from pairing.models import Draw
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.models import StaffEntry
from tests.factories import a_director, a_tournament, a_user, an_entrant, an_event
from tests.kit import client_as, event_url, get_page, page_text, refused
from tests.page_forms import fields_of, read_html
from tests.pairing.helpers.events import an_open_event, close
from tests.races import Act, codes_of
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, my_card_url, play, post, the_card
from tests.tournament.helpers.backups import write
from tests.tournament.helpers.money import a_finished_event
from tests.tournament.helpers.second_laptop import (
    Desk,
    Snapshot,
    a_link,
    hear_from_second_laptop,
    missed,
    pay,
    payment_form,
    verbs_of,
)
from tournament.backups.services import adopt_restored_database
from tournament.core.selectors.log import check_log_chain
from tournament.core.services.installation import begin_installation_epoch
from tournament.core.services.jobs import HEARTBEAT_TIMEOUT, begin_job, request_job, resend_lost_jobs
from tournament.models import AuditEntry, Event, Installation, LedgerLine, PaidOut, StaffRole
from tournament.second_laptop.middleware import MAX_KEPT_BODY_BYTES, KeepUnconfirmedRequestsMiddleware
from tournament.second_laptop.selectors import (
    ActionDecision,
    LaptopRole,
    MissingAction,
    get_missing_actions_file,
    get_requests_file,
    load_actions_since_change,
    load_last_change,
    lock_requests_file,
)
from tournament.second_laptop.services.missing_acts import (
    add_missing_action,
    forget_confirmed_requests,
    log_missing_action_decision,
    save_missing_actions,
)
from tournament.second_laptop.services.roles import save_link, take_over

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("apart")]


def kept_requests() -> list[dict[str, Any]]:
    file = get_requests_file()
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


# --- Requests that are kept on the first laptop ----------------------------------------------------------------------


def test_nothing_is_kept_while_the_second_laptop_has_everything(desk: Desk) -> None:
    hear_from_second_laptop(1 << 60, 0)
    pay(desk.client, desk.entrant)
    assert kept_requests() == []


def test_nothing_is_kept_without_a_second_laptop(desk: Desk, settings: Any) -> None:
    settings.SECOND_LAPTOP_ACK_FILE.unlink()
    pay(desk.client, desk.entrant)
    assert kept_requests() == []


def test_the_request_of_an_unconfirmed_write_is_kept_for_this_user_only(desk: Desk) -> None:
    pay(desk.client, desk.entrant)
    [kept] = kept_requests()
    entry = AuditEntry.objects.get(verb="ledger.payment")
    assert kept["entries"] == [entry.digest] and "cents=75" in kept["request"]["body"]
    assert get_requests_file().stat().st_mode & 0o777 == 0o600


def test_a_kept_request_is_on_the_disk_before_the_response(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: dict[int, int] = {}

    def note(descriptor: int) -> None:
        synced[os.fstat(descriptor).st_ino] = os.fstat(descriptor).st_size

    monkeypatch.setattr(os, "fsync", note)
    pay(desk.client, desk.entrant)
    file = get_requests_file().stat()
    assert synced[file.st_ino] == file.st_size
    assert get_requests_file().parent.stat().st_ino in synced


def test_a_refused_form_is_not_kept(desk: Desk) -> None:
    url, fields = payment_form(desk.client, desk.entrant)
    desk.client.post(url, {**fields, "cents": "-5"})
    assert desk.count_payments() == 0
    assert kept_requests() == []


def handled(request: HttpRequest, tournament: Any) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        write(tournament)
        return HttpResponse()

    KeepUnconfirmedRequestsMiddleware(view)(request)


@pytest.mark.parametrize(
    ("path", "fields", "is_kept"),
    [
        ("/desk/x/", {"name": "Ada"}, True),
        ("/accounts/login/", {"name": "Ada"}, False),
        ("/desk/x/", {"password": "secret"}, False),
        ("/desk/x/", {"file": SimpleUploadedFile("list.csv", b"Ada")}, False),
        ("/desk/x/", {"name": "A" * MAX_KEPT_BODY_BYTES}, False),
    ],
    ids=["form", "account page", "password", "file", "too large"],
)
def test_only_a_plain_form_without_secrets_can_be_carried_out_again(
    path: str, fields: dict[str, Any], is_kept: bool
) -> None:
    handled(RequestFactory().post(path, fields), a_tournament())
    [kept] = kept_requests()
    assert (kept["request"] is not None) is is_kept


def test_a_form_with_a_place_for_a_file_is_kept_if_no_file_was_chosen(desk: Desk) -> None:
    url, fields = payment_form(desk.client, desk.entrant)
    before = Snapshot()
    desk.client.post(url, {**fields, "reference": "é & €"})  # the test client sends multipart
    [act] = missed(after=before)
    assert "Added" in desk.decide(act, "add")
    assert LedgerLine.objects.get(kind="payment").reference == "é & €"


@pytest.mark.parametrize(("confirmed", "count"), [(-1, 2), (0, 0)])
def test_kept_requests_are_forgotten_when_the_second_laptop_has_all_of_their_writes(
    desk: Desk, confirmed: int, count: int
) -> None:
    for _turn in range(2):
        pay(desk.client, desk.entrant)
    forget_confirmed_requests(load_last_change() + confirmed)
    assert len(kept_requests()) == count


def test_a_request_is_not_kept_while_confirmed_ones_are_forgotten(desk: Desk) -> None:
    keeping = Act(lambda: handled(RequestFactory().post("/desk/x/"), desk.event.tournament))
    with lock_requests_file():
        keeping.start()
        keeping.join(0.5)
        assert kept_requests() == []
    keeping.join()
    assert keeping.failed is None and len(kept_requests()) == 1


def test_a_request_that_is_kept_at_the_same_moment_is_not_forgotten(desk: Desk) -> None:
    pay(desk.client, desk.entrant)
    forgetting = Act(lambda: forget_confirmed_requests(load_last_change()))
    with lock_requests_file(), open(get_requests_file(), "a") as file:
        forgetting.start()
        forgetting.join(0.2)
        file.write(json.dumps({"entries": [], "change": 1 << 60, "request": None}) + "\n")
    forgetting.join()
    assert forgetting.failed is None and len(kept_requests()) == 2


def test_a_line_that_a_power_failure_cut_off_is_left_out(desk: Desk) -> None:
    before = Snapshot()
    pay(desk.client, desk.entrant)
    get_requests_file().write_text(get_requests_file().read_text()[:-20])
    [act] = load_actions_since_change(before.change)
    assert act.request is None


def test_a_laptop_that_is_shut_out_refuses_forms_before_it_is_restarted(desk: Desk) -> None:
    save_link(a_link(LaptopRole.SHUT_OUT))
    url, fields = payment_form(desk.client, desk.entrant)
    assert desk.client.post(url, fields).status_code == 503
    assert desk.count_payments() == 0


# --- Decisions on the laptop that took over --------------------------------------------------------------------------


def test_an_added_act_is_recorded_in_the_name_of_its_person(desk: Desk) -> None:
    act = desk.miss_payment()
    assert desk.count_payments() == 0
    assert f"Added: Payment recorded · {desk.entrant}" in desk.decide(act, "add")
    assert LedgerLine.objects.get(kind="payment").by == desk.person
    assert verbs_of(desk.event.tournament)[-2:] == ["ledger.payment", "old-laptop.added"]
    assert check_log_chain(desk.event.tournament).is_intact


def test_an_act_is_added_once_if_it_is_tapped_twice(desk: Desk) -> None:
    act = desk.miss_payment()
    desk.decide(act, "add")
    assert "This was already decided" in desk.decide(act, "add")
    assert desk.count_payments() == 1


def test_two_directors_at_once_add_it_once(desk: Desk) -> None:
    act, tournament = desk.miss_payment(), desk.event.tournament
    by, site = a_director(tournament), RequestFactory().get("/")
    outcomes = codes_of(
        lambda: add_missing_action(act, tournament, by=by, site=site),
        lambda: log_missing_action_decision(act, tournament, ActionDecision.LEFT_OUT, by=by),
        lambda: add_missing_action(act, tournament, by=by, site=site),
    )
    assert outcomes == ["already-decided", "already-decided", "done"]
    assert desk.count_payments() == verbs_of(tournament).count("old-laptop.added")


@pytest.mark.parametrize(
    ("decision", "verb"), [("leave-out", "old-laptop.left-out"), ("by-hand", "old-laptop.by-hand")]
)
def test_what_is_not_added_is_only_logged(desk: Desk, decision: str, verb: str) -> None:
    act = desk.miss_payment()
    desk.decide(act, decision)
    entry = AuditEntry.objects.filter(tournament=desk.event.tournament).order_by("-seq")[0]
    assert (entry.verb, entry.about, entry.data["recorded_by"]) == (
        verb,
        f"Payment recorded · {desk.entrant}",
        str(desk.person),
    )
    assert desk.count_payments() == 0


def test_what_a_phone_has_sent_again_by_itself_is_not_added_twice(desk: Desk) -> None:
    url, fields = payment_form(desk.client, desk.entrant)
    before = Snapshot()
    desk.client.post(url, fields)
    [act] = missed(after=before)
    desk.client.post(url, fields)
    assert "This laptop already had it" in desk.decide(act, "add")
    assert desk.count_payments() == 1
    assert verbs_of(desk.event.tournament)[-1] == "old-laptop.found"


class Payout:
    """A finished event, and a director who pays its winner or adds a payout that only the old laptop recorded."""

    def __init__(self) -> None:
        self.event = a_finished_event()
        self.director = Client()
        self.director.force_login(a_user("director", self.event.tournament))
        self.page = event_url("tournament:desk_prizes", self.event)

    def pay(self) -> None:
        [form] = read_html(get_page(self.page, self.director)).xpath('//form[.//input[@name="act"][@value="pay"]]')
        assert self.director.post(self.page, fields_of(form) | {"method": "cash"}).status_code == 302

    def add(self, act: MissingAction) -> str:
        page = f"/desk/{self.event.tournament.slug}/backups/old-laptop/"
        return page_text(self.director.post(page, {"act": act.key, "decision": "add"}, follow=True))

    def count(self) -> int:
        return PaidOut.objects.filter(entrant__event=self.event).count()


def test_a_prize_that_was_paid_during_the_takeover_is_added_once() -> None:
    payout = Payout()
    before = Snapshot()
    payout.pay()
    [act] = missed(after=before)
    assert payout.count() == 0
    assert "Added: " in payout.add(act)
    payout.add(act)
    assert payout.count() == 1


def test_a_prize_that_was_paid_again_after_the_takeover_is_not_added() -> None:
    payout = Payout()
    before = Snapshot()
    payout.pay()
    [act] = missed(after=before)
    payout.pay()
    assert "Not added: " in payout.add(act)
    assert payout.count() == 1


def test_an_export_that_the_old_laptop_had_begun_is_made_here(settings: Any) -> None:
    settings.REDIS_URL = ""
    event = an_event()
    job = request_job(
        event, kind="results", title="Results", task="test.export", parameters={}, by=a_director(event.tournament)
    )
    begin_job(job.pk)
    begin_installation_epoch(Installation.Origin.STARTED)
    save_link(a_link(LaptopRole.SECOND))
    take_over()
    with time_machine.travel(timezone.now() + HEARTBEAT_TIMEOUT + timedelta(seconds=1), tick=False):
        assert resend_lost_jobs() == 1
    job.refresh_from_db()
    assert job.state == job.State.QUEUED


def test_acts_of_before_a_restore_are_not_taken_for_later_ones(desk: Desk) -> None:
    """After a restore, new rows get the primary keys of lost rows, so their change numbers tell them apart."""
    before, confirmed = Snapshot(), load_last_change()
    pay(desk.client, desk.entrant, "75")
    lost = load_last_change()
    before.bring_back()
    adopt_restored_database("a backup", above=1, changes_above=lost)
    pay(desk.client, desk.entrant, "50")
    acts = load_actions_since_change(max(confirmed, lost))
    assert [row.amounts.get("cents") for act in acts for row in act.rows if row.verb == "ledger.payment"] == [50_00]
    assert [act.request.body.count("cents=50") for act in acts if act.request is not None] == [1]


def test_another_entrant_with_the_same_number_does_not_get_the_payment(desk: Desk) -> None:
    event = desk.event
    before = Snapshot()
    pay(desk.client, an_entrant(event, "Alan Turing"))
    *_rest, act = missed(after=before)
    another = an_entrant(event, "Grace Hopper")
    assert "would record something else" in desk.decide(act, "add")
    assert not another.ledger.exists() and "I entered it by hand" in desk.decide(act, "add")


def test_a_person_who_may_no_longer_do_it_is_refused_with_the_reason(desk: Desk) -> None:
    act = desk.miss_payment()
    StaffRole.objects.filter(user=desk.person).delete()
    page = desk.decide(act, "add")
    assert f"Not added: Payment recorded · {desk.entrant}. Only the desk of this tournament can do this." in page
    assert desk.count_payments() == 0 and "old-laptop.added" not in verbs_of(desk.event.tournament)


def test_a_called_off_event_is_the_reason_and_the_form_is_one_click_away(desk: Desk) -> None:
    act = desk.miss_payment()
    Event.objects.filter(pk=desk.event.pk).update(state=Event.State.CALLED_OFF)
    answer = desk.director.post(desk.page, {"act": act.key, "decision": "add"}, follow=True)
    assert "is called off. Nothing was recorded." in page_text(answer)
    assert f'href="{event_url("tournament:desk_sale", desk.event, number=1)}"' in answer.content.decode()


def test_what_no_request_has_written_can_only_be_entered_by_hand(desk: Desk) -> None:
    before = Snapshot()
    write(desk.event.tournament, about="by the program")
    missed(after=before)
    page = page_text(get_page(desk.page, desk.director))
    assert "This action cannot be added." in page and "I entered it by hand" in page


def test_all_rows_of_one_request_are_one_act(desk: Desk) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        write(desk.event.tournament, about="one")
        write(desk.event.tournament, about="two")
        return HttpResponse()

    before = Snapshot()
    KeepUnconfirmedRequestsMiddleware(view)(RequestFactory().post("/desk/x/"))
    [act] = load_actions_since_change(before.change)
    assert [row.about for row in act.rows] == ["one", "two"]


def test_acts_are_listed_oldest_first(desk: Desk) -> None:
    before = Snapshot()
    for dollars in ("10", "20", "30"):
        pay(desk.client, desk.entrant, dollars)
    missed(after=before)
    page = page_text(get_page(desk.page, desk.director))
    assert page.index("$10.00") < page.index("$20.00") < page.index("$30.00")


def test_a_later_act_can_be_added_first(desk: Desk) -> None:
    before = Snapshot()
    for dollars in ("10", "20"):
        pay(desk.client, desk.entrant, dollars)
    _first, second = missed(after=before)
    desk.decide(second, "add")
    assert LedgerLine.objects.get(kind="payment").cents == 2000


def test_the_same_acts_are_stored_once_and_those_of_an_earlier_takeover_stay(desk: Desk) -> None:
    before = Snapshot()
    pay(desk.client, desk.entrant)
    [act] = missed(after=before)
    save_missing_actions([act.as_json()])
    write(desk.event.tournament)
    save_missing_actions([each.as_json() for each in load_actions_since_change(before.change)])
    assert len(json.loads(get_missing_actions_file().read_text())) == 2


def test_the_requests_are_deleted_after_the_last_decision(desk: Desk) -> None:
    desk.decide(desk.miss_payment(), "leave-out")
    assert not get_missing_actions_file().exists()
    assert "Nothing left to decide" in get_page(desk.page, desk.director)


# --- Who sees and decides --------------------------------------------------------------------------------------------


def test_today_and_the_page_of_the_second_laptop_lead_to_the_list(desk: Desk) -> None:
    desk.miss_payment()
    today = get_page(event_url("scoring:desk_today", desk.event), desk.director)
    second = get_page(f"/desk/{desk.event.tournament.slug}/backups/second-laptop/", desk.director)
    for page in (today, second):
        assert "1 action was recorded only on the old laptop" in page and f'href="{desk.page}"' in page


def test_today_says_nothing_when_all_is_decided(desk: Desk) -> None:
    desk.decide(desk.miss_payment(), "leave-out")
    assert "old laptop" not in get_page(event_url("scoring:desk_today", desk.event), desk.director)


def test_only_a_director_of_the_tournament_decides(desk: Desk) -> None:
    act = desk.miss_payment()
    assert desk.client.post(desk.page, {"act": act.key, "decision": "add"}).status_code == 403
    elsewhere = an_event()
    page = f"/desk/{elsewhere.tournament.slug}/backups/old-laptop/"
    answer = client_as("director", elsewhere).post(page, {"act": act.key, "decision": "add"}, follow=True)
    assert "This was already decided" in page_text(answer)
    assert desk.count_payments() == 0


@pytest.mark.parametrize("is_administrator", [True, False])
def test_acts_of_a_tournament_that_is_not_here_are_for_administrators(desk: Desk, is_administrator: bool) -> None:
    before = Snapshot()
    write(a_tournament(), about="Room 7")
    missed(after=before)
    client = Client()
    client.force_login(a_user("director", desk.event.tournament, is_superuser=is_administrator))
    assert ("Room 7" in get_page(desk.page, client)) is is_administrator


def test_the_form_on_a_players_private_page_is_not_offered_to_the_director(desk: Desk) -> None:
    act = desk.miss_payment().as_json()
    private = f"/my/{desk.entrant.token}/"
    save_missing_actions([{**act, "request": {**act["request"], "page": private}}])
    page = get_page(f"{desk.page}?refused={act['key']}", desk.director)
    assert "Open the page to enter it" in page and private not in page


# --- Deadlines, and draws --------------------------------------------------------------------------------------------


@contextmanager
def later(**by: float) -> Iterator[None]:
    with time_machine.travel(timezone.now() + dt.timedelta(**by)):
        yield


def test_an_entry_from_before_the_deadline_is_added_after_it(desk: Desk) -> None:
    Event.objects.filter(pk=desk.event.pk).update(closes_at=timezone.now() + dt.timedelta(minutes=10))
    page = event_url("tournament:register", desk.event)
    form = fields_of(read_html(get_page(page)).xpath("//form[@method='post']")[0])
    before = Snapshot()
    assert Client().post(page, {**form, "name": "Alan Turing", "email": "alan@example.org"}).status_code == 302
    [act] = missed(after=before)
    with later(hours=1):
        assert "Added: " in desk.decide(act, "add")
    entrant = desk.event.entrants.get(name="Alan Turing")
    assert entrant.entered_at == act.at  # so the fee is the one of that day, too
    assert entrant.members.get().at > act.at + dt.timedelta(minutes=50)


def test_a_payment_belongs_to_the_business_day_on_which_it_was_taken(desk: Desk) -> None:
    act = desk.miss_payment()
    with later(days=1):
        desk.decide(act, "add")
    venue = ZoneInfo(desk.event.tournament.time_zone)
    assert LedgerLine.objects.get(kind="payment").movement.day == act.at.astimezone(venue).date()


def test_a_time_in_the_future_is_not_believed(desk: Desk) -> None:
    act = replace(desk.miss_payment(), at=timezone.now() + dt.timedelta(days=400))
    save_missing_actions([act.as_json()])
    desk.decide(act, "add")
    venue = ZoneInfo(desk.event.tournament.time_zone)
    assert LedgerLine.objects.get(kind="payment").movement.day == timezone.now().astimezone(venue).date()


def test_a_correction_from_before_the_card_was_final_needs_no_second_official() -> None:
    table = Table()
    post(table.card)
    url = event_url("scoring:desk_hand", table.event, token=table.card.token, number=2)
    sent = {"up": "9C", "outcome": "gin", "by": "A", "counts_A": "0", "counts_B": "31", "key": "k", "reason": "was 31"}
    person = client_as("desk", table.event)
    before = Snapshot()
    assert person.post(url, sent).status_code == 302
    [act] = missed(after=before)
    with later(hours=8):
        assert "Added: " in table.add(act)
    assert load_card_state_by_pk(table.card.pk).lines[1].line["counts"]["B"] == 31
    assert not StaffEntry.objects.exists()


def add(act: MissingAction, event: Event) -> None:
    add_missing_action(act, event.tournament, by=a_director(event.tournament), site=RequestFactory().get("/"))


def cut_on_the_draw_page(client: Client, event: Event) -> None:
    cut = {"act": "cut", "public": "7H QS 2D", "key": "cut"}
    assert client.post(event_url("pairing:desk_draw", event), cut).status_code == 302


def test_a_draw_from_the_same_seal_is_added_with_the_same_order() -> None:
    event = close(an_open_event(12))
    client, before = client_as("director", event), Snapshot()
    cut_on_the_draw_page(client, event)
    [act] = missed(after=before)
    add(act, event)
    assert Draw.objects.get().order == act.rows[0].drawn["order"]


def test_a_draw_from_another_seal_is_not_added() -> None:
    event = an_open_event(12)
    client, before = client_as("director", event), Snapshot()
    cut_on_the_draw_page(client, close(event))
    *_others, act = missed(after=before)
    close(event)
    with refused("not-added") as refusal:
        add(act, event)
    assert "Make the draw again here, from the seal to the cut." in str(refusal.value)
    assert not Draw.objects.exists()


# --- A hand from a phone ---------------------------------------------------------------------------------------------


class Table:
    """A score card in play, the page of its scorekeeper, and a director."""

    def __init__(self) -> None:
        self.event = an_event_in_play()
        self.card = the_card(self.event)
        cut_for(self.card)
        self.url = my_card_url(self.card, "hand")
        self.fields = {"up_rank": "8", "up_suit": "H", "outcome": "gin", "by": "A", "counts_A": "0", "counts_B": "20"}
        self.page = f"/desk/{self.event.tournament.slug}/backups/old-laptop/"
        self.director = client_as("director", self.event)

    def enter_hand(self, rank: str = "8") -> None:
        form = fields_of(read_html(get_page(self.url)).xpath("//form[@data-hand-form]")[0])
        assert Client().post(self.url, {**form, **self.fields, "up_rank": rank}).status_code == 302

    def count_hands(self) -> int:
        return len(load_card_state_by_pk(self.card.pk).lines)

    def add(self, act: MissingAction) -> str:
        return page_text(self.director.post(self.page, {"act": act.key, "decision": "add"}, follow=True))


def test_hands_are_added_in_their_order() -> None:
    table = Table()
    before = Snapshot()
    table.enter_hand("8")
    table.enter_hand("9")
    first, second = missed(after=before)
    assert first.details.startswith("Hand 1: Ada went gin with 0 against 20")
    assert "Not added: Hand recorded" in table.add(second)
    for act in (first, second):
        assert "Added: Hand recorded" in table.add(act)
    assert table.count_hands() == 2


def test_a_hand_is_refused_if_the_card_has_another_one() -> None:
    table = Table()
    before = Snapshot()
    table.enter_hand()
    [act] = missed(after=before)
    play(table.card, gin("B", 30))
    assert "Not added: Hand recorded" in table.add(act)
    assert table.count_hands() == 1
