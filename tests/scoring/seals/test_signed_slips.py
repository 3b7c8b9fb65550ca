"""A ruling's slip has its digest on paper and in the file, and can be verified like a score card."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from scoring.disputes.selectors.register import load_ruling_slip
from scoring.disputes.tables import describe_ruling_slip
from scoring.models import Card, Dispute, Ruling
from scoring.prints.pdf.card_prints import PrintRequest
from scoring.prints.pdf.ruling_slips import print_ruling_slips, write_ruling_slips_pdf
from scoring.rules.rulings.policies import find_rule_text
from scoring.seals.pdf.signed_files import read_signed_file
from scoring.seals.selectors.keys import get_installation_public_key
from scoring.verification.pdf import file_checks
from scoring.verification.selectors.proofs import RulingProof, find_ruling_proof
from tests.codes import codes_in
from tests.factories import a_user
from tests.kit import event_url
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import ACCEPTED, called, ruled
from tests.scoring.helpers.files import slip, with_attachment, with_copies, with_drawing
from tests.scoring.helpers.playing import an_event_in_play, the_card
from tournament.core.selectors.log import compute_fact_digest

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def card() -> Card:
    return the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))


@pytest.fixture
@prebuilt
def dispute(card: Card) -> Dispute:
    return called(card, "improper-knock", hand=1, **ACCEPTED)


def command(*asked: str) -> tuple[int, str]:
    out = io.StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("verify_card", *asked, stdout=out)
    return int(left.value.code or 0), out.getvalue()


def upload(content: bytes) -> str:
    sent = {"file": SimpleUploadedFile("ruling.pdf", content, content_type="application/pdf")}
    return Client().post(reverse("scoring:verify_any"), sent).content.decode()


def words_on(content: bytes) -> str:
    return " ".join(PdfReader(io.BytesIO(content)).pages[0].extract_text().split())


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("false-gin", {"by": "A", "count": 3}),
        ("improper-knock", ACCEPTED),
        ("wrong-count", {"plays": 1, "cards": {"A": 9, "B": 10}, "chosen": "new-deal"}),
    ],
)
def test_the_whole_rule_stands_on_the_paper_where_there_is_room(card: Card, kind: str, facts: dict[str, Any]) -> None:
    made = ruled(called(card, kind, hand=1, **facts))
    said = words_on(slip(made))
    assert " ".join(find_rule_text(made.rule).split()) in said and "…" not in said


def test_a_rule_is_cut_only_where_it_would_reach_the_foot(dispute: Dispute) -> None:
    made = ruled(dispute)
    one = load_ruling_slip(made.dispute.event, made.dispute_id)
    assert one is not None
    long = replace(describe_ruling_slip(one, compute_fact_digest(made)), rule_text="quoted " * 900)
    paper = io.BytesIO()
    write_ruling_slips_pdf(paper, [long], lambda path: f"http://hall.test{path}")
    placed: list[tuple[float, str]] = []

    def seen(text: str, _matrix: Any, at: Any, _font: Any, _size: Any) -> None:
        placed.append((at[5], text))

    PdfReader(io.BytesIO(paper.getvalue())).pages[0].extract_text(visitor_text=seen)
    said = words_on(paper.getvalue())
    assert "quoted …" in said and "DECISION" in said and "WHAT IT CHANGES" in said
    appeal = next(y for y, text in placed if "no appeals committee" in text)
    assert min(y for y, text in placed if "Score:" in text or "quoted" in text) > appeal + 8


def test_the_paper_has_its_digest_and_a_code_that_leads_to_the_proof(dispute: Dispute) -> None:
    made = ruled(dispute)
    content, digest = slip(made), compute_fact_digest(made)
    text = " ".join(PdfReader(io.BytesIO(content)).pages[0].extract_text().split())
    assert " ".join(digest[at : at + 8] for at in range(0, 32, 8)) in text
    assert " ".join(digest[at : at + 8] for at in range(32, 64, 8)) in text
    picture = pypdfium2.PdfDocument(content)[0].render(scale=3).to_pil()
    (code,) = codes_in(picture)
    assert code == f"http://hall.test/verify/{digest}/"
    page = Client().get(code.removeprefix("http://hall.test")).content.decode()
    assert "This is exactly the ruling, and it stands." in page
    assert f"Ruling {made.number}" in page and made.decided in page


def test_the_desk_and_the_prints_make_such_slips(dispute: Dispute) -> None:
    made, event = ruled(dispute), dispute.event
    client = Client(headers={"host": "hall.test"})
    client.force_login(a_user("desk", event.tournament))
    of_desk = client.get(event_url("scoring:desk_ruling_slip", event, dispute=dispute.pk)).content
    of_prints = print_ruling_slips(PrintRequest(event, site="http://hall.test"), lambda done, total: None)
    for content in (of_desk, of_prints):
        (found,) = read_signed_file(content).rulings.values()
        assert found["digest"] == compute_fact_digest(made) and found["content"]["decided"] == made.decided


def test_page_file_and_command_say_genuine(dispute: Dispute, tmp_path: Path) -> None:
    made = ruled(dispute)
    content, path = slip(made), tmp_path / "ruling.pdf"
    path.write_bytes(content)
    assert "This PDF is original and shows exactly the ruling." in upload(content)
    status, said = command(str(path))
    assert status == 0 and f"genuine: Ruling {made.number}" in said
    status, said = command(str(path), "--key", get_installation_public_key())
    assert status == 0 and "the record was not asked" in said
    status, said = command("--digest", compute_fact_digest(made)[:16])
    assert status == 0 and f"Ruling {made.number} of Singles" in said


def test_changed_on_appeal_the_slip_is_superseded_and_says_by_what(
    card: Card, dispute: Dispute, tmp_path: Path
) -> None:
    made = ruled(dispute)
    content, path = slip(made), tmp_path / "ruling.pdf"
    path.write_bytes(content)
    later = Ruling.objects.create(
        dispute=dispute, number=made.number + 1, kind=made.kind, rule=made.rule, ruling="no-penalty",
        decided="Nothing happens.", supersedes=made, decider=Ruling.Decider.COMMITTEE, by_name="t",
    )  # fmt: skip
    page = upload(content)
    assert "Superseded." in page and f"Ruling {later.number}, made on appeal" in page
    status, said = command(str(path))
    assert status == 1 and f"changed on appeal by ruling {later.number}" in said
    assert "Superseded." in Client().get(reverse("scoring:verify", args=[compute_fact_digest(made)])).content.decode()


@pytest.mark.parametrize("change", ["words", "attachment", "key", "appended", "record"])
def test_a_changed_slip_is_altered(dispute: Dispute, change: str, tmp_path: Path) -> None:
    made = ruled(dispute)
    content = slip(made)
    name = next(iter(read_signed_file(content).rulings))

    def decided(value: Any) -> Any:
        value["content"]["decided"] = "Ada wins the match."
        return value

    def unsealed(value: Any) -> Any:
        value["seal"]["signature"] = "00" * 64
        return value

    if change == "words":
        content = with_drawing(content, lambda data: data.replace(b" Tf", b" Tf ", 1) + b"\n0 0 m 9 9 l S\n")
    elif change == "attachment":
        content = with_attachment(content, name, decided)
    elif change == "key":
        content = with_attachment(content, name, unsealed)
    elif change == "appended":
        content += b"\n%%EOF\n"
    else:
        Ruling.objects.filter(pk=made.pk).update(decided="Ada wins the match.")
        page = Client().get(reverse("scoring:verify", args=[compute_fact_digest(made)])).content.decode()
        assert "Altered." in page and "is not what row" in page
    assert "Altered." in upload(content)
    path = tmp_path / "ruling.pdf"
    path.write_bytes(content)
    status, said = command(str(path))
    assert status == 2 and said.startswith("ALTERED")


def test_a_digest_that_nobody_ruled_is_not_known(dispute: Dispute) -> None:
    ruled(dispute)
    assert find_ruling_proof("f" * 64).ruling is None
    assert "Unknown here." in Client().get(reverse("scoring:verify", args=["f" * 64])).content.decode()
    assert command("--digest", "f" * 64)[0] == 2


def test_a_ruling_that_is_attached_many_times_is_looked_up_once(
    dispute: Dispute, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def prove_once(digest: str) -> RulingProof:
        asked.append(digest)
        return find_ruling_proof(digest)

    monkeypatch.setattr(file_checks, "find_ruling_proof", prove_once)
    assert "Altered." in upload(with_copies(slip(ruled(dispute)), 9))
    assert len(asked) == 1


def test_what_is_attached_can_be_read_without_this_program(dispute: Dispute) -> None:
    made = ruled(dispute)
    (found,) = read_signed_file(slip(made)).rulings.values()
    assert json.loads(json.dumps(found)) == found
    assert found["content"]["number"] == made.number and found["content"]["rule"] == made.rule
