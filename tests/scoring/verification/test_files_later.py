"""A printed PDF can be checked later: its stamps, its unsigned pages, and each of its score cards."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.test import Client
from django.utils import timezone

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.results.services.corrections import undo_result
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.closing import TimeCall, call_time, make_card_snapshot
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.models import Card, CardPosted, CardVersion, Ruling
from scoring.prints.pdf.card_prints import PrintRequest
from scoring.prints.pdf.ruling_slips import print_ruling_slips
from scoring.seals.pdf.signed_files import SEAL_ATTACHMENT_NAME, read_signed_file
from scoring.seals.pdf.signing import attach_and_seal_pdf
from scoring.seals.selectors.keys import get_installation_public_key, load_trusted_public_keys
from scoring.verification.pdf.file_checks import (
    UNKNOWN_CARD_MESSAGE,
    UNKNOWN_RULING_MESSAGE,
    UNKNOWN_SIGNATURES_MESSAGE,
    UNKNOWN_UNSIGNED_CARD_MESSAGE,
    FileVerdict,
    check_pdf,
)
from scoring.verification.selectors.proofs import find_card_proof
from tests.kit import event_url
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import ACCEPTED, called, ruled
from tests.scoring.helpers.files import print_cards, with_attachment, without_attachments
from tests.scoring.helpers.playing import (
    an_event_in_play,
    gin,
    play,
    play_out,
    post,
    post_before_seals,
    sign_both,
    the_card,
    the_director,
)
from tests.scoring.helpers.superseded import (
    FOUR,
    WHY,
    against,
    corrected_late,
    decide,
    pdf,
    posted,
    text_of,
    verify_command,
    verify_file,
)
from tournament.models import AuditEntry, Event

pytestmark = pytest.mark.django_db

GENUINE = "It shows exactly what was signed and what counts now"


def undo(event: Event) -> None:
    undo_result(the_card(event).match, by=the_director(event), reason="They had looked at another card")


def correct(card: Card, count: int = 24, reason: str = "The box was 24") -> None:
    entry = LineEntry(gin("A", count), via="desk", override="so it was")
    correct_line(card, 1, entry, by=the_director(card.match.event), reason=reason)


@prebuilt
def both() -> Event:
    event = an_event_in_play(FOUR)
    post(the_card(event))
    post(the_card(event, "R1M2"))
    return event


def printed(event: Event) -> bytes:
    return print_cards(event)


def checked(content: bytes) -> FileVerdict:
    return check_pdf(content, load_trusted_public_keys(), find_card_proof)


def plain(page: str) -> str:
    """Return the text of the page's main part, without tags."""
    found = re.search(r"<main\b.*?</main>", page, flags=re.DOTALL)
    assert found is not None
    text = re.sub(r"<[^>]+>", " ", found.group())
    return " ".join(text.replace("&ldquo;", "“").replace("&#x27;", "'").split())


def command(content: bytes, folder: Path) -> tuple[int, str]:
    (folder / "card.pdf").write_bytes(content)
    return verify_command(folder / "card.pdf")


# --- The stamp -----------------------------------------------------------------------------------------------------


def test_a_stamp_that_a_later_undoing_made_wrong_is_out_of_date(tmp_path: Path) -> None:
    event, card = posted()
    against(event)
    stamped = pdf(event, card)
    assert "The result now: Alan won, 91–0" in text_of(stamped)
    assert checked(stamped).authenticity == "superseded"
    undo(event)
    page = plain(verify_file(stamped))
    assert GENUINE not in page and "Genuine." not in page
    assert "This PDF is original, but its stamp is outdated." in page
    assert "It said: “SUPERSEDED. " in page and f"Reason: {WHY}. The result now: Alan won, 91–0." in page
    assert "On record now: The score card counts as signed: Ada 91 – 0 Alan." in page
    status, said = command(stamped, tmp_path)
    assert (status, said.split()[0]) == (1, "OUTDATED")
    assert "its stamp is out of date. It said: “SUPERSEDED." in said
    assert "On record now: The score card counts as signed: Ada 91 – 0 Alan." in said


