"""Steps that several browser tests share: sign in, enter a hand, sign a card, and check a page on every screen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Locator, Page, expect

from scoring.card_state.selectors.players import SeatedMatch
from scoring.models import Card
from scoring.rehearsal.services.demo import SinglesDemo
from tests.browser import look
from tests.chance import in_part
from tests.factories import a_director, an_event
from tests.kit import desk_url, public_url
from tests.screens import SIDEWAYS, WIDTHS, set_screen, unfit
from tournament.core.permissions import Actor
from tournament.models import Entrant, Event, User
from tournament.registration.services.imported_lists import import_valid_rows, store_uploaded_list
from tournament.setup.services.sign_in import make_sign_in_link


@dataclass(frozen=True, slots=True)
class Played:
    """A demo event that has been played up to a certain point, and its director."""

    demo: SinglesDemo
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
    demo = SinglesDemo(entrants, seed, report_progress=lambda _line: None)
    event, by = demo.set_up()
    demo.register(event, by)
    if until != "registration":
        demo.draw(event, by)
    if until not in ("registration", "drawn"):
        demo.play(event, by, until=until)
    return Played(demo, Event.objects.select_related("tournament").get(pk=event.pk), by)


def sign_in(page: Page, user: User, *, to: str = "/desk/") -> None:
    """Sign in with a link that works only once."""
    page.goto(f"/sign-in/{make_sign_in_link(user, goes_to=to)}/")
    page.get_by_role("button", name="Sign me in").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def open_live(page: Page, path: str) -> None:
    """Open a page and wait until its live updates are connected."""
    page.goto(path)
    expect(page.locator("[data-live-word]")).to_have_text("Live")


def leave_network(page: Page) -> None:
    """Wait until a card page can work offline, and then disconnect it from the network."""
    expect(page.locator("[data-outbox]")).to_have_attribute("data-offline-ready", "")
    page.context.set_offline(True)


def tap_key(group: Locator, answer: str) -> None:
    group.locator(".key", has_text=re.compile(rf"^\W*{re.escape(answer)}$")).first.click()


def record_hand(page: Page, up: str, outcome: str, own: str, other: str) -> None:
    """Fill in the form for a hand that the first player ended, and send it."""
    form = page.locator("[data-hand-form]")
    for name, value in {"up_rank": up[:-1], "up_suit": up[-1], "outcome": outcome, "by": "A"}.items():
        form.locator(f'label.key:has(input[name="{name}"][value="{value}"])').click()
    for side, count in (("A", own), ("B", other)):
        form.locator(f'input[name="counts_{side}"]').fill(count)
    form.get_by_role("button", name="Record").click()


def sign_by_code(page: Page, who: Entrant, text: str = "Signed. The card is posted.") -> None:
    page.get_by_role("link", name="Check and sign").click()
    page.get_by_label("Or enter your signing code").fill(who.sign_code)
    page.get_by_role("button", name="Sign", exact=True).click()
    expect(page.get_by_text(text)).to_be_visible()


def sign_by_drawing(page: Page, text: str = "Signed.", *, picture: str = "") -> None:
    page.get_by_role("link", name="Check and sign").click()
    sign_on(page)
    expect(page.locator("#sign-state")).to_have_text("Signed on the line.")
    if picture:
        look(page, picture)
    page.get_by_role("button", name="Sign", exact=True).click()
    expect(page.get_by_text(re.compile(f"^{re.escape(text)}"))).to_be_visible()


def sign_on(page: Page) -> None:
    """Draw a stroke on the signature pad."""
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
    """Return the card of the game that the two players of this match are playing."""
    return meeting.match.cards.filter(sides_key=meeting.cards_key).order_by("-game")[0]


def finish_over_what_is_open(desk: Page) -> None:
    """Check that the page lists what is still open, and finish the event with a reason."""
    expect(desk.get_by_text("This is still open:")).to_be_visible()
    expect(desk.get_by_role("main").get_by_text(re.compile("correction period", re.IGNORECASE)).first).to_be_visible()
    look_on_screens(desk, "finish", {360: 740, 1280: 800}, contrast_at=360)
    desk.get_by_label("Reason to finish anyway").fill("everybody has left the hall")
    desk.get_by_role("button", name="Finish the event").click()


LISTED = (
    "Lovelace, Ada", "Turing, Alan", "Hopper, Grace", "Gödel, Kurt", "Noether, Emmy", "Östlund, Åsa",
    "van Beethoven, Ludwig", "King, Martin, Jr.", "Curie, Marie", "Franklin, Rosalind", "Johnson, Katherine",
    "Zola, Émile",
)  # fmt: skip


def an_imported_field() -> Event:
    event = an_event()
    by = a_director(event.tournament)
    content = "\n".join(["name,email", *(f'"{name}",p{turn}@example.org' for turn, name in enumerate(LISTED))])
    import_valid_rows(store_uploaded_list(event, "players.csv", content.encode(), by=by), by=by)
    return event


def look_on_screens(
    page: Page, name: str, screens: Mapping[int, int] = WIDTHS, *, contrast_at: int | None = None
) -> None:
    """Check the page and take a picture at each width. `contrast_at` restricts the contrast check to one width."""
    for width, height in screens.items():
        set_screen(page, width, height)
        assert page.evaluate(SIDEWAYS) <= 0, f"{name} is wider than {width}"
        look(page, f"{name}-{width}", contrast=contrast_at in (None, width))


PHONE, TABLET, LAPTOP = WIDTHS
NAMES: Final = {PHONE: "phone", LAPTOP: "laptop"}
"""The names of the screens on which axe checks a page. On a tablet, only the layout is checked."""


def faults_of(page: Page, name: str, number: int | None = None) -> list[str]:
    """Return the faults of a page on a phone, a tablet, and a laptop.

    The page must fit all three screens, and axe checks it on the phone and the laptop. If `number` is given, a quick
    test run includes only the phone and one of the other screens.
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
