"""Models for money: ledger lines, payouts, cash, postings, bank transfers, card payments, and business days."""

from typing import Any, ClassVar, Final

from django.conf import settings
from django.db import models
from django.utils.functional import lazystr
from django.utils.translation import gettext_lazy as _

from tournament.models.base import OrderedFact, SignInLinkColumns
from tournament.models.topic import DESK_TOPIC, PRIZES_TOPIC, get_entrant_topic
from tournament.purse.kinds import CANCELING_LINE_LABELS, MONEY_KIND_DETAILS, LedgerTable, list_money_kinds_in_table


def _make_kind_choices(record: LedgerTable) -> list[tuple[str, Any]]:
    """Return the kinds declared for this table, with lazily translated labels."""
    labels: dict[str, str] = {kind: MONEY_KIND_DETAILS[kind].one for kind in list_money_kinds_in_table(record)}
    labels |= CANCELING_LINE_LABELS if record is LedgerTable.LINE else {}
    return [(str(kind), lazystr(label)) for kind, label in labels.items()]


# --- Lines of entries, finishes and payouts --------------------------------------------------------------------------


class LedgerLine(OrderedFact):
    """An immutable line in an entry's ledger.

    A wrong payment is corrected with another line. Any other wrong line is reversed.
    """

    class Method(models.TextChoices):
        CASH = "cash", _("Cash")
        CHECK = "check", _("Check")
        CARD = "card", _("Card")
        TRANSFER = "transfer", _("Transfer")
        OTHER = "other", _("Other")

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="ledger")
    entrant = models.ForeignKey("Entrant", on_delete=models.RESTRICT, related_name="ledger")
    kind = models.CharField(max_length=20, choices=_make_kind_choices(LedgerTable.LINE))
    cents = models.PositiveBigIntegerField()
    method = models.CharField(max_length=20, choices=Method.choices, blank=True)
    reference = models.CharField(max_length=100, blank=True)
    corrects = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="corrected_by"
    )

    def __str__(self) -> str:
        return f"{self.entrant}: {self.get_kind_display()} {self.cents}"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC, get_entrant_topic(self.entrant_id))


class Finish(OrderedFact):
    """The final ranking of an event, from which payouts are computed: lists of tied entry numbers, best first.

    A reopened event is in play again, and gets a new finish later. Only the latest finish counts, and only while the
    event is finished.
    """

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="finishes")
    places = models.JSONField()

    def __str__(self) -> str:
        return f"finish of {self.event}"


class EndedEarly(OrderedFact):
    """Records that an event was ranked by its standings before all matches were decided, with the reason."""

    finish = models.OneToOneField(Finish, on_delete=models.CASCADE, related_name="early")

    def __str__(self) -> str:
        return f"{self.finish}, ended early"


class PaidOut(OrderedFact):
    """A payout of all or part of a prize, or the reversal of an earlier payout (`reverses`).

    A reversal repeats the payout's amount and method. The reversal and the reversed row cancel each other out.
    """

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="paid_out")
    entrant = models.ForeignKey("Entrant", on_delete=models.RESTRICT, related_name="paid_out")
    cents = models.PositiveBigIntegerField()
    method = models.CharField(max_length=20, choices=LedgerLine.Method.choices)
    reverses = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="reversed_by"
    )

    def __str__(self) -> str:
        return f"{self.entrant}: {self.cents} {'not paid out after all' if self.reverses_id else 'paid out'}"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC, get_entrant_topic(self.entrant_id))


class RefundSource(OrderedFact):
    """The method by which refunded money was originally paid.

    The line of the refund in the ledger has the method by which the money was paid back. For example, if a check is
    refunded in cash, the drawer keeps the check but has less cash.
    """

    line = models.OneToOneField(LedgerLine, on_delete=models.CASCADE, related_name="refund_source")
    method = models.CharField(max_length=20, choices=LedgerLine.Method.choices)

    def __str__(self) -> str:
        return f"{self.line}, paid by {self.get_method_display()}"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC, get_entrant_topic(self.line.entrant_id))


