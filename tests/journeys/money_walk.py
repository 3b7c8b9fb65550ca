"""Steps of browser tests in which staff handle the money of several events and take notes about it."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, Page, expect
from pypdf import PdfReader

from tests.browser import PICTURES, SCREENSHOTS
from tests.journeys.person import Person
from tournament.models import Event

SHARE: Final = 82
SIDE_SHARE: Final = 90
SIDE_FEE: Final = 20_00
BILLS: Final = (100_00, 50_00, 20_00, 10_00, 5_00, 1_00, 25, 10, 5, 1)


@dataclass
class Notes:
    """The amounts that an event's pages should show, in cents."""

    fees: int = 0
    let_off: int = 0
    paid: Counter[str] = field(default_factory=Counter)
    refunded: Counter[str] = field(default_factory=Counter)
    added: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    prizes: Counter[str] = field(default_factory=Counter)
    side: int = 0
    """Paid for the side pool."""

    @property
    def collected(self) -> int:
        return self.paid.total() - self.refunded.total() - self.side

    @property
    def side_prizes(self) -> int:
        return (self.side * SIDE_SHARE + 50) // 100

    @property
    def left(self) -> int:
        return self.expenses + self.side - self.side_prizes - self.spent.total()

    @property
    def pool(self) -> int:
        """The prize pool: 82% of the fees, plus all of the sponsors' money.

        A discount counts as if the player had paid it. The share of the fees is rounded half up.
        """
        return ((self.collected + self.let_off) * SHARE + 50) // 100 + self.added.total()

    @property
    def expenses(self) -> int:
        return self.collected + self.added.total() - self.pool

    @property
    def in_hand(self) -> Counter[str]:
        moved = Counter(self.paid)
        moved.update(self.added)
        for out in (self.refunded, self.spent, self.prizes):
            moved.subtract(out)
        return moved


class Staff(Person):
    def to_event(self, event: Event) -> None:
        self.goes_to("All events")
        self.clicks_on("link", event.name)

    def to_page(self, event: Event, group: str, entry: str) -> None:
        self.to_event(event)
        shut = self.page.get_by_role("navigation").locator("details:not([open]) summary", has_text=group)
        self.opens(group, entry) if shut.count() else self.goes_to(entry)
        expect(self.page.get_by_role("heading", level=1)).to_contain_text(entry)

    def unfolds(self, words: str) -> None:
        self.clicks += 1
        self.main.locator("details:not([open]) > summary", has_text=words).first.click()

    def chooses(self, label: str, option: str) -> None:
        self.clicks += 2
        self.main.locator("select:visible").and_(
            self.main.get_by_label(re.compile(rf"^\s*{re.escape(label)}\W*$"))
        ).select_option(label=option)

    def fills(self, label: str, text: str) -> None:
        """Fill in the field with this label. Hidden fields with the same label are ignored."""
        self.keys += len(text)
        fields = self.main.get_by_label(re.compile(rf"^\s*{re.escape(label)}\W*$")).filter(visible=True)
        fields.first.fill(text)

    def is_told(self, words: str) -> None:
        expect(self.page.locator("#messages")).to_contain_text(words)


# --- Entries ---------------------------------------------------------------------------------------------------------


def import_rows(director: Staff, event: Event, rows: Sequence[str], path: Path) -> None:
    path.write_text("\n".join(rows))
    director.to_event(event)
    director.follows("Add players")
    director.clicks_on("link", "Import a list")
    director.chooses_file("List of entries", path)
    director.follows("Read the list")
    director.follows(f"Enter the {len(rows) - 1} new rows")
    director.is_told(f"Entered: {len(rows) - 1}.")


def let_off(director: Staff, event: Event, name: str, amount: str, reason: str) -> None:
    """Give an entrant a discount, or a complimentary entry if `amount` is empty."""
    director.to_page(event, "Money", "Payments")
    director.clicks_on("link", name)
    director.unfolds("Discount or complimentary")
    if amount:
        director.fills("Discount", amount)
    director.fills("Reason", reason)
    director.clicks_on("button", "Record the discount")
    director.is_told("Recorded.")


