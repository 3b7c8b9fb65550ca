from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import pytest

from pairing.draws.stages.plan import StageKind
from pairing.results.services.finish import call_off_event
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.models import RuleSheet
from scoring.posting.services.opening import start_play
from scoring.prints.pdf.card_prints import PrintRequest, print_blank_cards, write_playable_cards
from scoring.prints.pdf.prints import list_printouts
from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors import find_side_limits
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.chance import in_part
from tests.factories import an_event
from tests.kit import fresh, pdf_pages, refused
from tests.scoring.helpers.files import print_cards
from tests.scoring.helpers.papers import LINES, NAMES, played, player_of, text_of
from tests.scoring.helpers.playing import a_drawn_event, post, the_card
from tests.scoring.helpers.tables import a_table_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.copies import mark_files_of_copy
from tournament.errors import DomainError
from tournament.models import Event
from tournament.money.pdf.receipts import write_receipt
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.services import fees_and_refunds

pytestmark = pytest.mark.django_db


SIGNS: dict[str, tuple[str, ...]] = {
    "gra-singles": ("Up card", "Low card deals first and keeps score"),
    "gra-partnership": ("Board 1", "Board 2", "team with the low card deals"),
    "standard": ("Low card deals first and keeps score", "Box", "Standard gin"),
    "oklahoma": ("Low card deals first and keeps score", "Box", "Oklahoma gin"),
    "hollywood": ("Game 1", "Game 3", "Low card deals first and keeps score"),
    "word-gin": ("Words", "Deadwood", "draws the lowest card deals first"),
    "metzker": ("Guys", "Girls", "Gins", "team with the high card deals"),
    "captain": ("Role", "Highest card, in the box:", "Middle card, captain:", "Lowest card, sits out:", "Keeps score:"),
    "fort-worth": ("FORT WORTH GIN", "Damages", "Wild", "Lowest card, deals first:", "Keeps score:"),
    "court-whist": ("Coronation", "Conspiracy", "Restoration", "Grand total", "High card deals, aces are high"),
    "score-pad": ("Round", "Total"),
}
"""The required texts on each print: the columns, and the draw before play."""

OWN: dict[str, tuple[str, ...]] = {
    "gra-partnership": ("Board 1",),
    "hollywood": ("Hollywood",),
    "word-gin": ("Deadwood", "lowest card deals first."),
    "metzker": ("Guys", "Girls", "couple cuts"),
    "captain": ("in the box", "captain"),
    "fort-worth": ("FORT WORTH", "Damages", "stymie"),
    "court-whist": ("Coronation", "lady"),
    "score-pad": ("Score pad",),
}
"""Texts that must not appear on another game's prints."""


def look(text: str, rules: str, *names: str) -> None:
    """Check that the print has the texts that its rule set requires, and no texts of other rule sets."""
    wanted = [*SIGNS[rules], *names]
    lowered = re.sub(r"\s+", " ", text).lower()
    assert not [words for words in wanted if words.lower() not in lowered], text
    foreign = [words for other, own in OWN.items() if other != rules for words in own]
    assert not [words for words in foreign if re.search(rf"\b{re.escape(words.lower())}", lowered)], text
    assert "None" not in text and "{" not in text and "Player 1" not in text


def test_papers_of_an_event_that_is_called_off_say_so_on_each_page() -> None:
    event = a_called_off_event()
    for kind in ("results", "bracket-poster", "bracket-tiles"):
        content = list_printouts(StageKind)[kind][1](PrintRequest(event, site="http://hall.local/"), _quiet)
        assert all("Called off: The air conditioning failed" in page for page in pdf_pages(content)), kind
    everything = list_printouts(StageKind)["everything"][1](PrintRequest(event, site="http://hall.local/"), _quiet)
    assert all(re.search("Called off(:| ·)", page) for page in pdf_pages(everything))
    blank = list_printouts(StageKind)["blank-cards"][1](PrintRequest(event, site="http://hall.local/", count=1), _quiet)
    assert "Called off" not in text_of(blank)


