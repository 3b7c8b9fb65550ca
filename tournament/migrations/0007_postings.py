"""Postings of everything that was recorded before there were any; their sums are those of before, or it stops.

How money is booked stands here as it was when this migration was written, so that later changes of the program do not
change what it does.
"""

from collections import Counter, defaultdict
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.core.management import CommandError
from django.db import migrations
from django.db.models import Sum

STOP: Final = (
    "The ledger of “{event}” was not carried over: {what} would come to another sum. Nothing was changed. "
    "Keep the database, and go on with the version that you had."
)
BOOKED: Final = {
    "charge": ("entrant", "fees"),
    "discount": ("discounts", "entrant"),
    "complimentary": ("discounts", "entrant"),
    "cancellation": ("fees", "entrant"),
    "payment": ("money", "entrant"),
    "refund": ("entrant", "money"),
    "payout": ("prizes", "money"),
}
"""The account that a kind of movement adds to, and the one that it takes from."""
ADDS_TO_OWED: Final = ("charge", "refund")


def post_all(apps: Any, schema_editor: Any) -> None:
    for event in apps.get_model("tournament", "Event").objects.select_related("tournament").order_by("pk"):
        _post_event(apps, event)
        _compare(apps, event)


def _post_event(apps: Any, event: Any) -> None:
    """Add a movement for each row in order of time, with its number, its day and its postings."""
    movement, posting = (apps.get_model("tournament", name) for name in ("Movement", "Posting"))
    facts = [("line", row) for row in event.ledger.select_related("corrects").order_by("pk")]
    facts += [("paid_out", row) for row in event.paid_out.order_by("pk")]
    facts.sort(key=lambda fact: (fact[1].at, fact[0], fact[1].pk))
    zone, postings, rows = ZoneInfo(event.tournament.time_zone), [], []
    for number, (column, fact) in enumerate(facts, start=1):
        kind, cents = _booked(column, fact)
        method = fact.method if "money" in BOOKED[kind] else ""
        about = {"tournament": event.tournament, "event": event, "day": fact.at.astimezone(zone).date(), "kind": kind}
        rows.append(movement(number=number, **about, **{f"{column}_id": fact.pk}))
        about |= {"method": method, "entrant_id": fact.entrant_id}
        to, off = BOOKED[kind]
        if cents:
            postings += [(rows[-1], to, cents, about), (rows[-1], off, -cents, about)]
    movement.objects.bulk_create(rows, batch_size=500)
    _link_reversals(movement, facts, rows)
    made = [posting(movement=row, account=account, cents=cents, **about) for row, account, cents, about in postings]
    posting.objects.bulk_create(made, batch_size=500)


def _booked(column: str, fact: Any) -> tuple[str, int]:
    """Return the kind of movement and its cents, which are below zero for what turns another row."""
    if column == "paid_out":
        return "payout", -fact.cents if fact.reverses_id else fact.cents
    if fact.kind == "correction":
        return "payment", -fact.cents
    if fact.kind == "reversal":
        return fact.corrects.kind, -fact.cents
    return fact.kind, fact.cents


def _link_reversals(movement: Any, facts: list[tuple[str, Any]], rows: list[Any]) -> None:
    by_fact = {(column, fact.pk): row for (column, fact), row in zip(facts, rows, strict=True)}
    linked = []
    for (column, fact), row in zip(facts, rows, strict=True):
        of = fact.corrects_id if column == "line" else fact.reverses_id
        if of is not None:
            row.reverses = by_fact[column, of]
            linked.append(row)
    movement.objects.bulk_update(linked, ["reverses"], batch_size=300)


def _compare(apps: Any, event: Any) -> None:
    """Every account, the sums by method and the payouts, by the postings as they stand in the database."""
    postings = apps.get_model("tournament", "Posting").objects.filter(event=event).order_by()
    if postings.aggregate(sum=Sum("cents"))["sum"]:
        raise _stopped(event, "all postings together")
    groups = dict(event.entrants.values_list("pk", "joined_to_id"))
    owner = {pk: pair or pk for pk, pair in groups.items()}
    lines = list(event.ledger.select_related("corrects"))
    posted: dict[int, Counter[str]] = defaultdict(Counter)
    for entrant, kind, cents in postings.filter(account="entrant").values_list("entrant_id", "kind", "cents"):
        posted[owner[entrant]][kind] += cents if kind in ADDS_TO_OWED else -cents
    for pk, sums in sums_by_entry(lines, owner).items():
        if posted[pk] != sums:
            raise _stopped(event, f"the account of entry {event.entrants.get(pk=pk).number}")
    _compare_hands(event, postings, lines)


def sums_by_entry(lines: list[Any], owner: dict[int, int]) -> dict[int, Counter[str]]:
    """Return what the lines of each entry come to, by kind. An account follows from these sums alone."""
    sums: dict[int, Counter[str]] = defaultdict(Counter)
    for row in lines:
        kind, cents = _booked("line", row)
        sums[owner[row.entrant_id]][kind] += cents
    return sums


def _compare_hands(event: Any, postings: Any, lines: list[Any]) -> None:
    fees = postings.filter(account="money", kind__in=["payment", "refund"])
    in_hand = {method: int(cents) for method, cents in fees.values_list("method").annotate(sum=Sum("cents"))}
    kept: Counter[str] = Counter()
    for row in lines:
        kind, cents = _booked("line", row)
        if "money" in BOOKED[kind]:
            kept[row.method] += cents if kind == "payment" else -cents
    if in_hand != {method: kept[method] for method in in_hand}:
        raise _stopped(event, "what was paid by each method")
    paid: Counter[int] = Counter()
    for row in event.paid_out.all():
        paid[row.entrant_id] += -row.cents if row.reverses_id else row.cents
    prizes = postings.filter(account="prizes").values_list("entrant_id").annotate(sum=Sum("cents"))
    if {entrant: int(cents) for entrant, cents in prizes} != dict(paid):
        raise _stopped(event, "what was paid out")


def _stopped(event: Any, what: str) -> CommandError:
    return CommandError(STOP.format(event=event.name, what=what))


class Migration(migrations.Migration):
    dependencies = [("tournament", "0002_squashed_0006_ledger")]

    operations = [migrations.RunPython(post_all, migrations.RunPython.noop)]