# --- Withheld taxes --------------------------------------------------------------------------------------------------
class Withholding(OrderedFact):
    """Tax withheld from a payout. The reason says what the money is withheld for.

    If the payout is reversed, the reversal gets its own row. The organizer holds the money until it is sent to the tax
    office (`MoneyKind.REMITTANCE`).
    """

    paid_out = models.OneToOneField(PaidOut, on_delete=models.CASCADE, related_name="withholding")
    cents = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.cents} of {self.paid_out} withheld"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC, get_entrant_topic(self.paid_out.entrant_id))


# --- Drawers and cash ------------------------------------------------------------------------------------------------


class Drawer(OrderedFact):
    """A cash drawer that belongs to one cashier until it is counted. Its contents are the sum of its postings."""

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="drawers")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=60)
    cashier = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.RESTRICT, related_name="drawers")

    def __str__(self) -> str:
        return self.name

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics. No event page shows cash drawers, so no page has to be updated."""
        return ()


class DrawerClosed(OrderedFact, SignInLinkColumns):
    """The final count of a drawer. Its money went to the safe, or to the next cashier's drawer.

    `pieces` has the number of coins and bills for each denomination in cents. The reason explains a difference.
    """

    drawer = models.OneToOneField(Drawer, on_delete=models.CASCADE, related_name="closed")
    pieces = models.JSONField()
    counted_cents = models.BigIntegerField()
    expected_cents = models.BigIntegerField()
    next = models.OneToOneField(
        Drawer, null=True, blank=True, on_delete=models.RESTRICT, related_name="taken_over_from"
    )

    def __str__(self) -> str:
        return f"{self.drawer} closed"

    @property
    def difference_cents(self) -> int:
        return self.counted_cents - self.expected_cents

    def affected_topics(self) -> tuple[str, ...]:
        return ()


class CashMoved(OrderedFact):
    """A transfer of cash between drawers, the safe and the bank, or a difference found in a count.

    `drawer` is the source, or the drawer that was counted. `to_drawer` is the destination. Either field is None for the
    safe or the bank.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="cash_moved")
    kind = models.CharField(max_length=20, choices=_make_kind_choices(LedgerTable.CASH))
    cents = models.PositiveBigIntegerField()
    method = models.CharField(max_length=20, choices=LedgerLine.Method.choices)
    drawer = models.ForeignKey(Drawer, null=True, blank=True, on_delete=models.RESTRICT, related_name="moved_out")
    to_drawer = models.ForeignKey(Drawer, null=True, blank=True, on_delete=models.RESTRICT, related_name="moved_in")

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.cents}"

    def affected_topics(self) -> tuple[str, ...]:
        return ()


# --- Movements and postings ------------------------------------------------------------------------------------------
# Each fact about money also has postings that add up to zero (`tournament.purse.postings`), in the same transaction.


class EventMoney(OrderedFact):
    """Money that no entry pays or receives: a sponsor's contribution, an expense, or a remittance of withheld tax.

    A reversal (`reverses`) repeats the earlier row's kind, amount, method and category. The two rows cancel
    each other out.
    """

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="other_money")
    kind = models.CharField(max_length=20, choices=_make_kind_choices(LedgerTable.MONEY))
    cents = models.PositiveBigIntegerField()
    method = models.CharField(max_length=20, choices=LedgerLine.Method.choices)
    category = models.CharField(max_length=100, blank=True)
    party = models.CharField(max_length=200, blank=True)
    """The person or business that gave or received the money, or the tax office."""

    reference = models.CharField(max_length=100, blank=True)
    reverses = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="reversed_by"
    )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.cents} {self.party or self.category}"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC,)


MOVEMENT_FACT_FIELDS: Final = ("line", "paid_out", "money", "cash")


def _make_single_fact_condition(fact: str) -> models.Q:
    return models.Q(**{f"{each}__isnull": each != fact for each in MOVEMENT_FACT_FIELDS})


