"""The terms of the desk: its tables, when it pairs, and how much two records may differ."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import count, islice
from typing import Any, Final

from pairing.draws.results.credits import Cause, Credit, Result
from pairing.draws.stages.qualifier import MOST_GAMES
from tournament.cases import Fields, Problems, read_integer, read_object
from tournament.said import worded

MOST_TABLES: Final = 9999
MOST_MINUTES: Final = 600
MOST_WAITING: Final = 500


class MissedGamesPolicy(StrEnum):
    """The value of a game that was over before a late entry came: a loss, a win by a bye, or neither."""

    LOSS = "loss"
    BYE = "bye"
    NONE = "none"

    @property
    def credit(self) -> Credit:
        """The credit for such a game.

        >>> MissedGamesPolicy.LOSS.credit
        Credit(result=<Result.LOSS: 'loss'>, cause=<Cause.NO_SHOW: 'no-show'>)
        """
        match self:
            case MissedGamesPolicy.LOSS:
                return Credit(Result.LOSS, Cause.NO_SHOW)
            case MissedGamesPolicy.BYE:
                return Credit(Result.WIN, Cause.BYE)
        return Credit(Result.NONE, Cause.BYE)


@dataclass(frozen=True, slots=True)
class SiteTables:
    """The tables of one site, from the first to the last.

    Raises:
        ValueError: the first table is below 1, or the last is before the first.
    """

    site: str
    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise ValueError("tables go from 1, the lower number first")

    @property
    def tables(self) -> range:
        return range(self.first, self.last + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskTerms:
    """The terms by which the desk pairs.

    - Pairs are made when `wait_for` entries wait, or when an entry has waited `longest_wait` minutes.
    - Two may meet if their wins differ by at most `difference`. It grows by one with each `grow_every` minutes that
      either has waited. If `difference` is None, any two may meet. If `grow_every` is None, it does not grow.
    - `first_table` and `last_table` are the tables of this event. Without a last one there are as many as are needed.
    - `apart_in` lists the games in which entrants of one club are kept apart.
    - If `reset_daily` is true, two that met on an earlier day may meet again.
    - The sites in `at_sites` have tables of their own. All other sites share the rest.
    - If `pair_absent` is true, entries that are not checked in are suggested too.
    - `missed` is the value of games that were over before a late entry came.
    - `rounds` replaces the planned number of rounds.

    Raises:
        ValueError: a number is too small, the last table is before the first, or two sites share a table.
    """

    wait_for: int = 4
    longest_wait: int = 5
    difference: int | None = 1
    grow_every: int | None = 5
    first_table: int = 1
    last_table: int | None = None
    apart_in: tuple[int, ...] = ()
    reset_daily: bool = False
    at_sites: tuple[SiteTables, ...] = ()
    pair_absent: bool = False
    missed: MissedGamesPolicy = MissedGamesPolicy.LOSS
    rounds: int | None = None

    def __post_init__(self) -> None:
        if self.wait_for < 2 or self.longest_wait < 0 or (self.grow_every is not None and self.grow_every < 1):
            raise ValueError("two wait at least, and no time is less than a minute")
        if self.first_table < 1 or (self.last_table is not None and self.last_table < self.first_table):
            raise ValueError("tables go from 1, the lower number first")
        if shared_table(self.at_sites) is not None:
            raise ValueError("every table stands at one site")

    @property
    def patience(self) -> timedelta:
        return timedelta(minutes=self.longest_wait)

    def tables(self, needed: int, site: str = "") -> Sequence[int]:
        """Return the tables of this event, or of a site. Without a last table, return the first `needed` tables.

        >>> terms = DeskTerms(at_sites=(SiteTables("Austin", 2, 4),))
        >>> list(terms.tables(3, "Austin")), list(terms.tables(3, "Oslo"))
        ([2, 3, 4], [1, 5, 6])
        """
        own = next((one for one in self.at_sites if one.site == site), None)
        if own is not None:
            return own.tables
        elsewhere = {table for one in self.at_sites for table in one.tables}
        if self.last_table is not None:
            return [table for table in range(self.first_table, self.last_table + 1) if table not in elsewhere]
        free = (table for table in count(self.first_table) if table not in elsewhere)
        return list(islice(free, needed))

    def allows(self, difference: int, since: datetime, now: datetime) -> bool:
        """Return whether two may meet now by the difference of their wins.

        The one that waits longer waits since `since`.
        """
        at = self.allowed_from(difference, since)
        return at is not None and at <= now

    def allowed_from(self, difference: int, since: datetime) -> datetime | None:
        """Return the time from which two may meet by the difference of their wins, or None if waiting does not help.

        >>> from datetime import UTC
        >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
        >>> print(DeskTerms(difference=1, grow_every=10).allowed_from(3, noon).time())
        12:20:00
        """
        beyond = 0 if self.difference is None else difference - self.difference
        if beyond <= 0:
            return since
        return None if self.grow_every is None else since + timedelta(minutes=self.grow_every * beyond)

    def as_json(self) -> dict[str, Any]:
        said = asdict(self)
        return said | {"apart_in": list(self.apart_in), "at_sites": list(said["at_sites"]), "missed": self.missed.value}


def shared_table(at_sites: Sequence[SiteTables]) -> int | None:
    """Return the first table that two of these sites share. A site that is listed twice shares all its tables."""
    seen: set[int] = set()
    for one in at_sites:
        twice = next((table for table in one.tables if table in seen), None)
        if twice is not None:
            return twice
        seen.update(one.tables)
    return None


USUAL_DESK: Final = DeskTerms()


def read_desk_terms(settings: Mapping[str, Any]) -> DeskTerms:
    """Read the settings of a desk strictly. Missing settings have their usual values.

    >>> read_desk_terms({"wait_for": 6, "difference": None}).difference is None
    True

    Raises:
        BadCase: a setting is unknown or out of bounds.
    """
    problems, usual = Problems(), USUAL_DESK
    fields = Fields(dict(settings), problems)
    first = fields.integer("first_table", minimum=1, maximum=MOST_TABLES, default=1)
    last = fields.integer_or_none("last_table", minimum=1, maximum=MOST_TABLES)
    apart = fields.items("apart_in", lambda v, p, e: read_integer(v, p, e, minimum=1, maximum=MOST_GAMES), default=())
    missed = fields.choice("missed", [each.value for each in MissedGamesPolicy], default=MissedGamesPolicy.LOSS.value)
    terms = {
        "wait_for": fields.integer("wait_for", minimum=2, maximum=MOST_WAITING, default=usual.wait_for),
        "longest_wait": fields.integer("longest_wait", minimum=0, maximum=MOST_MINUTES, default=usual.longest_wait),
        "difference": fields.integer_or_none("difference", minimum=0, maximum=MOST_GAMES, default=usual.difference),
        "grow_every": fields.integer_or_none("grow_every", minimum=1, maximum=MOST_MINUTES, default=usual.grow_every),
        "reset_daily": fields.boolean("reset_daily", default=False),
        "pair_absent": fields.boolean("pair_absent", default=False),
        "at_sites": tuple(fields.items("at_sites", _read_site, default=())),
        "apart_in": tuple(sorted(set(apart))),
        "missed": MissedGamesPolicy(missed),
        "rounds": fields.integer_or_none("rounds", minimum=1, maximum=MOST_GAMES),
    }
    fields.finish()
    if (twice := shared_table(terms["at_sites"])) is not None:
        problems.bad("at_sites", worded("Table %(twice)s stands at two sites. Every table stands at one.", twice=twice))
    if last is not None and last < first:
        problems.bad("last_table", worded("The last table is before the first, %(first)s.", first=first))
    problems.check()
    return DeskTerms(first_table=first, last_table=last, **terms)


def _read_site(value: object, path: str, problems: Problems) -> SiteTables | None:
    said = read_object(value, path, problems)
    if said is None:
        return None
    fields = Fields(said, problems, path)
    site = fields.text("site")
    first = fields.integer("first", minimum=1, maximum=MOST_TABLES)
    last = fields.integer("last", minimum=1, maximum=MOST_TABLES)
    fields.finish()
    if not site or first is None or last is None:
        return None
    if last < first:
        problems.bad(f"{path}.last", worded("The last table is before the first, %(first)s.", first=first))
        return None
    return SiteTables(site, first, last)