def test_score_cards_of_an_event_that_is_called_off_say_so_in_their_titles() -> None:
    order = PrintRequest(a_called_off_event(), site="http://hall.local/")
    [page] = pdf_pages(list_printouts(StageKind)["round-cards"][1](order, _quiet))
    assert page.count("Called off · Desert Classic · Singles") == page.count("Called off") == 2


def test_a_copy_of_an_event_that_is_called_off_has_both_marks_on_one_line() -> None:
    event = a_called_off_event()
    event.tournament.is_copy = True
    with mark_files_of_copy(event.tournament):
        [page] = pdf_pages(list_printouts(StageKind)["results"][1](PrintRequest(event), _quiet))
    assert "COPY – not the original tournament · Called off: The air conditioning failed" in page
    assert page.count("COPY") == 1


def a_called_off_event() -> Event:
    event = a_drawn_event(NAMES[:4])
    start_play(event, by=SYSTEM_ACTOR)
    call_off_event(event, by=SYSTEM_ACTOR, reason="The air conditioning failed")
    return fresh(event)


def every_set() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name, variant in VARIANTS.items():
        yield name, name, variant.defaults()
        for preset in variant.presets:
            yield f"{name}, {preset.name}", name, dict(preset.options)


def sheet_of(event: Event, rules: str, options: dict[str, Any]) -> None:
    event.rule_sheets.all().delete()
    RuleSheet.objects.create(event=event, version=1, variant=rules, options=options, by_name="test")


def _quiet(done: int, total: int) -> None:
    """Ignore reports about progress."""


# --- Blank cards -----------------------------------------------------------------------------------------------------


def test_blank_cards_print_for_every_rule_set_and_every_number_of_players() -> None:
    event = an_event()
    for said, rules, options in every_set():
        sheet_of(event, rules, options)
        few, many = find_side_limits(rules, options)
        each = range(few, many + 1) if said == rules else sorted({few, many})
        for players in (0, *each):
            text = text_of(print_blank_cards(PrintRequest(event, count=1, players=players), _quiet))
            look(text, rules)
            if rules == "score-pad" and options["game"]:
                title = next(each.title for each in VARIANTS[rules].presets if each.options["game"] == options["game"])
                assert title.split("(")[0].strip() in text, said
            variant = VARIANTS[rules]
            signs = len(variant.side_names) if variant.sides_are_teams else players
            assert not players or text.count("Signature") == signs + len(variant.further_signers), (said, players)


@pytest.mark.parametrize(("rules", "players"), [("captain", 2), ("court-whist", 2), ("fort-worth", 6)])
def test_a_card_for_so_many_is_refused_in_words(rules: str, players: int) -> None:
    event = an_event()
    sheet_of(event, rules, VARIANTS[rules].defaults())
    with pytest.raises(DomainError, match="Choose another number"):
        print_blank_cards(PrintRequest(event, count=1, players=players), _quiet)


def test_blank_paper_has_a_place_for_every_name_and_for_all_who_sign() -> None:
    event = an_event()
    for rules, words in (
        ("hollywood", ("A: B: Low card", "A B A B A B", "Settlement A B", "A Signature B Signature Both players")),
        ("court-whist", ("Player:",)),
        ("metzker", ("Guys Signature Girls Signature Scorekeeper Signature The scorekeeper signs",)),
    ):
        sheet_of(event, rules, VARIANTS[rules].defaults())
        text = " ".join(text_of(print_blank_cards(PrintRequest(event, count=1), _quiet)).split())
        assert not [each for each in words if each not in text], text


def test_blank_paper_knows_nobody_by_name_and_leaves_roles_and_dealers_open() -> None:
    event = an_event()
    for rules in ("captain", "fort-worth"):
        sheet_of(event, rules, VARIANTS[rules].defaults())
        assert "Player" not in text_of(print_blank_cards(PrintRequest(event, count=1), _quiet))


