"""Create a half-played event with something to show at every URL of the site, and list these URLs.

The list is made from the URL patterns of the site, so that it includes new pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Final, NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from pairing.blind_draw.services import make_partner_draw, post_partner_draw, seal_partner_draw
from scoring.card_state.selectors.cards import load_card_state_by_token
from scoring.card_state.selectors.players import load_ready_seated_matches
from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.disputes.services.disputes import DisputeFindings, NewDispute, call_director, open_dispute
from scoring.models import Card, CardSeat
from tests.journeys.steps import Played, card_of, played
from tournament.core.permissions import make_player_actor
from tournament.messages.services import MessageDraft, send_message
from tournament.models import Entrant, Event, Job
from tournament.money.selectors.transfers_and_cards import make_entry_reference
from tournament.money.services.ledger import EventMoneyDetails, record_event_money
from tournament.money.services.transfers_and_cards import record_transfers, store_bank_statement
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.imported_lists import store_uploaded_list
from tournament.registration.services.people import Person
from tournament.setup.services.tournaments import change_event, change_tournament
from tournament.spreadsheets.bank_statements import BankStatementLine

APPS: Final = ("tournament", "pairing", "scoring")
FILES: Final = {
    "job_file",
    "receipt",
    "close_paper",
    "desk_import_rest",
    "draw_json",
    "partners_json",
    "seatings_json",
    "proof_json",
    "trust_certificate",
    "trust_profile",
    "ready_paper",
    "robots",
    "service_worker",
    "web_app",
    "my_web_app",
    "api_kept",
    "api_kept_read",
    "stage_proof_json",
    "api_card",
    "api_lines",
    "api_signatures",
    "card_pdf",
    "my_photo",
    "table_photo",
    "desk_evidence",
    "desk_ruling_slip",
    "desk_log_file",
    "version",
    "laptop_state",
    "desk_journal",
    "desk_money_list",
    "desk_settlement_print",
    "desk_tax_form_print",
    "emergency_sheet",
    "logs_to_send",
    "this_laptop_sheet",
    "wall_message",
}
"""URLs whose responses are files, data, or only a part of a page."""
OF_TWO_SIDES: Final = {
    "rounds",
    "rounds_wall",
    "desk_rounds",
    "desk_whist",
    "whist_table",
    "desk_worksheet",
    "worksheet_sums",
    "worksheet_round",
}
"""Pages of Court Whist events and of events with rotating couples.

`test_public_pages` and `test_desk` open these pages.
"""
OF_SECOND: Final = ("desk_import", "register", "second_chance")
OF_PARTNERS: Final = {"partners", "check_partners", "desk_partners"}
OF_THE_DESK: Final = {"desk_by_hand", "desk_pairing_settings", "desk_take_back", "proof", "stage_proof"}
"""Pages of an event that is paired at the desk, which `test_desk` and `test_partnership` open."""
OF_A_RULING: Final = {"public_ruling"}
OF_THE_END: Final = {"desk_finish", "desk_payout_signature"}
"""Pages after the last result, which `test_whole_event` and `test_sale_and_close` open."""
OF_A_PROVIDER: Final = {"my_card_payment"}
"""A card provider's page for development, which `tests/tournament/money/test_card_payments.py` opens."""
OF_A_FILE: Final = {"desk_restore", "restore_outcome", "desk_file_download", "upload", "remove_copy"}
"""Pages about a backup or an uploaded file, which `tests/tournament/backups` and `test_tournament_files` open."""
OF_THE_COMPUTER: Final = {"stop_program", "restart_program", "stop_outcome", "restart_outcome", "first_start"}
"""Pages of a supervised or new installation, which `tests/tournament/this_computer` opens."""
ELSEWHERE: Final = OF_THE_COMPUTER | OF_TWO_SIDES | OF_THE_DESK | OF_A_RULING | OF_THE_END | OF_A_PROVIDER | OF_A_FILE
OF_A_CARD: Final = ("card", "desk_card_lines", "desk_card_dispute", "desk_hand")
LONG_NAME: Final = "Maximiliane Featherstonehaugh"
"""A very long name for some players. Pages that have room for this name also have room for other names."""
LIST: Final = b"Name,E-mail\nAda Lovelace,ada@example.org\nA. Lovelace,\n,nobody@example.org\n"


class Place(NamedTuple):
    name: str
    path: str


def pages_of(made: Played) -> list[Place]:
    arguments = arguments_of(made)
    named = sorted(names_of_pages())
    return [Place(name.replace(":", "-"), reverse(name, kwargs=arguments(name, wanted))) for name, wanted in named]


