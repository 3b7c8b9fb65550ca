"""Public pages for the draws of entrants and of partners: every step, a check in the browser, and JSON."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairing.blind_draw.pages import list_numbers_with_names, list_undone_draws
from pairing.blind_draw.selectors import (
    load_current_commitment,
    load_draw_terms,
    load_draws,
    load_partner_draws,
    load_public_seal,
    make_draw_record,
    make_partner_draw_record,
)
from pairing.draws.places import EntryMove, find_entries_with_bye, iter_first_round_pairs
from pairing.draws.separation.draw import UNREACHABLE_ROUND_NUMBER, AvoidList, DrawKind, DrawTerms
from pairing.draws.separation.groups_and_seeds import describe_group_move
from pairing.models import Draw, PartnerDraw, Seating
from pairing.results.selectors.late_entries import load_late_entries
from pairing.stages.pictures.boxes import format_full_match_name
from pairing.stages.selectors.plans import load_event_plan
from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version, follows_topics
from tournament.core.selectors.events import load_entry_names
from tournament.errors import NotFound
from tournament.models import Entrant, EntrantFact, Event
from tournament.models.topic import ENTRANTS_TOPIC
from tournament.registration.selectors.entries import (
    has_partner_draw,
    has_two_partner_pools,
    load_joined_pairs,
    load_partner_seekers,
)


@public_event_view
@follows_topics()
@cached_by_version
def show_public_draw(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the public draw page.

    Before the draw, it shows the seal and the sealed list. Afterward, it also shows the secret, the order, and each
    later step. A preview is never shown here.
    """
    names = load_entry_names(event)
    draws = load_draws(event)
    valid = _find_valid_draw(draws)
    sealed = load_current_commitment(event)
    context: dict[str, Any] = {
        "sealed": sealed if valid is None else None,
        "terms": make_draw_terms_context(load_draw_terms(event), names) if valid is None else None,
        "listed": list_numbers_with_names(sealed.numbers, names) if sealed and valid is None else [],
        "drawn": valid,
        "old": list_undone_draws(event, draws, names),
    }
    if valid is not None:
        context.update(_describe_steps(valid, names))
        context["tables"] = _list_first_tables(valid, names)
        context.update(_make_first_stage_context(valid, names) if load_event_plan(event).desk_stages else {})
        context["came_late"] = _list_late_entries(valid) if context["byes"] else []
    return render(request, "pairing/blind_draw/public.html", context)


def _describe_steps(made: Draw, names: dict[int, str]) -> dict[str, Any]:
    """Return the template context that explains a draw.

    It contains the terms, the drawn order, the entries that were moved and why, the entries kept apart, the first-round
    pairs, and the byes.
    """
    avoid = AvoidList.from_json(made.avoid or {})
    places = tuple(made.places)
    return {
        "terms": make_draw_terms_context(DrawTerms.from_json(made.terms), names),
        "order": list_numbers_with_names(made.order, names),
        "moves": [str(EntryMove.from_json(move)) for move in made.moves],
        "apart": [
            (
                list_numbers_with_names(pair, names),
                _format_last_round(avoid.last_round_by_pair.get((min(pair), max(pair)), 1)),
            )
            for pair in avoid.pairs
        ],
        "clubs": [list_numbers_with_names(group, names) for group in avoid.groups],
        "clubs_until": _format_last_round(avoid.clubs_until),
        "pairs": [list_numbers_with_names(pair, names) for pair in iter_first_round_pairs(places)],
        "byes": list_numbers_with_names(find_entries_with_bye(places), names),
    }


def _format_last_round(last: int) -> str:
    if last == 1:
        return _("in round one")
    return _("as long as possible") if last >= UNREACHABLE_ROUND_NUMBER else _("up to round %(last)s") % {"last": last}


def make_draw_terms_context(terms: DrawTerms | None, names: dict[int, str]) -> dict[str, Any] | None:
    """Return the entries that get byes or seeds, or None if the draw is blind."""
    if terms is None or terms.kind is DrawKind.BLIND:
        return None
    return {"seeded": terms.kind is DrawKind.SEEDED, "named": list_numbers_with_names(terms.entries, names)}


