"""Receipts on paper: for each prize, and for the payments of an entry."""

from collections.abc import Iterator, Sequence
from typing import IO, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.lists import ListColumn, PrintedList, format_days, write_list
from tournament.core.pdf.paper import BOLD, FELT, INK, PAPERS, RULE, SERIF, Paper, TextLayer, draw_strokes, new_canvas
from tournament.core.selectors.events import public_name_at
from tournament.models import Entrant, Event, LedgerLine, PayoutSignature
from tournament.money.selectors.awards import AwardRow, PlayerShare, PrizeShares, load_prize_shares
from tournament.money.selectors.ledger import is_named_charge, money_movement_of
from tournament.money.selectors.prizes import Prizes
from tournament.money.words import line_method_label
from tournament.purse.fees import Account
from tournament.purse.kinds import KINDS, MoneyKind
from tournament.templatetags.gin import local_day_time, money, placed

# --- Receipts for prizes ---------------------------------------------------------------------------------------------
# Two receipts are on a page, so that each player signs for their own. The page is cut in the middle.

_MARGIN: Final = 54.0
_CUT: Final = 18.0
"""The distance from the cut in which nothing is printed."""
_WIDTHS: Final = (0.42, 0.36, 0.22)
"""The shares of the width for the signature, the payer and the date."""
_GAP: Final = 16.0


def write_payout_receipts(target: IO[bytes], event: Event, prizes: Prizes, *, paper: str = "letter") -> int:
    """Write a receipt for each player who has a prize, and return the number of pages."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, _("Payout receipts: %(name)s") % {"name": event.name})
    receipts = list(_receipts(event, prizes))
    for first in range(0, len(receipts), 2):
        words = TextLayer(canvas)
        for turn, (row, share) in enumerate(receipts[first : first + 2]):
            _draw_receipt(canvas, words, size, event, row, share, top=size.height - turn * size.height / 2)
        _draw_cut(canvas, size)
        words.draw()
        canvas.showPage()
    canvas.save()
    return -(-len(receipts) // 2)


def _receipts(event: Event, prizes: Prizes) -> Iterator[tuple[AwardRow, PlayerShare]]:
    sharing = load_prize_shares(event, [row.number for row in prizes.all_awards])
    for row in prizes.all_awards:
        alone = PrizeShares(((0, row.name),))
        for share in sharing.get(row.number, alone).split(row.cents, min(row.withheld_cents, row.cents)):
            yield row, share


def _draw_receipt(
    canvas: Canvas, words: TextLayer, size: Paper, event: Event, row: AwardRow, share: PlayerShare, *, top: float
) -> None:
    signed, amount = _signature_of(row, share), money(share.handed_cents, event.tournament.currency)
    name = share.name if signed is None else public_name_at(signed.player, signed.at)
    tournament, width, y = event.tournament, size.width - 2 * _MARGIN, top - _MARGIN
    words.write(_("Payout receipt"), (_MARGIN, y), font=SERIF, size=18)
    held = " · ".join(filter(None, (tournament.name, tournament.venue, format_days(tournament))))
    words.write_fitted(held, (_MARGIN, y - 18), width, size=10, most_lines=1)
    canvas.setStrokeColor(FELT)
    canvas.setLineWidth(1.5)
    canvas.line(_MARGIN, y - 28, size.width - _MARGIN, y - 28)
    words.write_fitted(name, (_MARGIN, y - 58), width - 150, font=BOLD, size=17)
    words.write(amount, (size.width - _MARGIN, y - 58), font=BOLD, size=20, align="right")
    y -= 88
    for label, text in _receipt_facts(event, row, share):
        words.write(label, (_MARGIN, y), size=10)
        words.write_fitted(text, (_MARGIN + 120, y), width - 120, font=BOLD, size=11, most_lines=1)
        y -= 20
    message = _("I received %(amount)s.") % {"amount": amount}
    words.write(message, (_MARGIN, y - 10), size=11)
    _draw_lines(canvas, words, size, top - size.height / 2 + _CUT + 40)
    if signed is not None:
        _draw_signature(canvas, words, size, event, signed, top - size.height / 2 + _CUT + 40)


def _receipt_facts(event: Event, row: AwardRow, share: PlayerShare) -> Iterator[tuple[str, str]]:
    """Yield the label and the text of each fact on a receipt."""
    currency = event.tournament.currency
    yield _("Event"), event.name if row.pool is None else f"{event.name}, {row.pool.name}"
    yield _("Place"), placed(row.place)
    yield _("Entry"), _("%(number)s, %(name)s") % {"number": row.number, "name": row.name}
    if share.cents != share.prize_cents:
        yield _("Prize of the pair"), money(share.prize_cents, currency)
    if share.withheld_cents:
        yield _("Prize"), money(share.cents, currency)
        yield _("Withheld"), f"{money(share.withheld_cents, currency)} · {row.withheld_for}"
    yield _("How paid"), _payment_text(row) or "_" * 34


def _payment_text(row: AwardRow) -> str:
    """Return the method and receipt number of each payout that counts, such as “Check, receipt 3-0017”.

    Return an empty string unless exactly the prize was paid.
    """
    if not row.paid:
        return ""
    message = _("%(how)s, receipt %(receipt)s")
    return "; ".join(
        message % {"how": payout.get_method_display(), "receipt": payout.movement.receipt} for payout in row.payouts
    )


def _signature_of(row: AwardRow, share: PlayerShare) -> PayoutSignature | None:
    """Return the player's signature on screen, or None unless it covers everything that was paid."""
    each = [
        [signature for signature in line.signatures.all() if signature.player_id == share.player]
        for line in row.payouts
    ]
    return each[-1][-1] if row.paid and each and all(each) else None


