"""Slips of rulings that can be verified: each ruling is attached as JSON, and the whole file is sealed."""

import io
from collections.abc import Callable, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from scoring.models import Ruling
from scoring.prints.pdf.card_prints import Order, Report
from scoring.prints.pdf.ruling_slip import write_slips
from scoring.rules.evidence.envelopes import RULING_ENVELOPE_FORMAT, ruling_words
from scoring.rulings.selectors.slips import RuledOn, load_slips
from scoring.rulings.tables.slips import slip_of
from scoring.seals.pdf.document_signature import signed_as_document
from scoring.seals.pdf.signing import sign_file
from scoring.seals.services.sealing import seal_bytes
from tournament.core.selectors.log import row_content, row_digest
from tournament.errors import Conflict


def print_ruling_slips(order: Order, report: Report) -> bytes:
    """Print every ruling of the event that is in force, a page each."""
    slips = load_slips(order.event)
    if not slips:
        raise Conflict("no-rulings", _("There is no ruling in this event yet. Print the rulings later."))
    return write_signed_slips(order, slips, lambda done: report(done, len(slips)))


def write_signed_slips(order: Order, slips: Sequence[RuledOn], done: Callable[[int], None]) -> bytes:
    target = io.BytesIO()
    write_slips(target, [slip_of(one, row_digest(one.ruling)) for one in slips], order.address, done)
    content = sign_file(target.getvalue(), [ruling_envelope(one.ruling) for one in slips])
    return signed_as_document(content, order.event.tournament)


def ruling_envelope(ruling: Ruling) -> dict[str, Any]:
    """Return a ruling as it is attached to its slip."""
    digest, event = row_digest(ruling), ruling.dispute.event
    signature, public = seal_bytes(ruling_words(digest))
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
