from collections.abc import Mapping
from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tournament.core.folded import folded
from tournament.core.selectors.prepared import Prepared
from tournament.errors import NotFound
from tournament.models import Entrant, Event, Tournament

MOST_KEYS: Final = 1000


def load_tournament(slug: str) -> Tournament:
    tournament = Tournament.objects.filter(slug=slug).first()
    if tournament is None:
        raise NotFound(
            "no-tournament", _("There is no tournament at this address. Look at the list on the start page.")
        )
    return tournament


def load_event(tournament_slug: str, event_slug: str) -> Event:
    """Return the event at this address with its tournament.

    Every page starts with this query, so the primary key of an address is cached. The row must still match the
    address.
    """
    address = (tournament_slug, event_slug)
    known = _keys.get(address)
    for event in _event_by_pk(known) if known is not None else ():
        if (event.tournament.slug, event.slug) == address:
            return event
    found = Event.objects.select_related("tournament").filter(tournament__slug=tournament_slug, slug=event_slug).first()
    if found is None:
        raise NotFound("no-event", _("There is no event at this address. Look at the tournament's page."))
    if len(_keys) >= MOST_KEYS:
        _keys.clear()
    _keys[address] = found.pk
    return found


_event_by_pk = Prepared(lambda pk: Event.objects.select_related("tournament").filter(pk=pk))
_keys: Final[dict[tuple[str, str], int]] = {}


def shared_event(event_id: int, versions: Mapping[str, int]) -> Event:
    """Return a cached event for read-only requests, valid until a write concerns everybody. Nobody may change it."""
    found = Event.objects.select_related("tournament")
    return folded(event_id, (), versions, "event", lambda: found.get(pk=event_id))


def shared_entrants(event_id: int, versions: Mapping[str, int]) -> dict[str, Entrant]:
    """Return the entrant of every private link of the event, as `load_entrant` would. Nobody may change them."""
    return folded(event_id, (), versions, "entrants by link", lambda: _load_by_link(event_id, versions))


def _load_by_link(event_id: int, versions: Mapping[str, int]) -> dict[str, Entrant]:
    event = shared_event(event_id, versions)
    rows = {row.pk: row for row in Entrant.objects.filter(event=event_id)}
    for row in rows.values():
        row.event = event
    return {row.token: rows[row.joined_to_id or row.pk] for row in rows.values()}


def load_entrant(token: str) -> Entrant:
    """Return the entrant with this private link. The links of both partners lead to the entry of their pair."""
    found = Entrant.objects.select_related("event__tournament", "joined_to__event__tournament")
    entrant = found.filter(token=token).first()
    if entrant is None:
        raise no_such_link()
    return entrant.joined_to if entrant.joined_to is not None else entrant


def grouped_token(typed: str) -> str:
    """Return the secret part of a link in the usual groups of four, no matter how somebody typed it from paper.

    >>> grouped_token("K7MP 3xwq9dtf")
    'k7mp-3xwq-9dtf'
    """
    letters = "".join(filter(str.isalnum, typed.lower()))
    return "-".join(letters[at : at + 4] for at in range(0, len(letters), 4))


def no_such_link() -> NotFound:
    return NotFound("no-entrant", _("This private link is not valid. Ask the desk for yours."))


def public_events(tournament: Tournament) -> QuerySet[Event]:
    return tournament.events.exclude(state=Event.State.DRAFT).order_by("pk")


def reload_event(event: Event) -> Event:
    return Event.objects.select_related("tournament").get(pk=event.pk)
