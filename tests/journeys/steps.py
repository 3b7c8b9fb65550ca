"""What several journeys do: sign in, meet the two of a match, put an event somewhere by the services."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Page, expect

from scoring.card_state.selectors.players import SeatedMatch
from scoring.models import Card
from scoring.rehearsal.services.demo import Demo
from tests.browser import look
from tests.chance import in_part
from tests.factories import a_director, an_event
from tests.journeys.person import Person
from tests.kit import desk_url, public_url
from tests.screens import SIDEWAYS, WIDTHS, set_screen, unfit
from tournament.core.permissions import Actor
from tournament.models import Event, User
from tournament.registration.services.imported_lists import import_good_rows, take_list
from tournament.setup.services.sign_in import make_link


@dataclass(frozen=True, slots=True)
class Played:
    """A demo event, as far as it was played, and who directs it."""

    demo: Demo
    event: Event
    by: Actor

    @property
    def page(self) -> str:
        return public_url(self.event)

    @property
    def desk(self) -> str:
        return desk_url(self.event)

    @property
    def director(self) -> User:
        return User.objects.get(email="director@example.org")


def played(entrants: int, until: str, *, seed: int = 7) -> Played:
    demo = Demo(entrants, seed, say=lambda _line: None)
    event, by = demo.set_up()
    demo.register(event, by)
    if until != "registration":
        demo.draw(event, by)
    if until not in ("registration", "drawn"):
        demo.play(event, by, until=until)
    return Played(demo, Event.objects.select_related("tournament").get(pk=event.pk), by)


def sign_in(page: Page, user: User, *, to: str = "/desk/") -> None:
    """By a link that works once, as the command prints it."""
    page.goto(f"/sign-in/{make_link(user, goes_to=to)}/")
    page.get_by_role("button", name="Sign me in").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def leave_network(page: Page) -> None:
    """Take the network from a card page once it has what it needs to go on without."""
    expect(page.locator("[data-outbox]")).to_have_attribute("data-offline-ready", "")
    page.context.set_offline(True)


def sign_on(page: Page) -> None:
    """With a finger on the pad of this page: a stroke is enough of a name."""
    pad = page.locator("[data-signature-canvas]")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    assert box is not None
    x, y = box["x"] + 30, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 12):
        page.mouse.move(x + 18 * step, y + (25 if step % 2 else -25), steps=3)
    page.mouse.up()


def card_of(meeting: SeatedMatch) -> Card:
    """The card of the game that these two play now."""
    return meeting.match.cards.filter(sides_key=meeting.key).order_by("-game")[0]


def finish_over_what_is_open(desk: Page) -> None:
    """The cards were posted a moment ago: the page says what is still open, and asks for the reason."""
    expect(desk.get_by_text("This is still open:")).to_be_visible()
    expect(desk.get_by_role("main").get_by_text(re.compile("correction period", re.IGNORECASE)).first).to_be_visible()
    for width, height in ((360, 740), (1280, 800)):
        desk.set_viewport_size({"width": width, "height": height})
        assert desk.evaluate(SIDEWAYS) == 0
        look(desk, f"finish-{width}", contrast=width == 360)
    desk.get_by_label("Reason to finish anyway").fill("everybody has left the hall")
    desk.get_by_role("button", name="Finish the event").click()


CUT: Final = ("seven of hearts", "queen of spades", "two of diamonds")


def enter_a_card(director: Person, table: int, first: str, second: str) -> None:
    """Enter a card with the keys that the page names."""
    expect(director.page.locator("[name=table]")).to_be_focused()
    director.writes(str(table))
    director.presses("Enter")
    expect(director.page.locator("[name=total_A]")).to_be_focused()
    director.writes(first)
    director.presses("Tab")
    director.writes(second)
    director.presses("F2")
    expect(director.page.get_by_role("region", name="Last").get_by_text(f"T{table}", exact=True).first).to_be_visible()


LISTED = (
    "Lovelace, Ada", "Turing, Alan", "Hopper, Grace", "Gödel, Kurt", "Noether, Emmy", "Östlund, Åsa",
    "van Beethoven, Ludwig", "King, Martin, Jr.", "Curie, Marie", "Franklin, Rosalind", "Johnson, Katherine",
    "Zola, Émile",
)  # fmt: skip


def an_imported_field() -> Event:
    event = an_event()
    by = a_director(event.tournament)
    content = "\n".join(["name,email", *(f'"{name}",p{turn}@example.org' for turn, name in enumerate(LISTED))])
    import_good_rows(take_list(event, "players.csv", content.encode(), by=by), by=by)
    return event


PHONE, TABLET, LAPTOP = WIDTHS


NAMES: Final = {PHONE: "phone", LAPTOP: "laptop"}
"""The screens at which axe looks; between the two a page is only measured."""


def faults_of(page: Page, name: str, number: int | None = None) -> list[str]:
    """Measure a page on each screen, and have axe look at it on a phone and a laptop.

    With the number of the page, a quick run measures it on a phone and on one of the two other screens, and axe looks
    at it on the phone or on the laptop.
    """
    found = []
    one, other = (number is None or in_part(number + turn, 2) for turn in (0, 1))
    for width, wanted, looked_at in ((PHONE, True, one), (TABLET, one, False), (LAPTOP, other, other)):
        if not wanted:
            continue
        set_screen(page, width, WIDTHS[width])
        found += [f"{name}, {width}: {fault}" for fault in unfit(page)]
        if not looked_at:
            continue
        try:
            look(page, f"{name}-{NAMES[width]}", contrast=width == PHONE)
        except AssertionError as violations:
            found.append(f"{name}, {width}: {violations}")
    return found
