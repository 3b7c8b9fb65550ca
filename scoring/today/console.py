"""The page *Today* with an event's next step, and the pages that start a new event."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from pairing.event_pages.pages.now import load_latest_results
from scoring.disputes.tables import describe_changed_rulings
from scoring.posting.selectors.card_list import PostedCardSummary
from scoring.rulesheets.selectors import describe_approvals
from scoring.today.pages.next_step import choose_next_step, make_step_context
from scoring.today.pictures import draw_card_picture
from scoring.today.selectors.attention_items import AttentionItem, AttentionItemKind
from scoring.today.selectors.today import load_today_content
from scoring.today.services.ready_events import (
    READY_MADE_EVENTS,
    EventTemplate,
    apply_template_to_draft,
    create_event_from_template,
    find_ready_made_event,
    load_earlier_events,
    make_template_from_event,
)
from tournament.core.cached import cached
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, sign_in_required, staff_event_view, staff_tournament_view
from tournament.core.pages.following import follow_topics, load_request_topic_versions
from tournament.core.pages.responses import domain_errors_as_form_errors
from tournament.models import Event, Tournament, User
from tournament.models.topic import DESK_TOPIC
from tournament.templatetags.gin import call_off_step

EVENT_STATE_LABELS = (
    gettext_lazy("Draft"),
    gettext_lazy("Open"),
    gettext_lazy("Closed"),
    gettext_lazy("Drawn"),
    gettext_lazy("In play"),
    gettext_lazy("Finished"),
)


@staff_event_view("look")
def show_today(request: ActorRequest, event: Event) -> HttpResponse:
    load_request_topic_versions(request, event.pk)
    follow_topics(request, event, DESK_TOPIC)
    off = call_off_step(event)
    here = Event.State.values.index(off.came_from if off is not None else event.state)
    loaded = load_today_content(event, timezone.now())
    step = choose_next_step(loaded.facts, request.acts)
    items: list[dict[str, Any]] = [
        {
            "item": item,
            "url": _make_item_url(item, event) if item.can_be_settled_by(request.acts) else "",
            "posts": bool(item.job),
        }
        for item in loaded.items
        if item.is_visible_to(cast(User, request.user).pk, request.acts)
    ]
    blocking = [each for each in items if each["item"].kind in step.blocked_by]
    context = {
        "steps": [
            {"label": label, "state": "done" if turn < here or off is not None else "now" if turn == here else "next"}
            for turn, label in enumerate(EVENT_STATE_LABELS[: here + 1] if off is not None else EVENT_STATE_LABELS)
        ]
        + ([{"label": gettext_lazy("Called off"), "state": "refused"}] if off is not None else []),
        "may_call_off": "direct" in request.acts and event.state not in (Event.State.DRAFT, Event.State.FINISHED),
        "is_off": off is not None,
        "step": make_step_context(step, event, request.acts),
        "approvals": describe_approvals(event) if event.state in (Event.State.DRAFT, Event.State.OPEN) else [],
        "blocking": blocking,
        "items": [each for each in items if each not in blocking],
        **_make_latest_results_context(event, loaded.posted),
        "changed_rulings": describe_changed_rulings(loaded.rulings, loaded.ruling_changes),
    }
    return render(request, "scoring/today/console.html", context)


def _make_item_url(item: AttentionItem, event: Event) -> str:
    if item.kind in (AttentionItemKind.BACKUP, AttentionItemKind.SECOND_LAPTOP, AttentionItemKind.OLD_LAPTOP):
        return reverse(item.page, kwargs={"tournament": event.tournament.slug})
    if item.job:
        return reverse(item.page, kwargs={"tournament": event.tournament.slug, "pk": item.job})
    place = {"tournament": event.tournament.slug, "event": event.slug}
    parts = {"ident": item.ident, "token": item.token, "pk": item.message}
    named = {name: value for name, value in parts.items() if value}
    return reverse(item.page, kwargs={**place, **named}) + item.query


def _make_latest_results_context(event: Event, posted: Sequence[PostedCardSummary]) -> dict[str, Any]:
    """Return the latest results with the cards that decided them, and the posted (final) cards of undecided matches."""
    url = reverse("pairing:desk_decide", args=[event.tournament.slug, event.slug, "MATCH"])
    cards = {url.replace("MATCH", card.state.card.match.ident): card for card in reversed(posted)}
    name = ("latest results", get_language())
    lines = cached(
        event.pk, (DESK_TOPIC,), name, lambda: load_latest_results(event, lambda ident: url.replace("MATCH", ident))
    )
    decided = {line["url"] for line in lines}
    return {
        "latest": [(line, cards.get(line["url"])) for line in lines],
        "posted": [card for url, card in cards.items() if url not in decided and not card.uncounted_status],
    }


# --- Start an event as a ready event, or as a copy of a former one ---------------------------------------------------

SECONDS_PER_DAY = 24 * 60 * 60


class _ReadyEventForm(IdempotentForm):
    ready = forms.ChoiceField(choices=[(ready.name, ready.title) for ready in READY_MADE_EVENTS])


class _FormerEventForm(IdempotentForm):
    former = forms.TypedChoiceField(coerce=int)

    def __init__(self, data: Any = None, *, events: list[Event]) -> None:
        super().__init__(data)
        field = self.fields["former"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = [(event.pk, event.name) for event in events]


@staff_tournament_view("direct")
def start_from_ready_made_event(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    """Show the ready-made events, and start a new event from one of them.

    The query parameter `instead` can contain the slug of a draft. The new event then replaces this draft.
    """
    form = _ReadyEventForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        ready = find_ready_made_event(form.cleaned_data["ready"])
        assert ready is not None
        with domain_errors_as_form_errors(form):
            return _start_event(request, ready.make_template(tournament, timezone.now()), form)
    context = {
        "form": form,
        "ready_events": READY_MADE_EVENTS,
        "former": bool(load_earlier_events(cast(User, request.user))),
        "draft": _find_draft_to_replace(request, tournament),
    }
    return render(request, "scoring/today/ready_events.html", context, status=422 if form.errors else 200)


@staff_tournament_view("direct")
def start_from_earlier_event(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    draft = _find_draft_to_replace(request, tournament)
    events = [event for event in load_earlier_events(cast(User, request.user)) if event != draft]
    form = _FormerEventForm(request.POST or None, events=events)
    if request.method == "POST" and form.is_valid():
        former = next(event for event in events if event.pk == form.cleaned_data["former"])
        with domain_errors_as_form_errors(form):
            return _start_event(request, make_template_from_event(former, tournament), form)
    context = {"form": form, "events": events, "draft": draft}
    return render(request, "scoring/today/former_events.html", context, status=422 if form.errors else 200)


@sign_in_required
@require_safe
def show_card_picture(request: HttpRequest, name: str) -> HttpResponse:
    """Return a picture of a ready-made event's score card."""
    picture = draw_card_picture(name)
    if picture is None:
        raise Http404
    headers = {"Cache-Control": f"private, max-age={SECONDS_PER_DAY}"}
    return HttpResponse(picture, content_type="image/svg+xml", headers=headers)


def _find_draft_to_replace(request: ActorRequest, tournament: Tournament) -> Event | None:
    slug = request.GET.get("instead", "")
    return tournament.events.filter(slug=slug, state=Event.State.DRAFT).first() if slug else None


def _start_event(request: ActorRequest, template: EventTemplate, form: forms.Form) -> HttpResponse:
    draft = _find_draft_to_replace(request, request.tournament)
    if draft is not None:
        event = apply_template_to_draft(draft, template, by=request.actor)
    else:
        event = create_event_from_template(request.tournament, template, by=request.actor, key=form.cleaned_data["key"])
    messages.success(request, _("“%(name)s” is ready. Four short steps are left.") % {"name": event.name})
    return redirect("tournament:event_setup", tournament=request.tournament.slug, event=event.slug, step="what")
