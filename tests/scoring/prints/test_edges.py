"""Printers leave 6 mm of each edge white, so nothing is printed there, and texts on a score card do not overlap.

Every page has the program's version at its foot, and so does each part of a page that will be cut.
"""

from __future__ import annotations

import contextlib
import io
import itertools
from collections.abc import Iterator
from typing import Any

import numpy
import pypdfium2
import pytest
from django.utils import timezone
from pypdfium2 import raw

from pairing.draws.stages.plan import StageKind
from pairing.results.pdf import ResultLine, ResultSheet, write_result_sheet
from pairing.results.services.finish import finish_event
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.prints.pdf.blocks import fill_sheet_with_blank_lines, fit_line_height, paginate
from scoring.prints.pdf.card_prints import PrintRequest, print_blank_cards, write_playable_cards
from scoring.prints.pdf.prints import list_printouts
from scoring.prints.pdf.ruling_slips import print_ruling_slips
from scoring.prints.pdf.score_card import make_card_layout
from scoring.prints.pdf.whole_sheet import make_sheet_area
from scoring.rules.sheet.sheets import make_empty_sheet, make_variant_rules
from scoring.rules.variants import VARIANTS
from tests.chance import in_part
from tests.factories import an_event
from tests.kit import fresh
from tests.pairing.helpers.stages import begun, in_groups
from tests.pairing.stages.evenings import a_ladder
from tests.scoring.helpers.disputes import ACCEPTED, called, ruled
from tests.scoring.helpers.files import print_cards
from tests.scoring.helpers.papers import LINES, NAMES, played, player_of
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tests.scoring.helpers.tables import a_table_card
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.program import format_program_version
from tournament.errors import DomainError
from tournament.messages.pdf import LinkSlip, write_link_slips
from tournament.models import Event
from tournament.money.pdf.close import make_daily_close_sheet, write_daily_close
from tournament.money.pdf.receipts import write_receipt
from tournament.money.selectors.drawers_and_close import find_business_day_at, load_business_day
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.services import fees_and_refunds

MM = 72 / 25.4
EDGE = 6 * MM
SCALE = 2

Box = tuple[float, float, float, float]
"""The left, bottom, right, and top coordinates."""


def _quiet(done: int, total: int) -> None:
    """Ignore reports about progress."""


def _pages(content: bytes) -> Iterator[pypdfium2.PdfPage]:
    yield from pypdfium2.PdfDocument(content)


def _keeps_the_edge_white(page: pypdfium2.PdfPage) -> bool:
    """Return whether the page's edges are white.

    The page is rendered, so that text, lines, boxes, and codes are included.
    """
    ink = numpy.asarray(page.render(scale=SCALE, grayscale=True).to_numpy()).squeeze() < 250
    edge = int(EDGE * SCALE)
    return not (ink[:edge].any() or ink[-edge:].any() or ink[:, :edge].any() or ink[:, -edge:].any())


def _names_the_version(page: pypdfium2.PdfPage) -> bool:
    return format_program_version() in page.get_textpage().get_text_range()


def _texts(page: pypdfium2.PdfPage) -> list[Box]:
    words = page.get_textpage()
    return [words.get_rect(turn) for turn in range(words.count_rects())]


def _touching(boxes: list[Box]) -> list[tuple[Box, Box]]:
    def meet(one: Box, other: Box) -> bool:
        across = min(one[2], other[2]) - max(one[0], other[0])
        along = min(one[3], other[3]) - max(one[1], other[1])
        return across > 0.3 and along > 0.3

    return [(one, other) for one, other in itertools.combinations(boxes, 2) if meet(one, other)]


def _smallest(page: pypdfium2.PdfPage) -> float:
    words = page.get_textpage()
    text = words.get_text_range()
    sizes = [raw.FPDFText_GetFontSize(words, turn) for turn in range(words.count_chars())]
    return min((size for size, letter in zip(sizes, text, strict=False) if size > 1), default=99.0)


