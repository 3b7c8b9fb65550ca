"""Events of every kind, signed in every way, are verified without faults. Later changes to their rows are detected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.db import transaction

from pairing.blind_draw.selectors import load_draws, make_draw_record
from pairing.draws.order import run_verify_draw_case
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.models import Card, SheetLine, Signature
from scoring.prints.pdf.card_prints import PrintRequest
from scoring.prints.pdf.signed_cards import CardToPrint, print_signed_cards, write_signed_cards
from scoring.seals.selectors.keys import load_trusted_public_keys
from scoring.seals.selectors.log import check_uploaded_log, write_log_file
from scoring.seals.selectors.versions import load_versions_by_digest
from scoring.verification.pdf.file_checks import check_pdf
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.chance import in_part
from tests.devtools.whole_events.files import GENUINE, verify_file
from tests.devtools.whole_events.kinds import KINDS, WAYS, Kind, Signs, play
from tests.verifying import failed_checks
from tournament.models import Event

pytestmark = pytest.mark.django_db

FEWEST = {"single-elimination": 2, "tables": 3}
"""The number of entries in an event that only tests another rule set."""
OTHERS = [
    pytest.param(replace(kind, entries=FEWEST[kind.format]), rules, turn, id=f"{name}, {rules}")
    for name, kind in KINDS.items()
    for turn, rules in enumerate(kind.rules[1:])
    if in_part(turn, 2)
]


def ways_from(turn: int) -> dict[str, Signs]:
    """Return all ways to sign a card, rotated by `turn`, so that short events also use the later ways."""
    names = list(WAYS)
    at = 3 * turn % len(names)
    return {name: WAYS[name] for name in names[at:] + names[:at]}


def cards_of(event: Event) -> list[Card]:
    found = list(Card.objects.filter(match__event=event, postings__isnull=False).distinct().order_by("pk"))
    assert found
    return found


def file_of(card: Card, event: Event) -> bytes:
    state = load_card_state_by_pk(card.pk)
    version = load_versions_by_digest([card.pk])[card.pk, state.digest]
    return write_signed_cards(PrintRequest(event), [CardToPrint(state, version)], lambda done, total: None)


def saved(content: bytes, folder: Path) -> Path:
    path = folder / "card.pdf"
    path.write_bytes(content)
    return path


def assert_honest(event: Event, folder: Path) -> None:
    """Check that each card, a PDF of all cards, a single card's PDF, the log file, and the draws can be verified."""
    assert failed_checks(event) == []
    cards = cards_of(event)
    for card in cards:
        assert find_card_proof(load_card_state_by_pk(card.pk).digest).authenticity is Authenticity.GENUINE
    whole = print_signed_cards(PrintRequest(event, site="http://hall.test"), lambda done, total: None)
    file = check_pdf(whole, load_trusted_public_keys(), find_card_proof)
    assert (file.authenticity, len(file.cards), file.faults) == (Authenticity.GENUINE, len(cards), ())
    status, said = verify_file(saved(file_of(cards[0], event), folder))
    assert (status, said.split()[0]) == (GENUINE, "GENUINE")
    assert check_uploaded_log(write_log_file(event.tournament)).faults == ()
    made = load_draws(event)
    assert made
    assert all(run_verify_draw_case(make_draw_record(draw)) == {} for draw in made)


def assert_tampering_is_found(event: Event, folder: Path) -> None:
    """Change a signature, a line, a file, and the log, one after another, and check that each change is found."""
    card = cards_of(event)[0]
    title, digest = load_card_state_by_pk(card.pk).title, load_card_state_by_pk(card.pk).digest
    content, log = file_of(card, event), write_log_file(event.tournament)
    with transaction.atomic():
        Signature.objects.filter(card=card).update(device="another", witness="Nobody")
        assert any(title in each and "signature" in each for each in failed_checks(event))
        assert find_card_proof(digest).authenticity is Authenticity.ALTERED
        status, said = verify_file(saved(content, folder))
        assert (status, said.split()[0]) != (GENUINE, "GENUINE")
        transaction.set_rollback(True)
    line = SheetLine.objects.filter(card=card).order_by("pk").first()
    assert line is not None
    line.delete()
    assert any(title in each for each in failed_checks(event))
    assert check_pdf(content + b"\n", load_trusted_public_keys()).authenticity is Authenticity.ALTERED
    assert check_uploaded_log(log.replace(b'"verb":"event.finished"', b'"verb":"event.finishes"')).faults


@pytest.mark.sample("honest events", 3)
@pytest.mark.parametrize(("turn", "name"), list(enumerate(KINDS)), ids=list(KINDS))
def test_an_event_of_each_kind_verifies_clean_and_what_is_changed_in_it_is_found(
    turn: int, name: str, tmp_path: Path
) -> None:
    kind = KINDS[name]
    event = play(kind, kind.rules[0], ways_from(turn))
    assert_honest(event, tmp_path)
    assert_tampering_is_found(event, tmp_path)


@pytest.mark.sample("honest rule sets", 3)
@pytest.mark.parametrize(("kind", "rules", "turn"), OTHERS)
def test_by_every_other_rule_set_it_verifies_clean(kind: Kind, rules: str, turn: int, tmp_path: Path) -> None:
    assert_honest(play(kind, rules, ways_from(turn)), tmp_path)


def test_the_events_begin_with_all_ways_to_sign() -> None:
    assert {next(iter(ways_from(turn))) for turn in range(len(KINDS))} == set(WAYS)
