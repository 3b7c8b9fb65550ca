"""The PDF of a signed card has text and embedded data, and every change in the file is found."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, TextStringObject

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.cards.services.signing import SigningContext, sign_on_paper, sign_with_strokes
from scoring.models import CardSeal, CardVersion
from scoring.prints.pdf.card_prints import PrintRequest
from scoring.prints.pdf.signed_cards import print_signed_cards
from scoring.rules.evidence.sealing import check_card_envelope
from scoring.seals.pdf.signed_files import SEAL_ATTACHMENT_NAME, read_signed_file
from scoring.seals.selectors.keys import get_installation_public_key, load_trusted_public_keys
from scoring.verification.pdf import file_checks
from scoring.verification.pdf.file_checks import check_pdf
from scoring.verification.selectors.proofs import Authenticity, CardProof, find_card_proof
from tests.chance import examples
from tests.codes import codes_in
from tests.kit import page_text, public_url
from tests.scoring.helpers.files import (
    checked,
    download,
    print_cards,
    with_attachment,
    with_copies,
    with_drawing,
    without_attachments,
)
from tests.scoring.helpers.playing import an_event_in_play, gin, play, play_out, post, sign_both, the_card, the_director
from tournament.core.permissions import make_player_actor
from tournament.errors import Conflict
from tournament.intake import FileRefused
from tournament.models import Event

pytestmark = pytest.mark.django_db

STROKES = [[[100, 50, 0], [200, 80, 10], [300, 40, 20]], [[10, 10, 30], [20, 20, 40], [30, 10, 55]]]
NAMES = ("Růžena Kealoha ʻŌ", "Alan")


@pytest.fixture(scope="module")
def event(rows_of_module: None) -> Event:
    """Return an event with a card that one side signed by drawing and the other on paper."""
    event = an_event_in_play(NAMES)
    card = the_card(event)
    state = play_out(card)
    sign_with_strokes(
        card, STROKES, SigningContext(state.digest, device="A phone"), by=make_player_actor(card.entrants[0])
    )
    sign_on_paper(card, "B", "Lily Ann", SigningContext(state.digest), by=the_director(event))
    return event


@pytest.fixture
def card(event: Event) -> Any:
    return the_card(event)


def correct(card: Any) -> None:
    entry = LineEntry(gin("A", 24), override="so it was")
    correct_line(card, 1, entry, by=the_director(card.match.event), reason="was 24")


def test_the_paper_says_who_signed_how_and_when_and_its_code_leads_to_the_proof(card: Any) -> None:
    state, seal = load_card_state_by_pk(card.pk), CardSeal.objects.get()
    content = download(card)
    text = " ".join(PdfReader(io.BytesIO(content)).pages[0].extract_text().split())
    for words in (*NAMES, "91 – 0", "Drawn ·", "On paper, witness Lily Ann ·", f"version 1, seal {seal.number}"):
        assert words in text
    assert " ".join(state.digest[at : at + 8] for at in range(0, 64, 8)) in text
    picture = pypdfium2.PdfDocument(content)[0].render(scale=3).to_pil()
    codes = codes_in(picture)
    assert codes == [f"http://hall.test/verify/{state.digest}/"]
    assert "Genuine." in Client().get(codes[0].removeprefix("http://hall.test")).content.decode()


def test_what_is_attached_proves_itself(card: Any) -> None:
    file = read_signed_file(download(card))
    (envelope,) = file.cards.values()
    assert envelope["digest"] == load_card_state_by_pk(card.pk).digest
    assert envelope["signatures"][0]["drawn"] == STROKES
    assert check_card_envelope(envelope, frozenset({get_installation_public_key()})) == []
    assert [fault.place for fault in check_card_envelope(envelope, frozenset({"0" * 64}))] == ["key"]
    assert checked(file.content) == ("genuine", [])


def test_two_downloads_are_byte_for_byte_the_same(card: Any) -> None:
    assert download(card) == download(card)


def test_a_changed_total_in_the_attachment(card: Any) -> None:
    name = next(iter(read_signed_file(download(card)).cards))

    def change(value: Any) -> Any:
        value["content"]["result"]["totals"]["A"] = 191
        return value

    standing, said = checked(with_attachment(download(card), name, change))
    assert standing == "altered"
    assert any(each.startswith("content: The attached content") for each in said)
    assert "page: The pages do not show the signed result, “Růžena Kealoha ʻŌ 191\u00a0–\u00a00 Alan”." in said


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        (lambda v: v["signatures"][0]["drawn"][0].pop(), "signature A", "what was drawn"),
        (lambda v: v["signatures"][1].update(witness="Nobody"), "signature B", "the witness"),
        (lambda v: v["signatures"].pop(), "signature B", "is missing"),
        (lambda v: v["seal"].update(signature="0" * 128), "seal", "does not belong"),
        (lambda v: v["seal"]["statement"].update(posted_at="2020"), "seal", "its digest is another"),
        (lambda v: v.update(version=2), "seal", "made on version 1"),
        (lambda v: v.pop("seal"), "attachment", "not complete"),
    ],
)
def test_whatever_is_changed_in_the_attachment(card: Any, change: Any, place: str, words: str) -> None:
    name = next(iter(read_signed_file(download(card)).cards))

    def changed(value: Any) -> Any:
        change(value)
        return value

    standing, said = checked(with_attachment(download(card), name, changed))
    assert standing == "altered"
    assert any(each.startswith(f"{place}: ") and words in each for each in said), said


def test_an_attachment_taken_out(card: Any) -> None:
    content = download(card)
    name = next(iter(read_signed_file(content).cards))
    standing, said = checked(with_attachment(content, name, lambda value: None))
    assert standing == "altered"
    assert any(f"The attached card {name} is missing" in each for each in said)
    standing, said = checked(with_attachment(content, SEAL_ATTACHMENT_NAME, lambda value: None))
    assert standing == "altered"
    assert any("The seal of the file is missing" in each for each in said)


def test_another_total_on_the_page(card: Any) -> None:
    changed = with_drawing(download(card), lambda drawn: drawn.replace(b"(91) Tj", b"(19) Tj"))
    standing, said = checked(changed)
    assert standing == "altered"
    assert "page 1: “19” stands on page 1 where “91” was printed." in said


def test_a_line_drawn_over_the_page(card: Any) -> None:
    standing, said = checked(with_drawing(download(card), lambda drawn: drawn + b"\n0 0 m 300 300 l S"))
    assert standing == "altered"
    assert any(each.startswith("page 1: The texts on page 1 are the same") for each in said)


def test_any_one_byte(card: Any) -> None:
    """Change single bytes throughout the file. The check reports each changed file as altered or unreadable."""
    content = download(card)
    for at in range(20, len(content) - 40, len(content) // examples(160)):
        changed = content[:at] + bytes([content[at] ^ 0x08]) + content[at + 1 :]
        assert checked(changed)[0] in ("altered", "unknown"), at


def test_any_part_that_is_not_found_any_more(card: Any) -> None:
    """Damage one object of the PDF at a time, such as a font. Each damaged file is reported as altered or unreadable.

    A PDF reader may notice such damage only when it uses the object, or may read the file in an endless loop.
    """
    content = download(card)
    for part in re.findall(rb"\n\d+ 0 obj\n<<", content):
        assert checked(content.replace(part, part[:-1] + b"x"))[0] in ("altered", "unknown"), part


def test_an_attached_digest_that_is_none_any_more(card: Any) -> None:
    content = download(card)
    name = next(iter(read_signed_file(content).cards))
    changed = with_attachment(
        content, name, lambda value: value | {"digest": f"g{value['digest'][1:]}", "seal": "none"}
    )
    assert checked(changed)[0] == "altered"


def test_a_page_on_which_its_reader_stumbles_is_damaged_and_no_failure_of_ours(card: Any) -> None:
    changed = with_drawing(download(card), lambda drawn: drawn + b"\n[ 5 0 R ] 0 d")
    assert checked(changed) == ("altered", ["file: This is not a PDF, or it is damaged. Choose the original file."])


def test_a_note_laid_over_the_total_is_found(card: Any) -> None:
    """A PDF editor appends the note at the end of the file, and does not change the sealed bytes."""
    content = download(card)
    writer = PdfWriter(io.BytesIO(content), incremental=True)
    note = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject("/FreeText"),
            NameObject("/Rect"): ArrayObject([FloatObject(edge) for edge in (40, 700, 400, 730)]),
            NameObject("/Contents"): TextStringObject("Alan 91 – 0"),
        }
    )
    writer.add_annotation(0, note)
    target = io.BytesIO()
    writer.write(target)
    assert target.getvalue().startswith(content[:2000])
    standing, said = checked(target.getvalue())
    assert standing == "altered"
    assert "page 1: Something was placed over page 1 after the file was sealed." in said


def test_a_corrected_card_supersedes_its_paper_until_it_is_corrected_back_and_signed(card: Any) -> None:
    first = download(card)
    correct(card)
    assert checked(first) == ("superseded", [])
    assert find_card_proof(load_card_state_by_pk(card.pk).signatures.all_signatures[0].digest).later_version == 0
    sign_both(card)
    proof = find_card_proof(load_card_state_by_pk(card.pk).signatures.all_signatures[0].digest)
    assert (proof.authenticity, proof.later_version) == ("superseded", 2)
    assert checked(download(card)) == ("genuine", [])
    old = download(card, version=1)
    text = PdfReader(io.BytesIO(old)).pages[0].extract_text()
    assert "SUPERSEDED" in text and "91 – 0" in " ".join(text.split())
    assert checked(old) == ("superseded", [])


def an_event_with_one_signed_card() -> Event:
    event = an_event_in_play(("Ada", "Bob", "Cid", "Dan"))
    post(the_card(event))
    play(the_card(event, "R1M2"), gin("A", 3))
    return event


def test_the_signed_cards_of_an_event_in_play_are_genuine(tmp_path: Path) -> None:
    """A card that is still being played must not be in the file."""
    order, path = PrintRequest(an_event_with_one_signed_card()), tmp_path / "cards.pdf"
    path.write_bytes(print_signed_cards(order, lambda done, total: None))
    status, said = run(str(path))
    assert (status, said.splitlines()[0], said.count("genuine: ")) == (0, "GENUINE", 1)


@pytest.mark.parametrize("choice", [{}, {"round": 1}])
def test_without_a_signed_card_there_is_no_file_of_signed_cards(choice: dict[str, int]) -> None:
    event = an_event_in_play(("Ada", "Bob"))
    play_out(the_card(event))
    with pytest.raises(Conflict, match="is signed yet"):
        print_signed_cards(PrintRequest(event, **choice), lambda done, total: None)


def test_signed_and_unsigned_cards_in_one_file() -> None:
    """Each sealed card is attached with its pages. Unsigned cards are printed and marked as unsigned."""
    content = print_cards(an_event_with_one_signed_card(), back=True)
    file = read_signed_file(content)
    assert [envelope["pages"] for envelope in file.cards.values()] == [[1, 2]]
    assert len(file.reader.pages) == 4
    assert "stands on this card; nobody signed it" in file.reader.pages[2].extract_text()
    assert checked(content) == ("unsigned", [])
    verdict = check_pdf(content, load_trusted_public_keys(), find_card_proof)
    assert [card.authenticity for card in verdict.cards] == ["genuine"]
    assert [one.printed.pages for one in verdict.unsigned] == [(3, 4)]


def test_a_card_that_is_attached_many_times_is_looked_up_once(card: Any) -> None:
    asked: list[str] = []

    def find(digest: str) -> CardProof:
        asked.append(digest)
        return find_card_proof(digest)

    content = with_copies(download(card), file_checks.MAX_ITEMS_IN_CHANGED_FILE - 1)
    verdict = check_pdf(content, load_trusted_public_keys(), find)
    assert (verdict.authenticity, len(verdict.cards)) == ("altered", file_checks.MAX_ITEMS_IN_CHANGED_FILE)
    assert asked == [verdict.cards[0].digest]
    content = with_copies(download(card), file_checks.MAX_ITEMS_IN_CHANGED_FILE)
    with pytest.raises(FileRefused, match="more than 200 score cards"):
        check_pdf(content, load_trusted_public_keys(), find)
    assert len(asked) == 1
    answer = Client().post(reverse("scoring:verify_any"), {"file": SimpleUploadedFile("cards.pdf", content)})
    assert answer.status_code == 422 and "Enter the digest printed" in answer.content.decode()


def test_a_print_in_which_nothing_is_signed_says_so(card: Any) -> None:
    other = the_card(an_event_in_play(("Ada", "Bob")))
    play(other, gin("A", 3))
    assert checked(download(other)) == ("unsigned", [])
    standing, said = checked(without_attachments(download(other)))
    assert standing == "unknown" and said[0].startswith("attachment: This file has no signed score card and no ruling.")
    assert checked(b"no pdf") == ("altered", ["file: This is not a PDF, or it is damaged. Choose the original file."])


# --- The command ---------------------------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify_card", *arguments, stdout=out)
    return int(ended.value.code or 0), out.getvalue()


def test_the_command_says_genuine_superseded_or_altered(card: Any, tmp_path: Path) -> None:
    digest, path = load_card_state_by_pk(card.pk).digest, tmp_path / "card.pdf"
    path.write_bytes(download(card))
    status, said = run(str(path))
    assert (status, said.splitlines()[0]) == (0, "GENUINE")
    assert run("--digest", f"{digest[:4].upper()} {digest[4:12]}")[0] == 0
    assert run(str(path), "--digest", digest[:20])[0] == 0
    status, said = run(str(path), "--digest", "f" * 12)
    assert (status, said.splitlines()[0]) == (2, "ALTERED")
    assert "was typed; in the file is" in said
    path.write_bytes(with_drawing(path.read_bytes(), lambda drawn: drawn + b"\n0 0 m 300 300 l S"))
    status, said = run(str(path))
    assert (status, said.splitlines()[0]) == (2, "ALTERED")
    assert "page 1: The texts on page 1 are the same" in said
    correct(card)
    sign_both(card)
    status, said = run("--digest", digest)
    assert (status, said.splitlines()[0]) == (1, "SUPERSEDED")
    assert "version 1; version 2 was signed later" in said
    assert run("--digest", "0" * 64)[0] == 2


def test_a_file_that_cannot_be_read_does_not_end_as_a_superseded_one(tmp_path: Path) -> None:
    for arguments in ((str(tmp_path / "none.pdf"),), ("--digest", "93b0"), ()):
        with pytest.raises(CommandError) as refusal:
            call_command("verify_card", *arguments)
        assert refusal.value.returncode == 2


def test_the_command_needs_no_record_where_it_is_given_the_key(
    card: Any, tmp_path: Path, django_assert_num_queries: Any
) -> None:
    path = tmp_path / "card.pdf"
    path.write_bytes(download(card))
    with django_assert_num_queries(0):
        status, said = run(str(path), "--key", get_installation_public_key())
    assert (status, "the record was not asked" in said) == (0, True)
    status, said = run(str(path), "--key", "a" * 64)
    assert status == 2
    assert "sealed by a key that is not the one of this installation" in said


# --- The page ------------------------------------------------------------------------------------------------------


def upload(content: bytes) -> Any:
    return Client().post("/verify/", {"file": SimpleUploadedFile("card.pdf", content), "digest": ""})


def test_the_page_takes_a_pdf_or_a_digest(card: Any) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    assert "Genuine. This PDF is original. It shows exactly what was signed" in page_text(upload(download(card)))
    typed = f" {digest[:6].upper()}-{digest[6:13]} "
    answer = Client().post("/verify/", {"digest": typed}, follow=True)
    assert answer.redirect_chain == [(f"/verify/{digest[:13]}/", 302)]
    page = page_text(answer)
    assert "Genuine. This is exactly what was signed" in page
    assert "Růžena Kealoha ʻŌ 91 – 0 Alan" in page and "seal 1 of the tournament" in page
    assert "seen by Lily Ann" in page
    assert "Unknown here." in page_text(Client().get(f"/verify/{'0' * 64}/"))
    assert "at least the first 12" in page_text(Client().post("/verify/", {"digest": digest[:7]}))
    assert "only the digits 0 to 9" in page_text(Client().post("/verify/", {"digest": "what is this"}))
    assert "Enter the digest, or choose the PDF." in page_text(Client().post("/verify/", {"digest": ""}))


def test_the_page_names_what_was_changed(card: Any) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    changed = with_drawing(download(card), lambda drawn: drawn + b"\n0 0 m 300 300 l S")
    assert "Altered. This is not what was signed and sealed: The texts on page 1 are the same" in page_text(
        upload(changed)
    )
    line = card.lines.get(number=2)
    line.line["counts"]["B"] = 5
    card.lines.filter(pk=line.pk).update(line=line.line)
    page = page_text(Client().get(f"/verify/{digest}/"))
    assert "Altered. The record is not what was signed and sealed:" in page
    assert "Hand 2 is not as it was signed in version 1." in page
    assert "On record here: Hand 2 is not as it was signed" in page_text(upload(download(card, version=1)))


def test_old_versions_stay_readable_with_what_was_changed(card: Any) -> None:
    event, digest = card.match.event, load_card_state_by_pk(card.pk).digest
    correct(card)
    sign_both(card)
    at = public_url(event, f"card/{card.token}/version/")
    first, second = (page_text(Client().get(f"{at}{number}/")) for number in (1, 2))
    assert "Superseded. The score card was signed like this on" in first
    assert "seen by Lily Ann" in first and "Fallen" not in first and "gin, 20" in first
    assert "This version counts." in second
    assert "Changes after version 1" in second
    assert re.search(
        r"Hand 1 was Růžena Kealoha ʻŌ went gin with 0 against 20.* now .* went gin with 0 against 24", second
    )
    assert "Totals was Růžena Kealoha ʻŌ 91, Alan 0 now Růžena Kealoha ʻŌ 95, Alan 0" in second
    page = page_text(Client().get(f"/verify/{digest}/"))
    assert "Superseded." in page and "Version 2 was signed later" in page and "Changes since then" in page
    assert Client().get(f"{at}3/").status_code == 404
    assert "Versions of this score card" in page_text(Client().get(at.removesuffix("version/")))


def test_brought_back_to_what_it_was_it_is_a_third_version(card: Any) -> None:
    correct(card)
    sign_both(card)
    entry = LineEntry(gin("A", 20), override="as first")
    correct_line(card, 1, entry, by=the_director(card.match.event), reason="it was right at first")
    state = load_card_state_by_pk(card.pk)
    assert (state.is_posted, len(state.signatures.outdated)) == (False, 4)
    sign_both(card)
    versions = list(CardVersion.objects.order_by("number"))
    contents = [json.loads(version.content) for version in versions]
    assert [content.pop("revision", 0) for content in contents] == [0, 1, 2]
    assert contents[0] == contents[2] != contents[1]
    assert [seal.number for seal in CardSeal.objects.order_by("pk")] == [1, 2, 3]
    assert find_card_proof(versions[0].digest).authenticity is Authenticity.SUPERSEDED