# --- A card with its players -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", VARIANTS)
def test_the_card_of_a_table_before_play_and_with_what_was_played(rules: str) -> None:
    count, line = LINES[rules]
    card = a_table_card(NAMES[:count], rules, seats="table")
    event, state = card.match.event, load_card_state_by_pk(card.pk)
    names = state.names
    before = text_of(
        write_playable_cards(PrintRequest(event, site="http://hall.local/"), [state], {card.match_id: 7}, _quiet)
    )
    look(before, rules, *names, "7")
    state = played(state, line)
    after = text_of(print_cards(event, site="http://hall.local/"))
    look(after, rules, *names, "not posted: signatures are missing", state.digest[:8])
    if state.draw.table_draw.orders_sides:
        first = state.names[0]
        assert first == NAMES[2] and re.search(rf"{state.draw.table_draw.places[0].card}, [a-z ]+:\s*{first}", after), (
            after
        )


# --- The other papers of an event ------------------------------------------------------------------------------------

PAPERS = {
    "round-cards": ("Ada Lovelace", "Semifinals"),
    "blank-cards": ("Round ____",),
    "signed-cards": ("posted: signed by everybody", "Ada Lovelace"),
    "ruling-slips": "no-rulings",
    "table-signs": ("1", "2"),
    "pairings": ("Pairings", "Ada Lovelace", "Kurt Gödel"),
    "results": ("Results so far", "Kurt Gödel"),
    "groups": "no-groups",
    "bracket-poster": ("Ada Lovelace", "Kurt Gödel"),
    "bracket-tiles": ("Ada Lovelace",),
    "payouts": "not-finished",
    "payout-receipts": "not-finished",
    "everything": ("Everything as of", "Round ____", "the rules in brief"),
}
"""The required texts on each kind of print, or the reason why the print is not available during a knockout."""
OF_CARDS = {"round-cards", "blank-cards", "signed-cards"}
TWO_SIDED = [rules for rules, (count, _line) in LINES.items() if count == 2]
SOME_TWO_SIDED = [rules for number, rules in enumerate(TWO_SIDED) if rules == "gra-singles" or in_part(number, 3)]


def test_there_is_a_line_for_every_kind_of_print() -> None:
    assert set(PAPERS) == set(list_printouts([StageKind.SINGLE, StageKind.ROUND_ROBIN]))
    assert set(SIGNS) == set(LINES) == set(VARIANTS)


@pytest.mark.parametrize("rules", SOME_TWO_SIDED)
def test_every_paper_of_a_knockout(rules: str) -> None:
    event = a_drawn_event(NAMES[:4])
    target = {"target": 50} if "target" in VARIANTS[rules].defaults() else {}
    save_rule_sheet(event, ChosenRules(rules, target), by=SYSTEM_ACTOR)
    start_play(event, by=SYSTEM_ACTOR)
    if rules == "gra-singles":
        post(the_card(event, "R1M1"))
    for kind, words in PAPERS.items():
        order = PrintRequest(event, site="http://hall.local/", count=2)
        build = list_printouts(StageKind)[kind][1]
        if isinstance(words, str) or (kind == "signed-cards" and rules != "gra-singles"):
            with refused(words if isinstance(words, str) else "no-cards"):
                build(order, _quiet)
            continue
        text = " ".join(text_of(build(order, _quiet)).split())
        expected = words if rules != "gra-singles" or kind not in ("round-cards", "pairings") else ("Kurt Gödel",)
        assert not [each for each in expected if each not in text], (kind, text)
        foreign = [own for other, each in OWN.items() if other != rules for own in each]
        assert not [own for own in foreign if re.search(rf"\b{re.escape(own)}", text)], (kind, text)
        if kind in OF_CARDS:
            look(text, rules)


def test_a_receipt_names_the_entry_and_what_is_left_to_pay() -> None:
    event = an_event(fee_cents=30000)
    who = player_of(event)
    fees_and_refunds.take_payment(who, 10000, "cash", by=SYSTEM_ACTOR, key="k")
    target = io.BytesIO()
    write_receipt(target, who, load_entry_account(who), list(who.ledger.order_by("pk")))
    text = text_of(target.getvalue())
    assert "Receipt: Ada Lovelace" in text and "Still to pay: $200.00" in text
