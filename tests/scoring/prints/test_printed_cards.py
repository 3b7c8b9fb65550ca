"""On printed score cards, QR codes are readable, names fit, and cards stay in order when the pages are cut."""

from __future__ import annotations

import base64
import hashlib
import io
import itertools
from dataclasses import replace

import pypdfium2
import pytest
from pypdf import PdfReader

from scoring.prints.pdf.blocks import draw_blocks, fill_sheet_with_blank_lines, paginate
from scoring.prints.pdf.score_card import (
    SIGNATURE_LINE_OFFSET,
    PrintedSide,
    UnplayedCard,
    make_card_layout,
    write_unplayed_cards_pdf,
)
from scoring.prints.pdf.whole_sheet import PrintedSheet, PrintedSignature, make_sheet_area, write_score_sheets
from scoring.rules.sheet.sheets import judge_line, make_empty_sheet, make_variant_rules, tally_sheet
from scoring.rules.variants import VARIANTS
from tests.codes import codes_in
from tournament.core.pdf.paper import (
    MIN_QR_BATCH_SIZE,
    PAPER_SIZES,
    QrBatchEncoder,
    make_canvas,
    make_qr_bitmap,
    scale_strokes,
)

LONG = "Růžena Anežka Kealohapauʻole-Wolfeschlegelsteinhausenbergerdorff Whitcombe-Featherstonehaugh"
UNBROKEN = "W" * 120


def a_card(turn: int, name: str = "Růžena Kealoha ʻŌ", address: str | None = None) -> UnplayedCard:
    token = base64.urlsafe_b64encode(hashlib.sha256(str(turn).encode()).digest()[:12]).decode()
    return UnplayedCard(
        title="Desert Classic · Singles",
        round="Round 1",
        table=turn + 1,
        game=1,
        target=150,
        sides=(PrintedSide(2 * turn + 1, name), PrintedSide(2 * turn + 2, f"{name} II")),
        address=f"http://hall.local:8000/c/{token}/" if address is None else address,
    )


def printed(cards: list[UnplayedCard], paper: str = "letter", two_up: bool = True) -> bytes:
    target = io.BytesIO()
    write_unplayed_cards_pdf(target, cards, paper=paper, two_up=two_up)
    return target.getvalue()


def codes_of(content: bytes, page: int) -> list[str]:
    """Return the contents of the QR codes in the picture of a page, from left to right."""
    picture = pypdfium2.PdfDocument(content)[page].render(scale=3).to_pil()
    return codes_in(picture)


@pytest.mark.parametrize("paper", PAPER_SIZES)
@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_cut_down_the_middle_and_piled_the_cards_are_in_table_order(paper: str, count: int) -> None:
    cards = [a_card(turn) for turn in range(count)]
    content = printed(cards, paper)
    pages = (count + 1) // 2
    assert len(PdfReader(io.BytesIO(content)).pages) == pages
    read = [codes_of(content, page) for page in range(pages)]
    left = [codes[0] for codes in read]
    right = [codes[1] for codes in read if len(codes) > 1]
    assert left + right == [card.address for card in cards]


def test_one_to_a_page_stays_in_order() -> None:
    cards = [a_card(turn) for turn in range(3)]
    content = printed(cards, two_up=False)
    assert [codes_of(content, page) for page in range(3)] == [[card.address] for card in cards]


def test_names_with_accents_are_words_in_the_file() -> None:
    text = PdfReader(io.BytesIO(printed([a_card(0)]))).pages[0].extract_text()
    for word in ("Růžena Kealoha ʻŌ", "Desert Classic · Singles", "Round 1 · Game 1 · to 150"):
        assert word in text