def check_card(content: bytes) -> None:
    for number, page in enumerate(_pages(content), start=1):
        assert _keeps_the_edge_white(page), number
        assert _names_the_version(page), number
        assert _smallest(page) >= 8 - 0.01, number
        assert _touching(_texts(page)) == [], number


RULES_AND_PAPER = [
    (rules, paper)
    for place, rules in enumerate(VARIANTS)
    for other, paper in enumerate(PAPER_SIZES)
    if in_part(place + other, len(PAPER_SIZES))
]
"""The rule sets with paper sizes. A quick run tests every rule set on one paper size."""


@pytest.mark.parametrize(("rules", "paper"), RULES_AND_PAPER)
@pytest.mark.django_db
def test_a_score_card_keeps_its_edges_white_and_its_texts_apart(rules: str, paper: str) -> None:
    count, line = LINES[rules]
    card = a_table_card(NAMES[:count], rules, seats="table")
    event, state = card.match.event, load_card_state_by_pk(card.pk)
    order = PrintRequest(event, site="http://hall.local/", paper=paper, count=2, back=True)
    check_card(print_blank_cards(order, _quiet))
    check_card(write_playable_cards(order, [state], {card.match_id: 7}, _quiet))
    played(state, line)
    check_card(print_cards(event, site=order.site, paper=paper, back=True))


@pytest.mark.parametrize("paper", PAPER_SIZES)
def test_a_line_to_write_in_is_7_mm_high_on_every_card(paper: str) -> None:
    for two_up in (True, False):
        frame = make_card_layout(PAPER_SIZES[paper], two_up=two_up)
        assert frame.line_height >= 7 * MM and frame.line_count >= 14
    for rules, variant in VARIANTS.items():
        for options in (variant.defaults(), *(dict(preset.options) for preset in variant.presets)):
            made = make_variant_rules(rules, options)
            names = NAMES[: min(made.variant.most_sides, len(NAMES))]
            place = make_sheet_area(len(names), paper, under_head=52)
            pages = paginate(fill_sheet_with_blank_lines(make_empty_sheet(made, names).variant, (), None, place), place)
            assert min(fit_line_height(page, place) for page in pages) >= 7 * MM, (rules, options)


@pytest.mark.parametrize("paper", PAPER_SIZES)
@pytest.mark.django_db
def test_every_other_paper_keeps_its_edges_white(paper: str) -> None:
    event = an_event_in_play(tuple(f"Player {turn:02d}" for turn in range(16)))
    post(the_card(event, "R1M1"))
    order = PrintRequest(event, site="http://hall.local/", paper=paper, count=2)
    for kind in ("table-signs", "pairings", "results", "bracket-poster", "bracket-tiles", "signed-cards", "everything"):
        check_paper(list_printouts(StageKind)[kind][1](order, _quiet), paper, kind)
    slips, target = [LinkSlip("Player 01", 1, "http://hall.local/my/token/", "123456")] * 11, io.BytesIO()
    write_link_slips(target, "Singles, Desert Classic", slips, paper=paper)
    check_paper(target.getvalue(), paper, "private links")


def check_paper(content: bytes, paper: str, said: str) -> None:
    """Check the edges, the version, and that the paper has the requested size in portrait or landscape."""
    size = tuple(sorted((round(PAPER_SIZES[paper].width), round(PAPER_SIZES[paper].height))))
    for number, page in enumerate(_pages(content), start=1):
        assert _keeps_the_edge_white(page), (said, number)
        assert _names_the_version(page), (said, number)
        assert tuple(sorted(map(round, page.get_size()))) == size, (said, number)


@pytest.mark.sample("edges of groups", 2)
@pytest.mark.parametrize("paper", PAPER_SIZES)
@pytest.mark.django_db
def test_groups_and_their_standings_keep_their_edges_white(paper: str) -> None:
    for event in (begun(8, 2), in_groups(40, 1)):
        order = PrintRequest(fresh(event), site="http://hall.local/", paper=paper)
        for kind in ("groups", "everything"):
            check_paper(list_printouts(StageKind)[kind][1](order, _quiet), paper, kind)


