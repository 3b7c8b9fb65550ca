"""Print score cards after play with their valid signatures.

The cards' sealed versions are attached to the PDF as JSON, together with each card's status at the time of printing.
"""

import io
import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Final, Protocol

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.results import CardStatusKind
from pairing.stages.pictures.boxes import format_full_match_name
from scoring.card_state.selectors.cards import select_cards_with_facts
from scoring.card_state.selectors.players import Substitution, load_substitutions
from scoring.card_state.selectors.state import CardState, capitalize_first_letter, make_card_state
from scoring.card_state.tables import (
    describe_closing,
    describe_line,
    describe_signer,
    describe_substitutions,
    describe_totals,
    end_with_period,
    is_posted_by_officials,
)
from scoring.models import CardVersion
from scoring.posting.selectors.card_status import CardStatus, load_card_statuses
from scoring.posting.tables import CardSummary, describe_card_status
from scoring.prints.pdf.blocks import (
    MIN_PRINTED_LINE_HEIGHT,
    add_final_score,
    fill_sheet_with_blank_lines,
    fit_line_height,
    put_sums_side_by_side,
)
from scoring.prints.pdf.card_prints import (
    PrintRequest,
    ProgressCallback,
    format_event_title,
    list_option_descriptions,
    load_playable_cards,
)
from scoring.prints.pdf.whole_sheet import (
    PrintedSheet,
    PrintedSignature,
    compute_stamp_height,
    count_pages,
    make_recorded_table_draw_lines,
    make_sheet_area,
    wrap_notes,
    wrap_stamp_text,
    write_score_sheets,
)
from scoring.rules.evidence.sealing import CARD_ENVELOPE_FORMAT
from scoring.rules.variants.variant import is_totals_record
from scoring.seals.pdf.signed_files import PDF_READER_ERRORS, make_attachment_name
from scoring.seals.pdf.signing import attach_and_seal_pdf, sign_with_tournament_certificate
from scoring.seals.selectors.versions import load_versions_by_digest, make_card_signature, read_stored_seal
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.errors import Conflict
from tournament.models import Tournament
from tournament.templatetags.gin import local_day_time

CARD_STATUS_TEXTS: Final = {
    "superseded": gettext_lazy("SUPERSEDED: the match was decided otherwise"),
    "disagrees": gettext_lazy("NOT THE RESULT: see below"),
    "waits": gettext_lazy("NOT POSTED: changed since it was signed by all, see below"),
    "decided": gettext_lazy("NOT POSTED: changed, and the match was decided since, see below"),
    "void": gettext_lazy("VOID: it no longer counts, see below"),
}
"""The text printed at the top of a card whose printed content does not count, keyed by the card's status."""


class PrintedStatus(StrEnum):
    """A card's status when it was printed.

    `UNSIGNED`: some signatures were missing. `CLOSED`: the game ended early, so no signatures were needed. `NO_SEAL`:
    the card was signed before the program had seals. `UNKNOWN`: the page is from an older PDF, which recorded only
    sealed cards.
    """

    SEALED = "sealed"
    UNSIGNED = "unsigned"
    CLOSED = "closed"
    NO_SEAL = "no-seal"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedCardRecord:
    """The facts that a PDF records about one of its printed cards.

    `name` is the name of the card's attachment, or empty if the card was not sealed. `pages` are numbered from 1.
    `line` is the text at the top of the card. `about` contains the facts on which the red `stamp` is based (see
    `make_stamp_facts`).
    """

    kind: str
    pages: tuple[int, ...]
    name: str = ""
    token: str = ""
    digest: str = ""
    match: str = ""
    game: int = 0
    title: str = ""
    line: str = ""
    stamp: str = ""
    about: dict[str, Any] = field(default_factory=dict)
    corrected: bool = False

    @property
    def is_stamped(self) -> bool:
        return bool(self.about) or self.corrected

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "kind": str(self.kind), "pages": list(self.pages)}


class _ParsedPrintedFile(Protocol):
    """The interface of a parsed PDF: its number of pages and its attachments."""

    @property
    def pages(self) -> int: ...
    @property
    def cards(self) -> dict[str, dict[str, Any]]: ...
    @property
    def rulings(self) -> dict[str, dict[str, Any]]: ...
    @property
    def seal(self) -> dict[str, Any] | None: ...


