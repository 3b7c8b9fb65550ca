"""Find tournaments, events and entrants from their URLs, and load entry names."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from django.db import connection
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from tournament.core.cached import cached, load_topic_versions_if_read_only
from tournament.core.selectors.prepared import PreparedQuery
from tournament.errors import NotFound
from tournament.models import Entrant, Event, IdempotencyKey, Member, Player, Tournament
from tournament.models.topic import ENTRANTS_TOPIC
from tournament.spreadsheets.names import parse_number, to_plain_letters

EntrantState = Entrant.State

INACTIVE_ENTRANT_STATES: Final = (
    EntrantState.REFUSED,
    EntrantState.WITHDRAWN,
    EntrantState.JOINED,
    EntrantState.PARTED,
)
"""The states of an entry that no longer plays. A partner who joined a pair plays under the pair's entry."""
MAX_CACHED_EVENT_KEYS: Final = 1000


def load_tournament(slug: str) -> Tournament:
    tournament = Tournament.objects.filter(slug=slug).first()
    if tournament is None:
        raise NotFound(
            "no-tournament", _("There is no tournament at this address. Look at the list on the start page.")
        )
    return tournament


def load_event(tournament_slug: str, event_slug: str) -> Event:
    """Return the event with its tournament.

    Every page starts with this query, so the primary key for each pair of slugs is cached.
    """
    slugs = (tournament_slug, event_slug)
    known = _event_keys_by_slugs.get(slugs)
    for event in _query_event(known) if known is not None else ():
        if (event.tournament.slug, event.slug) == slugs:
            return event
    events = Event.objects.select_related("tournament").filter(tournament__slug=tournament_slug, slug=event_slug)
    loaded = events.first()
    if loaded is None:
        raise NotFound("no-event", _("There is no event at this address. Look at the tournament's page."))
    if len(_event_keys_by_slugs) >= MAX_CACHED_EVENT_KEYS:
        _event_keys_by_slugs.clear()
    _event_keys_by_slugs[slugs] = loaded.pk
    return loaded


_query_event = PreparedQuery(lambda pk: Event.objects.select_related("tournament").filter(pk=pk))
_event_keys_by_slugs: Final[dict[tuple[str, str], int]] = {}


def _load_shared_event(event_id: int, versions: Mapping[str, int]) -> Event:
    """Return an event from the cache. It stays there until the next write to `EVERYBODY_TOPIC`.

    All callers share this object: do not change it.
    """
    events = Event.objects.select_related("tournament")
    return cached(event_id, (), "event", lambda: events.get(pk=event_id), versions=versions)


def load_current_event(event: Event) -> Event:
    """Return the event in its current state, for computing values that are then cached.

    Inside a transaction, this is the event that was passed in. In a read-only request, it is a shared object that must
    not be changed. Otherwise, the event is loaded again.
    """
    if connection.in_atomic_block:
        return event
    versions = load_topic_versions_if_read_only(event.pk)
    if versions is not None:
        return _load_shared_event(event.pk, versions)
    return Event.objects.select_related("tournament").get(pk=event.pk)


def load_entrants_by_link(event_id: int, versions: Mapping[str, int]) -> dict[str, Entrant]:
    """Return all entrants of the event, keyed by private link.

    These objects are shared by all callers: do not change them.
    """
    return cached(
        event_id, (), "entrants by link", lambda: _load_entrants_by_link_uncached(event_id, versions), versions=versions
    )


def _load_entrants_by_link_uncached(event_id: int, versions: Mapping[str, int]) -> dict[str, Entrant]:
    event = _load_shared_event(event_id, versions)
    rows = {row.pk: row for row in Entrant.objects.filter(event=event_id)}
    for row in rows.values():
        row.event = event
    return {row.token: rows[row.joined_to_id or row.pk] for row in rows.values()}


def load_entrant(token: str) -> Entrant:
    """Return the entrant with this private link. Both partners' links lead to their pair's entry."""
    entrants = Entrant.objects.select_related("event__tournament", "joined_to__event__tournament")
    entrant = entrants.filter(token=token).first()
    if entrant is None:
        raise make_unknown_link_error()
    return entrant.joined_to if entrant.joined_to is not None else entrant


def normalize_link_token(typed: str) -> str:
    """Return a link's secret in groups of four characters, even if the user typed it differently.

    >>> normalize_link_token("K7MP 3xwq9dtf")
    'k7mp-3xwq-9dtf'
    """
    letters = "".join(filter(str.isalnum, typed.lower()))
    return "-".join(letters[at : at + 4] for at in range(0, len(letters), 4))


def make_unknown_link_error() -> NotFound:
    return NotFound("no-entrant", _("This private link is not valid. Ask the desk for yours."))


def load_public_events(tournament: Tournament) -> QuerySet[Event]:
    return tournament.events.exclude(state=Event.State.DRAFT).order_by("pk")


def reload_event(event: Event) -> Event:
    return Event.objects.select_related("tournament").get(pk=event.pk)


def load_last_paper_size(tournament: Tournament) -> str:
    """Return the paper size of the last print, so that staff need not choose it again. The default is US Letter."""
    sizes = tournament.jobs.exclude(parameters__paper=None).order_by("-pk").values_list("parameters__paper", flat=True)
    return str(sizes.first() or "letter")


# --- Entries as plain values -----------------------------------------------------------------------------------------


class ListedEntry(NamedTuple):
    pk: int
    number: int
    name: str
    state: str
    arrived: bool


