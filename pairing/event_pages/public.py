"""The public pages that every event has. The kinds of its stages determine what they show."""

from django.http import HttpRequest, HttpResponse

from pairing.event_pages.pages.event import show_winners_wall_screen
from pairing.models import PAIRING_AND_RESULT_TOPICS, get_match_topic
from pairing.stages.selectors.boards import load_valid_matches
from pairing.stages.selectors.kinds import load_stage_kind_pages
from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version, follow_topics, follows_topics
from tournament.models import Event
from tournament.models.topic import BRACKET_TOPIC, PAIRINGS_TOPIC, PRIZES_TOPIC, STANDINGS_TOPIC


@public_event_view
@follows_topics(BRACKET_TOPIC)
@cached_by_version
def show_public_bracket(request: HttpRequest, event: Event) -> HttpResponse:
    return load_stage_kind_pages(event).bracket(request, event)


@public_event_view
def show_public_match(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    pk = load_valid_matches(event).filter(ident=ident).values_list("pk", flat=True).first()
    if pk is not None:
        follow_topics(request, event, get_match_topic(pk), *PAIRING_AND_RESULT_TOPICS)
    return cached_by_version(_dispatch_match_page)(request, event, ident=ident)


def _dispatch_match_page(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    return load_stage_kind_pages(event).match(request, event, ident)


@public_event_view
@follows_topics(BRACKET_TOPIC, PAIRINGS_TOPIC, STANDINGS_TOPIC, PRIZES_TOPIC)
@cached_by_version
def show_wall_screen(request: HttpRequest, event: Event) -> HttpResponse:
    if event.state == Event.State.FINISHED:
        return show_winners_wall_screen(request, event)
    return load_stage_kind_pages(event).wall(request, event)


@public_event_view
@follows_topics(PAIRINGS_TOPIC)
@cached_by_version
def show_public_pairings(request: HttpRequest, event: Event) -> HttpResponse:
    return load_stage_kind_pages(event).pairings(request, event)


@public_event_view
@follows_topics(STANDINGS_TOPIC, PRIZES_TOPIC)
@cached_by_version
def show_public_standings(request: HttpRequest, event: Event) -> HttpResponse:
    return load_stage_kind_pages(event).standings(request, event)