class Movement(models.Model):
    """A transaction in the books, such as a payment, with its receipt number.

    Receipt numbers start at 1 in each event.

    Each movement refers to exactly one recorded fact.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="+")
    event = models.ForeignKey("Event", null=True, on_delete=models.CASCADE, related_name="movements")
    """The event, or None if the movement belongs to the whole tournament, such as a transfer of cash."""

    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    line = models.OneToOneField(LedgerLine, null=True, on_delete=models.CASCADE, related_name="movement")
    paid_out = models.OneToOneField(PaidOut, null=True, on_delete=models.CASCADE, related_name="movement")
    money = models.OneToOneField(EventMoney, null=True, on_delete=models.CASCADE, related_name="movement")
    cash = models.OneToOneField(CashMoved, null=True, on_delete=models.CASCADE, related_name="movement")
    reverses = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="reversed_by"
    )
    drawer = models.ForeignKey(Drawer, null=True, on_delete=models.RESTRICT, related_name="movements")
    """The cashier's open drawer, or None for the safe. Transfers of cash specify their drawers themselves."""

    day = models.DateField(null=True)
    """The business day: the local date at the venue, or the day that the director has set."""

    given_cents = models.PositiveBigIntegerField(null=True)
    """The cash that was handed over, if it was more than the payment. The difference was given back as change."""

    receipt_key = models.PositiveBigIntegerField(null=True)
    """The key of the event or tournament in receipt numbers, or None if it is the current primary key.

    It is set if an import changed the primary keys, so that receipts have the numbers that were printed.
    """

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "number"], name="one_receipt_number_an_event"),
            models.CheckConstraint(
                condition=_make_single_fact_condition("line")
                | _make_single_fact_condition("paid_out")
                | _make_single_fact_condition("money")
                | _make_single_fact_condition("cash"),
                name="a_movement_is_of_one_fact",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.receipt}: {self.kind}"

    @property
    def receipt(self) -> str:
        """The receipt number: “3-0017” for movement 17 of event 3, or “T2-0004” for movement 4 of tournament 2."""
        key = self.receipt_key or self.event_id or self.tournament_id
        return f"{'' if self.event_id else 'T'}{key}-{self.number:04}"

    @property
    def is_reversal(self) -> bool:
        return self.reverses_id is not None

    @property
    def fact(self) -> LedgerLine | PaidOut | EventMoney | CashMoved:
        found = self.line or self.paid_out or self.money or self.cash
        if found is None:
            raise LookupError(f"movement {self.pk} is of no fact")
        return found

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics, because the topics of the fact that the movement refers to are sufficient."""
        return ()


class Posting(models.Model):
    """An amount in cents on one account.

    A movement's postings add up to zero, and balances are sums over this table.
    """

    movement = models.ForeignKey(Movement, on_delete=models.CASCADE, related_name="postings")
    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="+")
    event = models.ForeignKey("Event", null=True, on_delete=models.CASCADE, related_name="postings")
    account = models.CharField(max_length=20)
    kind = models.CharField(max_length=20)
    """The movement's kind, or the kind of the movement that it reverses."""

    entrant = models.ForeignKey("Entrant", null=True, on_delete=models.RESTRICT, related_name="postings")
    method = models.CharField(max_length=20, blank=True)
    category = models.CharField(max_length=100, blank=True)
    drawer = models.PositiveBigIntegerField(null=True)
    """The drawer's primary key, or None for money in the safe and for money that is not on hand."""

    day = models.DateField(null=True)
    cents = models.BigIntegerField()

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~models.Q(cents=0), name="a_posting_moves_something"),
            models.UniqueConstraint(
                fields=["movement", "account"],
                condition=models.Q(drawer__isnull=True),
                name="one_posting_an_account_of_a_movement",
            ),
            models.UniqueConstraint(
                fields=["movement", "account", "drawer"], name="one_posting_a_drawer_of_a_movement"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.account} {self.cents}"

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics, because the topics of the fact that the posting's movement refers to are sufficient."""
        return ()


# --- Bank transfers and card payments --------------------------------------------------------------------------------