@pytest.mark.parametrize("paper", PAPER_SIZES)
@pytest.mark.django_db
def test_a_ladder_keeps_its_edges_white(paper: str) -> None:
    order = PrintRequest(a_ladder(5, 4), paper=paper)
    check_paper(list_printouts(StageKind)["ladder"][1](order, _quiet), paper, "ladder")


@pytest.mark.parametrize("paper", PAPER_SIZES)
@pytest.mark.django_db
def test_the_papers_of_money_and_the_final_results_keep_their_edges_white(paper: str) -> None:
    event = an_event_in_play(tuple(f"Player {turn:02d}" for turn in range(2)))
    Event.objects.filter(pk=event.pk).update(added_cents=500_00)
    post(the_card(event))
    finish_event(event, by=SYSTEM_ACTOR)
    order = PrintRequest(fresh(event), paper=paper)
    for kind in ("payouts", "payout-receipts", "results"):
        check_paper(list_printouts(StageKind)[kind][1](order, _quiet), paper, kind)
    today = load_business_day(event.tournament, find_business_day_at(event.tournament, timezone.now()))
    close = io.BytesIO()
    write_daily_close(close, event.tournament, make_daily_close_sheet(event.tournament, today), paper=paper)
    check_paper(close.getvalue(), paper, "close")


@pytest.mark.django_db
def test_a_ruling_slip_keeps_its_edges_white_and_its_letters_large() -> None:
    event = an_event_in_play(("Ada", "Alan"))
    ruled(called(the_card(event), "improper-knock", hand=1, **ACCEPTED))
    for page in _pages(print_ruling_slips(PrintRequest(event, site="http://hall.local"), _quiet)):
        assert _keeps_the_edge_white(page)
        assert _names_the_version(page)
        assert _smallest(page) >= 8 - 0.01


@pytest.mark.parametrize("paper", PAPER_SIZES)
@pytest.mark.parametrize(("field", "paid"), [(1, 0), (16, 4), (128, 16), (400, 60)])
def test_the_result_sheet_is_one_page_whatever_the_field(field: int, paid: int, paper: str) -> None:
    lines = [
        ResultLine(str(n), n, f"Featherstonehaugh {n}", "$6,498.50" if n <= paid else "") for n in range(1, field + 1)
    ]
    target = io.BytesIO()
    write_result_sheet(
        target, ResultSheet("Singles", "Desert Classic", "Final results", "Final", lines, "Ended."), paper=paper
    )
    (page,) = _pages(target.getvalue())
    check_card(target.getvalue())
    text = page.get_textpage().get_text_range()
    assert "Featherstonehaugh 1" in text
    assert (f"{field} {field} Feather" in text) != ("more: see the standings page" in text)


@pytest.mark.django_db
def test_a_receipt_keeps_its_edges_white() -> None:
    who = player_of(an_event(fee_cents=30000))
    fees_and_refunds.take_payment(who, 100, "cash", by=SYSTEM_ACTOR, key="k")
    target: Any = io.BytesIO()
    write_receipt(target, who, load_entry_account(who), list(who.ledger.order_by("pk")))
    check_paper(target.getvalue(), "letter", "receipt")


@pytest.mark.django_db
def test_no_print_of_the_desk_shows_a_private_link_or_a_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person with a private link or a code can sign for its player, but any member of staff can print slips."""
    event, shown = an_event_in_play(NAMES[:4]), list[str]()
    event.entrants.update(sign_code="908172")  # that of other tests stands in digests, too
    made, address = post(the_card(event, "R1M1")), PrintRequest.make_url
    assert made.is_posted
    monkeypatch.setattr(PrintRequest, "make_url", lambda order, path: shown.append(path) or address(order, path))
    order = PrintRequest(event, site="http://hall.local/", count=2)
    for _name, build in list_printouts(StageKind).values():
        with contextlib.suppress(DomainError):
            shown += [page.get_textpage().get_text_range() for page in _pages(build(order, _quiet))]
    said = "\n".join(shown)
    secrets = [secret for one in event.entrants.all() for secret in (one.token, one.sign_code)]
    assert "Ada" in said and not [secret for secret in secrets if secret in said]
