"""The public pages of a card, of the cards of a match, and of the match at a table."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django_htmx.http import HttpResponseClientRedirect

from pairing.models import match_topic
from scoring.card_state.selectors.cards import CardState, card_state_of, cards_with_facts, find_card, load_card_state
from scoring.card_state.selectors.table_now import load_open_cards_at_table
from scoring.card_state.tables import closed_words, plays_on_words, running_of, sheet_of, signatures_of
from scoring.cards.pages.seats import frame
from scoring.cards.tables import card_badge, public_words
from scoring.models import Card
from scoring.posting.selectors.card_status import load_statement, load_statements
from scoring.posting.tables.card_status import said_of
from scoring.posting.tables.correction_period import load_clock_view
from scoring.seals.selectors.versions import versions_of
from scoring.verification.selectors.proofs import Authenticity, Proof, prove
from tournament.core.pages.access import public_event
from tournament.core.pages.following import cached_by_version, follow
from tournament.core.selectors.events import load_tournament
from tournament.errors import DomainError, NotFound
from tournament.models import Event


@public_event
def card(request: HttpRequest, event: Event, token: str) -> HttpResponse:
    """Show the card to everybody. With ?d=… (the QR of a signed card) check whether that is what is on record.

    The check runs on each request and is never cached. Rows that are changed outside the program do not change the
    version of the event.
    """
    found = find_card(token)
    if found.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no score card at this address. Look at the list of score cards."))
    follow(request, event, match_topic(found.match_id))
    shown = never_cache(_current_card) if request.GET.get("d") else cached_by_version(_current_card)
    return shown(request, event, card=found)


def _current_card(request: HttpRequest, event: Event, card: Card) -> HttpResponse:
    state = load_card_state(card)
    frame(request, card)
    return render(request, "scoring/cards/public/card.html", card_context(request, state))


def card_context(request: HttpRequest, state: CardState) -> dict[str, Any]:
    asked = request.GET.get("d", "").lower()
    proof = _find_proof(state, asked) if asked else None
    verdict = _verdict_of_paper(state, proof) if proof is not None else ""
    status = said_of(load_statement(state))
    return {
        "state": state,
        "said": status,
        "badge": card_badge(state, status),
        "words": public_words(state, status, verdict),
        "card": state.card,
        "sheet": sheet_of(state),
        "running": running_of(state),
        "came": plays_on_words(state),
        "signatures": signatures_of(state),
        "asked": asked,
        "verdict": verdict,
        "faults": proof.faults if proof is not None else (),
        "canonical": state.evidence.canonical.decode(),
        "posted": state.postings[-1] if state.postings and state.is_posted else None,
        "closed": closed_words(state),
        "versions": versions_of(state.card),
        "clock": load_clock_view(state, state.clock.counts_since) if state.clock.counts_since else None,
    }


def _verdict_of_paper(state: CardState, proof: Proof) -> str:
    """Return what the page says about a paper: the standing of its digest, as the verify page has it.

    It is `on-record` in place of genuine if the digest is that of the present card, but not everybody has signed or the
    game was closed.
    """
    counts = state.is_posted and not state.score.is_closed
    if proof.standing is Authenticity.UNKNOWN:
        return "on-record" if proof.digest == state.digest and not counts else Authenticity.UNKNOWN.value
    if proof.standing is Authenticity.GENUINE and not counts:
        return "on-record"
    return proof.standing.value


def _find_proof(state: CardState, asked: str) -> Proof:
    """Return the proof of a digest that was signed on this card. A digest of another card is unknown here."""
    try:
        proof = prove(asked)
    except DomainError:
        return Proof(Authenticity.UNKNOWN, asked)
    if proof.state is None or proof.state.card.pk != state.card.pk:
        return Proof(Authenticity.UNKNOWN, asked)
    return proof


@public_event
def match_cards(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    counting = event.matches.filter(
        ident=ident,
        draw__posted__isnull=False,
        draw__taken_back__isnull=True,
        stage__taken_back__isnull=True,
        pairing__taken_back__isnull=True,
    )
    matches = list(counting.values_list("pk", flat=True))
    if matches:
        follow(request, event, *map(match_topic, matches))  # another match can count only after these are taken back
    return cached_by_version(_match_cards)(request, event, ident=ident, matches=matches)


def _match_cards(request: HttpRequest, event: Event, ident: str, matches: list[int]) -> HttpResponse:
    cards = cards_with_facts().filter(match__in=matches)
    states = [card_state_of(card) for card in cards.order_by("game", "pk")]
    statuses = load_statements(event, {state.card.match_id for state in states}) if states else {}
    shown = [(state, said_of(statuses[state.card.pk]) if state.card.pk in statuses else None) for state in states]
    context = {"cards": shown, "ident": ident}
    return render(request, "scoring/cards/public/match_cards.html", context)


@never_cache
def table_now(request: HttpRequest, tournament: str, table: int) -> HttpResponse:
    """Open the match being played at a table, for the address on the table's sign."""
    found = load_tournament(tournament)
    cards = load_open_cards_at_table(found, table)
    if len(cards) == 1:
        here = reverse("scoring:table_card", kwargs={"card": cards[0].card.token})
        return HttpResponseClientRedirect(here) if request.headers.get("HX-Request") else redirect(here)
    return render(request, "scoring/cards/public/table_now.html", {"tournament": found, "table": table, "cards": cards})