@dataclass(frozen=True, slots=True)
class OutdatedStamp:
    """A printed stamp that no longer applies, and the card's current status."""

    printed_text: str
    current_status: str


@dataclass(frozen=True, slots=True)
class CardToPrint:
    """A score card to print.

    `version` is None if nobody has signed the card's current content. `is_outdated` is true if the card was corrected
    after this version was signed.
    """

    state: CardState
    version: CardVersion | None = None
    is_outdated: bool = False
    status: CardStatus | None = None

    @property
    def status_summary(self) -> CardSummary | None:
        """A description of the card's status, or None if the card counts for its match's result."""
        return describe_card_status(self.status) if self.status is not None else None

    @property
    def is_void(self) -> bool:
        """Whether the match was voided, or its players changed, before everybody had signed the card."""
        return self.status is not None and self.status.kind is CardStatusKind.VOID

    @property
    def is_sealed(self) -> bool:
        return self.version is not None and read_stored_seal(self.version) is not None


def print_signed_cards(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print the event's score cards that everybody has signed, and those of games that were closed early.

    Cards that are still being played, or that wait for signatures, are left out. The request (`order`) can be for a
    single round, table, or card.

    Raises:
        Conflict: `no-cards`.
    """
    cards = (
        select_cards_with_facts().filter(match__event=order.event).order_by("match__round", "match__position", "game")
    )
    if order.card:
        cards = cards.filter(token=order.card)
    if order.round:
        cards = cards.filter(match__round=order.round)
    states = [state for state in map(make_card_state, cards) if state.is_posted]
    if order.table:
        states = [state for state in states if state.table == order.table]
    if not states and (order.round or order.table):
        raise Conflict("no-cards", _("No score card of that round and table is signed yet. Choose another."))
    if not states:
        raise Conflict("no-cards", _("No score card is signed yet. Print signed cards later."))
    versions = load_versions_by_digest([state.card.pk for state in states])
    statuses = load_card_statuses(order.event, {state.card.match_id for state in states})
    printed = [
        CardToPrint(state, versions.get((state.card.pk, state.digest)), status=statuses.get(state.card.pk))
        for state in states
    ]
    return write_signed_cards(order, printed, report)


def print_cards_in_play(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print the cards of games in progress, with their hands so far and empty lines for the next ones.

    These printouts are working copies without a seal.

    Raises:
        Conflict: `no-cards`.
    """
    states = [state for state in load_playable_cards(order)[0] if state.lines]
    if not states:
        raise Conflict("no-cards", _("No score card is in use now. Start play first."))
    came = load_substitutions(states)
    sheets = [_make_signed_sheet(order, CardToPrint(state), came.get(state.card.pk, ())) for state in states]
    to_write_on = [replace(sheet, digest="") for sheet in sheets]
    target = io.BytesIO()
    write_score_sheets(target, to_write_on, paper=order.paper, progress=lambda done: report(done, len(sheets)))
    return target.getvalue()


def write_signed_cards(order: PrintRequest, cards: list[CardToPrint], report: ProgressCallback) -> bytes:
    came = load_substitutions([card.state for card in cards])
    sheets = [_make_signed_sheet(order, card, came.get(card.state.card.pk, ())) for card in cards]
    target = io.BytesIO()
    write_score_sheets(target, sheets, paper=order.paper, progress=lambda done: report(done, len(sheets)))
    attached, printed, first = [], [], 1
    for card, sheet in zip(cards, sheets, strict=True):
        pages = list(range(first, first + count_pages(sheet, order.paper)))
        first += len(pages)
        if card.is_sealed:
            attached.append(_make_card_envelope(card, pages))
        printed.append(_make_card_record(card, pages, make_attachment_name(attached[-1]) if card.is_sealed else ""))
    content = attach_and_seal_pdf(target.getvalue(), attached, [each.as_json() for each in printed])
    return sign_with_tournament_certificate(content, order.event.tournament) if attached else content


def _make_card_record(card: CardToPrint, pages: list[int], name: str) -> PrintedCardRecord:
    """Return the card's record for the printed file, with its current status."""
    state = card.state
    kind = PrintedStatus.NO_SEAL if state.is_posted and card.version is None else PrintedStatus.UNSIGNED
    if state.score.is_closed:
        kind = PrintedStatus.CLOSED
    return PrintedCardRecord(
        kind=PrintedStatus.SEALED if card.is_sealed else kind,
        pages=tuple(pages),
        name=name,
        token=state.card.token,
        digest=state.digest,
        match=state.card.match.ident,
        game=state.card.game,
        title=state.score.line_with_names,
        line=describe_printed_state(card),
        stamp=_make_stamp_text(card),
        about=make_stamp_facts(card.status),
        corrected=card.is_outdated,
    )


def _make_card_envelope(card: CardToPrint, pages: list[int]) -> dict[str, Any]:
    """Return a sealed card as the JSON attachment of the PDF. `pages` are the card's page numbers, counted from 1."""
    state, version = card.state, card.version
    sealed = read_stored_seal(version) if version is not None else None
    assert version is not None and sealed is not None
    signatures = [s for s in state.signatures.all_signatures if s.digest == version.digest]
    return {
        "format": CARD_ENVELOPE_FORMAT,
        "tournament": state.card.match.event.tournament.name,
        "event": state.card.match.event.name,
        "version": version.number,
        "digest": version.digest,
        "content": json.loads(version.content),
        "signatures": [{**asdict(make_card_signature(state, each)), "drawn": each.strokes} for each in signatures],
        "seal": {
            "statement": json.loads(sealed.statement),
            "digest": sealed.digest,
            "signature": sealed.signature,
            "key": sealed.public,
        },
        "pages": pages,
    }


def _make_signed_sheet(order: PrintRequest, printed: CardToPrint, came: Collection[Substitution] = ()) -> PrintedSheet:
    """Return a card's score sheet with its valid signatures and its digest. `came` contains substitute players."""
    state = printed.state
    card, event, words = state.card, state.card.match.event, printed.status_summary
    notes, corrected = _describe_corrections(state)
    notes = (*describe_substitutions(state, came), *notes)
    draw, stamp = make_recorded_table_draw_lines(state), wrap_stamp_text(_make_stamp_text(printed), order.paper)
    under_head = draw.height + compute_stamp_height(stamp)
    below = len(wrap_notes(notes, PAPER_SIZES[order.paper]))
    sign = len(state.seats) + len(state.sheet.variant.further_signers)
    place = make_sheet_area(sign, order.paper, notes=below, digest=True, under_head=under_head)
    where = (
        _("%(match)s, game %(game)s") % {"match": format_full_match_name(card.match), "game": card.game}
        if state.is_single_game
        else _("Card of %(title)s") % {"title": state.title}
    )
    variant = state.draw.displayed_variant
    signatures = () if state.score.is_closed else _list_valid_signatures(state, event.tournament, came)
    if state.is_complete or state.score.is_closed:
        totals = dict(zip(state.names, state.score.totals, strict=False))
        blocks = add_final_score(variant.blocks(state.score.rows, state.score.named_tally), totals)
        if fit_line_height(blocks, place) < MIN_PRINTED_LINE_HEIGHT:
            blocks = put_sums_side_by_side(blocks)
    else:
        blocks = fill_sheet_with_blank_lines(variant, state.score.rows, state.score.named_tally, place)
    return PrintedSheet(
        title=format_event_title(event),
        subtitle=_("%(where)s · rule sheet %(version)s") % {"where": where, "version": card.sheet.version},
        state=describe_printed_state(printed),
        rules=variant.title,
        played=state.rules.summarize_options(),
        options=list_option_descriptions(state.rules),
        blocks=blocks,
        signatures=signatures,
        signers=variant.signers,
        table=state.table or 0,
        address=order.make_url(_make_card_path(printed)),
        digest=state.digest,
        digest_of=_describe_digest(printed),
        checked=_describe_signing(printed, sum(bool(each.method) for each in signatures)),
        corrected=corrected,
        notes=notes,
        stamp=stamp,
        stamp_address=f"{order.site}{words.address}" if words is not None and order.site else "",
        back=variant.rulebook.card_sentences if order.back else (),
        draw=draw,
    )


def _make_card_path(printed: CardToPrint) -> str:
    """Return the URL path for the QR code on a printed card.

    It leads to the page that verifies the card. If nobody has signed this content and the card was never posted, it
    leads to the public page of the card.
    """
    if printed.version is not None or printed.state.postings:
        return reverse("scoring:verify", kwargs={"digest": printed.state.digest})
    card, event = printed.state.card, printed.state.card.match.event
    place = {"tournament": event.tournament.slug, "event": event.slug, "token": card.token}
    return reverse("scoring:card", kwargs=place)


def _describe_signing(printed: CardToPrint, signed: int) -> str:
    """Return the sentence about who signed the card and how to verify it."""
    if printed.state.score.is_closed:
        return _("This card was closed, and nobody signs it. To see how it stands now, scan the code.")
    if not signed:
        return _("Nobody has signed this card. To see how it stands now, scan the code.")
    seats = len(printed.state.seats) + (printed.state.signatures.scorekeeper_signature is not None)
    check = _("To check, scan the code, or enter this number at Verify a document.")
    if (signed, seats) == (1, 1):
        return f"{_('The player signed exactly this card.')} {check}"
    if (signed, seats) == (2, 2):
        return f"{_('Both sides signed exactly this card.')} {check}"
    text = _("%(signed)s of %(seats)s sides signed exactly this card.")
    if signed == seats:
        text = _("All %(seats)s sides signed exactly this card.")
    return f"{text % {'signed': signed, 'seats': seats}} {check}"


def _describe_digest(printed: CardToPrint) -> str:
    version, state = printed.version, printed.state
    if state.score.is_closed:
        return _("what stands on this card; it was closed, nobody signed it")
    if version is None:
        unsigned = _("what stands on this card; nobody signed it")
        return _("what was signed before seals were kept") if state.is_posted else unsigned
    if printed.is_sealed:
        text = _("what was signed: version %(version)s, seal %(seal)s")
        return text % {"version": version.number, "seal": version.seal.number}
    text = _("what was signed: version %(version)s, without a seal while signatures are missing")
    if printed.is_void:
        text = _("what was signed: version %(version)s, without a seal: its match was made void")
    return text % {"version": version.number}


def describe_printed_state(printed: CardToPrint) -> str:
    """Return the line at the top of a card: its score and its status."""
    state = printed.state
    totals = state.score.line_with_names
    closed = describe_closing(state)
    if closed is not None:
        return f"{totals} · {closed.line}"
    if printed.is_outdated and printed.version is not None:
        return _("%(totals)s · version %(number)s, SUPERSEDED: the card was corrected later") % {
            "totals": totals,
            "number": printed.version.number,
        }
    if printed.status_summary is not None:
        return f"{totals} · {CARD_STATUS_TEXTS[printed.status_summary.kind]}"
    if is_posted_by_officials(state):
        return _("%(totals)s · posted: changed by two officials after it was final") % {"totals": totals}
    if state.is_posted:
        return _("%(totals)s · posted: signed by everybody who has to") % {"totals": totals}
    return _("%(totals)s · not posted: signatures are missing") % {"totals": totals}


def _make_stamp_text(printed: CardToPrint) -> str:
    """Return the red warning above the sheet, or an empty string if the card needs no warning."""
    words = printed.status_summary
    return f"{words.words[0].upper()} {' '.join(words.words[1:])}" if words is not None else ""


def _describe_corrections(state: CardState) -> tuple[tuple[str, ...], frozenset[int]]:
    """Return a description of each correction, and the numbers (from 1) of the corrected lines."""
    notes, lines = [], set()
    standing = [entered for entered in state.entered if not entered.is_struck]
    for number, entered in enumerate(standing, start=1):
        if entered.earlier:
            fact, before = entered.fact, entered.earlier[-1].line
            lines.add(number)
            what = _("Totals") if is_totals_record(fact.line) else capitalize_first_letter(state.name_line(number))
            why = end_with_period(fact.reason or _("no reason given"))
            has_totals = before is not None and is_totals_record(before)
            stood = describe_totals(state, before or {}) if has_totals else describe_line(state, before)
            notes.append(
                _("%(what)s corrected by %(by_name)s: %(why)s Before: %(stood)s.")
                % {"what": what, "by_name": fact.by_name, "why": why, "stood": stood}
            )
    return tuple(notes[:8]), frozenset(lines)


def _list_valid_signatures(
    state: CardState, venue: Tournament, came: Collection[Substitution]
) -> tuple[PrintedSignature, ...]:
    counting = {
        signature.seat_id: signature
        for signature in state.signatures.all_signatures
        if signature.digest == state.digest
    }
    signatures = []
    for seat, name in zip(state.seats, state.names, strict=True):
        signature = counting.get(seat.pk)
        if signature is None:
            signatures.append(PrintedSignature(name))
            continue
        how = signature.get_method_display()
        if signature.witness:
            how = _("%(how)s, witness %(name)s") % {"how": how, "name": signature.witness}
        when = local_day_time(signature.at, venue)
        signatures.append(PrintedSignature(describe_signer(name, seat, signature, came), how, when, signature.strokes))
    keepers = counting.get(None)
    for besides in state.sheet.variant.further_signers:
        if keepers is None:
            signatures.append(PrintedSignature(str(besides)))
            continue
        how = _("%(how)s, witness %(name)s") % {"how": keepers.get_method_display(), "name": keepers.witness}
        signatures.append(PrintedSignature(str(besides), how, local_day_time(keepers.at, venue)))
    return tuple(signatures)


# --- The record of printed cards in a file ---------------------------------------------------------------------------


def make_stamp_facts(status: CardStatus | None) -> dict[str, Any]:
    """Return the facts on which a card's stamp is based, or an empty dict if the card needs no stamp."""
    if status is None or status.is_counting:
        return {}
    superseded = None
    if status.superseding_action is not None:
        at, by, reason, _ruling = status.superseding_action
        superseded = {"at": at.isoformat(), "by": by, "reason": reason}
    row = status.result if not status.undone_text and status.players is None else None
    return {
        "counts": str(status.kind),
        "by": superseded,
        "stands": None
        if row is None
        else {
            "at": row.at.isoformat(),
            "winner": row.winner,
            "credits": {str(number): list(credit) for number, credit in row.credits.items()},
            "points": {str(number): points for number, points in row.points.items()},
        },
        "now": list(status.players) if status.players is not None else None,
        "gone": status.undone_text,
    }


def find_outdated_stamp(
    printed: PrintedCardRecord, about: dict[str, Any], now: str, *, corrected: bool
) -> OutdatedStamp | None:
    """Return the printed stamp if it no longer applies, otherwise None.

    `about`, `now`, and `corrected` describe the card's current status.
    """
    facts = printed.about
    if facts.get("counts") == "waits" and facts.get("by"):
        facts = {**facts, "counts": "decided"}  # older files have “waits” for a card that was decided later
    if not printed.is_stamped or (facts == about and (corrected or not printed.corrected)):
        return None
    return OutdatedStamp(printed.stamp or printed.line, now)


def read_printed_card_records(file: _ParsedPrintedFile) -> tuple[PrintedCardRecord, ...]:
    """Return the records of the cards in a printed file, or an empty tuple if the file cannot be read.

    PDFs made by older versions of the program contain no records. If such a PDF has signed cards attached, but no
    rulings, each page without an attached card gets a record with an unknown status. For any other older PDF, return an
    empty tuple.
    """
    try:
        if file.seal is not None and "printed" in file.seal:
            return tuple(_read_card_record(one) for one in file.seal["printed"])
        return tuple(_iter_pages_without_card(file))
    except PDF_READER_ERRORS:
        return ()


def _read_card_record(record: dict[str, Any]) -> PrintedCardRecord:
    known = {each.name for each in fields(PrintedCardRecord)}
    card = PrintedCardRecord(**{name: value for name, value in record.items() if name in known})
    return PrintedCardRecord(**{**asdict(card), "pages": tuple(int(page) for page in card.pages)})


def _iter_pages_without_card(file: _ParsedPrintedFile) -> Iterator[PrintedCardRecord]:
    if not file.cards or file.rulings:
        return
    covered = {int(page) for envelope in file.cards.values() for page in envelope["pages"]}
    for number in range(1, file.pages + 1):
        if number not in covered:
            yield PrintedCardRecord(kind=PrintedStatus.UNKNOWN, pages=(number,))
