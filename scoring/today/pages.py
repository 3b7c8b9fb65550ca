"""The next step of an event in the shape that pages show, for *Today* and for every page that ends a step."""

from typing import Any, cast

from django.urls import reverse
from django.utils import timezone

from scoring.today.selectors.attention import Day, load_step_facts
from scoring.today.selectors.items import AttentionItem
from scoring.today.words import next_step
from tournament.core.pages.access import ActorRequest
from tournament.models import Event, User
from tournament.setup.words import NextStep


def show_next_step(request: ActorRequest, event: Event) -> dict[str, Any]:
    """Return the next step for `components/next_step.html`."""
    return shown_step(next_step(load_step_facts(event, timezone.now()), request.acts), event, request.acts)


def shown_step(step: NextStep, event: Event, acts: frozenset[str]) -> dict[str, Any]:
    instead = step.instead if step.instead is not None and step.instead.is_for(acts) else None
    return {
        "label": step.label,
        "text": step.text,
        "url": step_address(step, event),
        "posts": step.posts,
        "is_mine": step.is_for(acts),
        "instead": {"label": instead.label, "url": step_address(instead, event)} if instead is not None else None,
    }


def step_address(step: NextStep, event: Event) -> str:
    place = {"tournament": event.tournament.slug, "event": event.slug}
    return reverse(step.page, kwargs=place | ({"step": step.setup_step} if step.setup_step else {})) + step.query


def shown_items(request: ActorRequest, event: Event, day: Day) -> list[dict[str, Any]]:
    """Return the items that concern this user, each with a link only if the user may settle it."""
    user = cast(User, request.user).pk
    return [
        {
            "item": item,
            "url": item_address(item, event) if item.can_be_settled_by(request.acts) else "",
            "posts": bool(item.job),
        }
        for item in day.items
        if item.is_for(user, request.acts)
    ]


def item_address(item: AttentionItem, event: Event) -> str:
    if item.job:
        return reverse(item.page, kwargs={"tournament": event.tournament.slug, "pk": item.job})
    place = {"tournament": event.tournament.slug, "event": event.slug}
    parts = {"ident": item.ident, "token": item.token, "pk": item.message}
    named = {name: value for name, value in parts.items() if value}
    return reverse(item.page, kwargs={**place, **named}) + item.query