def add_sweepstake(director: Staff, event: Event) -> None:
    """Add a side pool that the winner of the event receives."""
    director.to_page(event, "Money", "Prizes")
    director.clicks_on("link", "Side pools")
    director.fills("Name", "Sweepstake")
    director.fills("Fee for each entry", f"{SIDE_FEE / 100:.0f}")
    director.fills("Percent that is paid out", str(SIDE_SHARE))
    director.fills("Percent for each place, first place first", "100")
    director.clicks_on("button", "Add the side pool")
    director.is_told("Sweepstake is set up.")


def sell_everything(
    cashier: Staff, event: Event, notes: Notes, *, change: str = "", card_for: str = "", all_join: bool = False
) -> None:
    """Take payments by keyboard until nobody owes anything.

    `change` is the amount that the first player with cash hands over, such as “140”. If it is empty, this player pays
    the exact amount, like all others. The player named by `card_for` pays by card. With `all_join`, all players also
    join the side pool.
    """
    cashier.to_page(event, "Money", "Payments")
    foot = cashier.main.locator("tfoot")
    while "owe" in foot.inner_text():
        cashier.presses("$")
        expect(cashier.page.get_by_label("Amount given")).to_be_focused()
        owed = cents_in(cashier.main.locator("p strong").first.inner_text())
        if all_join:
            cashier.presses("F2")
            owed, notes.side = owed + SIDE_FEE, notes.side + SIDE_FEE
        is_card = cashier.page.get_by_role("heading", level=1).inner_text() == card_for
        if is_card:
            cashier.chooses("How", "Card")
            cashier.clicks_on("button", "Take payment")
        else:
            cashier.writes(change)
            change = ""
            cashier.presses("Enter")
        cashier.is_told("paid")
        notes.paid["card" if is_card else "cash"] += owed
    expect(foot).to_contain_text("settled")


def withdraw_and_refund(director: Staff, event: Event, name: str, notes: Notes, cents: int) -> None:
    director.to_page(event, "Players", "Entrants")
    director.clicks_on("link", name)
    director.clicks_on("link", "Withdraw")
    director.fills("Reason, for the record", "ill")
    director.clicks_on("button", f"Withdraw {name}")
    director.clicks_on("link", "Fee and payments")
    expect(director.main).to_contain_text("To give the fee back, first cancel it")
    director.unfolds("Cancel the fee")
    director.fills("Reason", "ill before the draw")
    director.clicks_on("button", "Cancel the fee")
    expect(director.main).to_contain_text("To be refunded")
    director.fills("Reason", "ill before the draw")
    director.clicks_on("button", "Record the refund")
    director.is_told("Recorded.")
    notes.refunded["cash"] += cents


# --- Play ------------------------------------------------------------------------------------------------------------


def draw_and_start(director: Staff, event: Event) -> None:
    director.to_event(event)
    director.follows_twice("Close registration")
    director.clicks_on("link", "Check in players")
    left = director.main.locator("[data-row-key]").count()
    expect(director.page.locator("[data-row-key]:focus")).to_be_visible()
    director.presses(*["Space"] * left, "Enter")
    expect(director.page.get_by_text("Everybody is checked in.")).to_be_visible()
    director.draws()
    director.follows_twice("Start play and assign tables")


def play_a_round(director: Staff, event: Event, tables: int, *, assign: bool = True) -> None:
    director.to_event(event)
    if assign:
        director.follows_twice("Assign tables")
    director.opens_paper_cards()
    for table in range(1, tables + 1):
        director.enters_card(table, "160" if event.entry_size == 1 else "260", str(70 + table))


def enter_again(director: Staff, event: Event, name: str) -> None:
    """Re-enter a player who lost in round one, as a late entry in place of a bye."""
    director.to_page(event, "Players", "Entrants")
    director.clicks_on("link", "Enter a player")
    director.fills("Name", name)
    director.clicks += 1
    director.main.get_by_label("This is a re-entry").check()
    director.follows("Save")
    director.clicks_on("button", f"Enter {name} again")
    expect(director.main).to_contain_text("Enter the name and email as in the earlier entry.")
    director.fills("Email", f"{name.split()[0].lower()}@example.org")
    director.clicks += 1
    director.main.get_by_label("This is a re-entry").check()
    director.follows("Save")
    director.clicks_on("button", f"Enter {name} again")
    director.to_page(event, "Draw & rounds", "Results")
    director.clicks_on("link", "Add a late entry")
    director.clicks += 2
    director.main.locator("select[name=late-entrant]").select_option(index=1)
    director.fills("Reason for the late entry", "re-entry")
    director.clicks_on("button", "Show the changes")
    director.clicks_on("button", "Add the late entry")
    director.is_told("is in the bracket")


