"""Public pages: a card, a match's cards, the match at a table, and the web app's files."""

from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from pairing.models import get_match_topic
from scoring.card_state.selectors.cards import (
    find_card,
    load_card_state,
    load_open_cards_at_table,
    select_cards_with_facts,
)
from scoring.card_state.selectors.state import CardState, make_card_state
from scoring.card_state.tables import (
    describe_closing,
    describe_substitutions,
    is_posted_by_officials,
    list_running_totals,
    list_signatures,
    make_sheet_context,
)
from scoring.cards.pages import set_request_event
from scoring.cards.tables import describe_card_for_public, find_card_badge
from scoring.models import Card
from scoring.posting.selectors.card_status import load_card_status, load_card_statuses
from scoring.posting.tables import describe_card_status, load_correction_period_context
from scoring.seals.selectors.versions import load_card_versions
from scoring.verification.selectors.proofs import Authenticity, CardProof, find_card_proof
from tournament.core.pages.access import private_link_view, public_event_view
from tournament.core.pages.following import cached_by_version, follow_topics
from tournament.core.selectors.events import load_tournament
from tournament.errors import DomainError, NotFound
from tournament.models import Entrant, Event


@public_event_view
def show_card(request: HttpRequest, event: Event, token: str) -> HttpResponse:
    """Show the card to everybody. If the URL has ?d=… (from a signed card's QR code), also verify the scanned paper.

    The verification is never cached, because changes made directly in the database do not invalidate the cache.
    """
    found = find_card(token)
    if found.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no score card at this address. Look at the list of score cards."))
    follow_topics(request, event, get_match_topic(found.match_id))
    shown = never_cache(_show_current_card) if request.GET.get("d") else cached_by_version(_show_current_card)
    return shown(request, event, card=found)


def _show_current_card(request: HttpRequest, event: Event, card: Card) -> HttpResponse:
    state = load_card_state(card)
    set_request_event(request, card)
    return render(request, "scoring/cards/public/card.html", make_card_context(request, state))


def make_card_context(request: HttpRequest, state: CardState) -> dict[str, Any]:
    asked = request.GET.get("d", "").lower()
    proof = _find_proof(state, asked) if asked else None
    verdict = _judge_scanned_paper(state, proof) if proof is not None else ""
    summary = describe_card_status(load_card_status(state))
    sentence, notice = describe_card_for_public(
        counts=summary.kind if summary else "",
        verdict=verdict,
        by_officials=is_posted_by_officials(state),
        is_posted=state.is_posted,
        is_closed=state.score.is_closed,
        was_posted=state.was_posted,
        is_complete=state.is_complete,
    )
    return {
        "state": state,
        "summary": summary,
        "badge": find_card_badge(state, summary),
        "standing": sentence,
        "paper_notice": notice,
        "card": state.card,
        "sheet": make_sheet_context(state),
        "running": list_running_totals(state),
        "came": describe_substitutions(state),
        "signatures": list_signatures(state),
        "asked": asked,
        "verdict": verdict,
        "faults": proof.faults if proof is not None else (),
        "canonical": state.content.as_bytes().decode(),
        "posted": state.postings[-1] if state.postings and state.is_posted else None,
        "closed": describe_closing(state),
        "versions": load_card_versions(state.card),
        "clock": load_correction_period_context(state, state.posted_or_closed_at)
        if state.posted_or_closed_at
        else None,
    }


def _judge_scanned_paper(state: CardState, proof: CardProof) -> str:
    """Return the verdict on a scanned paper: one of the verify page's verdicts, or `on-record`.

    `on-record` means that the paper shows the current card, which either lacks a signature or was closed early.
    """
    counts = state.is_posted and not state.score.is_closed
    if proof.authenticity is Authenticity.UNKNOWN:
        return "on-record" if proof.digest == state.digest and not counts else Authenticity.UNKNOWN.value
    if proof.authenticity is Authenticity.GENUINE and not counts:
        return "on-record"
    return proof.authenticity.value


def _find_proof(state: CardState, asked: str) -> CardProof:
    """Return the proof for a digest that was signed on this card. Another card's digest is treated as unknown."""
    try:
        proof = find_card_proof(asked)
    except DomainError:
        return CardProof(Authenticity.UNKNOWN, asked)
    if proof.state is None or proof.state.card.pk != state.card.pk:
        return CardProof(Authenticity.UNKNOWN, asked)
    return proof