def test_a_stamp_of_a_disagreement_is_out_of_date_once_the_desk_has_decided(tmp_path: Path) -> None:
    event = corrected_late()
    stamped = pdf(event, the_card(event))
    assert "NOT THE RESULT" in text_of(stamped) and checked(stamped).authenticity == "disagrees"
    decide(event, 2, points={1: 0, 2: 55}, later_match_choices={"R2M1": LaterMatchChoice.KEEP})
    page = plain(verify_file(stamped))
    assert "its stamp is outdated" in page and GENUINE not in page
    assert "It said: “THE SCORE CARD AND THE RESULT DISAGREE." in page
    assert "On record now: The score card counts as signed: Ada 0 – 55 Alan." in page
    assert command(stamped, tmp_path)[0] == 1


def test_a_superseded_card_whose_stamp_names_an_older_decision_says_both(tmp_path: Path) -> None:
    event, card = posted()
    against(event)
    stamped = pdf(event, card)
    decide(event, 1, points={1: 80, 2: 12})
    page = plain(verify_file(stamped))
    assert "Superseded." in page
    assert "The stamp in this file is outdated." in page
    assert "The result now: Alan won, 91–0." in page and "The result now: Ada won, 80–12." in page
    assert checked(pdf(event, card)).cards[0].stamp is None
    said = command(stamped, tmp_path)[1]
    assert "stamp is out of date" in said and "Ada won, 80–12" in said


def test_a_stamp_that_still_holds_is_not_out_of_date() -> None:
    event, card = posted()
    against(event)
    assert checked(pdf(event, card)).cards[0].stamp is None
    assert "out of date" not in verify_file(pdf(event, card))


def test_with_the_key_alone_a_file_is_what_its_stamp_says(tmp_path: Path) -> None:
    event, card = posted()
    plain_file = pdf(event, card)
    against(event)
    stamped = pdf(event, card)
    assert check_pdf(plain_file, frozenset({get_installation_public_key()})).authenticity == "genuine"
    assert check_pdf(stamped, frozenset({get_installation_public_key()})).authenticity == "superseded"


def test_a_stamp_that_was_taken_out_of_the_seal_is_altered() -> None:
    event, card = posted()
    against(event)

    def unstamped(seal: dict[str, Any]) -> dict[str, Any]:
        return {**seal, "printed": [{**one, "about": {}, "stamp": ""} for one in seal["printed"]]}

    changed = with_attachment(pdf(event, card), SEAL_ATTACHMENT_NAME, unstamped)
    assert checked(changed).authenticity == "altered"
    junk = with_attachment(pdf(event, card), SEAL_ATTACHMENT_NAME, lambda seal: {**seal, "printed": [7]})
    assert checked(junk).authenticity == "altered"


# --- Pages that nobody signed --------------------------------------------------------------------------------------


def test_a_page_that_was_not_signed_is_named_and_the_headline_does_not_cover_it(tmp_path: Path) -> None:
    event = both()
    correct(the_card(event, "R1M2"))
    content = printed(event)
    assert "NOT POSTED: changed since it was signed by all" in text_of(content)
    page = plain(verify_file(content))
    assert GENUINE not in page and "Genuine." not in page
    assert "2 score cards in this file: 1 genuine, 1 not signed." in page
    assert "Grace 95 – 0 Kurt" in page and "Semifinal 2, game 1, page 2" in page
    assert "Not all players had signed this score card when it was printed." in page
    assert "Printed Grace 95 – 0 Kurt · NOT POSTED: changed since it was signed by all, see below" in page
    status, said = command(content, tmp_path)
    assert (status, said.split()[0]) == (1, "UNSIGNED")
    assert "2 score cards in this file: 1 genuine, 1 not signed." in said
    assert "unsigned: Grace 95 – 0 Kurt (R1M2, game 1), page 2: Not all players had signed" in said


def test_signed_since_the_page_says_so_and_links_to_the_card() -> None:
    event = both()
    correct(the_card(event, "R1M2"))
    content = printed(event)
    sign_both(the_card(event, "R1M2"))
    page = verify_file(content)
    assert "On record now Grace 95 – 0 Kurt · posted: signed by everybody who has to" in plain(page)
    assert f"/card/{the_card(event, 'R1M2').token}/" in page


