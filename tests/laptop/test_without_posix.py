"""Play an event on its pages, and print, without a broker and without what Python lacks on Windows."""

from __future__ import annotations

import http.cookiejar
import re
import signal
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.laptop.runs import WITHOUT_POSIX, all_of, is_alive, pids, serve, starting
from tests.page_forms import fields_of, read_html
from tests.processes import PATIENCE, Process, until

DESK = "/desk/desert-classic/singles"


class Visitor:
    """A browser without scripts. `page` is the page that it shows, and `content` is the last response."""

    def __init__(self, port: int) -> None:
        self.address, self.page, self.content = f"http://127.0.0.1:{port}", read_html("<p></p>"), b""
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(cookies)

    def open(self, path: str, fields: dict[str, str] | None = None) -> str:
        """Open a page, or send fields to it, and return the text of the page that comes."""
        data = urllib.parse.urlencode(fields).encode() if fields is not None else None
        try:
            response = self._opener.open(urllib.parse.urljoin(self.address, path), data, timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{error} at {error.url}: {read_html(error.read()).text_content()}") from None
        with response:
            self.address, self.content = response.url, response.read()
            if response.headers.get_content_type() == "text/html":
                self.page = read_html(self.content.decode())
        return " ".join(self.page.text_content().split())

    def follow(self, link: str) -> str:
        return self.open(self.page.xpath(f"//a[contains(text(), '{link}')]/@href")[0])

    def press(self, label: str, **fields: str) -> str:
        """Press the first button with this label, after filling in these fields of its form."""
        for form in self.page.xpath("//form[@method='post']"):
            for button in form.xpath(".//button"):
                if " ".join(button.text_content().split()) == label:
                    own = {button.get("name"): button.get("value")} if button.get("name") else {}
                    return self.open(form.get("action") or self.address, {**fields_of(form), **own, **fields})
        raise AssertionError(f"{self.address} has no button “{label}”: {self.page.text_content()}")


@dataclass(frozen=True, slots=True)
class Played:
    """A site on which an event was played. `posted` is what the second player read after signing."""

    run: Process
    director: Visitor
    posted: str


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    installation = tmp_path_factory.mktemp("without posix")
    with starting(installation, installation) as start:
        port, run = serve(start, lambda run: "worker started" in run.log(), PYTHONPATH=str(WITHOUT_POSIX))
        director, players = Visitor(port), [Visitor(port) for _turn in range(2)]
        director.open(re.findall(r"/sign-in/\S+", run.log())[0])
        director.press("Sign me in")
        director.open("/desk/new/")
        days = {"starts_on": "2026-11-27", "ends_on": "2026-11-29"}
        director.press(
            "Save", name="Desert Classic", venue="Palm Desert", slug="desert-classic", your_name="Ada", **days
        )
        director.open("/desk/desert-classic/new-event/")
        director.press("Save")
        director.press("Open registration")
        codes = [_enter(player, name) for player, name in zip(players, ("Alan", "Grace"), strict=True)]
        _draw(director)
        yield Played(run, director, _play(players, codes))


def _enter(player: Visitor, name: str) -> str:
    """Enter the event, open the player's own page, and return the signing code."""
    player.open("/t/desert-classic/singles/register/")
    [code] = re.findall(r"Your signing code(\d+)", player.press("Enter", name=name, consent="on"))
    player.follow("Go to my page")
    return code


def _draw(director: Visitor) -> None:
    """Check both players in, draw, and start play, with a rule sheet by which one hand decides a game."""
    for number in "12":
        director.open(f"{DESK}/check-in/")
        director.press("Check in the marked players", number=number)
    director.open(f"{DESK}/rules/")
    director.press("Save", target="50")
    director.open(f"{DESK}/draw/")
    director.press("Close registration")
    director.press("Draw", nobody_cut="on")
    director.press("Post the draw")
    director.open(f"{DESK}/start-play/")
    director.press("Start play and assign tables")


def _play(players: list[Visitor], codes: list[str]) -> str:
    for player in players:
        player.open(f"{player.address}match/")
    players[0].press("I did")
    players[0].follow("Enter hand 1")
    hand = {"up_rank": "8", "up_suit": "S", "outcome": "gin", "by": "A", "counts_A": "0", "counts_B": "40"}
    players[0].press("Record", **hand)
    for player, code in zip(players, codes, strict=True):
        player.open(player.address)
        player.follow("Check and sign")
        answer = player.press("Sign", code=code)
    return answer


def test_neither_a_broker_nor_a_page_process_is_started(played: Played) -> None:
    assert set(pids(played.run)) == {"web", "link", "worker"}


def test_both_players_sign_the_card(played: Played) -> None:
    assert "Signed. The card is posted." in played.posted


def test_the_worker_prints_the_cards(played: Played) -> None:
    played.director.open(f"{DESK}/prints/")
    played.director.press("Print", kind="blank-cards")
    job, link = played.director.address, "//a[@download]/@href"
    until(lambda: played.director.open(job) and played.director.page.xpath(link), played.run)
    played.director.open(played.director.page.xpath(link)[0])
    assert played.director.content.startswith(b"%PDF")


def test_the_worker_makes_a_backup(played: Played) -> None:
    played.director.open("/desk/desert-classic/backups/")
    played.director.press("Back up now")
    page = played.director.address
    until(lambda: "The backup is made." in played.director.open(page), played.run)


def test_the_tournament_is_a_file(played: Played) -> None:
    played.director.open("/desk/desert-classic/documents/file/")
    played.director.press("Download this tournament as a file")
    assert played.director.content.startswith(b"PK")


def test_no_process_is_left_running(played: Played) -> None:
    everything = all_of(played.run)
    played.run.popen.send_signal(signal.SIGTERM)
    assert played.run.popen.wait(timeout=PATIENCE) == 0
    until(lambda: not any(map(is_alive, everything)))
    assert "Traceback" not in played.run.log()