@pytest.mark.parametrize("name", [LONG, UNBROKEN, "Ww " * 60])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("two_up", [True, False])
def test_no_name_runs_out_of_its_place(name: str, side: int, two_up: bool) -> None:
    """Test one side's name at a time, so that neighboring text is not mistaken for a part of it."""
    sides = [PrintedSide(None, ""), PrintedSide(None, "")]
    sides[side] = PrintedSide(1024, name)
    card = UnplayedCard("", "", 0, 0, 0, (sides[0], sides[1]))
    frame = make_card_layout(PAPER_SIZES["letter"], two_up=two_up)
    words = pypdfium2.PdfDocument(printed([card], two_up=two_up))[0].get_textpage()
    boxes = [words.get_rect(turn) for turn in range(words.count_rects())]
    head = [box for box in boxes if frame.sheet_top - 22 < box[1] and box[3] < frame.sheet_top + 1]
    left, right = frame.column_edges[2 + 2 * side], frame.column_edges[4 + 2 * side]
    assert head
    assert all(left <= box[0] and box[2] <= right for box in head), "inside the two columns of its side"
    start = (frame.left, frame.left + frame.signature_width + 14)[side]
    foot = [
        box
        for box in boxes
        if box[1] > SIGNATURE_LINE_OFFSET - 14 and box[3] < SIGNATURE_LINE_OFFSET - 1 and start - 1 <= box[0]
    ]
    under = [box for box in foot if box[0] < start + frame.signature_width - 48]
    assert len(under) == 1
    assert under[0][2] <= start + frame.signature_width - 48, "under its line to sign, before the word for it"
    for one, other in itertools.combinations(head, 2):
        assert one[1] >= other[3] - 1 or other[1] >= one[3] - 1, "two lines do not touch"


def test_a_long_title_ends_before_the_table_and_the_code() -> None:
    card = UnplayedCard(LONG, LONG, 1000, 99, 9999, (PrintedSide(1, ""), PrintedSide(2, "")), a_card(0).address)
    content = printed([card], two_up=False)
    frame = make_card_layout(PAPER_SIZES["letter"], two_up=False)
    words = pypdfium2.PdfDocument(content)[0].get_textpage()
    boxes = [words.get_rect(turn) for turn in range(words.count_rects())]
    title = [box for box in boxes if box[1] > frame.top - 30 and box[0] < 60]
    assert title
    assert all(box[2] <= frame.left + frame.text_width_beside_circle + 1 for box in title)
    assert codes_of(content, 0) == [card.address]


def test_a_blank_card_has_no_code_and_no_names() -> None:
    nobody = PrintedSide(None, "")
    content = printed([UnplayedCard("Desert Classic", "Round ____", 0, 0, 150, (nobody, nobody))] * 2)
    assert codes_of(content, 0) == []
    assert PdfReader(io.BytesIO(content)).pages[0].extract_text().count("Game ____") == 2


def test_equal_content_gives_equal_bytes() -> None:
    cards = [a_card(turn) for turn in range(4)]
    assert printed(cards) == printed(cards)
    assert printed(cards) != printed([*cards[:3], a_card(9)])


def test_a_thousand_pages_are_under_a_kilobyte_each_and_their_codes_read() -> None:
    content = printed([a_card(turn) for turn in range(1000)], two_up=False)
    assert len(content) < 1000 * 1000
    for page in (0, 1, 499, 999):
        assert codes_of(content, page) == [a_card(page).address]


def test_a_batch_makes_the_codes_that_are_made_one_by_one() -> None:
    batch = QrBatchEncoder()
    for turn in range(200):
        address = a_card(turn).address
        assert batch.make(address) == make_qr_bitmap(address)
    for address in ("http://h/c/é/", "http://hall/c/a/", "http://hall/c/~/", "HTTP://H/C/0/", "1"):
        assert batch.make(address) == make_qr_bitmap(address)
    assert MIN_QR_BATCH_SIZE > 16 * 7, "a batch pays only where it saves more codes than it makes"


