"""Ruling slips: small pages for the players, with the facts, the rule, the decision, and the decision's effects.

The rulings are attached to the PDF as JSON, and the PDF is sealed, so that a slip can be verified.
"""

import io
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _
from reportlab.platypus import HRFlowable, PageBreak
from reportlab.platypus.flowables import Flowable, TopPadder

from scoring.disputes.selectors.register import RulingSlip, load_ruling_slips
from scoring.disputes.tables import RulingSlipText, describe_ruling_slip
from scoring.models import Ruling
from scoring.prints.pdf.card_prints import PrintRequest, ProgressCallback
from scoring.rules.evidence.sealing import RULING_ENVELOPE_FORMAT, encode_signable_ruling
from scoring.seals.pdf.signing import attach_and_seal_pdf, sign_with_tournament_certificate
from scoring.seals.selectors.log import restore_recorded_row
from scoring.seals.services.sealing import seal_bytes
from tournament.core.pdf.flow import (
    PARAGRAPH_LINE_SPACING,
    PageLayout,
    QrFlowable,
    TextFlowable,
    compute_flowables_height,
    make_grid,
    make_signature_lines,
    place_side_by_side,
    stack_flowables,
)
from tournament.core.pdf.paper import BOLD_FONT, RED, RULE_COLOR, SERIF_FONT, SLATE_GRAY, Paper
from tournament.core.selectors.log import compute_fact_digest, make_fact_content
from tournament.errors import Conflict

SLIP_PAPER: Final = Paper("Slip", 396, 612)
"""Half a letter page in portrait format."""
SLIP_MARGIN: Final = 26.0
QUOTED_RULE_FONT_SIZE: Final = 8.0
MIN_QUOTED_RULE_LINES: Final = 2
"""The number of lines of the quoted rule that are always printed. More are printed if there is room."""
QR_CODE_SIZE: Final = 84.0
"""The size of the QR code at the bottom, next to the signature line."""


