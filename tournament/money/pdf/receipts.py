"""Printed receipts: one for each prize, and one for an entry's payments."""

from collections.abc import Iterator, Sequence
from typing import IO, Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from reportlab.platypus import HRFlowable, Spacer
from reportlab.platypus.flowables import Flowable

from tournament.core.pdf.flow import (
    COLUMN_GAP,
    Cell,
    ListColumn,
    PageLayout,
    SignatureFlowable,
    TextFlowable,
    make_grid,
    make_signature_lines,
)
from tournament.core.pdf.lists import PrintedList, format_tournament_days, write_printed_list
from tournament.core.pdf.paper import BOLD_FONT, FELT_GREEN, PAPER_SIZES, RULE_COLOR, SERIF_FONT, SLATE_GRAY
from tournament.core.selectors.events import load_public_name_at
from tournament.core.selectors.program import format_program_version
from tournament.models import Entrant, Event, LedgerLine, PayoutSignature
from tournament.money.selectors.awards import AwardRow, PlayerShare, PrizeShares, load_prize_shares
from tournament.money.selectors.ledger import is_charge_for_side_pool_or_extra, make_movement_from_fact
from tournament.money.selectors.prizes import EventPrizes
from tournament.money.words import line_method_label
from tournament.purse.fees import EntryAccount
from tournament.purse.kinds import MONEY_KIND_DETAILS, MoneyKind
from tournament.templatetags.gin import local_day_time, money, place_with_ordinal

# --- Receipts for prizes ---------------------------------------------------------------------------------------------
# Two receipts are on a page, so that each player signs for their own. The page is cut in the middle.

_PAGE_MARGIN: Final = 18.0
_RECEIPT_PADDING: Final = 36.0
"""The margin around a receipt, inside the page edges and the cut line."""
_SIGNATURE_HEIGHT: Final = 68.0
"""The height of the signature lines, above the program's version."""
_VERSION_HEIGHT: Final = 10.0
"""The height of the line with the program's version, above the cut line."""
_SIGNATURE_WIDTHS: Final = (0.42, 0.36, 0.22)
"""The signature, payer and date fields as fractions of the width."""