def _signed(name: str, rows: int) -> PrintedSheet:
    sheet = make_empty_sheet(make_variant_rules("gra-singles", {"target": 10_000}), [name, "Bob"])
    for _turn in range(rows):
        sheet = judge_line(sheet, {"up": "8H", "outcome": "gin", "by": name, "counts": {name: 0, "Bob": 20}}).sheet
    return PrintedSheet(
        title="Desert Classic · Singles",
        subtitle="Match R1M1, game 1 · rule sheet 1",
        state="Posted",
        rules="Gin Rummy Association, singles",
        played="Game 150 · Gin 25",
        options=("Points a game: 150", "Bonus for gin: 25"),
        blocks=sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet)),
        signatures=(
            PrintedSignature(name, "drawn", "2026-11-27 10:30", [[[10, 20], [200, 120], [400, 40]]]),
            PrintedSignature("Bob", "signed on paper, witness Lily Ann", "2026-11-27 10:31"),
        ),
        signers="Both players sign.",
        table=4,
        corrected=frozenset({2}),
        notes=("Hand 2 corrected by Lily Ann: counted again",),
        digest="0123456789abcdef" * 4,
        address="http://hall.local:8000/t/desert/singles/card/abc/?d=0123456789abcdef",
    )


@pytest.mark.parametrize("digest", [False, True])
def test_a_heading_of_two_lines_stands_clear_of_the_line_below(digest: bool) -> None:
    variant = make_empty_sheet(make_variant_rules("court-whist"), ["Ann"]).variant
    blocks = variant.blocks(())
    place = make_sheet_area(1, "letter", digest=digest)
    target = io.BytesIO()
    canvas = make_canvas(target, PAPER_SIZES["letter"], "Whist")
    draw_blocks(canvas, place, blocks)
    canvas.save()
    page = pypdfium2.PdfDocument(target.getvalue())[0].get_textpage()
    found = page.search("deducted from the speaker").get_next()
    assert found is not None
    low = min(page.get_charbox(found[0] + turn)[1] for turn in range(8))
    rects = map(page.get_rect, range(page.count_rects()))
    below = [top for left, _low, _right, top in rects if top < low and left > PAPER_SIZES["letter"].width / 2]
    assert min(low - top for top in below) > 5, "the rule is between them, and touches neither"


@pytest.mark.parametrize("paper", PAPER_SIZES)
def test_a_signed_card_carries_its_lines_names_digest_and_code(paper: str) -> None:
    target = io.BytesIO()
    assert write_score_sheets(target, [_signed("Růžena ʻŌ", 12)], paper=paper) == 1
    content = target.getvalue()
    text = PdfReader(io.BytesIO(content)).pages[0].extract_text()
    for word in (
        "Růžena ʻŌ",
        "01234567 89abcdef",
        "witness Lily Ann",
        "8♥",
        "540",
        "counted again",
        "Game 150 · Gin 25",
    ):
        assert word in text
    assert codes_of(content, 0) == [_signed("Ann", 0).address]


def test_a_long_signed_card_goes_on_over_the_page_and_is_signed_on_its_last() -> None:
    target = io.BytesIO()
    pages = write_score_sheets(target, [_signed(LONG, 120)])
    read = PdfReader(io.BytesIO(target.getvalue()))
    assert (pages, len(read.pages)) == (5, 5)
    assert ["witness" in page.extract_text() for page in read.pages] == [False, False, False, False, True]
    text = "\n".join(page.extract_text() for page in read.pages)
    assert [str(45 * turn) in text for turn in (1, 60, 120)] == [True] * 3


def test_how_a_card_stands_keeps_clear_of_the_ring_and_the_code() -> None:
    """A status text of two lines must not overlap the table number or the QR code, and the options begin below it."""
    state = ", ".join(f"{name} 123" for name in ("Grace W. Hopper-Whitcombe", "Alan M. Turing", "Kurt Gödel", "Emmy"))
    sheet = replace(_signed("Ann", 2), state=f"{state} · posted: signed by everybody who has to")
    target = io.BytesIO()
    write_score_sheets(target, [sheet])
    page = pypdfium2.PdfDocument(target.getvalue())[0]
    words = page.get_textpage()
    ring, top = page.get_width() - 20 - 66 - 52, page.get_height()
    boxes = [words.get_charbox(turn) for turn in range(words.count_chars())]
    beside = [turn for turn, box in enumerate(boxes) if box[2] > ring and box[3] > top - 90]
    assert "".join(words.get_text_range(turn, 1) for turn in beside).split() == ["TABLE", "4"]
    text = words.get_text_range()
    assert "posted: signed by everybody who has to" in " ".join(text.split())