def print_ruling_slips(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print each of the event's current rulings on its own page."""
    slips = load_ruling_slips(order.event)
    if not slips:
        raise Conflict("no-rulings", _("There is no ruling in this event yet. Print the rulings later."))
    return write_sealed_ruling_slips(order, slips, lambda done: report(done, len(slips)))


def write_sealed_ruling_slips(order: PrintRequest, slips: Sequence[RulingSlip], done: Callable[[int], None]) -> bytes:
    target = io.BytesIO()
    write_ruling_slips_pdf(
        target, [describe_ruling_slip(one, _compute_digest(one.ruling)) for one in slips], order.make_url, done
    )
    content = attach_and_seal_pdf(target.getvalue(), [_make_ruling_envelope(one.ruling) for one in slips])
    return sign_with_tournament_certificate(content, order.event.tournament)


def _compute_digest(ruling: Ruling) -> str:
    return compute_fact_digest(restore_recorded_row(ruling.dispute.event, "rulings", ruling))


def _make_ruling_envelope(ruling: Ruling) -> dict[str, Any]:
    """Return a ruling as JSON data to attach to its slip."""
    event = ruling.dispute.event
    recorded = restore_recorded_row(event, "rulings", ruling)
    digest = compute_fact_digest(recorded)
    signature, public = seal_bytes(encode_signable_ruling(digest))
    return {
        "format": RULING_ENVELOPE_FORMAT,
        "tournament": event.tournament.name,
        "event": event.name,
        "number": ruling.number,
        "digest": digest,
        "content": make_fact_content(recorded),
        "seal": {"signature": signature, "key": public},
        "address": reverse("scoring:verify", kwargs={"digest": digest}),
    }


# --- Drawing a slip --------------------------------------------------------------------------------------------------


def write_ruling_slips_pdf(
    target: IO[bytes],
    slips: list[RulingSlipText],
    address: Callable[[str], str],
    done: Callable[[int], None] = lambda count: None,
) -> None:
    """Write a page for each slip. `address` turns a path into an absolute URL."""
    title = _("Ruling %(number)s") % {"number": slips[0].number} if len(slips) == 1 else _("Rulings")
    layout = PageLayout(SLIP_PAPER, title, numbered=False, side=SLIP_MARGIN, top=SLIP_MARGIN)
    story: list[Flowable] = []
    for count, slip in enumerate(slips, start=1):
        foot = stack_flowables(_make_footer(slip, address(slip.path), layout.width), layout.width)
        above, below = list(_iter_facts_of_dispute(slip, layout.width)), list(_iter_decision_and_effects(slip))
        room = layout.height - compute_flowables_height([*above, *below, foot], layout.width)
        most_lines = max(MIN_QUOTED_RULE_LINES, int(room / (QUOTED_RULE_FONT_SIZE * PARAGRAPH_LINE_SPACING)) - 1)
        quoted = (
            [TextFlowable(f"“{slip.rule_text}”", size=QUOTED_RULE_FONT_SIZE, most_lines=most_lines)]
            if slip.rule_text
            else []
        )
        story += [*above, *quoted, *below, TopPadder(foot), PageBreak()]
        done(count)
    layout.write(target, story[:-1])


def _iter_facts_of_dispute(slip: RulingSlipText, width: float) -> Iterator[Flowable]:
    yield TextFlowable(slip.heading, SERIF_FONT, 15, most_lines=2, wraps=True)
    yield TextFlowable(f"{slip.tournament} · {slip.event}", BOLD_FONT, 9, most_lines=2)
    yield TextFlowable(slip.place, size=9, most_lines=2)
    yield TextFlowable(slip.between, BOLD_FONT, 10, most_lines=2)
    yield HRFlowable("100%", 0.6, color=RULE_COLOR, spaceBefore=5, spaceAfter=2)
    if slip.since:
        changes = [TextFlowable(each, BOLD_FONT, 9, most_lines=3, color=RED) for each in slip.since]
        stamp = [TextFlowable(_("CHANGED SINCE THIS RULING"), BOLD_FONT, 10, color=RED), *changes]
        padding = [(f"{side}PADDING", (0, 0), (0, 0), 6) for side in ("LEFT", "RIGHT", "TOP", "BOTTOM")]
        yield make_grid([[stamp]], [width], style=[("BOX", (0, 0), (0, 0), 1.4, RED), *padding])
    if slip.facts:
        yield _make_heading(_("FACTS"))
    for question, answer in slip.facts:
        yield TextFlowable(f"{question} {answer}", size=9, most_lines=2)
    yield _make_heading(_("RULE: %(rule)s") % {"rule": slip.rule} if slip.rule else _("RULE: left to the director"))


def _iter_decision_and_effects(slip: RulingSlipText) -> Iterator[Flowable]:
    yield _make_heading(_("DECISION"))
    yield TextFlowable(slip.words, SERIF_FONT, 12, most_lines=2, wraps=True)
    yield TextFlowable(slip.decided, size=9, most_lines=5)
    if slip.overruled:
        text = _("Different from what the rules say. Reason: %(reason)s") % {"reason": slip.reason}
        yield TextFlowable(text, BOLD_FONT, 8.5, most_lines=3)
    if slip.effects:
        yield _make_heading(_("WHAT IT CHANGES"))
    for effect in slip.effects:
        yield TextFlowable(effect, size=9, most_lines=2)


def _make_heading(text: str) -> Flowable:
    return TextFlowable(text, BOLD_FONT, 8, color=SLATE_GRAY, before=6)


def _make_footer(slip: RulingSlipText, address: str, width: float) -> list[Flowable]:
    """Return the signature line with the QR code next to it, and the ruling's digest below."""
    beside = width - QR_CODE_SIZE - 14
    sign = make_signature_lines([TextFlowable(slip.director, size=8)], [beside], height=28)
    left = [TextFlowable(slip.appeal, size=8.5, most_lines=2), TextFlowable(slip.made, size=8.5, most_lines=2), sign]
    groups = [slip.digest[at : at + 8] for at in range(0, len(slip.digest), 8)]
    digest = _("Digest of this ruling: %(digest)s") % {"digest": " ".join(groups[:4])}
    return [
        place_side_by_side([left, "", QrFlowable(address, QR_CODE_SIZE)], [beside, 14, QR_CODE_SIZE]),
        TextFlowable(digest, size=8, color=SLATE_GRAY, before=6),
        TextFlowable(" ".join(groups[4:]), size=8, color=SLATE_GRAY),
    ]