def test_a_card_that_nobody_signed_is_not_unknown(tmp_path: Path) -> None:
    event = an_event_in_play(FOUR)
    play(the_card(event), gin("A", 3))
    content = pdf(event, the_card(event))
    page = plain(verify_file(content))
    assert "Unknown here" not in page and "Genuine." not in page
    assert "Not signed. This PDF is original." in page
    assert "Not all players had signed this score card when it was printed." in page
    status, said = command(content, tmp_path)
    assert (status, said.split()[0]) == (1, "UNSIGNED")
    assert command(content + b"\n", tmp_path)[0] == 2


def test_a_card_that_time_closed_says_that_nobody_signs_it() -> None:
    event = an_event_in_play(FOUR)
    card = closed(event)
    page = plain(verify_file(pdf(event, card)))
    assert "Not signed. This PDF is original." in page
    assert "This score card was closed before the end of the game, so it has no signatures." in page
    assert "Time was called." in page


def test_a_closed_card_beside_a_signed_one_takes_nothing_from_it(tmp_path: Path) -> None:
    event = an_event_in_play(FOUR)
    closed(event)
    post(the_card(event, "R1M2"))
    content = printed(event)
    status, said = command(content, tmp_path)
    assert (status, said.split()[0]) == (0, "GENUINE")
    page = plain(verify_file(content))
    assert "2 score cards in this file: 1 genuine, 1 not signed." in page and "so it has no signatures." in page


def test_the_stamp_of_a_closed_card_is_held_against_the_record_too() -> None:
    event = an_event_in_play(FOUR)
    card = closed(event)
    before = pdf(event, card)
    against(event)
    stamped = pdf(event, card)
    assert "SUPERSEDED" in text_of(stamped)
    assert "Superseded." in plain(verify_file(before)) and checked(stamped).authenticity == "superseded"
    undo(event)
    assert checked(before).authenticity == "unsigned"
    found = checked(stamped).unsigned[0]
    assert found.stamp is not None and found.stamp.current_status == found.now
    assert found.now.startswith("Ada 28\u00a0–\u00a00 Alan · ")
    page = plain(verify_file(stamped))
    assert "its stamp is outdated" in page and "The result now: Alan won, 91–0." in page


@prebuilt
def closed(event: Event) -> Card:
    """Return a card on which Ada led when time was called, so that she wins the game."""
    card = the_card(event)
    state = play(card, gin("A", 3))
    call_time(
        event, [TimeCall(card, make_card_snapshot(state), None, "stands")], by=the_director(event), reason="Time was up"
    )
    return card


def test_a_card_that_was_posted_before_seals_were_kept_is_on_record(tmp_path: Path) -> None:
    event = an_event_in_play(FOUR)
    card = before_seals(event)
    content = pdf(event, card)
    page = plain(verify_file(content))
    assert "Unknown here" not in page
    assert "This score card was signed before there were seals." in page
    found = checked(content).unsigned[0]
    assert (found.printed.kind, found.digest, found.stamp) == ("no-seal", load_card_state_by_pk(card.pk).digest, None)
    assert found.now == "Ada 91\u00a0–\u00a00 Alan · posted: signed by everybody who has to"
    assert (found.authenticity, found.faults) == ("genuine", ())
    correct(card)
    found = checked(content).unsigned[0]
    assert (found.authenticity, found.faults) == ("superseded", ())


def test_a_card_from_before_seals_whose_digest_is_not_on_record_is_altered() -> None:
    event = an_event_in_play(FOUR)
    content = pdf(event, before_seals(event))
    CardPosted.objects.update(digest="0" * 64)
    found = checked(content).unsigned[0]
    assert (found.authenticity, [fault.message for fault in found.faults]) == (
        "altered", ["No score card with this digest is on record here."],
    )  # fmt: skip


def before_seals(event: Event) -> Card:
    """Return a card (Ada 91 – 0 Alan) that was posted as before seals were introduced."""
    card = the_card(event)
    post_before_seals(card)
    return card


def test_a_card_that_cannot_be_counted_on_record_is_altered() -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event)
    play(card, gin("A", 3))
    content = pdf(event, card)
    found = checked(content).unsigned[0]
    assert (found.authenticity, found.faults) == ("unsigned", ())
    card.lines.update(line={"up": "no card"})
    found = checked(content).unsigned[0]
    assert (found.authenticity, [fault.message for fault in found.faults]) == (
        "altered", ["The score card on record can no longer be added up."],
    )  # fmt: skip
    assert found.state is not None


