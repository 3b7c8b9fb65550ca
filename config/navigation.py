"""Template context for the base templates: the tournament, the event, the menus, and the URLs for live updates.

It is a separate module because the menus link to all three apps.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, cast

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _

from pairing.stages.selectors.kinds import load_stage_kind_pages
from scoring.disputes.selectors.disputes import count_open_disputes
from scoring.today.pages.next_step import make_next_step_context
from tournament.core.pages.access import ActorRequest
from tournament.core.pages.following import load_followed_topics
from tournament.core.selectors.events import find_demo_being_loaded, is_demo_loading
from tournament.core.selectors.installation import load_club
from tournament.core.topics import EVERYBODY_TOPIC
from tournament.messages.selectors import load_wall_message
from tournament.models import Event, Tournament
from tournament.money.providers import list_offered_providers
from tournament.registration.selectors.entries import has_partner_draw
from tournament.second_laptop.selectors import LaptopLink, read_link

MY_PAGE_ENTRY = ("tournament:mine", _("My page"))
SITE_MENU = (
    ("tournament:event", _("Event")),
    MY_PAGE_ENTRY,
    ("pairing:bracket", _("Bracket")),
    ("pairing:pairings", _("Tables")),
    ("pairing:standings", _("Standings")),
    ("tournament:entrants", _("Entrants")),
    ("pairing:draw", _("Draw")),
    ("tournament:prizes", _("Prizes")),
    ("scoring:rules", _("Rules")),
)


def base_template_context(request: HttpRequest) -> dict[str, Any]:
    """Return the base templates' context: `tournament`, `event`, the menus, `live_url` and `version_url`.

    The result is cached on the request, because each table on a page is rendered with this context again.
    """
    tournament, event = (getattr(request, "tournament", None), getattr(request, "event", None))
    cached = getattr(request, "cached_frame", None)
    if cached is None or cached[0] is not tournament or cached[1] is not event:
        cached = (tournament, event, _make_base_context(request, tournament, event))
        request.cached_frame = cached  # type: ignore[attr-defined]
    return {**cached[2], "laptop_role": link.role} if (link := _find_writing_laptop()) is not None else dict(cached[2])


def _find_writing_laptop() -> LaptopLink | None:
    """Return the link to the other laptop if only that laptop may write, or None if this laptop may write."""
    return read_link() if settings.READ_ONLY_DATABASE else None


def _make_base_context(request: HttpRequest, tournament: Any, event: Any) -> dict[str, Any]:
    if tournament is None:
        # Refused requests and unknown addresses match no URL. Their error pages must not use the database.
        club = {"club": SimpleLazyObject(load_club)} if request.resolver_match is not None else {}
        if request.path.startswith("/accounts/"):
            return {**club, "mail_is_set": settings.MAIL_IS_SET}
        lists_all = request.path == reverse("tournament:desk")
        return {**club, "demo_is_loading": SimpleLazyObject(find_demo_being_loaded)} if lists_all else club
    context: dict[str, Any] = {
        "tournament": tournament,
        "event": event,
        "home_url": reverse("tournament:tournament", kwargs={"tournament": tournament.slug}),
        "directs": "direct" in getattr(request, "acts", ()),
        "at_desk": "desk" in getattr(request, "acts", ()),
        "demo_is_loading": SimpleLazyObject(partial(is_demo_loading, tournament)),
    }
    at_desk = request.path.startswith("/desk/")
    if event is not None:
        slugs = {"tournament": tournament.slug, "event": event.slug}
        topics, context["live_version"] = load_followed_topics(request, event)
        query = "" if topics is None else "?of=" + ",".join(topics or (EVERYBODY_TOPIC,))
        where = f"{tournament.slug}/{event.slug}/{query}"
        context |= {"live_url": f"/live/{where}", "version_url": f"/version/{where}"}
        if not at_desk:
            context["wall_message"] = SimpleLazyObject(partial(load_wall_message, event, timezone.now()))
            # Lazy, because panels do not use it.
            context["site_nav"] = SimpleLazyObject(partial(_make_site_menu, request, event, slugs))
            return context
    if at_desk:
        context |= _make_console_menu(request, tournament, event)
        if event is not None:  # lazy, because few pages use it
            context["next_step"] = SimpleLazyObject(partial(make_next_step_context, cast(ActorRequest, request), event))
    return context


def _make_site_menu(request: HttpRequest, event: Any, slugs: dict[str, str]) -> list[dict[str, Any]]:
    pages = _replace_pages(SITE_MENU, load_stage_kind_pages(event).menu)
    if has_partner_draw(event):  # their draw comes before that of the event
        place = next(place for place, page in enumerate(pages) if page[0] == "pairing:draw")
        pages.insert(place, ("pairing:partners", _("Partners")))
    if event.settlement == Event.Settlement.PUBLIC:
        pages.append(("scoring:settlement", _("Player settlement")))
    urls = ((label, make_page_url(name, **slugs)) for name, label in pages)
    links = [{"label": label, "url": url, "current": request.path == url} for label, url in urls]
    token = request.resolver_match.kwargs.get("token") if request.resolver_match is not None else None
    if token and request.path.startswith("/my/"):
        own = reverse("tournament:my", kwargs={"token": token})
        mine = next(link for link in links if link["label"] == MY_PAGE_ENTRY[1])
        mine.update(url=own, current=request.path == own)
    return links


# --- The menu of the console -----------------------------------------------------------------------------------------
# At most eight groups with icons, and their pages one level below.

MenuEntry = tuple[str, Any]
"""A URL name and the page's title."""