# --- Prizes and the close --------------------------------------------------------------------------------------------


def pay_everybody(director: Staff, notes: Notes) -> None:
    offered = director.main.get_by_role("link", name=re.compile(r"^Mark .* paid out$"))
    while left := offered.count():
        amount = offered.first.inner_text().removeprefix("Mark ").removesuffix(" paid out")
        director.clicks_on("link", f"Mark {amount} paid out")
        director.clicks_on("button", f"Record {amount} paid out")
        expect(offered).to_have_count(left - 1)
        notes.prizes["cash"] += cents_in(amount)


def undo_and_pay_by_check(director: Staff, event: Event, amount: str, notes: Notes) -> None:
    director.to_page(event, "Money", "Prizes")
    director.unfolds("Payouts on record")
    director.clicks_on("link", "Undo this payout")
    director.fills("Reason, for the record", "handed to the wrong player")
    director.clicks_on("button", "Undo this payout")
    director.clicks_on("link", f"Mark {amount} paid out")
    director.chooses("How", "Check")
    director.clicks_on("button", f"Record {amount} paid out")
    expect(director.main.get_by_role("link", name=f"Mark {amount} paid out")).to_have_count(0)
    notes.prizes.update({"cash": -cents_in(amount), "check": cents_in(amount)})


def count_cash(person: Staff, cents: int) -> None:
    """Enter this amount in the cash count form, with as few bills and coins as possible."""
    for worth in BILLS:
        number, cents = divmod(cents, worth)
        if number:
            person.fills(f"${worth / 100:.2f}", str(number))


AMOUNT: Final = re.compile(r"(−)?\$([\d,]+\.\d\d)")


def cents_in(text: str) -> int:
    """Return the only amount of money in the text, in cents."""
    (found,) = amounts_in(text)
    return found


def amounts_in(text: str) -> list[int]:
    return [
        (-1 if minus else 1) * int(digits.replace(",", "").replace(".", "")) for minus, digits in AMOUNT.findall(text)
    ]


def facts_on(place: Page | Locator) -> dict[str, int]:
    """Return the amounts in the definition lists on a page, in cents and keyed by label."""
    labels, values = (place.locator(f"dl.facts {tag}").all_inner_texts() for tag in ("dt", "dd"))
    pairs = zip(labels, values, strict=True)
    return {label.strip(): cents_in(value) for label, value in pairs if amounts_in(value)}


def row_on(page: Page, heading: str, first: str) -> list[int]:
    """Return the amounts in one row of the table below a heading, in cents. `first` is the row's header."""
    section = page.locator("section", has=page.get_by_role("heading", name=heading, exact=True))
    row = section.get_by_role("row").filter(has=page.get_by_role("rowheader", name=first, exact=True))
    return amounts_in(" ".join(row.get_by_role("cell").all_inner_texts()))


def fetched(page: Page, address: str) -> bytes:
    """Download a file as the user who is signed in on this page."""
    answer = page.request.get(address)
    assert answer.ok, f"{answer.status}: {address}"
    return answer.body()


def column_of(page: Page, address: str, name: str) -> list[int]:
    """Download a CSV list, and return the column with this name in cents."""
    head, *rows = csv.reader(io.StringIO(fetched(page, address).decode("utf-8-sig")))
    at = head.index(name)
    return [round(float(row[at]) * 100) for row in rows]


def text_of(paper: bytes, name: str) -> str:
    """Return the text of a PDF file, and save the file beside the screenshots."""
    if PICTURES:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        (SCREENSHOTS / f"{name}.pdf").write_bytes(paper)
    return " ".join(" ".join(one.extract_text() for one in PdfReader(io.BytesIO(paper)).pages).split())
