"""Postings of everything that was recorded before there were any; their sums are those of before, or it stops."""

from collections import Counter, defaultdict
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.core.management import CommandError
from django.db import migrations
from django.db.models import Sum

from tournament.purse.fees import FeeLine, LineKind, account_from, fold_ledger, total_by_method
from tournament.purse.ledger.balances import sums_by_kind
from tournament.purse.ledger.recorded import RecordedMoney, movement_of

STOP: Final = (
    "The ledger of “{event}” was not carried over: {what} would come to another sum. Nothing was changed. "
    "Keep the database, and go on with the version that you had."
)


def post_all(apps: Any, schema_editor: Any) -> None:
    for event in apps.get_model("tournament", "Event").objects.select_related("tournament").order_by("pk"):
        _post_event(apps, event)
        _compare(apps, event)


def _post_event(apps: Any, event: Any) -> None:
    """In the order of their moments: a movement for each row, its number, its day and its postings."""
    movement, posting = (apps.get_model("tournament", name) for name in ("Movement", "Posting"))
    facts = [("line", row) for row in event.ledger.select_related("corrects").order_by("pk")]
    facts += [("paid_out", row) for row in event.paid_out.order_by("pk")]
    facts.sort(key=lambda fact: (fact[1].at, fact[0], fact[1].pk))
    zone, postings, rows = ZoneInfo(event.tournament.time_zone), [], []
    for number, (column, fact) in enumerate(facts, start=1):
        moved = movement_of(_recorded(column, fact))
        about = {"tournament": event.tournament, "event": event, "day": fact.at.astimezone(zone).date()}
        rows.append(movement(number=number, kind=moved.kind.value, **about, **{f"{column}_id": fact.pk}))
        about |= {"kind": moved.kind.value, "method": moved.method, "entrant_id": fact.entrant_id}
        postings += [(rows[-1], one.account.value, one.cents, about) for one in moved.postings]
    movement.objects.bulk_create(rows, batch_size=500)
    _link_reversals(movement, facts, rows)
    made = [posting(movement=row, account=account, cents=cents, **about) for row, account, cents, about in postings]
    posting.objects.bulk_create(made, batch_size=500)


def _recorded(column: str, fact: Any) -> RecordedMoney:
    if column == "line":
        of = fact.corrects.kind if fact.corrects is not None else ""
        return RecordedMoney(fact.kind, fact.cents, fact.entrant_id, fact.method, reverses=of)
    return RecordedMoney(
        "payout", fact.cents, fact.entrant_id, fact.method, reverses="payout" if fact.reverses_id else ""
    )


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
    lines: dict[int, list[FeeLine]] = defaultdict(list)
    for row in event.ledger.all():
        lines[owner[row.entrant_id]].append(FeeLine(LineKind(row.kind), row.cents, row.reason, row.method))
    sums: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for entrant, kind, cents in postings.filter(account="entrant").values_list("entrant_id", "kind", "cents"):
        sums[owner[entrant]].append((kind, cents))
    for pk, own in lines.items():
        if account_from(sums_by_kind(sums[pk])) != fold_ledger(own):
            raise _stopped(event, f"the account of entry {event.entrants.get(pk=pk).number}")
    _compare_hands(event, postings, [line for own in lines.values() for line in own])


def _compare_hands(event: Any, postings: Any, lines: list[FeeLine]) -> None:
    fees = postings.filter(account="money", kind__in=["payment", "refund"])
    in_hand = {method: int(cents) for method, cents in fees.values_list("method").annotate(sum=Sum("cents"))}
    if in_hand != {method: one.kept_cents for method, one in total_by_method(lines).items() if method in in_hand}:
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
    dependencies = [("tournament", "0006_ledger")]

    operations = [migrations.RunPython(post_all, migrations.RunPython.noop)]