def test_a_file_of_an_older_version_says_so_itself_and_its_stamp_holds() -> None:
    event, card = posted()
    correct(card)
    sign_both(card)
    first = Client().get(event_url("scoring:card_pdf", event, token=card.token), {"version": 1}).content
    assert "version 1, SUPERSEDED: the card was corrected later" in text_of(first)
    found = checked(first).cards[0]
    assert (found.authenticity, found.stamp) == ("superseded", None)
    assert check_pdf(first, frozenset({get_installation_public_key()})).authenticity == "superseded"


def test_what_is_on_record_of_a_card_that_waits_is_said_in_its_statement_s_words() -> None:
    event = both()
    correct(the_card(event, "R1M2"))
    found = checked(printed(event)).unsigned[0]
    assert (found.authenticity, found.stamp) == ("unsigned", None)
    assert found.now.startswith("Corrected; waiting for signatures. The score card, changed ")


def test_an_old_stamp_on_a_version_that_was_corrected_since_names_the_version_that_counts() -> None:
    event, card = posted()
    against(event)
    stamped = pdf(event, card)
    undo(event)
    correct(card)
    assert checked(stamped).cards[0].authenticity == "superseded"
    sign_both(card)
    found = checked(stamped).cards[0]
    assert found.stamp is not None
    assert (found.authenticity, found.stamp.current_status) == ("superseded", "Version 2 of the score card counts now.")


def test_an_unsigned_card_of_another_record_is_unknown() -> None:
    event = an_event_in_play(FOUR)
    play(the_card(event), gin("A", 3))
    content = pdf(event, the_card(event))
    Card.objects.filter(match__event=event).delete()
    verdict = checked(content)
    assert verdict.authenticity == "unknown"
    assert [fault.message for one in verdict.parts for fault in one.faults] == [str(UNKNOWN_UNSIGNED_CARD_MESSAGE)]


def test_a_card_that_was_signed_after_the_backup_is_unknown(tmp_path: Path) -> None:
    event = an_event_in_play(FOUR)
    with back_to_the_backup():
        post(the_card(event))
        content = pdf(event, the_card(event))
    verdict = checked(content)
    assert (verdict.authenticity, verdict.faults, verdict.cards[0].authenticity) == ("unknown", (), "unknown")
    assert f"Unknown here. Ada 91 – 0 Alan: {UNKNOWN_CARD_MESSAGE}" in plain(verify_file(content))
    (tmp_path / "card.pdf").write_bytes(content)
    code, printed_text = verify_command(tmp_path / "card.pdf")
    assert code == 2 and printed_text.startswith("UNKNOWN")


def test_a_card_that_was_signed_again_after_the_backup_leaves_the_first_one_unknown() -> None:
    event = an_event_in_play(FOUR)
    with back_to_the_backup():
        post(the_card(event))
        content = pdf(event, the_card(event))
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=5)):
        play_out(the_card(event))
        sign_both(the_card(event))
    verdict = checked(content)
    assert verdict.authenticity == "unknown"
    assert [fault.message for fault in verdict.cards[0].faults] == [str(UNKNOWN_SIGNATURES_MESSAGE)]


def test_a_changed_file_is_altered_even_if_its_card_is_not_on_record() -> None:
    event = an_event_in_play(FOUR)
    with back_to_the_backup():
        post(the_card(event))
        content = pdf(event, the_card(event))
    assert checked(content + b"% a remark").authenticity == "altered"


def test_a_card_that_was_deleted_from_the_record_is_altered() -> None:
    event, card = posted()
    content = pdf(event, card)
    row = AuditEntry.objects.filter(data__has_key="versions").get().seq
    CardVersion.objects.filter(card=card).delete()
    CardPosted.objects.filter(card=card).delete()
    verdict = checked(content)
    assert verdict.authenticity == "altered"
    assert [fault.message for fault in verdict.cards[0].faults] == [
        f"Row {row} of the log names this score card, but the card is no longer on record."
    ]


def test_a_ruling_that_was_made_after_the_backup_is_unknown() -> None:
    event = an_event_in_play(FOUR)
    with back_to_the_backup():
        ruled(called(the_card(event), "improper-knock", hand=1, **ACCEPTED))
        content = print_ruling_slips(PrintRequest(event, site="http://hall.test"), lambda done, total: None)
    verdict = checked(content)
    assert (verdict.authenticity, verdict.faults) == ("unknown", ())
    assert [fault.message for fault in verdict.rulings[0].faults] == [str(UNKNOWN_RULING_MESSAGE)]


