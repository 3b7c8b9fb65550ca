"""Template context of the page frame: the tournament and event, the menus, and the addresses for live updates.

The module is not in an app, because the links lead into all three.
"""

from functools import partial
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _

from config.console_menu import address, console_menu, instead
from pairing.stage_kinds.selectors.kind_rooms import pages_of
from scoring.today.pages import show_next_step
from tournament.core.pages.access import ActorRequest
from tournament.core.pages.following import followed
from tournament.core.selectors.demo import is_loading, loading_demo
from tournament.core.topics import EVERYBODY
from tournament.messages.selectors import load_wall_message
from tournament.models import Event
from tournament.registration.selectors.partners import draws_partners

OWN = ("tournament:mine", _("My page"))
SITE = (
    ("tournament:event", _("Event")),
    OWN,
    ("pairing:bracket", _("Bracket")),
    ("pairing:pairings", _("Tables")),
    ("pairing:standings", _("Standings")),
    ("tournament:entrants", _("Entrants")),
    ("pairing:draw", _("Draw")),
    ("tournament:prizes", _("Prizes")),
    ("scoring:rules", _("Rules")),
)


def frame(request: HttpRequest) -> dict[str, Any]:
    """Return the context of the base templates: `tournament`, `event`, the menus, `live_url` and `version_url`.

    A table on a page is rendered with this context again, so it is cached on the request.
    """
    tournament, event = (getattr(request, "tournament", None), getattr(request, "event", None))
    kept = getattr(request, "kept_frame", None)
    if kept is None or kept[0] is not tournament or kept[1] is not event:
        kept = (tournament, event, _made(request, tournament, event))
        request.kept_frame = kept  # type: ignore[attr-defined]
    return dict(kept[2])


def _made(request: HttpRequest, tournament: Any, event: Any) -> dict[str, Any]:
    if tournament is None:
        return _of_no_tournament(request)
    context: dict[str, Any] = {
        "tournament": tournament,
        "event": event,
        "home_url": reverse("tournament:tournament", kwargs={"tournament": tournament.slug}),
        "directs": "direct" in getattr(request, "acts", ()),
        "at_desk": "desk" in getattr(request, "acts", ()),
        "demo_is_loading": SimpleLazyObject(partial(is_loading, tournament)),
    }
    at_desk = request.path.startswith("/desk/")
    if event is not None:
        slugs = {"tournament": tournament.slug, "event": event.slug}
        topics, context["live_version"] = followed(request, event)
        where = f"{tournament.slug}/{event.slug}/{'' if topics is None else '?of=' + ','.join(topics or (EVERYBODY,))}"
        context |= {"live_url": f"/live/{where}", "version_url": f"/version/{where}"}
        if not at_desk:
            context["wall_message"] = SimpleLazyObject(partial(load_wall_message, event, timezone.now()))
            # Lazy, because panels do not use it.
            context["site_nav"] = SimpleLazyObject(partial(_site_nav, request, event, slugs))
            return context
    if at_desk:
        context |= console_menu(request, tournament, event)
        if event is not None:  # lazy, because few pages use it
            context["next_step"] = SimpleLazyObject(partial(show_next_step, cast(ActorRequest, request), event))
    return context


def _of_no_tournament(request: HttpRequest) -> dict[str, Any]:
    """Return the context of pages without a tournament: pages of accounts, and the list of tournaments."""
    if request.path.startswith("/accounts/"):
        return {"mail_is_set": settings.MAIL_IS_SET}
    lists_all = request.path == reverse("tournament:desk")
    return {"demo_is_loading": SimpleLazyObject(loading_demo)} if lists_all else {}


def _site_nav(request: HttpRequest, event: Any, slugs: dict[str, str]) -> list[dict[str, Any]]:
    pages = _with_partners(event, instead(SITE, pages_of(event).menu))
    if event.settlement == Event.Settlement.PUBLIC:
        pages.append(("scoring:settlement", _("Player settlement")))
    links = _links(request, pages, slugs)
    token = request.resolver_match.kwargs.get("token") if request.resolver_match is not None else None
    if token and request.path.startswith("/my/"):
        own = reverse("tournament:my", kwargs={"token": token})
        mine = next(link for link in links if link["label"] == OWN[1])
        mine.update(url=own, current=request.path == own)
    return links


def _with_partners(event: Any, pages: Any) -> list[Any]:
    """Put the page of the draw of partners before that of the event's draw, if partners are drawn."""
    found = list(pages)
    if draws_partners(event):
        place = next(place for place, page in enumerate(found) if page[0] == "pairing:draw")
        found.insert(place, ("pairing:partners", _("Partners")))
    return found


def _links(request: HttpRequest, pages: Any, slugs: dict[str, str]) -> list[dict[str, Any]]:
    found = ((label, address(name, **slugs)) for name, label in pages)
    return [{"label": label, "url": url, "current": request.path == url} for label, url in found]