def write_payout_receipts(target: IO[bytes], event: Event, prizes: EventPrizes, *, paper: str = "letter") -> int:
    """Write a receipt for each player who has a prize, and return the number of pages."""
    title = _("Payout receipts: %(name)s") % {"name": event.name}
    layout = PageLayout(
        PAPER_SIZES[paper],
        title,
        numbered=False,
        has_own_version=True,
        side=_PAGE_MARGIN,
        top=_PAGE_MARGIN,
        bottom=_PAGE_MARGIN,
    )
    width, half = layout.width - 2 * _RECEIPT_PADDING, layout.height / 2 - 0.01
    rows: list[list[Cell]] = []
    for row, share in _iter_receipts(event, prizes):
        signed = _find_signature(row, share)
        rows += [
            [_make_receipt(event, row, share, signed, width)],
            [_make_lines_to_sign(event, signed, width)],
            [[TextFlowable(format_program_version(), size=8, align="center", color=SLATE_GRAY)]],
        ]
    style: list[tuple[Any, ...]] = [
        (f"{side}PADDING", (0, 0), (-1, -1), _RECEIPT_PADDING) for side in ("LEFT", "RIGHT")
    ]
    style.append(("VALIGN", (0, 0), (-1, -1), "TOP"))
    style += [("LINEBELOW", (0, at), (0, at), 0.6, RULE_COLOR, None, (4, 4)) for at in range(2, len(rows), 6)]
    heights = [half - _SIGNATURE_HEIGHT - _VERSION_HEIGHT, _SIGNATURE_HEIGHT, _VERSION_HEIGHT] * (len(rows) // 3)
    return layout.write(target, [make_grid(rows, [layout.width], heights, style=style)] if rows else [])


def _iter_receipts(event: Event, prizes: EventPrizes) -> Iterator[tuple[AwardRow, PlayerShare]]:
    sharing = load_prize_shares(event, [row.number for row in prizes.all_awards])
    for row in prizes.all_awards:
        alone = PrizeShares(((0, row.name),))
        for share in sharing.get(row.number, alone).split(row.cents, min(row.withheld_cents, row.cents)):
            yield row, share


def _make_receipt(
    event: Event, row: AwardRow, share: PlayerShare, signed: PayoutSignature | None, width: float
) -> list[Flowable]:
    amount = money(share.handed_over_cents, event.tournament.currency)
    name = share.name if signed is None else load_public_name_at(signed.player, signed.at)
    held = " · ".join(
        filter(None, (event.tournament.name, event.tournament.venue, format_tournament_days(event.tournament)))
    )
    name_and_amount = [
        TextFlowable(name, BOLD_FONT, 17, most_lines=2, wraps=True),
        TextFlowable(amount, BOLD_FONT, 20, align="right"),
    ]
    facts = [
        [TextFlowable(label), TextFlowable(text, BOLD_FONT, 11)]
        for label, text in _iter_receipt_lines(event, row, share)
    ]
    return [
        Spacer(0, _RECEIPT_PADDING - _PAGE_MARGIN),
        TextFlowable(_("Payout receipt"), SERIF_FONT, 18),
        TextFlowable(held, after=6),
        HRFlowable("100%", 1.5, color=FELT_GREEN, spaceBefore=0, spaceAfter=6),
        make_grid([name_and_amount], [width - 150, 150], [42]),
        make_grid(facts, [120, width - 120], [20] * len(facts)),
        TextFlowable(_("I received %(amount)s.") % {"amount": amount}, size=11, before=6),
    ]


def _iter_receipt_lines(event: Event, row: AwardRow, share: PlayerShare) -> Iterator[tuple[str, str]]:
    """Yield the label and the text of each line on a receipt."""
    currency = event.tournament.currency
    yield _("Event"), event.name if row.pool is None else f"{event.name}, {row.pool.name}"
    yield _("Place"), place_with_ordinal(row.place)
    yield _("Entry"), _("%(number)s, %(name)s") % {"number": row.number, "name": row.name}
    if share.cents != share.prize_cents:
        yield _("Prize of the pair"), money(share.prize_cents, currency)
    if share.withheld_cents:
        yield _("Prize"), money(share.cents, currency)
        yield _("Withheld"), f"{money(share.withheld_cents, currency)} · {row.withheld_for}"
    yield _("How paid"), _format_payouts(row) or "_" * 34


def _format_payouts(row: AwardRow) -> str:
    """Return the method and receipt number of each valid payout, such as “Check, receipt 3-0017”.

    Return an empty string unless the full prize was paid.
    """
    if not row.paid:
        return ""
    message = _("%(how)s, receipt %(receipt)s")
    return "; ".join(
        message % {"how": payout.get_method_display(), "receipt": payout.movement.receipt} for payout in row.payouts
    )


def _find_signature(row: AwardRow, share: PlayerShare) -> PayoutSignature | None:
    """Return the player's on-screen signature if they signed for every payout of a fully paid prize, otherwise None."""
    each = [
        [signature for signature in line.signatures.all() if signature.player_id == share.player]
        for line in row.payouts
    ]
    return each[-1][-1] if row.paid and each and all(each) else None


def _make_lines_to_sign(event: Event, signed: PayoutSignature | None, width: float) -> Flowable:
    widths = [width * share for share in _SIGNATURE_WIDTHS]
    labels = [TextFlowable(label, size=9) for label in (_("Signature"), _("Paid by"), _("Date"))]
    on_lines: list[Cell] = []
    if signed is not None:
        when = local_day_time(signed.at, event.tournament)
        on_lines = [
            SignatureFlowable(signed.strokes, widths[0] - 2 * COLUMN_GAP, 42),
            TextFlowable(signed.by_name),
            TextFlowable(when, size=9),
        ]
    return make_signature_lines(labels, widths, on_lines, height=44)


# --- Receipt for payments --------------------------------------------------------------------------------------------
# The receipt has every line of an entrant's ledger, and the total.

_RECEIPT_COLUMNS = (
    ListColumn(gettext_lazy("Receipt"), 1.2),
    ListColumn(gettext_lazy("Date"), 2),
    ListColumn(gettext_lazy("What"), 3.2, bold=True),
    ListColumn(gettext_lazy("How"), 3.2),
    ListColumn(gettext_lazy("Amount"), 1.8, align="right"),
)


def write_receipt(
    target: IO[bytes], entrant: Entrant, account: EntryAccount, lines: Sequence[LedgerLine], *, paper: str = "letter"
) -> int:
    event = entrant.event
    currency = event.tournament.currency
    rows = [
        (
            line.movement.receipt,
            local_day_time(line.at, event.tournament),
            _format_line_label(line),
            _format_method(line, currency),
            money(-line.cents if _has_minus_sign(line) else line.cents, currency),
        )
        for line in lines
    ]
    received = -sum(make_movement_from_fact(line).outgoing_cents for line in lines)
    total = ("", "", _("Total received"), "", money(received, currency))
    held = f"{event.tournament.name} · {event.tournament.venue} · {format_tournament_days(event.tournament)}"
    subtitle = f"{held} · {event.name} · {_('entry %(number)s') % {'number': entrant.number}}"
    content = PrintedList(
        _("Receipt: %(name)s") % {"name": entrant.name},
        subtitle,
        _RECEIPT_COLUMNS,
        rows,
        total,
        note=_make_balance_note(account, currency),
    )
    return write_printed_list(target, content, paper=paper)


def _format_line_label(line: LedgerLine) -> str:
    parts = (line.get_kind_display(), line.reference if is_charge_for_side_pool_or_extra(line) else "", line.reason)
    return ": ".join(part for part in parts if part)


def _has_minus_sign(line: LedgerLine) -> bool:
    """Return whether a ledger line is printed with a minus sign.

    Such a line is a waiver, a refund, or a reversed charge or payment.
    """
    kind = line.corrects.kind if line.corrects is not None else line.kind
    is_waiver = not MONEY_KIND_DETAILS[kind].increases_owed and not MONEY_KIND_DETAILS[kind].moves_money
    is_minus = kind == MoneyKind.REFUND or is_waiver
    return is_minus != (line.corrects is not None)


def _format_method(line: LedgerLine, currency: str) -> str:
    """Return how a ledger line was paid, such as “Check 1042”, or “Cash, change $25.00” if change was given."""
    reference = "" if is_charge_for_side_pool_or_extra(line) else line.reference
    text = " ".join(part for part in (line_method_label(line), reference) if part)
    given = line.movement.given_cents
    if not given or given == line.cents:
        return text
    return _("%(method)s, change %(change)s") % {"method": text, "change": money(given - line.cents, currency)}


def _make_balance_note(account: EntryAccount, currency: str) -> str:
    if account.due_cents:
        return _("Still to pay: %(amount)s") % {"amount": money(account.due_cents, currency)}
    if account.refund_due_cents:
        return _("Overpaid: %(amount)s to be refunded.") % {"amount": money(account.refund_due_cents, currency)}
    return _("Paid in full.")
