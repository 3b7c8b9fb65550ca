"""How the desk pairs: which tables there are, when it pairs, and how unlike two records may be."""

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
    """What a game counts as that was over before a late entry came: lost, won by a bye, or neither."""

    LOSS = "loss"
    BYE = "bye"
    NONE = "none"

    @property
    def credit(self) -> Credit:
        """
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
    """The tables of one site, the first and the last. Raises ValueError: no table, or the last before the first."""

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
    """Pairs are made when `wait_for` wait, or when somebody has waited `longest_wait` minutes.

    Two may meet whose wins differ by `difference`, and by one more with each `grow_every` minutes that either has
    waited; `difference` None: by any; `grow_every` None: it does not grow. `first_table` and `last_table` are the
    tables of this event; without a last one there are as many as are needed. Entrants of one club are kept apart in
    the games of `apart_in`; `reset_daily`: two who met on an earlier day may meet again. `at_sites` have tables
    of their own; every other site shares the rest. `pair_absent`: also who is not checked in is suggested. `missed` is
    what games count as that were over before a late entry came. `rounds` are played instead of all that were planned.

    Raises:
        ValueError: nobody, no time or no table, the last table before the first, or one table at two sites.
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
        """The tables of this event, or of a site, where `needed` are enough.

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
        """Whether two may meet now whose wins differ so, when the one who waits longer waits since then."""
        at = self.allowed_from(difference, since)
        return at is not None and at <= now

    def allowed_from(self, difference: int, since: datetime) -> datetime | None:
        """From when on they may; None: never by the clock alone.

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
    """The first table that two of these sites would have; a site twice has all of its tables twice."""
    seen: set[int] = set()
    for one in at_sites:
        twice = next((table for table in one.tables if table in seen), None)
        if twice is not None:
            return twice
        seen.update(one.tables)
    return None


USUAL_DESK: Final = DeskTerms()


def read_desk_terms(settings: Mapping[str, Any]) -> DeskTerms:
    """The settings of a desk, read strictly; what is not named has its usual value.

    >>> read_desk_terms({"wait_for": 6, "difference": None}).difference is None
    True

    Raises:
        BadCase: a setting that is not known, or out of its bounds.
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
