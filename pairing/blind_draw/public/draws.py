"""Public pages of the blind draw: the steps of a draw, its check in the browser, and its record as JSON."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from pairing.blind_draw.pages import named, old_draws
from pairing.blind_draw.selectors.draws import current_commitment, draw_record, load_draw_terms, load_draws
from pairing.draws.places import Move, bye_entries, first_round
from pairing.draws.separation.draw import FOR_GOOD, AvoidList, DrawKind, DrawTerms
from pairing.draws.separation.groups_and_seeds import move_in_groups
from pairing.models import Draw, Seating
from pairing.results.selectors.late_entries import load_late_entries
from pairing.stages.pictures.boxes import name_match
from pairing.stages.selectors.plans import load_plan
from pairing.stages.selectors.records import load_names
from tournament.core.pages.access import public_event
from tournament.core.pages.following import cached_by_version, follows
from tournament.errors import NotFound
from tournament.models import Event


@public_event
@follows()
@cached_by_version
def draw(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the seal and the list before the draw, and the order, the secret and every step after it.

    The page never has a preview.
    """
    names = load_names(event)
    draws = load_draws(event)
    valid = _valid_draw(draws)
    sealed = current_commitment(event)
    context: dict[str, Any] = {
        "sealed": sealed if valid is None else None,
        "terms": named_terms(load_draw_terms(event), names) if valid is None else None,
        "listed": named(sealed.numbers, names) if sealed and valid is None else [],
        "drawn": valid,
        "old": old_draws(event, draws, names),
    }
    if valid is not None:
        context.update(steps_of(valid, names))
        context["tables"] = _first_tables(valid, names)
        context.update(_first_stage(valid, names) if load_plan(event).desk_stages else {})
        context["came_late"] = _late_entries(valid) if context["byes"] else []
    return render(request, "pairing/blind_draw/public.html", context)


def steps_of(made: Draw, names: dict[int, str]) -> dict[str, Any]:
    """Return what the draw pages list: the order, the moves with their reasons, round one and the byes."""
    avoid = AvoidList.from_json(made.avoid or {})
    places = tuple(made.places)
    return {
        "terms": named_terms(DrawTerms.from_json(made.terms), names),
        "order": named(made.order, names),
        "moves": [str(Move.from_json(move)) for move in made.moves],
        "apart": [
            (named(pair, names), format_until(avoid.later.get((min(pair), max(pair)), 1))) for pair in avoid.pairs
        ],
        "clubs": [named(group, names) for group in avoid.groups],
        "clubs_until": format_until(avoid.clubs_until),
        "pairs": [named(pair, names) for pair in first_round(places)],
        "byes": named(bye_entries(places), names),
    }


def format_until(last: int) -> str:
    if last == 1:
        return _("in round one")
    return _("as long as possible") if last >= FOR_GOOD else _("up to round %(last)s") % {"last": last}


def named_terms(terms: DrawTerms | None, names: dict[int, str]) -> dict[str, Any] | None:
    """Return the entries that get byes or seeds, with their names, or None for a blind draw."""
    if terms is None or terms.kind is DrawKind.BLIND:
        return None
    return {"seeded": terms.kind is DrawKind.SEEDED, "named": named(terms.entries, names)}


def _first_stage(made: Draw, names: dict[int, str]) -> dict[str, Any]:
    """Return the first stage that the draw opened, with its groups if it has any.

    The places of a bracket are part of the draw itself.
    """
    stage = made.stages.filter(number=1, taken_back__isnull=True).first()
    if stage is None:
        return {}
    found: dict[str, Any] = {"first_stage": stage.name, "paired_later": not stage.record and not made.places}
    if "groups" in stage.record:
        found["moves"] = [move_in_groups(Move.from_json(move)) for move in stage.record.get("moves", [])]
        found["tables"] = [named(group, names) for group in stage.record["groups"]]
    return found


def _late_entries(made: Draw) -> list[dict[str, Any]]:
    """Return the late entries that took a bye after the draw, each with the byes that were open then, by lot."""
    return [
        {
            "late": late,
            "match": name_match(late.match),
            "back": getattr(late, "taken_back", None),
            "open": ", ".join(map(str, late.open_byes)),
            "apart": ", ".join(map(str, late.kept_apart)),
        }
        for late in load_late_entries(made)
    ]


def _first_tables(made: Draw, names: dict[int, str]) -> list[list[tuple[int, str]]]:
    """Return the tables of round 1 in an event at tables, as they were assigned with the draw."""
    if made.places:
        return []
    first = Seating.objects.filter(stage__draw=made, round=1, posted__isnull=False).first()
    return [named(table, names) for table in first.tables] if first is not None else []


@public_event
@follows()
@cached_by_version
def check_draw(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the page that recomputes a draw in the browser.

    Visitors can change the values by hand, and the check then fails.
    """
    made = _requested_draw(request, load_draws(event))
    context: dict[str, Any] = {"drawn": made, "taken_back": getattr(made, "taken_back", None)}
    if made is not None:
        context["record"] = draw_record(made)
        avoid = {"pairs": [], "same_person": [], "groups": [], **(made.avoid or {})}
        terms = DrawTerms.from_json(made.terms)
        named = " ".join(map(str, terms.entries))
        context["fields"] = {
            "byes_to": named if terms.kind is DrawKind.BYES else "",
            "seeds": named if terms.kind is DrawKind.SEEDED else "",
            "clubs": ", ".join(" ".join(map(str, group)) for group in avoid["groups"]),
            "numbers": " ".join(map(str, made.commitment.numbers)),
            "order": " ".join(map(str, made.order)),
            "apart": ", ".join(f"{one} {other}" for one, other in avoid["pairs"]),
            "same_person": ", ".join(f"{one} {other}" for one, other in avoid["same_person"]),
            "later": ", ".join(" ".join(map(str, said)) for said in avoid.get("later", ())),
            "clubs_until": avoid.get("clubs_until", 1),
            "persons_until": avoid.get("persons_until", 1),
            "places": " ".join("-" if place is None else str(place) for place in made.places),
        }
    return render(request, "pairing/blind_draw/check_draw.html", context)


@public_event
@follows()
@cached_by_version
def draw_json(request: HttpRequest, event: Event) -> HttpResponse:
    """Return the draw as JSON in one line, ready for `manage.py verify_draw`."""
    made = _requested_draw(request, load_draws(event))
    if made is None:
        raise NotFound("no-draw", _("No draw is posted yet. See the Draw page."))
    return JsonResponse(draw_record(made))


def _requested_draw(request: HttpRequest, draws: list[Draw]) -> Draw | None:
    """Return the draw that the request names, even if it was undone, or else the draw that counts."""
    wanted = request.GET.get("draw", "")
    return next((made for made in draws if made.commitment.draw_id == wanted), None) or _valid_draw(draws)


def _valid_draw(draws: list[Draw]) -> Draw | None:
    return next((made for made in draws if not hasattr(made, "taken_back")), None)