@contextmanager
def back_to_the_backup() -> Iterator[None]:
    """Undo everything that the block writes, as if the laptop continued from a backup made before the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_a_file_from_before_stamps_were_sealed_verifies_and_its_other_pages_are_named() -> None:
    event = both()
    correct(the_card(event, "R1M2"))
    file = read_signed_file(printed(event))
    assert file.seal is not None and file.seal["printed"]
    old = attach_and_seal_pdf(without_attachments(file.content), list(file.cards.values()))
    verdict = checked(old)
    assert (verdict.faults, verdict.cards[0].authenticity) == ((), "genuine")
    page = plain(verify_file(old))
    assert "Page 2" in page and "There is no signed score card on this page." in page
    one_card = pdf(event, the_card(event))
    old = attach_and_seal_pdf(without_attachments(one_card), list(read_signed_file(one_card).cards.values()))
    assert checked(old).authenticity == "genuine"
    assert GENUINE in verify_file(old)


# --- Several in one file -------------------------------------------------------------------------------------------


def test_each_card_of_a_file_has_its_own_standing() -> None:
    event = both()
    content = printed(event)
    assert GENUINE in verify_file(content)
    against(event)
    page = plain(verify_file(content))
    assert "2 score cards in this file: 1 genuine, 1 superseded." in page
    assert "What counts now is below" not in page
    first, second = page.index("Ada 91 – 0 Alan"), page.index("Grace 91 – 0 Kurt")
    assert "Superseded" in page[first:second] and WHY in page[first:second] and "Alan won, 91–0" in page[first:second]
    assert "✓ Genuine" in page[second:] and "Superseded" not in page[second:]


def test_a_corrected_card_in_a_file_says_who_corrected_it_when_and_why() -> None:
    event = both()
    content = printed(event)
    correct(the_card(event, "R1M2"))
    sign_both(the_card(event, "R1M2"))
    page = plain(verify_file(content))
    assert "2 score cards in this file: 1 genuine, 1 superseded." in page
    second = page[page.index("Grace 91 – 0 Kurt") :]
    assert "Version 2 was signed later" in second
    assert re.search(r"Corrected [^.]+, by [^.]+\. Reason: The box was 24\.", second), second


def test_one_card_that_is_altered_on_record_leaves_the_others_genuine() -> None:
    event = both()
    content = printed(event)
    line = the_card(event).lines.get(number=2)
    line.line["counts"]["B"] = 5
    the_card(event).lines.filter(pk=line.pk).update(line=line.line)
    page = plain(verify_file(content))
    assert "Altered." in page and "2 score cards in this file: 1 genuine, 1 altered." in page


def test_a_changed_file_calls_none_of_its_cards_genuine() -> None:
    content = printed(both())
    page = plain(verify_file(content + b"\n"))
    assert "Altered." in page and "Genuine" not in page


def test_each_ruling_of_a_file_has_its_own_standing() -> None:
    event = an_event_in_play(FOUR)
    first = ruled(called(the_card(event), "improper-knock", hand=1, **ACCEPTED))
    ruled(called(the_card(event, "R1M2"), "improper-knock", hand=1, **ACCEPTED))
    content = print_ruling_slips(PrintRequest(event, site="http://hall.test"), lambda done, total: None)
    Ruling.objects.create(
        dispute=first.dispute, number=9, kind=first.kind, rule=first.rule, ruling="no-penalty",
        decided="Nothing happens.", supersedes=first, decider=Ruling.Decider.COMMITTEE, by_name="t",
    )  # fmt: skip
    page = plain(verify_file(content))
    assert "2 rulings in this file: 1 genuine, 1 superseded." in page
    assert page.count("✓ Genuine") == 1 and page.count("! Superseded") == 1


def test_what_is_sealed_of_a_stamp_can_be_read_without_this_program() -> None:
    event, card = posted()
    against(event)
    seal = read_signed_file(pdf(event, card)).seal
    assert seal is not None
    (one,) = seal["printed"]
    assert one["stamp"].startswith("SUPERSEDED.") and one["about"]["counts"] == "superseded"
    assert json.loads(json.dumps(one)) == one
    assert load_card_state_by_pk(card.pk).digest == one["digest"]