def _make_first_stage_context(made: Draw, names: dict[int, str]) -> dict[str, Any]:
    """Return the first stage's name, and its groups if it has any."""
    stage = made.stages.filter(number=1, taken_back__isnull=True).first()
    if stage is None:
        return {}
    context: dict[str, Any] = {"first_stage": stage.name, "paired_later": not stage.record and not made.places}
    if "groups" in stage.record:
        context["moves"] = [describe_group_move(EntryMove.from_json(move)) for move in stage.record.get("moves", [])]
        context["tables"] = [list_numbers_with_names(group, names) for group in stage.record["groups"]]
    return context


def _list_late_entries(made: Draw) -> list[dict[str, Any]]:
    """Return the late entries that took over a bye after the draw, each with the byes that were open at that time."""
    return [
        {
            "late": late,
            "match": format_full_match_name(late.match),
            "back": getattr(late, "taken_back", None),
            "open": ", ".join(map(str, late.open_byes)),
            "apart": ", ".join(map(str, late.kept_apart)),
        }
        for late in load_late_entries(made)
    ]


def _list_first_tables(made: Draw, names: dict[int, str]) -> list[list[tuple[int, str]]]:
    """Return the round 1 tables that were assigned with the draw, or an empty list if the draw made a bracket."""
    if made.places:
        return []
    first = Seating.objects.filter(stage__draw=made, round=1, posted__isnull=False).first()
    return [list_numbers_with_names(table, names) for table in first.tables] if first is not None else []


