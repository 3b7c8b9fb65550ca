"""The slips of rulings for the table: a small page with the facts, the rule, the decision, and its effects.

Each ruling is attached to its file as JSON, and the whole file is sealed, so that a slip can be verified.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _
from reportlab.pdfgen.canvas import Canvas

from scoring.disputes.selectors.register import RulingSlip, load_slips
from scoring.disputes.tables import SlipText, describe_slip
from scoring.models import Ruling
from scoring.prints.pdf.card_prints import Order, Report
from scoring.rules.evidence.sealing import RULING_ENVELOPE_FORMAT, ruling_bytes_to_sign
from scoring.seals.pdf.signing import sign_as_document, sign_file
from scoring.seals.services.sealing import seal_bytes
from tournament.core.pdf.paper import (
    BOLD,
    INK,
    RED,
    RULE,
    SANS,
    SERIF,
    SLATE,
    Paper,
    draw_qr,
    draw_text,
    fit_text,
    new_canvas,
    text_width,
)
from tournament.core.selectors.log import row_content, row_digest
from tournament.errors import Conflict

PAPER: Final = Paper("Slip", 396, 612)
"""Half a letter page, upright."""
EDGE: Final = 28.0
WIDTH: Final = PAPER.width - 2 * EDGE
DIGEST: Final = 24.0
"""The height of the digest below the QR code and the line to sign on."""
PAD: Final = 6.0
"""The space inside the border of the stamp."""
LEADING: Final = 1.3
"""The distance between baselines, as a multiple of the type size."""
RULE_SIZE: Final = 8.0
LEAST_RULE: Final = 2
"""The least number of lines of the quoted rule. All of it is printed if the page has room."""
QR_SIDE: Final = 84.0
"""The QR code at the foot, beside the line to sign on."""


def print_ruling_slips(order: Order, report: Report) -> bytes:
    """Print every ruling of the event that is in force, a page each."""
    slips = load_slips(order.event)
    if not slips:
        raise Conflict("no-rulings", _("There is no ruling in this event yet. Print the rulings later."))
    return write_signed_slips(order, slips, lambda done: report(done, len(slips)))


def write_signed_slips(order: Order, slips: Sequence[RulingSlip], done: Callable[[int], None]) -> bytes:
    target = io.BytesIO()
    write_slips(target, [describe_slip(one, row_digest(one.ruling)) for one in slips], order.address, done)
    content = sign_file(target.getvalue(), [_ruling_envelope(one.ruling) for one in slips])
    return sign_as_document(content, order.event.tournament)


def _ruling_envelope(ruling: Ruling) -> dict[str, Any]:
    """Return a ruling as it is attached to its slip."""
    digest, event = row_digest(ruling), ruling.dispute.event
    signature, public = seal_bytes(ruling_bytes_to_sign(digest))
    return {
        "format": RULING_ENVELOPE_FORMAT,
        "tournament": event.tournament.name,
        "event": event.name,
        "number": ruling.number,
        "digest": digest,
        "content": row_content(ruling),
        "seal": {"signature": signature, "key": public},
        "address": reverse("scoring:verify", kwargs={"digest": digest}),
    }


# --- Drawing a slip --------------------------------------------------------------------------------------------------


@dataclass
class _Pen:
    """Write text from the top down. `inset` is the indent from both edges, and `y` the last baseline."""

    canvas: Canvas
    y: float = PAPER.height - EDGE
    inset: float = 0
    draws: bool = True
    """Whether to draw. False only measures."""

    @property
    def room(self) -> float:
        return WIDTH - 2 * self.inset

    def write(self, text: str, font: str = SANS, size: float = 9, most: int = 6) -> None:
        lines = self.wrap(text, font, size)
        if len(lines) > most:
            lines = [*lines[: most - 1], self._cut_off(lines[most - 1], font, size)]
        for line in lines:
            self.y -= size * LEADING
            if self.draws:
                draw_text(self.canvas, line, (EDGE + self.inset, self.y), font=font, size=size)

    def wrap(self, text: str, font: str, size: float) -> list[str]:
        lines: list[str] = []
        for whole in text.split():
            word = fit_text(whole, font, size, self.room, smallest=size, most_lines=1).lines[0]
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and text_width(longer, font, size) <= self.room:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def _cut_off(self, line: str, font: str, size: float) -> str:
        """Return the last line of a text that is cut off, with an ellipsis, within the width."""
        words = line.split()
        while len(words) > 1 and text_width(" ".join([*words, "…"]), font, size) > self.room:
            words.pop()
        return " ".join([*words, "…"])

    def heading(self, text: str) -> None:
        self.y -= 6
        self.canvas.setFillColor(SLATE)
        self.write(text, BOLD, 8, most=1)
        self.canvas.setFillColor(INK)

    def stamp(self, title: str, sentences: Sequence[str]) -> None:
        """Draw a red box over the whole width."""
        self.y -= PAD
        top, self.inset = self.y, PAD
        self.canvas.setFillColor(RED)
        self.write(title, BOLD, 10, most=1)
        for each in sentences:
            self.write(each, BOLD, 9, most=3)
        self.y -= PAD
        self.inset = 0
        self.canvas.setStrokeColor(RED)
        self.canvas.setLineWidth(1.4)
        self.canvas.rect(EDGE, self.y, WIDTH, top - self.y)
        self.canvas.setLineWidth(1)
        self.canvas.setFillColor(INK)


def write_slips(
    target: IO[bytes],
    slips: list[SlipText],
    address: Callable[[str], str],
    done: Callable[[int], None] = lambda count: None,
) -> None:
    """Write a page for each slip. `address` turns a path into an address that a phone can open."""
    canvas = new_canvas(
        target, PAPER, _("Ruling %(number)s") % {"number": slips[0].number} if len(slips) == 1 else _("Rulings")
    )
    for count, slip in enumerate(slips, start=1):
        _draw_slip(canvas, slip, address(slip.path))
        canvas.showPage()
        done(count)
    canvas.save()


def _draw_slip(canvas: Canvas, slip: SlipText, address: str) -> None:
    canvas.setFillColor(INK)
    pen = _Pen(canvas)
    pen.write(slip.heading, SERIF, 15, most=2)
    pen.write(f"{slip.tournament} · {slip.event}", BOLD, 9, most=2)
    pen.write(slip.place, most=2)
    pen.write(slip.between, BOLD, 10, most=2)
    pen.y -= 6
    canvas.setStrokeColor(RULE)
    canvas.line(EDGE, pen.y, PAPER.width - EDGE, pen.y)
    if slip.since:
        pen.stamp(_("CHANGED SINCE THIS RULING"), slip.since)
    if slip.facts:
        pen.heading(_("FACTS"))
        for question, answer in slip.facts:
            pen.write(f"{question} {answer}", most=2)
    pen.heading(_("RULE: %(rule)s") % {"rule": slip.rule} if slip.rule else _("RULE: left to the director"))
    if slip.rule_text:
        below = _Pen(canvas, draws=False)
        _write_decision(below, slip)
        room = pen.y - (_Pen(canvas).y - below.y) - (EDGE + DIGEST + QR_SIDE + 4)
        pen.write(f"“{slip.rule_text}”", size=RULE_SIZE, most=max(LEAST_RULE, int(room / (RULE_SIZE * LEADING))))
    _write_decision(pen, slip)
    _draw_foot(canvas, slip, address)


def _write_decision(pen: _Pen, slip: SlipText) -> None:
    pen.heading(_("DECISION"))
    pen.write(slip.words, SERIF, 12, most=2)
    pen.write(slip.decided, most=5)
    if slip.overruled:
        text = _("Different from what the rules say. Reason: %(reason)s") % {"reason": slip.reason}
        pen.write(text, BOLD, 8.5, most=3)
    if slip.effects:
        pen.heading(_("WHAT IT CHANGES"))
        for effect in slip.effects:
            pen.write(effect, most=2)


def _draw_foot(canvas: Canvas, slip: SlipText, address: str) -> None:
    draw_qr(canvas, address, (PAPER.width - EDGE - QR_SIDE, EDGE + DIGEST), QR_SIDE)
    _draw_digest(canvas, slip.digest)
    width = WIDTH - QR_SIDE - 14
    for turn, text in enumerate((slip.appeal, slip.made)):
        fitted = fit_text(text, SANS, 8.5, width)
        for line, words in enumerate(fitted.lines):
            at = (EDGE, EDGE + DIGEST + QR_SIDE - 8 - turn * 22 - line * 10)
            draw_text(canvas, words, at, size=fitted.size)
    canvas.setStrokeColor(INK)
    canvas.line(EDGE, EDGE + DIGEST + 16, EDGE + width, EDGE + DIGEST + 16)
    name = fit_text(slip.director, SANS, 8, width, most_lines=1)
    draw_text(canvas, name.lines[0], (EDGE, EDGE + DIGEST + 4), size=name.size)


def _draw_digest(canvas: Canvas, digest: str) -> None:
    """Draw the digest of the ruling, for comparing, over the whole width below the line to sign on."""
    groups = [digest[at : at + 8] for at in range(0, len(digest), 8)]
    canvas.setFillColor(SLATE)
    text = _("Digest of this ruling: %(digest)s") % {"digest": " ".join(groups[:4])}
    draw_text(canvas, text, (EDGE, EDGE + 10), size=8)
    draw_text(canvas, " ".join(groups[4:]), (EDGE, EDGE), size=8)
    canvas.setFillColor(INK)
