"""Every kind of event, played whole with every way to sign: it verifies clean, and what is changed in it is found."""

from __future__ import annotations

import pytest
from django.db import transaction

from pairing.draws import answer_verify_draw
from pairing.selectors.draws import draw_record, load_draws
from scoring.models import Card, SheetLine, Signature
from scoring.pdf.card_prints import Order
from scoring.pdf.file_checks import check_file
from scoring.pdf.signed_cards import SignedCard, print_signed_cards, write_signed
from scoring.selectors.cards import load_card_by_pk
from scoring.selectors.log_files import check_log, write_log_file
from scoring.selectors.proofs import Standing, prove
from scoring.selectors.seal_keys import trusted_publics
from scoring.selectors.seals import load_versions
from scoring.selectors.verification import verify_event
from tests.whole_events.kinds import KINDS, Kind, play
from tests.whole_events.signing import WAYS
from tournament.models import Event

pytestmark = pytest.mark.django_db

EVERY = [pytest.param(kind, rules, id=f"{name}, {rules}") for name, kind in KINDS.items() for rules in kind.rules]
FEW_WAYS = {name: WAYS[name] for name in ("drawn", "one_missing")}


def wrong(event: Event) -> list[str]:
    return [f"{check.what}: {check.found}" for check in verify_event(event) if not check.good]


def cards_of(event: Event) -> list[Card]:
    found = list(Card.objects.filter(match__event=event, postings__isnull=False).distinct().order_by("pk"))
    assert found
    return found


def whole_file(event: Event) -> bytes:
    return print_signed_cards(Order(event, site="http://hall.test"), lambda done, total: None)


@pytest.mark.parametrize(("kind", "rules"), EVERY)
def test_an_honest_event_verifies_clean_card_by_card_and_file_by_file(kind: Kind, rules: str) -> None:
    event = play(kind, rules)
    assert wrong(event) == []
    cards, publics = cards_of(event), trusted_publics()
    for card in cards:
        assert prove(load_card_by_pk(card.pk).digest).standing is Standing.GENUINE
    file = check_file(whole_file(event), publics, prove)
    assert (file.standing, len(file.cards), file.faults) == (Standing.GENUINE, len(cards), ())
    state = load_card_by_pk(cards[0].pk)
    version = load_versions([cards[0].pk])[cards[0].pk, state.digest]
    alone = write_signed(Order(event), [SignedCard(state, version)], lambda done, total: None)
    assert check_file(alone, publics).standing is Standing.GENUINE
    assert check_log(write_log_file(event.tournament)).faults == ()
    for made in load_draws(event):
        assert answer_verify_draw(draw_record(made))["ok"] is True


@pytest.mark.parametrize("name", KINDS)
def test_what_is_changed_in_an_event_of_each_kind_is_found(name: str) -> None:
    kind = KINDS[name]
    event = play(kind, kind.rules[0], FEW_WAYS)
    card = cards_of(event)[0]
    title, digest = load_card_by_pk(card.pk).title, load_card_by_pk(card.pk).digest
    content, log = whole_file(event), write_log_file(event.tournament)
    with transaction.atomic():
        Signature.objects.filter(card=card).update(witness="Nobody")
        assert any(title in each and "signature" in each for each in wrong(event))
        assert prove(digest).standing is Standing.ALTERED
        assert check_file(content, trusted_publics(), prove).standing is Standing.ALTERED
        transaction.set_rollback(True)
    assert wrong(event) == []
    SheetLine.objects.filter(card=card).order_by("pk").first().delete()  # type: ignore[union-attr]
    assert any(title in each for each in wrong(event))
    assert check_file(content + b"\n", trusted_publics()).standing is Standing.ALTERED
    assert check_log(log.replace(b'"verb":"event.finished"', b'"verb":"event.finishes"')).faults