def names_of_pages() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name and the argument names of each URL, except for files and for pages that the event lacks."""
    for app in get_resolver().url_patterns:
        if isinstance(app, URLResolver) and app.namespace in APPS:
            for pattern in app.url_patterns:
                if isinstance(pattern, URLPattern) and pattern.name not in FILES | ELSEWHERE:
                    yield f"{app.namespace}:{pattern.name}", tuple(pattern.pattern.converters)


def half_played() -> Played:
    """Return an event at the semifinals, with an unfinished card, a complete card, and a call to the director.

    The event also has a message and an imported list.
    """
    made = played(16, "semifinals")
    begun, other = (card_of(meeting) for meeting in load_ready_seated_matches(made.event))
    Entrant.objects.filter(pk=begun.entrants[0].pk).update(name=LONG_NAME)
    CardSeat.objects.filter(entrant=begun.entrants[0]).update(name=LONG_NAME)
    begun, other = (card_of(meeting) for meeting in load_ready_seated_matches(made.event))
    totals = {"A": 152, "B": 97}
    enter_paper_card(other, PaperCard(totals=totals, keeper=other.entrants[0], witness="Demo"), by=made.by)
    let_time_pass(begun, other)
    sign_by_code(
        other,
        other.entrants[0].sign_code,
        SigningContext(load_card_state_by_token(other.token).digest),
        by=make_player_actor(other.entrants[0]),
    )
    call_director(begun.match, by=make_player_actor(begun.entrants[0]), about="A card was exposed")
    knocked = DisputeFindings(kind="improper-knock", facts={"by": "A", "up": "8H", "count": 10, "opponent_count": 7})
    open_dispute(made.event, NewDispute(card=begun, findings=knocked), by=make_player_actor(begun.entrants[1]))
    letter = MessageDraft("Lunch", "We play on at one.", "all", ())
    send_message(made.event, letter, by=made.by, key="lunch")
    record_event_money(
        made.event, "added", EventMoneyDetails(500_00, "check", "The Gin Rummy Association"), by=made.by, key="sponsor"
    )
    record_event_money(
        made.event,
        "expense",
        EventMoneyDetails(86_40, "cash", "Corner Print Shop", "Brochures"),
        by=made.by,
        key="print",
    )
    take_some_transfers(made)
    change_event(made.event, {"settlement": Event.Settlement.PUBLIC}, by=made.by)
    second = made.demo.open_event(made.event.tournament, made.by)
    store_uploaded_list(second, "list.csv", LIST, by=made.by)
    draw_some_partners(made)
    second.second_chance_of = made.event
    second.save(update_fields=["second_chance_of"])
    Job.objects.create(
        tournament=made.event.tournament,
        event=made.event,
        kind="cards",
        title="Score cards",
        state="running",
        done=3,
        total=8,
    )
    return made


def take_some_transfers(made: Played) -> None:
    """Record a bank transfer with a reference and one without, and upload a bank statement."""
    offered = {"providers": ["desk", "transfer"], "bank_account": "Desert Bank, account 12-345"}
    change_tournament(made.event.tournament, offered, by=made.by)
    reference = make_entry_reference(made.event.entrants.get(number=1))
    rows = [
        BankStatementLine("2026-11-20", 5_00, LONG_NAME, reference),
        BankStatementLine("2026-11-21", 300_00, LONG_NAME, "Entry fee"),
    ]
    record_transfers(made.event.tournament, rows, by=made.by)
    listed = f"Date;Payer;Text;Amount\n2026-11-22;{LONG_NAME};{reference};300,00\n;;;three\n".encode()
    store_bank_statement(made.event.tournament, "november.csv", listed, by=made.by)


def let_time_pass(*cards: Card) -> None:
    """Make the cards overdue, because an overdue card has the longest badge."""
    for card in cards:
        hours_ago = card.opened_at - timedelta(hours=2)
        Card.objects.filter(pk=card.pk).update(opened_at=hours_ago)
        card.lines.update(at=hours_ago)
        card.match.calls.update(at=hours_ago)


def draw_some_partners(made: Played) -> None:
    """Add an event for pairs with a posted draw of partners that leaves one player without a partner."""
    fields = {"slug": "pairs", "name": "Partnership", "entry_size": 2, "partners": "a-b", "state": Event.State.OPEN}
    pairs = Event.objects.create(tournament=made.event.tournament, **fields)
    for turn, name in enumerate((LONG_NAME, "Ann Smith", f"{LONG_NAME} II", "Bob Jones", "Cid Young")):
        add_entry(pairs, EntryRequest((Person(name),), asks_for_partner=True, pool="AB"[turn % 2]), by=made.by)
    seal_partner_draw(pairs, by=made.by)
    make_partner_draw(pairs, "7H QS 2D", by=made.by)
    post_partner_draw(pairs, by=made.by)


def arguments_of(made: Played) -> Callable[[str, tuple[str, ...]], dict[str, Any]]:
    event, tournament = made.event, made.event.tournament
    begun, signed = (card_of(meeting) for meeting in load_ready_seated_matches(event))
    second = tournament.events.get(slug="second-chance")
    batch = second.imports.get()
    keys = {
        "player": event.entrants.get(number=1).members.get().player_id,
        "desk_message": event.messages.get().pk,
        "desk_import": batch.pk,
        "desk_bank_list": tournament.bank_lists.get().pk,
        "desk_job": tournament.jobs.get().pk,
    }

    def arguments(name: str, wanted: tuple[str, ...]) -> dict[str, Any]:
        short = name.split(":")[1]
        values: dict[str, Any] = {
            "tournament": tournament.slug,
            "event": second.slug if short.startswith(OF_SECOND) else "pairs" if short in OF_PARTNERS else event.slug,
            "rules": "score-pad",
            "step": "who",
            "digest": signed.versions.get().digest,
            "table": 99,
            "number": 3,
            "ident": begun.match.ident,
            "card": begun.token,
            "call": 1,
            "entry": 1,
            "dispute": event.disputes.get().pk,
            "token": begun.token if short in OF_A_CARD else begun.entrants[0].token,
            "pk": next((key for page, key in keys.items() if short.startswith(page)), 1),
        }
        if short in ("desk_hand", "card_version"):
            values["number"] = 1
        if short == "card_version":
            values["token"] = signed.token
        if short == "desk_totals":
            values["token"] = signed.token
        if short == "desk_undo":
            values["ident"] = "R1M1"
        if short == "registered":
            values["token"] = second.entrants.first().token
        return {key: values[key] for key in wanted}

    return arguments
