"""Simulate users who enter data: scorekeepers on their phones, and staff who decide matches and take payments.

Each of them submits a form once in ten seconds. A form without a response, or with status 503, is submitted again with
the same key, as a user would do. One form in twenty is submitted twice at the same time.
"""

from __future__ import annotations

import asyncio
import html
import itertools
import random
import re
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.devtools.hall.book import Book, Written
from tests.devtools.hall.browser import Answer, Browser

EVERY: Final = 10.0
TWICE: Final = 0.05
TRIES: Final = 4
LOOKS: Final = 4
"""The maximum number of matches that a decider opens to find one that is ready."""
PREVIEWS: Final = 3
"""The number of previews requested while a hand is entered."""

HIDDEN: Final = re.compile(rb'<input type="hidden" name="([\w-]+)"(?: value="([^"]*)")?')
CARD: Final = re.compile(rb'(?:href|action|hx-get)="/my/[\w-]+/card/([\w-]+)/(hand|sign|cut)/')
KEEPER: Final = re.compile(rb'name="keeper" value="(\d+)"')
CUT: Final = re.compile(rb'name="(place_\d+)" value="(\w+)"[^>]*><span[^>]*>([^<]*)<')
"""Finds the sides in the form for the first hand, which asks who cut which card."""
OPPONENT: Final = re.compile(rb'match-opponent-one">([^<]*?)\s*<span[^>]*figures">(\d+)<')
HANDS: Final = re.compile(rb'data-hands="(\d+)"')
POINTS: Final = re.compile(rb'name="points_(\d+)"')
REFUSED: Final = re.compile(rb'(?:role="alert">|is-bad">|notice error">).*?<(?:span|p)>([^<]+)<', re.DOTALL)
AGAIN: Final = b">Send it again</button>"
ENDING: Final = re.compile(rb'name="ending"[^>]*? value="([^"]+)"')


@dataclass
class Hall:
    """State shared by all simulated users.

    `taken` contains the pairs of players that have a table, and `looking` the players who wait for their next match.
    """

    sites: Sequence[str]
    book: Book
    known: dict[str, Any]
    dice: random.Random = field(default_factory=lambda: random.Random(5))
    taken: set[frozenset[int]] = field(default_factory=set)
    looking: deque[int] = field(default_factory=deque)
    until: float = 0.0

    def __post_init__(self) -> None:
        self._turns = itertools.cycle(self.sites)
        self.entrants = {one["number"]: one for one in self.known["entrants"]}

    @property
    def site(self) -> str:
        """The URL of the next server, in rotation."""
        return next(self._turns)

    @property
    def desk(self) -> str:
        return f"/desk/{self.known['tournament']}/{self.known['event']}"

    def link(self, number: int) -> str:
        return f"/my/{self.entrants[number]['token']}"


@dataclass
class Table:
    """A table with two players' numbers. `page` is the score card's page as the scorekeeper last saw it."""

    keeper: int
    other: int
    browser: Browser
    card: str
    ident: str
    page: bytes = b""
    signed: int = 0
    against: bytes = b""
    """The opponent's name, if the scorekeeper still has to record who cut the lower card."""


class Writer:
    def __init__(self, hall: Hall) -> None:
        self.hall, self.book = hall, hall.book

    async def work(self) -> None:
        await asyncio.sleep(random.uniform(0, min(EVERY, max(0.0, self.hall.until - time.monotonic()))))
        while (began := time.monotonic()) < self.hall.until:
            self.book.turns += 1
            await self.turn()
            await asyncio.sleep(max(0.0, began + EVERY - time.monotonic()))

    async def turn(self) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError

    async def send(self, browser: Browser, kind: str, path: str, fields: dict[str, str]) -> tuple[Answer, float]:
        """Submit a form until there is a response, and sometimes submit it twice at the same time.

        Return the response, and the time at which it arrived.
        """
        for _try in range(TRIES):
            sending = [browser.post(f"write {kind}", path, fields)]
            if random.random() < TWICE:
                self.book.sent_twice += 1
                sending.append(browser.post(f"write {kind}", path, fields))
            answers = await asyncio.gather(*sending)
            for answer in answers:
                if answer.goes_to:
                    return answer, time.monotonic()
            if answers[0].status not in (0, 502, 503, 504):
                break
            if AGAIN in answers[0].body:  # by the button of the page, which holds what was typed
                fields = hidden_fields(answers[0].body)
                self.book.remarks["sent again by the page that refused it"] += 1
            await asyncio.sleep(3)
        said = REFUSED.search(answers[0].body)
        self.book.remarks[f"write {kind} refused: {said[1].decode() if said else answers[0].status}"] += 1
        return answers[0], time.monotonic()