def load_entries(event: Event) -> tuple[ListedEntry, ...]:
    """Return the entries in numerical order, cached until an entry changes."""
    rows = event.entrants.values_list(*ListedEntry._fields)
    return cached(event.pk, (ENTRANTS_TOPIC,), "entries", lambda: tuple(map(ListedEntry._make, rows)))


# --- Names of entries ------------------------------------------------------------------------------------------------

MAX_SEARCH_WORDS: Final = 6


class EntryNames(dict[int, str]):
    """The current name for each entry number.

    If an entry has a substitute, `earlier` contains its previous names, each with the time when it stopped applying.
    """

    def __init__(self, current: Mapping[int, str], earlier: Mapping[int, tuple[tuple[datetime, str], ...]]) -> None:
        super().__init__(current)
        self.earlier = earlier

    def get_names_at(self, moment: datetime | None) -> Mapping[int, str]:
        """Return each entry's name at this moment, or the current names if the moment is None."""
        if moment is None or not self.earlier:
            return self
        then = {
            number: next((name for until, name in names if moment < until), self[number])
            for number, names in self.earlier.items()
        }
        return {**self, **then}


def search_entries(wanted: str, names: Mapping[int, str]) -> tuple[int, ...]:
    """Return the numbers of the entries that match a search for a number, or for words in the name.

    A name must contain all words, but accents and case do not matter. The order is that of `names`.
    """
    number, words = parse_number(wanted), to_plain_letters(wanted).split()[:MAX_SEARCH_WORDS]
    if number is not None:
        return (number,) if number in names else ()
    return tuple(entry for entry, name in names.items() if words and has_all_words(name, words))


def has_all_words(name: str, words: Iterable[str]) -> bool:
    """Return whether the name contains all of the words, which must be normalized with `to_plain_letters`."""
    plain = to_plain_letters(name)
    return all(word in plain for word in words)


def make_public_alias_condition() -> Exists:
    """Return a query condition for entrants whose public name differs from the name that staff see."""
    other = Q(player__hides_name=True) | ~Q(player__public_name__in=("", F("player__name")))
    return Exists(Member.objects.filter(other, entrant=OuterRef("pk"), replaced_by=None))


def load_real_names(entrants: Collection[int]) -> dict[int, str]:
    """Return the names that staff see, keyed by the entrants' primary keys."""
    if not entrants:
        return {}
    names: dict[int, list[str]] = defaultdict(list)
    members = Member.objects.filter(entrant__in=entrants, replaced_by=None).order_by("seat", "pk")
    for entrant, name in members.values_list("entrant_id", "player__name"):
        names[entrant].append(name)
    return {entrant: " / ".join(own) for entrant, own in names.items()}


def load_entry_names(event: Event) -> EntryNames:
    """Return the names of all entries with one query, or with two if any entry has a substitute."""
    has_substitute = Exists(Member.objects.filter(entrant=OuterRef("pk"), replaces__isnull=False))
    rows = list(event.entrants.values_list("number", "name", has_substitute))
    current = {number: name for number, name, _changed in rows}
    changed = [number for number, _name, changed in rows if changed]
    return EntryNames(current, _load_earlier_names(event, changed) if changed else {})


def _load_earlier_names(event: Event, numbers: list[int]) -> dict[int, tuple[tuple[datetime, str], ...]]:
    """Return these entries' earlier names, oldest first, each with the time at which a substitute joined."""
    members_of: dict[int, list[Member]] = {number: [] for number in numbers}
    members = Member.objects.filter(entrant__event=event, entrant__number__in=numbers).order_by("seat", "pk")
    for member in members.select_related("player", "entrant", "replaced_by"):
        members_of[member.entrant.number].append(member)
    earlier = {}
    for number, rows in members_of.items():
        times = sorted(member.at for member in rows if member.replaces_id is not None)
        names = [" / ".join(str(member.player) for member in rows if _was_player_before(member, at)) for at in times]
        earlier[number] = tuple(zip(times, names, strict=True))
    return earlier


def _was_player_before(member: Member, moment: datetime) -> bool:
    substitute = getattr(member, "replaced_by", None)
    had_joined = member.replaces_id is None or member.at < moment
    return had_joined and (substitute is None or substitute.at >= moment)


def resolve_merged_player(player: Player) -> Player:
    """Return the player record into which this one was merged, or the record itself."""
    return player.merged_into if player.merged_into is not None else player


def load_public_name_at(player: Player, moment: datetime) -> str:
    """Return the player's public name at a moment in the past.

    A signed document keeps the name that it was signed under.
    """
    later = player.corrections.filter(at__gt=moment).order_by("pk").first()
    return later.shown_before if later else str(player)


# --- Loading of the demo ---------------------------------------------------------------------------------------------
# One row marks the beginning, another the end.

DEMO_BEGUN_VERB: Final = "demo.begun"
DEMO_LOADED_VERB: Final = "demo.loaded"


def is_demo_loading(tournament: Tournament) -> bool:
    return tournament.is_demo and tournament.pk in _find_demos_being_loaded()


def find_demo_being_loaded() -> Tournament | None:
    """Return the demo tournament that is being loaded or whose loading was interrupted, or None if there is none."""
    return Tournament.objects.filter(pk__in=_find_demos_being_loaded()).first()


def _find_demos_being_loaded() -> set[int]:
    keys = IdempotencyKey.objects.filter(tournament__is_demo=True, verb__in=(DEMO_BEGUN_VERB, DEMO_LOADED_VERB))
    marks = set(keys.values_list("tournament_id", "verb"))
    return {pk for pk, verb in marks if verb == DEMO_BEGUN_VERB and (pk, DEMO_LOADED_VERB) not in marks}