def test_a_table_without_headings_begins_with_its_first_line() -> None:
    variant = make_empty_sheet(make_variant_rules("score-pad", {"game": "hearts"}), SIDES[:4]).variant
    target = io.BytesIO()
    write_score_sheets(target, [replace(_signed("Ann", 0), blocks=variant.blocks(()))])
    words = pypdfium2.PdfDocument(target.getvalue())[0].get_textpage()
    title, first, second = (_height_of(words, said) for said in ("What counts", "1 point each", "13 points"))
    assert 0 < title - first < 1.7 * (first - second)


def _height_of(words: pypdfium2.PdfTextPage, said: str) -> float:
    place, _count = words.search(said).get_next()
    return float(words.get_charbox(place)[1])


@pytest.mark.parametrize("tall", [120, 300, 595])
def test_a_signature_stands_on_its_line_however_tall_the_pad_was(tall: int) -> None:
    strokes = [[[90, 10, 1], [300, tall, 2]], [[900, tall / 2, 3]]]
    points = [point for stroke in scale_strokes(strokes, (50.0, 100.0), 200.0, 34.0) for point in stroke]
    assert len(points) == 3
    assert min(y for _x, y in points) == pytest.approx(100)
    assert max(y for _x, y in points) <= 134
    assert min(x for x, _y in points) == 50
    assert max(x for x, _y in points) <= 250


def test_nothing_drawn_is_no_signature() -> None:
    assert scale_strokes([[], [[1]]], (0.0, 0.0), 200.0, 34.0) == []


SIDES = ("Růžena Kealoha ʻŌ", "Grace W. Hopper-Whitcombe", "Alan", "Kurt", "Emmy")


@pytest.mark.parametrize("paper", PAPER_SIZES)
@pytest.mark.parametrize("rules", VARIANTS)
def test_every_rule_set_has_a_sheet_with_room_for_hands(rules: str, paper: str) -> None:
    """Names, options, signature lines, and a QR code fit on a single page."""
    made = make_variant_rules(rules)
    names = SIDES[: min(made.variant.most_sides, len(SIDES))]
    variant = make_empty_sheet(made, names).variant
    place = make_sheet_area(len(names), paper)
    blocks = fill_sheet_with_blank_lines(variant, (), None, place)
    assert len(paginate(blocks, place)) == 1
    marked = tuple(f"{line.option.label}: {line.words}" for line in made.list_published_options())
    sheet = PrintedSheet(
        title="Desert Classic · Singles",
        subtitle="Round 1",
        rules=variant.title,
        options=marked,
        blocks=blocks,
        signatures=tuple(PrintedSignature(name) for name in names),
        signers=variant.signers,
        address="http://hall.local:8000/c/abc/",
        back=variant.rulebook.card_sentences,
    )
    target = io.BytesIO()
    assert write_score_sheets(target, [sheet], paper=paper) == 2
    read = PdfReader(io.BytesIO(target.getvalue()))
    *fronts, back = (page.extract_text() for page in read.pages)
    front = "\n".join(fronts)
    assert all(name in front for name in names)
    assert front.count("Signature") == len(names)
    assert codes_of(target.getvalue(), 0) == ["http://hall.local:8000/c/abc/"]
    assert all(line.split(":")[0] in back for line in marked)
    assert variant.rulebook.summary[0].split()[0] in back