@dataclass(frozen=True, slots=True)
class _MenuGroup:
    """A menu group with its icon name, title and pages."""

    icon: str
    label: Any
    pages: tuple[MenuEntry, ...]


RULINGS_PAGE: Final = "scoring:desk_rulings"
DRAW_PAGE: Final = "pairing:desk_draw"
ENTRANTS_PAGE: Final = "tournament:desk_entrants"
PRIVATE_LINKS_PAGE: Final = "tournament:desk_links"
TRANSFERS_PAGE: Final = "tournament:desk_transfers"
PAYMENTS_PAGE: Final = "tournament:desk_payments"
SETTLEMENT_PAGE: Final = "scoring:desk_settlement"
CARD_PAYMENTS_PAGE: Final = "tournament:desk_card_payments"
MENU_GROUPS: Final = (
    _MenuGroup("today", _("Today"), (("scoring:desk_today", _("Today")),)),
    _MenuGroup(
        "entrants",
        _("Players"),
        (
            (ENTRANTS_PAGE, _("Entrants")),
            ("tournament:desk_checkin", _("Check-in")),
            ("tournament:desk_messages", _("Messages")),
            (PRIVATE_LINKS_PAGE, _("Private links")),
        ),
    ),
    _MenuGroup(
        "draw",
        _("Draw & rounds"),
        ((DRAW_PAGE, _("Draw")), ("pairing:desk_tables", _("Tables")), ("pairing:desk_results", _("Results"))),
    ),
    _MenuGroup(
        "cards",
        _("Score cards"),
        (("scoring:desk_cards", _("Score cards")), ("scoring:desk_entries", _("Entries to confirm"))),
    ),
    _MenuGroup("seal", _("Rulings"), ((RULINGS_PAGE, _("Rulings")),)),
    _MenuGroup(
        "money",
        _("Money"),
        (
            (PAYMENTS_PAGE, _("Payments")),
            ("tournament:desk_prizes", _("Prizes")),
            ("tournament:desk_expenses", _("Expenses")),
            ("tournament:desk_ledger", _("Ledger")),
            ("tournament:desk_drawers", _("Drawers")),
            ("tournament:desk_close", _("Close the day")),
            ("tournament:desk_whole_money", _("Tournament money")),
            (TRANSFERS_PAGE, _("Bank transfers")),
            (CARD_PAYMENTS_PAGE, _("Card payments")),
            ("tournament:desk_accounting", _("Accounting files")),
            (SETTLEMENT_PAGE, _("Player settlement")),
        ),
    ),
    _MenuGroup("prints", _("Print"), (("scoring:desk_prints", _("Print")),)),
    _MenuGroup(
        "settings",
        _("Setup"),
        (
            ("tournament:desk_setup", _("Setup")),
            ("pairing:desk_format", _("Format")),
            ("scoring:desk_rules", _("Rule sheet")),
            ("scoring:desk_card_terms", _("Correction period")),
        ),
    ),
)
TOURNAMENT_SETUP_MENU: Final[tuple[MenuEntry, ...]] = (
    ("tournament:desk_staff", _("Staff")),
    ("tournament:desk_phones", _("Phones")),
    ("scoring:desk_certificate", _("Sign PDFs")),
    ("tournament:desk_backups", _("Backups")),
    ("scoring:desk_file", _("Tournament file")),
    ("tournament:desk_log", _("Log")),
)
"""Tournament-wide setup pages, appended to the last menu group."""
ALL_EVENTS_ENTRY: Final[MenuEntry] = ("tournament:today", _("All events"))
SUBPAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "scoring:desk_today": (
        "pairing:desk_finish",
        "pairing:desk_end_early",
        "pairing:desk_reopen",
        "pairing:desk_call_off",
    ),
    ENTRANTS_PAGE: ("tournament:desk_import",),
    "tournament:desk_setup": ("tournament:desk_settings", "tournament:desk_share"),
    DRAW_PAGE: ("pairing:desk_apart", "pairing:desk_late_bye"),
    "pairing:desk_results": ("pairing:desk_out", "pairing:desk_back_in"),
    "scoring:desk_cards": ("scoring:desk_time", "scoring:desk_hands"),
}
"""Pages that belong to a menu entry although their URLs do not start with its URL."""
PARENT_PAGES: Final[Mapping[str, str]] = {"tournament:desk_money": PAYMENTS_PAGE, "tournament:desk_sale": PAYMENTS_PAGE}
"""Maps pages about one entrant to their menu entry, if it is not the list of entrants."""
DIRECTOR_PAGES: Final = {
    DRAW_PAGE,
    "pairing:desk_partners",
    "pairing:second_chance",
    "pairing:desk_format",
    "scoring:desk_card_terms",
    "tournament:desk_staff",
    "tournament:desk_backups",
    "tournament:desk_second_laptop",
    "tournament:desk_old_laptop",
    "scoring:desk_file",
    "scoring:desk_certificate",
    "tournament:desk_accounting",
    CARD_PAYMENTS_PAGE,
    SETTLEMENT_PAGE,
}
DESK_PAGES: Final = {
    "tournament:desk_checkin",
    PAYMENTS_PAGE,
    "tournament:desk_expenses",
    "tournament:desk_ledger",
    "tournament:desk_drawers",
    "tournament:desk_close",
    "tournament:desk_whole_money",
    TRANSFERS_PAGE,
    "pairing:desk_tables",
    "pairing:desk_pairing",
    "pairing:desk_seatings",
    "scoring:desk_worksheet",
    "scoring:desk_whist",
    "pairing:desk_results",
    RULINGS_PAGE,
    "scoring:desk_prints",
    "tournament:desk_messages",
    "tournament:desk_log",
}
"""Pages that are hidden from read-only staff, who are not allowed to open them."""