class BankTransfer(OrderedFact):
    """A transfer from a bank statement.

    `ident` is a digest of the transfer's content, which keeps the transfer from being recorded twice.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="transfers")
    ident = models.CharField(max_length=64)
    booked = models.CharField(max_length=40)
    """The booking date exactly as it is written in the statement."""

    cents = models.PositiveBigIntegerField()
    payer = models.CharField(max_length=200, blank=True)
    text = models.CharField(max_length=500, blank=True)

    class Meta(OrderedFact.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tournament", "ident"], name="a_transfer_is_taken_in_once")
        ]

    def __str__(self) -> str:
        return f"{self.booked} {self.cents} {self.payer}"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC,)


class TransferMatch(OrderedFact):
    """The decision about a bank transfer. `line` is the payment that was recorded for the transfer.

    If the transfer was set aside, `line` is None, and the row has a reason.
    """

    transfer = models.OneToOneField(BankTransfer, on_delete=models.CASCADE, related_name="match")
    line = models.OneToOneField(LedgerLine, null=True, on_delete=models.CASCADE, related_name="transfer_match")

    def __str__(self) -> str:
        return f"{self.transfer}: {self.line or 'set aside'}"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC,)


class CardPayment(OrderedFact):
    """An entrant's attempt to pay by card. Events from the provider determine whether it succeeded."""

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="card_payments")
    entrant = models.ForeignKey("Entrant", on_delete=models.CASCADE, related_name="card_payments")
    ident = models.CharField(max_length=64, unique=True)
    cents = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.entrant}: {self.cents} by card"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC,)


class CardEvent(models.Model):
    """An event from the card provider, stored as received. `state` records how it was processed."""

    class State(models.TextChoices):
        RECORDED = "recorded", _("Recorded")
        WAITING = "waiting", _("Waiting")
        IGNORED = "ignored", _("Ignored")

    ident = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=60)
    at = models.DateTimeField()
    payload = models.JSONField()
    payment = models.ForeignKey(CardPayment, null=True, on_delete=models.CASCADE, related_name="told")
    """The payment, or None if the event belongs to no payment on this site."""

    refund = models.CharField(max_length=100, blank=True)
    cents = models.PositiveBigIntegerField(default=0)
    currency = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=20, choices=State.choices)
    note = models.CharField(max_length=300, blank=True)
    line = models.OneToOneField(LedgerLine, null=True, on_delete=models.CASCADE, related_name="card_event")

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.ident}: {self.kind}"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC,)


# --- The business day ------------------------------------------------------------------------------------------------


class DayOpened(OrderedFact):
    """The business day that the director chose. The choice applies only on the date when it was made.

    `purse.business_day` determines the current business day from it.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="days_opened")
    day = models.DateField()

    def __str__(self) -> str:
        return f"money counts to {self.day}"

    def affected_topics(self) -> tuple[str, ...]:
        return ()


class DayCount(OrderedFact, SignInLinkColumns):
    """A signed count of the money at the end of a day. Only the day's last count can be used to close the day.

    `pieces` has the number of bills and coins. `counted` and `expected` have the cents for each method. The reason
    explains a difference.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="day_counts")
    day = models.DateField()
    pieces = models.JSONField()
    counted = models.JSONField()
    expected = models.JSONField()

    def __str__(self) -> str:
        return f"count of {self.day}"

    def affected_topics(self) -> tuple[str, ...]:
        return ()


class DayClose(OrderedFact, SignInLinkColumns):
    """A second staff member's signature on a count. It closes that day and all earlier days.

    `figures` contains the report as it was signed and printed.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="day_closes")
    day = models.DateField()
    count = models.OneToOneField(DayCount, on_delete=models.RESTRICT, related_name="close")
    figures = models.JSONField()

    def __str__(self) -> str:
        return f"close of {self.day}"

    def affected_topics(self) -> tuple[str, ...]:
        return (DESK_TOPIC,)


class DayReopened(OrderedFact, SignInLinkColumns):
    """Records that a director reopened a day closed by mistake. The old close stays on record.

    `movements` is the tournament's number of money movements when the day was reopened.
    """

    close = models.OneToOneField(DayClose, on_delete=models.CASCADE, related_name="reopened")
    movements = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.close.day} opened again"

    def affected_topics(self) -> tuple[str, ...]:
        return (DESK_TOPIC,)