@public_event_view
def list_match_cards(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    counting = event.matches.filter(
        ident=ident,
        draw__posted__isnull=False,
        draw__taken_back__isnull=True,
        stage__taken_back__isnull=True,
        pairing__taken_back__isnull=True,
    )
    matches = list(counting.values_list("pk", flat=True))
    if matches:
        follow_topics(
            request, event, *map(get_match_topic, matches)
        )  # another match can count only after these are taken back
    return cached_by_version(_show_match_cards)(request, event, ident=ident, matches=matches)


def _show_match_cards(request: HttpRequest, event: Event, ident: str, matches: list[int]) -> HttpResponse:
    cards = select_cards_with_facts().filter(match__in=matches)
    states = [make_card_state(card) for card in cards.order_by("game", "pk")]
    statuses = load_card_statuses(event, {state.card.match_id for state in states}) if states else {}
    summaries = {pk: describe_card_status(status) for pk, status in statuses.items()}
    context = {"cards": [(state, summaries.get(state.card.pk)) for state in states], "ident": ident}
    return render(request, "scoring/cards/public/match_cards.html", context)


@never_cache
def redirect_to_match_at_table(request: HttpRequest, tournament: str, table: int) -> HttpResponse:
    """Redirect to the match in play at a table. The QR code on the table's sign contains this URL."""
    found = load_tournament(tournament)
    cards = load_open_cards_at_table(found, table)
    if len(cards) == 1:
        here = reverse("scoring:table_card", kwargs={"card": cards[0].card.token})
        return HttpResponseClientRedirect(here) if request.headers.get("HX-Request") else redirect(here)
    return render(request, "scoring/cards/public/table_now.html", {"tournament": found, "table": table, "cards": cards})


# --- Web app ---------------------------------------------------------------------------------------------------------
# The site as an app on a phone: its name, its icons, and the pages that open without a network.

WEB_APP_ICONS = (
    ("icon-192.png", "192x192", "any"),
    ("icon-512.png", "512x512", "any"),
    ("icon-full.png", "512x512", "maskable"),
)


@require_safe
def serve_service_worker(request: HttpRequest) -> HttpResponse:
    """Serve the service worker from the site's root, because a service worker controls only pages below its own URL."""
    found = finders.find("js/service_worker.js")
    assert isinstance(found, str)
    headers = {"Cache-Control": "no-cache"}
    return HttpResponse(Path(found).read_bytes(), content_type="text/javascript; charset=utf-8", headers=headers)


@require_safe
def show_offline_page(request: HttpRequest) -> HttpResponse:
    """Show the page that the service worker displays if another page needs the network."""
    return render(request, "scoring/cards/offline/offline.html")


@require_safe
def serve_manifest(request: HttpRequest) -> JsonResponse:
    return _make_manifest_response(_("Gin rummy tournaments"), reverse("tournament:home"))


@require_safe
@private_link_view
def serve_player_manifest(request: HttpRequest, entrant: Entrant) -> JsonResponse:
    """Return the web app manifest for a player. The app starts at the player's own match."""
    return _make_manifest_response(entrant.event.name, reverse("scoring:my_match", kwargs={"token": entrant.token}))


def _make_manifest_response(name: str, start: str) -> JsonResponse:
    icons = [
        {"src": static(f"img/{file}"), "sizes": sizes, "type": "image/png", "purpose": purpose}
        for file, sizes, purpose in WEB_APP_ICONS
    ]
    app: dict[str, Any] = {
        "id": start,
        "name": name,
        "short_name": _("Gin rummy"),
        "start_url": start,
        "scope": "/",
        "display": "standalone",
        "background_color": "#FBF8F1",
        "theme_color": "#0F5B3E",
        "icons": icons,
    }
    return JsonResponse(app, content_type="application/manifest+json")


@require_safe
def show_offline_hand(request: HttpRequest) -> HttpResponse:
    """Show the page behind the QR code of an offline phone. Its script reads the hand's data from the URL fragment."""
    return render(request, "scoring/cards/offline/handover.html")
