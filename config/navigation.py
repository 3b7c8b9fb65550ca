"""What every page's frame shows: which tournament and event, the links, where to listen for changes.

Here and not in an app, because the links lead into all three.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _

from pairing.stage_kinds.selectors.kind_rooms import pages_of
from scoring.disputes.selectors.disputes import count_waiting
from tournament.core.pages.following import followed
from tournament.core.topics import EVERYBODY
from tournament.registration.selectors.partners import draws_partners

SITE = (
    ("tournament:event", _("Event")),
    ("pairing:bracket", _("Bracket")),
    ("pairing:pairings", _("Tables")),
    ("pairing:standings", _("Places")),
    ("tournament:entrants", _("Entrants")),
    ("pairing:draw", _("Draw")),
    ("tournament:prizes", _("Prizes")),
    ("scoring:rules", _("Rules")),
)
RULINGS = "scoring:desk_rulings"
DESK = (
    ("today", "scoring:desk_today", _("Today")),
    ("entrants", "tournament:desk_entrants", _("Entrants")),
    ("check-in", "tournament:desk_checkin", _("Check-in and fees")),
    ("draw", "pairing:desk_draw", _("Draw")),
    ("cards", "pairing:desk_tables", _("Tables")),
    ("cards", "scoring:desk_cards", _("Cards")),
    ("cards", "scoring:desk_entries", _("To agree to")),
    ("seal", RULINGS, _("Rulings")),
    ("results", "pairing:desk_results", _("Results")),
    ("prizes", "tournament:desk_prizes", _("Prizes")),
    ("prints", "scoring:desk_prints", _("Prints")),
    ("messages", "tournament:desk_messages", _("Messages")),
    ("settings", "tournament:desk_setup", _("Setup")),
    ("settings", "tournament:desk_settings", _("Settings")),
    ("settings", "scoring:desk_rules", _("Rule sheet")),
    ("settings", "pairing:desk_format", _("Format")),
    ("settings", "scoring:desk_card_terms", _("When cards are final")),
)


def _instead(pages: Any, changed: Mapping[str, Any]) -> list[Any]:
    """The same pages, some of them replaced by others (several, or none), as the kind of the event's stages has it."""
    return [one for page in pages for one in changed.get(page[-2], [page])]


DIRECTORS = {
    "pairing:desk_draw",
    "pairing:desk_partners",
    "pairing:second_chance",
    "pairing:desk_format",
    "scoring:desk_card_terms",
    "tournament:desk_settings",
    "tournament:desk_staff",
    "scoring:desk_certificate",
}
AT_THE_DESK = {
    "tournament:desk_checkin",
    "pairing:desk_tables",
    "pairing:desk_pairing",
    "pairing:desk_seatings",
    "scoring:desk_rounds",
    "pairing:desk_results",
    RULINGS,
    "scoring:desk_prints",
    "tournament:desk_messages",
    "tournament:desk_log",
}
"""Staff who may only look are not shown the way to pages that would refuse them."""


def frame(request: HttpRequest) -> dict[str, Any]:
    """Context of the bases: `tournament`, `event`, `site_nav` or `console_nav`, `live_url`, `version_url`."""
    tournament, event = (getattr(request, "tournament", None), getattr(request, "event", None))
    if tournament is None:
        return {}
    context: dict[str, Any] = {
        "tournament": tournament,
        "event": event,
        "home_url": reverse("tournament:tournament", kwargs={"tournament": tournament.slug}),
        "directs": "direct" in getattr(request, "acts", ()),
        "at_desk": "desk" in getattr(request, "acts", ()),
    }
    at_desk = request.path.startswith("/desk/")
    if event is not None:
        slugs = {"tournament": tournament.slug, "event": event.slug}
        topics, context["live_version"] = followed(request, event)
        where = f"{tournament.slug}/{event.slug}/{'' if topics is None else '?of=' + ','.join(topics or (EVERYBODY,))}"
        context |= {"live_url": f"/live/{where}", "version_url": f"/version/{where}"}
        if not at_desk:
            context["site_nav"] = SimpleLazyObject(partial(_site_nav, request, event, slugs))  # no panel asks for it
            return context
        context["console_nav"] = _sections(
            request, _with_choice_of_partners(event, _instead(DESK, pages_of(event).desk_menu)), slugs
        )
        _count_rulings(context["console_nav"], event, slugs)
    if at_desk:
        context.setdefault("console_nav", [])
        whole = (
            ("results", "tournament:today", _("All events")),
            ("log", "tournament:desk_log", _("Log")),
            ("settings", "tournament:desk_staff", _("Staff")),
            ("settings", "scoring:desk_certificate", _("Certificate")),
            ("settings", "tournament:desk_phones", _("Phones")),
        )
        context["console_nav"] += _sections(request, whole, {"tournament": tournament.slug})
    return context


def _site_nav(request: HttpRequest, event: Any, slugs: dict[str, str]) -> list[dict[str, Any]]:
    return _links(request, _with_partners(event, _instead(SITE, pages_of(event).menu)), slugs)


def _count_rulings(links: list[dict[str, Any]], event: Any, slugs: dict[str, str]) -> None:
    """How many wait for a ruling, beside the link; nobody can call for one but in play."""
    found = next((link for link in links if link["url"] == _address(RULINGS, **slugs)), None)
    if found is not None and event.state == event.State.IN_PLAY:
        found["count"] = count_waiting(event)


def _with_partners(event: Any, pages: Any) -> list[Any]:
    """Where partners are drawn, that page stands before the event's own draw."""
    found = list(pages)
    if draws_partners(event):
        place = next(place for place, page in enumerate(found) if page[0] == "pairing:draw")
        found.insert(place, ("pairing:partners", _("Partners")))
    return found


def _with_choice_of_partners(event: Any, sections: Any) -> list[Any]:
    """The same at the desk, and who is taken over from another event for a second chance."""
    found = list(sections)
    place = next(place for place, section in enumerate(found) if section[1] == "pairing:desk_draw")
    if draws_partners(event):
        found.insert(place, ("draw", "pairing:desk_partners", _("Partners")))
    if event.second_chance_of_id is not None:
        found.insert(place, ("entrants", "pairing:second_chance", _("Second chance")))
    return found


def _links(request: HttpRequest, pages: Any, slugs: dict[str, str]) -> list[dict[str, Any]]:
    return [link for _name, link in _resolved(request, pages, slugs)]


def _sections(request: HttpRequest, sections: Any, slugs: dict[str, str]) -> list[dict[str, Any]]:
    icons = {name: icon for icon, name, _label in sections}
    acts = getattr(request, "acts", ())
    shut = (DIRECTORS if "direct" not in acts else set()) | (AT_THE_DESK if "desk" not in acts else set())
    found = _resolved(request, [(name, label) for _icon, name, label in sections if name not in shut], slugs)
    return [{"key": icons[name], "count": 0, **link} for name, link in found]


def _resolved(request: HttpRequest, pages: Any, slugs: dict[str, str]) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for name, label in pages:
        url = _address(name, **slugs)
        if url is not None:
            found.append((name, {"label": label, "url": url, "current": request.path == url}))
    return found


@lru_cache(maxsize=4096)
def _address(name: str, **slugs: str) -> str | None:
    """A page's address, reversed once: a frame has a dozen of them."""
    try:
        return reverse(name, kwargs=slugs)
    except NoReverseMatch:
        return None