class Scorekeeper(Writer):
    """A user who keeps score at several tables in rotation, because a hand takes a while to play."""

    def __init__(self, hall: Hall, tables: list[dict[str, Any]]) -> None:
        super().__init__(hall)
        self._opened: list[Browser] = []
        self.tables = deque(self._sit(one["numbers"], one["card"], one["ident"]) for one in tables)

    def _sit(self, numbers: Sequence[int], card: str, ident: str) -> Table:
        self.hall.taken.add(frozenset(numbers))
        return Table(numbers[0], numbers[1], self._open_browser(), card, ident)

    def _open_browser(self) -> Browser:
        self._opened.append(Browser(self.hall.site, self.book))
        return self._opened[-1]

    async def close(self) -> None:
        for browser in self._opened:
            await browser.close()

    async def turn(self) -> None:
        if not self.tables or (self.hall.looking and len(self.tables) < 3):
            await self._find_table()
        if not self.tables:
            return
        table = self.tables.popleft()
        if await self._write(table):
            self.tables.append(table)
        else:
            await table.browser.close()

    async def _write(self, table: Table) -> bool:
        """Enter the next hand or signature on the table's score card, and return whether the match continues."""
        path = f"{self.hall.link(table.keeper)}/card/{table.card}/"
        if not table.page:
            table.page = (await table.browser.get("page card", path)).body
        found = {act.decode() for card, act in CARD.findall(table.page) if card.decode() == table.card}
        if "hand" in found:
            await self._enter_hand(table, path)
        elif "sign" in found or table.signed:
            return await self._sign(table)
        elif KEEPER.search(table.page):
            await self._cut(table, path)
        else:
            self.book.remarks["tables left: the desk or a ruling has the card"] += bool(table.page)
            return not table.page
        return True

    async def _cut(self, table: Table, path: str) -> None:
        fields = hidden_fields(table.page) | {"keeper": KEEPER.search(table.page)[1].decode()}  # type: ignore[index]
        fields["key"] = fields.get("key") or uuid.uuid4().hex
        answer, _at = await self.send(table.browser, "cut", f"{path}cut/", fields)
        await self._look(table, answer)

    async def _look(self, table: Table, answer: Answer) -> None:
        """Load the page to which the response redirects. If it does not redirect, load the score card next time."""
        table.page = (await table.browser.get("page card", answer.goes_to)).body if answer.goes_to else b""

    async def _enter_hand(self, table: Table, path: str) -> None:
        page = await table.browser.get("page hand", f"{path}hand/")
        if b"data-hand-form" not in page.body:
            table.page = b""
            return
        hidden = hidden_fields(page.body[page.body.index(b"data-hand-form") :])
        cuts = {place.decode(): who.decode() for place, who, name in CUT.findall(page.body) if name != table.against}
        fields = hidden | cuts | a_hand(self.hall.dice)
        for _tap in range(PREVIEWS):
            await table.browser.post("preview", f"{path}preview/", fields, {"HX-Request": "true"})
        answer, at = await self.send(table.browser, "hand", f"{path}hand/", fields)
        number = int(hidden["hand"])
        said = ("outcome", "by", "counts_A", "counts_B")
        content: dict[str, Any] = {name: value for name, value in fields.items() if name in said} | {"number": number}
        if answer.goes_to:
            self.book.acknowledged(Written("hand", table.card, hidden["key"], content))
            self.book.must_be_seen(f"card {table.card}", _has_hands(number), at)
        elif answer.status in (0, 500, 502, 503, 504):
            self.book.acknowledged(Written("hand", table.card, hidden["key"], content, sure=False))
        await self._look(table, answer)

    async def _sign(self, table: Table) -> bool:
        """Sign as the scorekeeper or, if that is done, as the opponent, and return whether the match continues.

        After both signatures, both players wait for their next match.
        """
        who = (table.keeper, table.other)[table.signed]
        path = f"{self.hall.link(who)}/card/{table.card}/sign/"
        page = await table.browser.get("page sign", path)
        fields = hidden_fields(page.body) | {"code": self.hall.entrants[who]["sign_code"], "strokes": ""}
        if "digest" not in fields:
            table.page, table.signed = b"", 0
            self.book.remarks["nothing to sign"] += 1
            self.hall.looking.extend((table.keeper, table.other))
            return False
        answer, at = await self.send(table.browser, "signature", path, fields)
        table.signed += bool(answer.goes_to)
        if answer.goes_to:
            await table.browser.get("page card", answer.goes_to)
        if table.signed < 2:
            return True
        self.book.must_be_seen("bracket", is_decided(table.ident), at)
        self.hall.looking.extend((table.keeper, table.other))
        return False

    async def _find_table(self) -> None:
        """Open *My match* for players without a table, and keep score for the first player who has a new card."""
        for _one in range(3):
            if not self.hall.looking:
                return
            number = self.hall.looking.popleft()
            browser = self._open_browser()
            page = await browser.get("page my match", f"{self.hall.link(number)}/match/")
            card, other = CARD.search(page.body), OPPONENT.search(page.body)
            if card and other and frozenset((number, int(other[2]))) not in self.hall.taken:
                self.hall.taken.add(frozenset((number, int(other[2]))))  # before anybody else can look
                about = await browser.get("card by JSON", f"/api/cards/{card[1].decode()}/")
                ident = re.search(rb'"match": "(\w+)"', about.body)
                table = self._sit((number, int(other[2])), card[1].decode(), ident[1].decode() if ident else "")
                await table.browser.close()
                table.browser, table.against = browser, other[1]
                self.tables.append(table)
                return
            await browser.close()
            if not card:
                self.hall.looking.append(number)