def _draw_signature(
    canvas: Canvas, words: TextLayer, size: Paper, event: Event, signed: PayoutSignature, y: float
) -> None:
    width = size.width - 2 * _MARGIN
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(1.2)
    draw_strokes(canvas, signed.strokes, (_MARGIN, y + 2), width * _WIDTHS[0] - _GAP, 40)
    by, at = _MARGIN + width * _WIDTHS[0], _MARGIN + width * (_WIDTHS[0] + _WIDTHS[1])
    words.write_fitted(signed.by_name, (by, y + 4), width * _WIDTHS[1] - _GAP, size=10, most_lines=1)
    when = local_day_time(signed.at, event.tournament)
    words.write_fitted(when, (at, y + 4), width * _WIDTHS[2], size=9, most_lines=1)


def _draw_lines(canvas: Canvas, words: TextLayer, size: Paper, y: float) -> None:
    width = size.width - 2 * _MARGIN
    places = tuple(zip((_("Signature"), _("Paid by"), _("Date")), _WIDTHS, strict=True))
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.7)
    x = _MARGIN
    for label, share in places:
        canvas.line(x, y, x + width * share - _GAP * (share != places[-1][1]), y)
        words.write(label, (x, y - 13), size=9)
        x += width * share


def _draw_cut(canvas: Canvas, size: Paper) -> None:
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.6)
    canvas.setDash(4, 4)
    canvas.line(_MARGIN / 3, size.height / 2, size.width - _MARGIN / 3, size.height / 2)
    canvas.setDash()


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
    target: IO[bytes], entrant: Entrant, account: Account, lines: Sequence[LedgerLine], *, paper: str = "letter"
) -> int:
    event = entrant.event
    currency = event.tournament.currency
    rows = [
        (
            line.movement.receipt,
            local_day_time(line.at, event.tournament),
            _line_text(line),
            _method_text(line, currency),
            money(-line.cents if _is_minus(line) else line.cents, currency),
        )
        for line in lines
    ]
    received = -sum(money_movement_of(line).outgoing_cents for line in lines)
    total = ("", "", _("Total received"), "", money(received, currency))
    held = f"{event.tournament.name} · {event.tournament.venue} · {format_days(event.tournament)}"
    subtitle = f"{held} · {event.name} · {_('entry %(number)s') % {'number': entrant.number}}"
    content = PrintedList(
        _("Receipt: %(name)s") % {"name": entrant.name},
        subtitle,
        _RECEIPT_COLUMNS,
        rows,
        total,
        note=_balance_note(account, currency),
    )
    return write_list(target, content, paper=paper)


def _line_text(line: LedgerLine) -> str:
    parts = (line.get_kind_display(), line.reference if is_named_charge(line) else "", line.reason)
    return ": ".join(part for part in parts if part)


def _is_minus(line: LedgerLine) -> bool:
    """Return whether the line is printed with a minus: a waiver, a refund, or a reversed charge or payment."""
    kind = line.corrects.kind if line.corrects is not None else line.kind
    is_waiver = not KINDS[kind].increases_owed and not KINDS[kind].moves_money
    is_minus = kind == MoneyKind.REFUND or is_waiver
    return is_minus != (line.corrects is not None)


def _method_text(line: LedgerLine, currency: str) -> str:
    """Return how a line was paid, such as “Check 1042”, or “Cash, change $25.00” if more was given."""
    reference = "" if is_named_charge(line) else line.reference
    text = " ".join(part for part in (line_method_label(line), reference) if part)
    given = line.movement.given_cents
    if not given or given == line.cents:
        return text
    return _("%(method)s, change %(change)s") % {"method": text, "change": money(given - line.cents, currency)}


def _balance_note(account: Account, currency: str) -> str:
    if account.due_cents:
        return _("Still to pay: %(amount)s") % {"amount": money(account.due_cents, currency)}
    if account.refund_due_cents:
        return _("Overpaid: %(amount)s to be refunded.") % {"amount": money(account.refund_due_cents, currency)}
    return _("Paid in full.")