def _replace_pages(pages: Iterable[MenuEntry], changed: Mapping[str, Any]) -> list[MenuEntry]:
    """Replace each page that is a key of `changed` with that key's pages. An empty list of pages removes the page."""
    return [new for page in pages for new in changed.get(page[0], [page])]


def _make_console_menu(request: HttpRequest, tournament: Tournament, event: Event | None) -> dict[str, Any]:
    """Return `console_nav` (the menu groups with their pages) and `console_up` (the link to all events)."""
    slugs = {"tournament": tournament.slug} | ({"event": event.slug} if event is not None else {})
    acts = getattr(request, "acts", ())
    needed = (("direct", DIRECTOR_PAGES), ("desk", DESK_PAGES), ("links", {PRIVATE_LINKS_PAGE}))
    refused = {page for act, pages in needed if act not in acts for page in pages}
    groups = [
        (group, links)
        for group in _iter_menu_groups(event)
        if (links := [_make_link(page, slugs) for page in group.pages if page[0] not in refused])
    ]
    all_links = [link for _group, links in groups for link in links]
    _mark_current(request, all_links, slugs)
    if event is not None and event.state == event.State.IN_PLAY:  # players can call for a ruling only then
        for link in all_links:
            if link["name"] == RULINGS_PAGE:
                link["count"] = count_open_disputes(event)
    up = _make_link(ALL_EVENTS_ENTRY, {"tournament": tournament.slug})
    up["current"] = "page" if request.path == up["url"] else ""
    return {
        "console_nav": [_make_entry(group, links, alone=len(groups) == 1) for group, links in groups],
        "console_up": up,
    }


