from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.factories import a_user, an_entrant, an_event
from tests.kit import entrant_of
from tests.prebuilt import prebuilt
from tests.tournament.helpers.side_pools import a_charged_event, finish
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_staff_actor
from tournament.core.services.record import writing
from tournament.models import Drawer, Entrant, Event, EventMoney, PaidOut
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.services.drawers_and_close import open_drawer
from tournament.money.services.fees_and_refunds import (
    cancel_fee,
    charge_fee,
    correct_payment,
    discount_or_waive_fee,
    refund_entry,
    reverse_ledger_line,
    take_payment,
)
from tournament.money.services.ledger import EventMoneyDetails, record_event_money
from tournament.money.services.payouts import WithheldAmount, pay_prize, undo_payout
from tournament.money.services.side_pools import EventExtraTerms, record_finish
from tournament.purse.journal import JOURNAL_SYNTAXES


@prebuilt
def charged(event: Event, name: str = "", **fields: Any) -> Entrant:
    entrant = an_entrant(event, name, **fields)
    with writing(event, verb="test.charged", by=SYSTEM_ACTOR) as write:
        charge_fee(write, entrant)
    return entrant


@prebuilt
def paid(event: Event, cents: int = 300_00, method: str = "cash", name: str = "", **fields: Any) -> Entrant:
    entrant = charged(event, name, **fields)
    take_payment(entrant, cents, method, by=SYSTEM_ACTOR, key="")
    return entrant


@prebuilt
def a_day() -> Event:
    """Return a finished event with many kinds of ledger lines, a payout, and an undone payout."""
    event = an_event()
    one, other, guest = paid(event), paid(event, 350_00, "card"), charged(event)
    refund_entry(other, 50_00, "card", by=SYSTEM_ACTOR, key="", reason="paid too much")
    correct_payment(one.ledger.get(kind="payment"), by=SYSTEM_ACTOR, reason="by check")
    take_payment(one, 300_00, "check", by=SYSTEM_ACTOR, key="", reference="1042")
    discount_or_waive_fee(guest, None, by=SYSTEM_ACTOR, reason="past champion", key="")
    reverse_ledger_line(guest.ledger.get(kind="complimentary"), by=SYSTEM_ACTOR, reason="pays after all")
    cancel_fee(guest, by=SYSTEM_ACTOR, reason="cannot come", key="")
    with writing(event, verb="test.finished", by=SYSTEM_ACTOR) as write:
        record_finish(write, event, [[1], [2]])
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    event.refresh_from_db()
    for entrant in (one, other):
        pay_prize(Entrant.objects.get(pk=entrant.pk), "cash", by=SYSTEM_ACTOR)
    undo_payout(PaidOut.objects.get(entrant=other), by=SYSTEM_ACTOR, reason="has left")
    return event


def money_checks(event: Event) -> dict[str, bool]:
    return {check.subject: check.passed for check in verify_event(event) if check.kind in ("ledger", "payouts")}


def case_for_the_command(event: Event) -> dict[str, Any]:
    """Return the event's ledger as input for `manage.py ledger`, in the format of docs/purse.md."""
    movements: list[dict[str, Any]] = []
    for entrant in event.entrants.order_by("pk"):
        account, lines = load_entry_account(entrant), list(entrant.ledger.order_by("pk"))
        canceled = sum(line.cents for line in lines if line.kind == "cancellation")
        if account.owed_cents == 0 and (canceled or entrant.state == Entrant.State.WITHDRAWN):
            continue
        charges = [line.cents for line in lines if line.kind == "charge"]
        movements.append({"kind": "charge", "entry": entrant.number, "cents": sum(charges) - canceled})
        for line in lines:
            if line.kind in ("discount", "complimentary"):
                movements.append({"kind": "discount", "entry": entrant.number, "cents": line.cents})
            elif line.kind in ("payment", "refund"):
                source = getattr(line, "refund_source", None)
                method = {"method": source.method if source is not None else line.method}
                movements.append({"kind": line.kind, "entry": entrant.number, "cents": line.cents, **method})
    return {"prize_percent": event.prize_percent, "discounts_from": event.discounts_from, "movements": movements}


def faults_of(program: str, written: str, folder: Path) -> str:
    """Check the exported ledger in `written` with hledger or Beancount, and return the errors, or an empty string."""
    file = folder / f"ledger.{JOURNAL_SYNTAXES[program].ending}"
    file.write_text(written)
    if program == "hledger":
        if shutil.which("hledger") is None:
            pytest.skip("there is no hledger")
        said = subprocess.run(["hledger", "-f", file, "check", "--strict"], capture_output=True, text=True)
        return said.stderr
    loader = pytest.importorskip("beancount.loader")
    _entries, errors, _options = loader.load_file(str(file))
    return "\n".join(str(error.message) for error in errors)


@prebuilt
def a_cashier(event: Event) -> Actor:
    return make_staff_actor(a_user("desk", event.tournament))


@prebuilt
def opened(event: Event, by: Actor, cents: int = 100_00) -> Drawer:
    return open_drawer(event.tournament, cents, by=by, key="", brought=True)


TRAYS = EventMoneyDetails(40_00, "cash", "The trays' shop", "Trays", "No. 7")


SPONSOR = EventMoneyDetails(100_00, "check", "The club")


DINNER = EventExtraTerms("Dinner", 35_00)


BACKUP = WithheldAmount(24_00, "Backup withholding, 24%")


ALL = EventMoneyDetails(24_00, "check", "IRS", reference="1042")


@prebuilt
def a_finished_event(**settings: object) -> Event:
    """Return a finished event whose winner, entry 1, gets the $100.00 that it paid in cash as its fee."""
    event = a_charged_event(2, prize_percent="100", prize_scale=["100"], **settings)
    take_payment(entrant_of(event, 1), 100_00, "cash", by=SYSTEM_ACTOR, key="")
    return finish(event, [1], [2])


@prebuilt
def paid_with(event: Event, withheld: WithheldAmount = BACKUP, key: str = "") -> PaidOut:
    return pay_prize(entrant_of(event, 1), "cash", by=SYSTEM_ACTOR, withheld=withheld, key=key)


@prebuilt
def remit(event: Event, sent: EventMoneyDetails = ALL, by: Actor = SYSTEM_ACTOR, key: str = "") -> EventMoney:
    return record_event_money(event, "remittance", sent, by=by, reason="Form 945", key=key)
