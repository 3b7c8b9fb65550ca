"""Test that a phone with an unsent hand switches to the second laptop by itself.

Both laptops run with all their processes, as at a real event. The first one is killed, and the second one takes over.
"""

from __future__ import annotations

import http.client
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from config.environment import BASE_DIR
from tests.browser import Browsers, look, open_context, photograph
from tests.journeys.steps import record_hand
from tests.laptop.runs import all_of, environment_of, manage, page, status
from tests.processes import PATIENCE, Process, free_port, until

pytestmark = [pytest.mark.browser, pytest.mark.sample("two laptops", 2)]

EVENT: Final = """
from tests.scoring.helpers.playing import an_event_in_play, cut_for, the_card
card = the_card(an_event_in_play(target=900))
cut_for(card)
print(f"/my/{card.entrants[0].token}/card/{card.token}/")
"""


@dataclass(frozen=True, slots=True)
class Laptop:
    folder: Path
    host: str
    port: int
    link_port: int

    @property
    def site(self) -> str:
        return f"http://{self.host}:{self.port}"

    @contextmanager
    def running(self) -> Iterator[Process]:
        """Run all processes of the site, and kill them at the end of the block, as if the laptop had broken down.

        The block begins when the first page is available.
        """
        log_file = self.folder / "run.log"
        self.folder.mkdir(exist_ok=True)
        with log_file.open("ab") as log:
            popen = subprocess.Popen(
                [sys.executable, "-m", "laptop.run"],
                cwd=BASE_DIR,
                env={
                    **environment_of(self.folder),
                    "PORT": str(self.port),
                    "LINK_PORT": str(self.link_port),
                    "HALL_HOST": self.host,
                    "BACKUPS": "0",
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        run = Process(popen, log_file)
        try:
            until(lambda: status(self.port) == 200, run)
            yield run
        finally:
            kill(run)

    def count_hands(self) -> int:
        with closing(sqlite3.connect(self.folder / "db.sqlite3")) as database:
            return int(database.execute("SELECT COUNT(*) FROM scoring_sheetline").fetchone()[0])

    def add_second(self) -> str:
        """Run the command that adds a second laptop, and return the six words that it prints."""
        command = [sys.executable, "manage.py", "second_laptop", "add"]
        environment = {**environment_of(self.folder), "LINK_PORT": str(self.link_port)}
        return subprocess.run(command, cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=True).stdout


def kill(run: Process) -> None:
    left = all_of(run)
    run.popen.kill()
    run.popen.wait()
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.long
def test_a_phone_with_an_unsent_hand_goes_on_at_the_second_laptop(tmp_path: Path, chromium: Browsers) -> None:
    first = Laptop(tmp_path / "first", "hall.test", free_port(), free_port())
    second = Laptop(tmp_path / "second", "second.test", free_port(), free_port())
    context = open_context(chromium("wide"), "phone", base_url=first.site)
    with second.running() as spare, first.running() as run:
        card = manage(first.folder, "shell", "--no-imports", "-c", EVENT)
        phone = context.new_page()
        phone.goto(card)
        follow(open_context(chromium("wide"), "desktop").new_page(), first, second)
        until(lambda: remembered(phone), run)
        kill(run)
        enter_hand(phone)
        expect(phone.get_by_text("The tournament’s laptop does not answer.")).to_be_visible()
        photograph(phone, "first-laptop-gone")
        take_over(open_context(chromium("wide"), "desktop").new_page(), second)
        phone.wait_for_url(f"{second.site}{card}", timeout=PATIENCE * 1000)
        expect(phone.get_by_text("The second laptop has taken over")).to_be_visible()
        look(phone, "second-laptop-took-over")
        until(lambda: second.count_hands() == 1, spare)
        expect(phone.get_by_role("link", name="Enter hand 2")).to_be_visible()
        look(phone, "hand-sent-to-second-laptop")
        phone.reload()
        expect(phone.locator("[data-outbox-kept]")).to_be_hidden()
        with first.running() as back:
            other = context.new_page()
            other.goto(f"{first.site}{card}")
            other.wait_for_url(f"{second.site}{card}")
            until(lambda: says_it_was_replaced(first, card), back)
        assert (second.count_hands(), first.count_hands()) == (1, 0)


def says_it_was_replaced(first: Laptop, card: str) -> bool:
    """Return whether the card page of the first laptop says that the laptop was replaced.

    The laptop does not respond while its processes restart as read-only.
    """
    with suppress(OSError, http.client.HTTPException):
        return "records nothing anymore" in page(first.port, card)
    return False


def follow(desk: Page, first: Laptop, second: Laptop) -> None:
    """Submit the form on the second laptop that lets it follow the first one."""
    words = first.add_second()
    desk.goto(f"http://127.0.0.1:{second.port}/second-laptop/")
    desk.get_by_label("Address of the first laptop").fill(f"127.0.0.1:{first.link_port}")
    desk.get_by_label("The six words").fill(words)
    desk.get_by_role("button", name="Follow it").click()


def remembered(phone: Page) -> bool:
    return bool(phone.evaluate("localStorage.getItem('laptops')"))


def enter_hand(phone: Page) -> None:
    phone.get_by_role("link", name="Enter hand 1").click()
    record_hand(phone, "AH", "gin", "0", "11")
    expect(phone.get_by_text("Kept on this phone: 1")).to_be_visible()


def take_over(desk: Page, second: Laptop) -> None:
    desk.goto(f"http://127.0.0.1:{second.port}/second-laptop/")
    desk.get_by_role("button", name="Take over now").click()