def _iter_menu_groups(event: Event | None) -> Iterator[_MenuGroup]:
    """Yield the eight menu groups of an event. Without an event, yield only the last group."""
    for group in MENU_GROUPS if event is not None else MENU_GROUPS[-1:]:
        pages = _list_group_pages(event, group) if event is not None else []
        whole = TOURNAMENT_SETUP_MENU if group is MENU_GROUPS[-1] else ()
        yield _MenuGroup(group.icon, group.label, (*pages, *whole))


def _list_group_pages(event: Event, group: _MenuGroup) -> list[MenuEntry]:
    """Return the group's pages for this event. They depend on the event's format and settings."""
    shown = _replace_pages(group.pages, load_stage_kind_pages(event).desk_menu)
    offered = {provider.name for provider in list_offered_providers(event.tournament)}
    hidden = {
        page
        for page, provider in ((TRANSFERS_PAGE, "transfer"), (CARD_PAYMENTS_PAGE, "card"))
        if provider not in offered
    }
    if event.settlement == Event.Settlement.OFF:
        hidden.add(SETTLEMENT_PAGE)
    shown = [page for page in shown if page[0] not in hidden]
    names = [name for name, _label in shown]
    if DRAW_PAGE in names and has_partner_draw(event):
        shown.insert(names.index(DRAW_PAGE), ("pairing:desk_partners", _("Partners")))
    if ENTRANTS_PAGE in names and event.second_chance_of_id is not None:
        shown.insert(names.index(ENTRANTS_PAGE) + 1, ("pairing:second_chance", _("Second chance")))
    return shown


def _make_entry(group: _MenuGroup, links: list[dict[str, Any]], *, alone: bool) -> dict[str, Any]:
    """Return an entry of the menu for a group of pages. A group with one page becomes a plain link.

    Other groups can be expanded. A group is expanded at first if it contains the current page, or if it is the only
    group.
    """
    if len(links) == 1 and not alone:
        return {"key": group.icon, **links[0]}
    is_current = any(link["current"] for link in links)
    return {
        "key": group.icon,
        "label": group.label,
        "pages": links,
        "current": "true" if is_current else "",
        "open": is_current or alone,
        "count": sum(link["count"] for link in links),
    }


def _make_link(page: MenuEntry, slugs: dict[str, str]) -> dict[str, Any]:
    name, label = page
    url = make_page_url(name, **(slugs if page not in TOURNAMENT_SETUP_MENU else {"tournament": slugs["tournament"]}))
    return {"name": name, "label": label, "url": url, "current": "", "count": 0}


def _mark_current(request: HttpRequest, links: list[dict[str, Any]], slugs: dict[str, str]) -> None:
    """Set `current` to “page” on the current page's link, or to “true” on its parent entry's link.

    The parent entry is the one whose URL has the longest prefix in common with the current URL.
    """
    match = request.resolver_match
    above = PARENT_PAGES.get(match.view_name) if match is not None else None
    shared, link = max(
        ((_count_shared_prefix(request, link, slugs, above), link) for link in links), key=lambda pair: pair[0]
    )
    if shared:
        link["current"] = "page" if request.path == link["url"] else "true"


def _count_shared_prefix(request: HttpRequest, link: dict[str, Any], slugs: dict[str, str], above: str | None) -> int:
    if link["name"] == above:
        return len(request.path)
    urls = [link["url"], *(make_page_url(name, **slugs) for name in SUBPAGES.get(link["name"], ()))]
    return max((len(url) for url in urls if request.path.startswith(url)), default=0)


@lru_cache(maxsize=4096)
def make_page_url(name: str, **slugs: str) -> str:
    """Return the URL of a page. Results are cached, because every page has about two dozen menu links."""
    return reverse(name, kwargs=slugs)
