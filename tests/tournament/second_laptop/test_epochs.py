"""Phones carry signed epochs between laptops.

An epoch is a number that rises with each takeover. A laptop that was replaced stops when a phone brings it a higher
epoch.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from tests.factories import an_event
from tests.kit import desk_url
from tournament.core.selectors.epochs import OwnEpoch, load_own_epoch, sign_epoch
from tournament.core.services.installation import begin_installation_epoch
from tournament.models import Event, Installation
from tournament.second_laptop.live import LaptopInfo, describe_laptop
from tournament.second_laptop.selectors import (
    LaptopLink,
    LaptopRole,
    get_link_folder,
    read_link,
    read_second_laptop_url,
)
from tournament.second_laptop.services.roles import save_link, save_second_laptop_url

OURS = "a" * 32
OWN = OwnEpoch(OURS, 3, 0)
LESS, TAKER, MORE = "4" * 32, "5" * 32, "6" * 32


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Any, settings: Any) -> None:
    settings.VAR_DIR = tmp_path
    settings.SECOND_LAPTOP_ACK_FILE = tmp_path / "second-laptop" / "ack"


def signed_elsewhere() -> str:
    with override_settings(SECRET_KEY="of another installation"):
        return sign_epoch(OURS, 9, TAKER)


@pytest.mark.parametrize(
    ("make_proof", "replaced"),
    [
        (lambda: sign_epoch(OURS, 4, TAKER), True),
        (lambda: sign_epoch(OURS, 2, TAKER), False),
        (lambda: sign_epoch("b" * 32, 4, TAKER), False),
        (lambda: sign_epoch("b" * 32, 4, TAKER).replace("b" * 32, OURS), False),
        (lambda: sign_epoch(OURS, 4, TAKER).replace("4-", "5-", 1), False),
        (lambda: sign_epoch(OURS, 4, TAKER).replace(TAKER, MORE), False),
        (signed_elsewhere, False),
        (lambda: f"4-{OURS}-{TAKER}-{'0' * 32}", False),
        (lambda: "4", False),
        (lambda: "٤-" + sign_epoch(OURS, 4, TAKER)[2:], False),
        (lambda: "", False),
    ],
    ids=[
        *("higher", "lower", "other site", "renamed site", "raised"),
        *("other taker", "other key", "forged", "bare", "digit", "none"),
    ],
)
def test_only_a_signed_higher_epoch_of_this_installation_replaces_it(
    make_proof: Callable[[], str], replaced: bool
) -> None:
    assert OWN.is_replaced_by(make_proof()) is replaced


@pytest.mark.parametrize(
    ("own", "replaced"),
    [
        (OwnEpoch(OURS, 3, 0), True),
        (OwnEpoch(OURS, 3, 2, MORE), True),
        (OwnEpoch(OURS, 3, 3, LESS), True),
        (OwnEpoch(OURS, 3, 3, TAKER), False),
        (OwnEpoch(OURS, 3, 3, MORE), False),
    ],
    ids=["restored", "took over, then restored", "took over, sorts before", "the same takeover", "sorts after"],
)
def test_of_two_laptops_with_the_same_epoch_one_goes_on(own: OwnEpoch, replaced: bool) -> None:
    assert own.is_replaced_by(sign_epoch(OURS, 3, TAKER)) is replaced


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("origins", "taken_over"),
    [
        (["started"], 0),
        (["started", "restored"], 0),
        (["started", "taken-over"], 2),
        (["started", "taken-over", "restored"], 2),
    ],
)
def test_only_a_takeover_is_proved(origins: list[str], taken_over: int) -> None:
    for origin in origins:
        begin_installation_epoch(Installation.Origin(origin))
    own = load_own_epoch()
    assert own is not None and (own.epoch, own.taken_over) == (len(origins), taken_over)
    assert bool(own.proof) == bool(taken_over)


def an_installation() -> OwnEpoch:
    begin_installation_epoch(Installation.Origin.STARTED)
    own = load_own_epoch()
    assert own is not None
    return own


def hear(cookie: str, news: LaptopInfo | None = None) -> None:
    asyncio.run((news or LaptopInfo()).check_takeover_proof([(b"host", b"hall.test"), (b"cookie", cookie.encode())]))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("role", "raised_by", "after"),
    [
        (LaptopRole.FIRST, 1, LaptopRole.SHUT_OUT),
        (LaptopRole.FIRST, -1, LaptopRole.FIRST),
        (LaptopRole.SECOND, 1, LaptopRole.SECOND),
        (None, 1, LaptopRole.SHUT_OUT),
        (None, -1, None),
    ],
)
def test_a_laptop_that_was_replaced_is_shut_out_by_a_phone(
    role: LaptopRole | None, raised_by: int, after: LaptopRole | None
) -> None:
    own = an_installation()
    if role is not None:
        save_link(LaptopLink(role=role, key="aa"))
    hear(f"messages=x; laptop_epoch={sign_epoch(own.installation, own.epoch + raised_by, TAKER)}")
    link = read_link()
    assert (link.role if link else None) is after


@pytest.mark.django_db(transaction=True)
def test_a_write_is_refused_as_soon_as_a_phone_brought_the_proof(client: Client) -> None:
    """The laptop must refuse writes even in the moment before its web processes are restarted."""
    own = an_installation()
    hear(f"laptop_epoch={sign_epoch(own.installation, own.epoch + 1, TAKER)}")
    accept = {"Accept": "application/json"}
    answer = client.post("/api/cards/none/kept", {}, content_type="application/json", headers=accept)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (503, "shut-out")


@pytest.mark.django_db(transaction=True)
def test_a_known_proof_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    own, news, checked = an_installation(), LaptopInfo(), list[str]()
    proof = sign_epoch(own.installation, own.epoch, TAKER)
    monkeypatch.setattr(OwnEpoch, "is_replaced_by", lambda _own, proof: checked.append(proof))
    for _request in range(3):
        hear(f"laptop_epoch={proof}", news)
    assert checked == [proof]


# --- What phones are told --------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_laptop_that_always_was_alone_tells_phones_nothing() -> None:
    an_installation()
    assert LaptopInfo().make_stream_message() == ""


def test_a_laptop_that_was_shut_out_tells_phones_a_lower_epoch_than_that_of_the_other_one() -> None:
    """Phones move only to a laptop with a higher epoch. Both laptops have begun epoch 3, so this one reports 2."""
    save_link(LaptopLink(role=LaptopRole.SHUT_OUT, key="aa", epoch=3))
    assert describe_laptop(OWN)["epoch"] == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("role", [LaptopRole.FIRST, LaptopRole.SHUT_OUT])
def test_phones_learn_where_the_second_laptop_is(role: LaptopRole) -> None:
    own = an_installation()
    save_link(LaptopLink(role=role, key="aa", epoch=2))
    save_second_laptop_url("http://192.168.1.21:8000")
    told = {"role": role.value, "installation": own.installation, "epoch": 1, "proof": ""}
    assert json.loads(LaptopInfo().make_stream_message()) == {**told, "second": "http://192.168.1.21:8000"}


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "ftp://a", "http://", "http://a/path", "//a"])
def test_an_address_that_is_no_site_is_not_remembered(url: str) -> None:
    save_second_laptop_url("http://192.168.1.21:8000")
    save_second_laptop_url(url)
    assert read_second_laptop_url() == "http://192.168.1.21:8000"


def test_the_address_is_forgotten_with_the_second_laptop() -> None:
    get_link_folder().mkdir()
    save_second_laptop_url("http://192.168.1.21:8000")
    assert describe_laptop(OWN)["second"] == ""


def test_a_laptop_that_takes_over_says_so_only_when_it_may_write(settings: Any) -> None:
    """If phones learned of the takeover earlier, they would move to pages that still refuse everything."""
    settings.READ_ONLY_DATABASE = True
    assert describe_laptop(OWN)["role"] == "second"
    settings.READ_ONLY_DATABASE = False
    assert describe_laptop(OWN)["role"] == "alone"


@pytest.mark.django_db
def test_pages_of_the_other_laptop_may_read_the_state_and_nothing_else(client: Client) -> None:
    answer = client.get("/second-laptop/state/", headers={"Origin": "http://192.168.1.20:8000"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert "Access-Control-Allow-Origin" not in client.get("/", headers={"Origin": "http://192.168.1.20:8000"}).headers
    assert answer.json()["role"] == "alone"


# --- The page of the laptop that took over ---------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("origin", "days_ago", "shown"), [("taken-over", 0, True), ("taken-over", 8, False), ("restored", 0, False)]
)
def test_the_page_of_the_laptop_says_how_paper_leads_to_it(
    client: Client, origin: str, days_ago: int, shown: bool
) -> None:
    event = an_event(state=Event.State.OPEN)
    installation = begin_installation_epoch(Installation.Origin(origin), "192.168.1.20:8002")
    Installation.objects.filter(pk=installation.pk).update(at=timezone.now() - timedelta(days=days_ago))
    page = client.get("/second-laptop/").content.decode()
    assert [part in page for part in ("<strong>192.168.1.20</strong>", desk_url(event, "share/"))] == [shown, shown]
