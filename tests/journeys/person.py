"""Somebody at a screen: does what it offers, and each click, key and screen is counted."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from playwright.sync_api import Frame, Locator, Page, expect

from tests.browser import press, write

SECONDS_A_SCREEN: Final = 2.0
"""As long a newcomer looks at a screen before they do anything."""


@dataclass
class Person:
    page: Page
    clicks: int = 0
    keys: int = 0
    screens: int = 0
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.page.on("framenavigated", self._sees_a_screen)

    def _sees_a_screen(self, frame: Frame) -> None:
        self.screens += frame == self.page.main_frame

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    @property
    def seconds(self) -> float:
        """What it took, with a look at each screen."""
        return time.monotonic() - self.began + self.screens * SECONDS_A_SCREEN

    def follows(self, offered: str) -> None:
        """The one big button of the page."""
        button = self.page.locator("main .btn-lg.btn-primary:visible")
        expect(button).to_have_count(1)
        expect(button).to_have_text(offered)
        self.clicks += 1
        button.click()

    def clicks_on(self, role: str, name: str) -> None:
        self.clicks += 1
        self.main.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]

    def goes_to(self, entry: str) -> None:
        """An entry of the menu."""
        self.clicks += 1
        self.page.get_by_role("navigation").get_by_role("link", name=entry, exact=True).first.click()

    def opens(self, group: str, entry: str) -> None:
        """A group of the menu that is shut, and an entry in it."""
        self.clicks += 1
        self.page.get_by_role("navigation").locator("summary", has_text=group).click()
        self.goes_to(entry)

    def chooses_file(self, label: str, path: Path) -> None:
        """One click on the field, one on the file, one on the button of the system's own window."""
        self.clicks += 3
        self.main.get_by_label(label).set_input_files(path)

    def presses(self, *keys: str) -> None:
        self.keys += len(keys)
        press(self.page, *keys)

    def writes(self, text: str) -> None:
        """Into the field that has the focus."""
        self.keys += len(text)
        write(self.page, text)

    def unchecks(self, label: str) -> None:
        self.clicks += 1
        self.main.get_by_label(label, exact=True).uncheck()

    def types(self, label: str, text: str) -> None:
        self.keys += len(text)
        field = self.main.get_by_label(re.compile(rf"^\s*{re.escape(label)}\s*\*?\s*$"))
        field.first.fill(text)

    def taps(self, question: str, answer: str) -> None:
        """A key of a group of keys, as in the form of a hand."""
        self.clicks += 1
        group = self.page.get_by_role("group", name=question)
        group.locator(".key", has_text=re.compile(rf"^\W*{re.escape(answer)}$")).first.click()


def set_up_a_tournament(volunteer: Person) -> None:
    """From an empty site to the gallery of events."""
    volunteer.clicks_on("link", "Set up a tournament")
    for label, text in {"Name": "Desert Classic", "Venue": "Palm Desert"}.items():
        volunteer.types(label, text)
    for label, day in {"First day": "2099-11-27", "Last day": "2099-11-29"}.items():
        volunteer.types(label, day)
    volunteer.clicks_on("button", "Save")
    volunteer.clicks_on("link", "Add the first event")