class Desk(Writer):
    def __init__(self, hall: Hall, sign_in: str) -> None:
        super().__init__(hall)
        self.browser = Browser(hall.site, hall.book)
        self.sign_in = sign_in

    async def open(self) -> None:
        path = f"/sign-in/{self.sign_in}/"
        page = await self.browser.get("sign in", path)
        await self.browser.post("sign in", path, {"csrfmiddlewaretoken": page.csrf})

    async def close(self) -> None:
        await self.browser.close()


class Decider(Desk):
    """A staff member who enters the results of the matches without a scorekeeper, in bracket order.

    Matches that are not ready are tried again later.
    """

    def __init__(self, hall: Hall, sign_in: str, idents: deque[str]) -> None:
        super().__init__(hall, sign_in)
        self.idents = idents

    async def turn(self) -> None:
        waiting = []
        for _look in range(min(LOOKS, len(self.idents))):
            ident = self.idents.popleft()
            page = (await self.browser.get("page decide", f"{self.hall.desk}/results/{ident}/")).body
            numbers = frozenset(int(number) for number in POINTS.findall(page))
            endings = ENDING.findall(page)
            if endings and numbers not in self.hall.taken:
                self.hall.taken.add(numbers)
                await self._decide(ident, page, endings[0].decode())
                break
            if not endings:
                waiting.append(ident)
        else:
            self.book.remarks["nothing to decide"] += 1
        self.idents.extend(waiting)

    async def _decide(self, ident: str, page: bytes, ending: str) -> None:
        path, mark = f"{self.hall.desk}/results/{ident}/", f"hall {uuid.uuid4().hex}"
        numbers, winner = POINTS.findall(page), ending.partition(":")[2]
        points = {f"points_{one.decode()}": "155" if one.decode() == winner else "90" for one in numbers}
        fields = hidden_fields(page) | {"ending": ending, "reason": mark, "act": "record"} | points
        answer, at = await self.send(self.browser, "result", path, fields)
        if answer.goes_to:
            self.book.acknowledged(Written("result", ident, mark))
            self.book.must_be_seen("bracket", is_decided(ident), at)
            self.book.must_be_seen("pairings", is_unlisted(ident), at)
            await self.browser.get("page results", answer.goes_to)
        elif answer.status in (0, 500, 502, 503, 504):
            self.book.acknowledged(Written("result", ident, mark, sure=False))