def test_what_is_not_marked_is_said_not_to_be_played() -> None:
    sheet = make_empty_sheet(make_variant_rules("fort-worth", {"double_negative": True}), SIDES[:3])
    target = io.BytesIO()
    place = make_sheet_area(3, "letter")
    words = tuple(f"{line.option.label}: {line.words}" for line in sheet.rule_sheet.list_published_options())
    made = PrintedSheet(
        title="t",
        subtitle="s",
        rules="Fort Worth Gin",
        options=words,
        blocks=fill_sheet_with_blank_lines(sheet.variant, (), None, place),
        signatures=(),
        signers="",
    )
    write_score_sheets(target, [made])
    text = PdfReader(io.BytesIO(target.getvalue())).pages[0].extract_text()
    for word in ("Double Negative", "Spades", "Kings Double", "not played", "Low Score", "Damages", "K"):
        assert word in text


def test_the_small_card_says_what_is_played_and_has_the_rules_on_its_back() -> None:
    target = io.BytesIO()
    cards = [replace(a_card(number), played="Gin 25", marked=("Bonus for gin: 25",)) for number in (1, 2)]
    pages = write_unplayed_cards_pdf(target, cards, back=("Ace is low.",))
    read = PdfReader(io.BytesIO(target.getvalue()))
    assert pages == len(read.pages) == 2
    assert "Gin 25" in read.pages[0].extract_text()
    back = read.pages[1].extract_text()
    assert back.count("Ace is low.") == back.count("Bonus for gin: 25") == 2


def test_letters_that_the_fonts_lack_are_printed_as_their_codes() -> None:
    text = PdfReader(io.BytesIO(printed([a_card(0, name="王小 🂡 Zoë")]))).pages[0].extract_text()
    assert "[U+738B U+5C0F]" in " ".join(text.split())
    assert "Zoë" in text and "王" not in text


@pytest.mark.parametrize("what", ["not posted: signatures are missing", "SUPERSEDED: the match was decided otherwise"])
def test_however_long_the_names_are_a_sheet_says_what_it_is(what: str) -> None:
    totals = ", ".join(f"{LONG} {points}" for points in (120, -36, 40, 90, 7))
    for state in (f"{totals} · {what}", f"{UNBROKEN} 1 – 0 {UNBROKEN} · {what}"):
        target = io.BytesIO()
        write_score_sheets(target, [replace(_signed("Ada", 3), state=state)])
        text = " ".join(PdfReader(io.BytesIO(target.getvalue())).pages[0].extract_text().split())
        assert what in text and "…" in text


def test_a_note_under_a_sheet_is_whole_however_long_it_is() -> None:
    reason = "the scorekeeper wrote the count of the other player into this column"
    notes = [f"Hand {hand} corrected by {LONG}, 03:42: {reason} ({hand})" for hand in (1, 2)]
    target = io.BytesIO()
    write_score_sheets(target, [replace(_signed("Ada", 3), notes=tuple(notes))])
    text = " ".join(PdfReader(io.BytesIO(target.getvalue())).pages[0].extract_text().split())
    for hand in (1, 2):
        assert f"{reason} ({hand})" in text


def test_the_rules_stand_in_one_line_above_the_sheet_and_the_last_lines_keep_apart() -> None:
    played = "Game 150 · Knock with the up card or less · Ace: gin only · Gin 25 · Undercut 25"
    words = pypdfium2.PdfDocument(printed([replace(a_card(0), played=played)]))[0].get_textpage()
    _left, bottom, _right, top = _box_of(words, played)
    assert top - bottom < 12
    lines = ("Růžena Kealoha ʻŌ II", "Both players sign")
    (_l, low, _r, _t), (_l2, _b, _r2, high) = (_box_of(words, said) for said in lines)
    assert low - high > 4


def _box_of(words: pypdfium2.PdfTextPage, said: str) -> tuple[float, float, float, float]:
    """Return the left, bottom, right, and top coordinates of this text's last occurrence on the page."""
    text = words.get_text_range()
    assert said in text, text
    boxes = [words.get_charbox(text.rindex(said) + turn) for turn in range(len(said)) if said[turn] != " "]
    each = list(zip(*boxes, strict=True))
    return min(each[0]), min(each[1]), max(each[2]), max(each[3])