@public_event_view
@follows_topics()
@cached_by_version
def check_draw(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the page that recomputes a draw in the browser. Visitors can change a value and see the check fail."""
    made = _find_requested_draw(request, load_draws(event))
    context: dict[str, Any] = {"drawn": made, "taken_back": getattr(made, "taken_back", None)}
    if made is not None:
        context["record"] = make_draw_record(made)
        avoid = {"pairs": [], "same_person": [], "groups": [], **(made.avoid or {})}
        terms = DrawTerms.from_json(made.terms)
        entries = " ".join(map(str, terms.entries))
        context["fields"] = {
            "byes_to": entries if terms.kind is DrawKind.BYES else "",
            "seeds": entries if terms.kind is DrawKind.SEEDED else "",
            "clubs": ", ".join(" ".join(map(str, group)) for group in avoid["groups"]),
            "numbers": " ".join(map(str, made.commitment.numbers)),
            "order": " ".join(map(str, made.order)),
            "apart": ", ".join(f"{one} {other}" for one, other in avoid["pairs"]),
            "same_person": ", ".join(f"{one} {other}" for one, other in avoid["same_person"]),
            "later": ", ".join(" ".join(map(str, pair)) for pair in avoid.get("later", ())),
            "clubs_until": avoid.get("clubs_until", 1),
            "persons_until": avoid.get("persons_until", 1),
            "places": " ".join("-" if place is None else str(place) for place in made.places),
        }
    return render(request, "pairing/blind_draw/check_draw.html", context)


@public_event_view
@follows_topics()
@cached_by_version
def published_draw_json(request: HttpRequest, event: Event) -> HttpResponse:
    """Return the draw as a single line of JSON, ready for `manage.py verify_draw`."""
    made = _find_requested_draw(request, load_draws(event))
    if made is None:
        raise NotFound("no-draw", _("No draw is posted yet. See the Draw page."))
    return JsonResponse(make_draw_record(made))


def _find_requested_draw(request: HttpRequest, draws: list[Draw]) -> Draw | None:
    """Return the draw given in the query string, even if it was undone. By default, return the current draw."""
    wanted = request.GET.get("draw", "")
    return next((made for made in draws if made.commitment.draw_id == wanted), None) or _find_valid_draw(draws)


def _find_valid_draw(draws: list[Draw]) -> Draw | None:
    return next((made for made in draws if not hasattr(made, "taken_back")), None)


# --- The draw of partners --------------------------------------------------------------------------------------------


@public_event_view
@follows_topics(ENTRANTS_TOPIC)
@cached_by_version
def show_partner_draws(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the players looking for a partner, the seal, and each posted partner draw with its secret, order and pairs.

    A preview is never shown here.
    """
    names = load_entry_names(event)
    made_pairs = load_joined_pairs(event)
    together = {frozenset(half.number for half in halves): pair for pair, halves in made_pairs}
    entered = EntrantFact.objects.filter(entrant__event=event, kind=EntrantFact.Kind.ENTERED)
    by_lot = {pk for pk, data in entered.values_list("entrant_id", "data") if data.get("draw")}
    draws = load_partner_draws(event)
    sealed = load_public_seal(event)
    context: dict[str, Any] = {
        "draws_partners": has_partner_draw(event),
        "two_pools": has_two_partner_pools(event),
        "seeking": list(load_partner_seekers(event)),
        "sealed": sealed,
        "listed": list_numbers_with_names(sealed.numbers, names) if sealed is not None else [],
        "pools": [(pool, list_numbers_with_names(numbers, names)) for pool, numbers in sealed.pools.items()]
        if sealed
        else [],
        "before": [list_numbers_with_names(pair, names) for pair in sealed.before] if sealed is not None else [],
        "posted": [
            _make_partner_draw_context(made, names, together) for made in draws if not hasattr(made, "taken_back")
        ],
        "old": list_undone_draws(event, draws, names),
        "by_hand": [pair for pair, _halves in made_pairs if pair.pk not in by_lot],
    }
    return render(request, "pairing/blind_draw/partners/public.html", context)


def _make_partner_draw_context(
    made: PartnerDraw, names: dict[int, str], together: dict[frozenset[int], Entrant]
) -> dict[str, Any]:
    before = {frozenset(pair) for pair in made.seal.before}
    return {
        "draw": made,
        "pairs": [
            {
                "halves": list_numbers_with_names(pair, names),
                "entry": together.get(frozenset(pair)),
                "again": frozenset(pair) in before,
            }
            for pair in made.pairs
        ],
        "left": list_numbers_with_names(made.left, names),
        "order": list_numbers_with_names(made.order, names),
        "pools": [(pool, list_numbers_with_names(numbers, names)) for pool, numbers in made.seal.pools.items()],
        "before": [list_numbers_with_names(pair, names) for pair in made.seal.before],
    }


@public_event_view
@follows_topics()
@cached_by_version
def partner_draw_json(request: HttpRequest, event: Event) -> HttpResponse:
    """Return a partner draw as a single line of JSON, ready for `manage.py verify_partners`."""
    return JsonResponse(make_partner_draw_record(_load_requested_partner_draw(request, event)))


@public_event_view
@follows_topics()
@cached_by_version
def check_partner_draw(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the page that recomputes the seal and the order in the browser."""
    made = _load_requested_partner_draw(request, event)
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    context = {
        "drawn": made,
        "taken_back": getattr(made, "taken_back", None),
        "record": make_partner_draw_record(made),
        "fields": {"numbers": " ".join(map(str, made.seal.numbers)), "order": " ".join(map(str, made.order))},
        "back_url": reverse("pairing:partners", kwargs=slugs),
        "of_partners": True,
    }
    return render(request, "pairing/blind_draw/check_draw.html", context)


def _load_requested_partner_draw(request: HttpRequest, event: Event) -> PartnerDraw:
    """Return the partner draw given in the query string, even if it was undone.

    By default, return the newest valid one.
    """
    draws, wanted = load_partner_draws(event), request.GET.get("draw", "")
    named = next((made for made in draws if made.seal.draw_id == wanted), None)
    made = named or next((made for made in draws if not hasattr(made, "taken_back")), None)
    if made is None:
        raise NotFound("no-draw", _("No draw of partners is posted yet. See the Partners page."))
    return made