class Cashier(Desk):
    async def turn(self) -> None:
        number = random.choice(list(self.hall.entrants))
        path = f"{self.hall.desk}/entrants/{number}/money/"
        page = await self.browser.get("page money", path)
        if not page.is_good:  # without the page there is no form to send
            return
        hidden = hidden_fields(page.body)
        mark, cents = f"hall {uuid.uuid4().hex}", random.randint(100, 999)
        own = ("csrfmiddlewaretoken", "payment-key")
        fields: dict[str, str] = {name: value for name, value in hidden.items() if name in own}
        fields |= {"act": "payment", "payment-cents": f"{cents // 100}.{cents % 100:02d}"}
        fields |= {"payment-method": "cash", "payment-reference": mark}
        answer, _at = await self.send(self.browser, "payment", path, fields)
        written = Written("payment", str(number), mark, {"cents": cents})
        if answer.goes_to.startswith(path):  # not to sign in
            self.book.acknowledged(written)
            await self.browser.get("page money", answer.goes_to)
        elif answer.status in (0, 500, 502, 503, 504):
            self.book.acknowledged(Written("payment", str(number), mark, {"cents": cents}, sure=False))


@dataclass(frozen=True, slots=True)
class Roles:
    """The classes of the simulated users. Another load test may use subclasses of them."""

    keeper: type[Scorekeeper] = Scorekeeper
    decider: type[Decider] = Decider
    cashier: type[Cashier] = Cashier


def make_writers(hall: Hall, count: int, roles: Roles = Roles()) -> list[Writer]:
    """Return about `count` simulated users: one cashier and one decider for every ten, and scorekeepers.

    There is at least one user of each class, and there are at most four cashiers and four deciders.
    """
    desks = max(1, count // 10)
    cashiers, deciders = min(desks, 4), min(desks, 4)
    keepers = max(1, count - cashiers - deciders)
    by_keepers = [table for table in hall.known["tables"] if table["kept"]]
    scorekeepers = [roles.keeper(hall, by_keepers[turn::keepers]) for turn in range(keepers)]
    links = iter(hall.known["sign_in"])
    seated = {table["ident"] for table in by_keepers}
    idents = deque(ident for ident in hall.known["matches"] if ident not in seated)
    desk: list[Writer] = [roles.decider(hall, next(links), idents) for _one in range(deciders)]
    return [*scorekeepers, *desk, *(roles.cashier(hall, next(links)) for _one in range(cashiers))]


def a_hand(dice: random.Random) -> dict[str, str]:
    """Return a random hand under the 2012 rules as form fields."""
    rank, suit = dice.choice("A23456789TJQK"), dice.choice("CDHS")
    by, other = dice.sample(("A", "B"), 2)
    line = {"up_rank": rank, "up_suit": suit, "override": "as played"}
    rest = min(dice.randint(1, 60), dice.randint(1, 60))
    if rank == "A" or dice.random() < 0.3:
        return line | {"outcome": "gin", "by": by, f"counts_{by}": "0", f"counts_{other}": str(rest)}
    knock = dice.randint(1, int(rank) if rank.isdigit() else 10)
    return line | {"outcome": "knock", "by": by, f"counts_{by}": str(knock), f"counts_{other}": str(rest)}


def hidden_fields(page: bytes) -> dict[str, str]:
    """Return a page's hidden fields. If a name occurs several times, the first field is used."""
    found: dict[str, str] = {}
    for name, value in HIDDEN.findall(page):
        found.setdefault(name.decode(), html.unescape(value.decode()))
    return found


def _has_hands(number: int) -> Callable[[bytes], bool]:
    def is_seen(body: bytes) -> bool:
        found = HANDS.search(body)
        return found is not None and int(found[1]) >= number

    return is_seen


def is_decided(ident: str) -> Callable[[bytes], bool]:
    """Return a function that checks whether the bracket page shows a winner of the match."""
    start = f'id="match-{ident}"'.encode()

    def is_seen(body: bytes) -> bool:
        at = body.find(start)
        return at >= 0 and body.find(b"is-winner", at, body.find(b"</article>", at)) >= 0

    return is_seen


def is_unlisted(ident: str) -> Callable[[bytes], bool]:
    """Return a function that checks whether the match is missing from the page with the pairings."""
    link = f"/match/{ident}/".encode()
    return lambda body: link not in body
