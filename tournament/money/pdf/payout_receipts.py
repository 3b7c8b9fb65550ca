"""Receipts for prizes, two on a page, so that each player signs for their own. The page is cut in the middle."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.names import days_of
from tournament.core.pdf.paper import BOLD, FELT, INK, PAPERS, RULE, SERIF, Paper, Words, new_canvas
from tournament.core.pdf.strokes import draw_strokes
from tournament.models import Event, PayoutSignature
from tournament.money.selectors.awards import AwardRow
from tournament.money.selectors.prizes import Prizes
from tournament.money.selectors.shares import PlayerShare, Sharing, load_sharing
from tournament.people.selectors import name_at
from tournament.templatetags.gin import local_day_time, money, placed

MARGIN: Final = 54.0
CUT: Final = 18.0
"""The distance from the cut in which nothing is printed."""
PLACES: Final = (0.42, 0.36, 0.22)
"""The shares of the width for the signature, the payer and the date."""
GAP: Final = 16.0


@dataclass(frozen=True, slots=True)
class PayoutReceipt:
    """A receipt that one player signs: the amount handed over, with `facts` as label and text.

    A withheld amount is among the facts. `paid` says how the prize was paid, and is empty if it was not.
    """

    name: str
    amount: str
    facts: tuple[tuple[str, str], ...]
    paid: str = ""
    signed: PayoutSignature | None = None
    """The player's signature on screen, if it covers everything that was paid."""


def write_payout_receipts(target: IO[bytes], event: Event, prizes: Prizes, *, paper: str = "letter") -> int:
    """Write a receipt for each player who has a prize, and return the number of pages."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, _("Payout receipts: %(name)s") % {"name": event.name})
    receipts = list(_receipts(event, prizes))
    for first in range(0, len(receipts), 2):
        words = Words(canvas)
        for turn, receipt in enumerate(receipts[first : first + 2]):
            _draw(canvas, words, size, event, receipt, top=size.height - turn * size.height / 2)
        _draw_cut(canvas, size)
        words.draw()
        canvas.showPage()
    canvas.save()
    return -(-len(receipts) // 2)


def _receipts(event: Event, prizes: Prizes) -> Iterator[PayoutReceipt]:
    sharing = load_sharing(event, [row.number for row in prizes.all_awards])
    for row in prizes.all_awards:
        alone = Sharing(((0, row.name),))
        for share in sharing.get(row.number, alone).of(row.cents, min(row.withheld_cents, row.cents)):
            yield _receipt(event, row, share)


def _signed(row: AwardRow, share: PlayerShare) -> PayoutSignature | None:
    each = [[one for one in line.signatures.all() if one.player_id == share.player] for line in row.standing]
    return each[-1][-1] if row.paid and each and all(each) else None


def _receipt(event: Event, row: AwardRow, share: PlayerShare) -> PayoutReceipt:
    currency = event.tournament.currency
    facts = [
        (_("Event"), event.name if row.pool is None else f"{event.name}, {row.pool.name}"),
        (_("Place"), placed(row.place)),
        (_("Entry"), _("%(number)s, %(name)s") % {"number": row.number, "name": row.name}),
    ]
    if share.cents != share.prize_cents:
        facts.append((_("Prize of the pair"), money(share.prize_cents, currency)))
    if share.withheld_cents:
        facts.append((_("Prize"), money(share.cents, currency)))
        facts.append((_("Withheld"), f"{money(share.withheld_cents, currency)} · {row.withheld_for}"))
    signed = _signed(row, share)
    name = share.name if signed is None else name_at(signed.player, signed.at)
    return PayoutReceipt(name, money(share.handed_cents, currency), tuple(facts), _paid(row), signed)


def _paid(row: AwardRow) -> str:
    """Return the method and receipt number of each payout that counts, such as “Check, receipt 3-0017”.

    Return an empty string if another amount than the prize was paid.
    """
    if not row.paid:
        return ""
    said = _("%(how)s, receipt %(receipt)s")
    return "; ".join(said % {"how": one.get_method_display(), "receipt": one.movement.receipt} for one in row.standing)


def _draw(canvas: Canvas, words: Words, size: Paper, event: Event, receipt: PayoutReceipt, *, top: float) -> None:
    tournament, width, y = event.tournament, size.width - 2 * MARGIN, top - MARGIN
    words.write(_("Payout receipt"), (MARGIN, y), font=SERIF, size=18)
    held = " · ".join(filter(None, (tournament.name, tournament.venue, days_of(tournament))))
    words.write_fitted(held, (MARGIN, y - 18), width, size=10, most_lines=1)
    canvas.setStrokeColor(FELT)
    canvas.setLineWidth(1.5)
    canvas.line(MARGIN, y - 28, size.width - MARGIN, y - 28)
    words.write_fitted(receipt.name, (MARGIN, y - 58), width - 150, font=BOLD, size=17)
    words.write(receipt.amount, (size.width - MARGIN, y - 58), font=BOLD, size=20, align="right")
    y -= 88
    paid = receipt.paid or "_" * 34
    for label, text in (*receipt.facts, (_("How paid"), paid)):
        words.write(label, (MARGIN, y), size=10)
        words.write_fitted(text, (MARGIN + 120, y), width - 120, font=BOLD, size=11, most_lines=1)
        y -= 20
    said = _("I received %(amount)s.") % {"amount": receipt.amount}
    words.write(said, (MARGIN, y - 10), size=11)
    _draw_lines(canvas, words, size, top - size.height / 2 + CUT + 40)
    if receipt.signed is not None:
        _draw_signed(canvas, words, size, event, receipt.signed, top - size.height / 2 + CUT + 40)


def _draw_signed(canvas: Canvas, words: Words, size: Paper, event: Event, signed: PayoutSignature, y: float) -> None:
    width = size.width - 2 * MARGIN
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(1.2)
    draw_strokes(canvas, signed.strokes, (MARGIN, y + 2), width * PLACES[0] - GAP, 40)
    by, at = MARGIN + width * PLACES[0], MARGIN + width * (PLACES[0] + PLACES[1])
    words.write_fitted(signed.by_name, (by, y + 4), width * PLACES[1] - GAP, size=10, most_lines=1)
    when = local_day_time(signed.at, event.tournament)
    words.write_fitted(when, (at, y + 4), width * PLACES[2], size=9, most_lines=1)


def _draw_lines(canvas: Canvas, words: Words, size: Paper, y: float) -> None:
    width = size.width - 2 * MARGIN
    places = tuple(zip((_("Signature"), _("Paid by"), _("Date")), PLACES, strict=True))
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.7)
    x = MARGIN
    for label, share in places:
        canvas.line(x, y, x + width * share - GAP * (share != places[-1][1]), y)
        words.write(label, (x, y - 13), size=9)
        x += width * share


def _draw_cut(canvas: Canvas, size: Paper) -> None:
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.6)
    canvas.setDash(4, 4)
    canvas.line(MARGIN / 3, size.height / 2, size.width - MARGIN / 3, size.height / 2)
    canvas.setDash()
