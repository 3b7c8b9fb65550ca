"""While random events are played, open pages remain equal to newly loaded ones.

A topic is a part of an event's data, such as its matches. If the content of a page changes, the version of one of the
page's topics must increase, so that the page is notified. Only the live parts of the page may change.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import lxml.html
import pytest
from django.core.cache import cache
from django.test import Client

from pairing.models import Pairing
from scoring.models import Card
from scoring.rehearsal.selectors.playable import list_playable_combinations
from scoring.rehearsal.services.play import ActionRecord
from scoring.rehearsal.services.random_event import RandomEvent
from tests.chance import QUICK
from tests.factories import a_user
from tests.kit import desk_url, public_url
from tournament.core.cached import _cached_values, clear_cache
from tournament.models import Event

pytestmark = pytest.mark.django_db(transaction=True)  # inside one nothing is kept

PUBLIC = (
    *("", "bracket/", "pairings/", "standings/", "wall/", "prizes/", "entrants/", "stages/", "rounds/"),
    *("draw/", "draw/check/", "partners/", "partners/check/", "groups/", "seatings/", "rules/"),
    *("stages/1/why/", "stages/2/why/", "pairings/why/"),
)
SEEDS = 1 if QUICK else int(os.environ.get("TOPIC_SEEDS", "2"))
MOST_ACTS = 30 if QUICK else 10_000
MOST_PUBLIC, MOST_OWN, MOST_STAFF = (4, 4, 2) if QUICK else (8, 7, 4)
STAFF = ("today/", "cards/", "rulings/", "entries/", "tables/", "pairing/", "seatings/", "rounds/", "whist/")
FORGETS = 0.1
"""The probability that the test stops following a page after an action."""
ALIVE = re.compile(rb'(name="(?:csrfmiddlewaretoken|key)" value|data-version|data-key|nonce)="[^"]*"')
SAID = re.compile(rb'data-live-url="([^"]*)" data-version="(\d+)"')


@dataclass
class Seen:
    """Pages of an event, which are loaded again after each action.

    A page may change only if its version changes.
    """

    dice: random.Random
    client: Client = field(default_factory=Client)
    desk: Client = field(default_factory=Client)
    before: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    woken: int = 0
    slept: int = 0

    def after(self, done: ActionRecord) -> bool:
        """Load the pages again after an action, and return whether enough actions were checked."""
        if done.refused is None:
            self._look_around(done)
        return done.number >= MOST_ACTS

    def _look_around(self, done: ActionRecord) -> None:
        event = done.event
        if self.before and self.dice.random() < FORGETS:
            self.before.pop(self.dice.choice(list(self.before)))
        if not self.desk.session.session_key:
            self.desk.force_login(a_user("director", event.tournament))
        for address in {*self.before, *self._more(event)}:
            self._look(address, f"{done.act}: {done.about}")

    def _more(self, event: Event) -> list[str]:
        """Return a few pages to add, up to a limit for public pages, for players' own pages, and for staff pages."""
        public = public_url(event)
        shared = [f"{public}{part}" for part in PUBLIC]
        own = [f"/my/{who.token}/{part}" for who in event.entrants.all() for part in ("", "match/", "match/")]
        shared += [
            f"{public}pairings/why/{sent.pk}/" for sent in Pairing.objects.filter(stage__draw__commitment__event=event)
        ]
        for card in Card.objects.filter(match__event=event):
            shared += [f"{public}card/{card.token}/", f"{public}card/{card.token}/version/1/"]
            shared += [f"{public}match/{card.match.ident}/", f"{public}match/{card.match.ident}/cards/"]
            own += [f"/my/{who.token}/card/{card.token}/" for who in card.entrants]
        staff = [desk_url(event, part) for part in STAFF]
        return [*self._fresh(shared, MOST_PUBLIC), *self._fresh(own, MOST_OWN), *self._fresh(staff, MOST_STAFF)]

    def _fresh(self, known: list[str], most: int) -> list[str]:
        fresh = sorted({address for address in known if address not in self.before})
        room = min(most - len(self.before.keys() & set(known)), len(fresh), 3)
        return self.dice.sample(fresh, room) if room > 0 else []

    def _look(self, address: str, act: str) -> None:
        is_staff = address.startswith("/desk/")
        client = self.desk if is_staff else self.client
        cache.clear()
        kept = ALIVE.sub(b"", client.get(address).content)
        cache.clear()
        with unfolded():
            answer = client.get(address)
        said = SAID.search(answer.content) if answer.status_code == 200 else None
        body, old = ALIVE.sub(b"", answer.content), self.before.pop(address, None)
        if body != kept and not is_staff:  # pages for staff tell minutes
            self.wrong.append(f"{address} from what was kept, after {act}:\n{difference(body, kept)}")
        if said is None:
            return
        version = int(said[2])
        self.before[address] = body, version
        if old is None:
            return
        if version > old[1]:
            was, rest = outside_live_parts(old[0]), outside_live_parts(body)
            # A card stays on the phone until its player goes on from it, though “My match” is another one by then.
            is_card = address.endswith("/match/") and (b"data-outbox" in old[0] or b"data-outbox" in body)
            if was and was != rest and not is_card:
                self.wrong.append(f"{address} outside its live parts, after {act}:\n{difference(was, rest)}")
        if b"?of=" in said[1] and not is_staff:
            self.woken += version > old[1]
            self.slept += version == old[1]
            if body != old[0] and version == old[1]:
                self.wrong.append(f"{address} ({said[1].decode()}) after {act}:\n{difference(old[0], body)}")


@contextmanager
def unfolded() -> Iterator[None]:
    """Run the block with an empty cache, and restore the cached values afterward."""
    kept = dict(_cached_values)
    clear_cache()
    try:
        yield
    finally:
        clear_cache()
        _cached_values.update(kept)


LIVE: Final = '//*[@data-live-panel or contains(concat(" ", @hx-trigger, " "), " live ")]'
APART: Final = '//*[@id="messages" or @id="event-state" or @data-outbox] | //script | //template | //header | //title'
"""Elements that are not compared, such as messages, parts that a script updates, and the page's header."""


def outside_live_parts(page: bytes) -> bytes:
    """Return the text and links of a page without its live parts, or `b""` if it has no live parts."""
    tree = lxml.html.fromstring(page)
    parts = tree.xpath(LIVE)
    if not parts:
        return b""
    if any(part.get("hx-target") == "main" for part in parts):
        parts = tree.xpath("//main")
    for part in [*parts, *tree.xpath(APART)]:
        part.clear(keep_tail=True)
    lines = [line.strip() for line in tree.body.text_content().splitlines()]
    return "\n".join([*filter(None, lines), *tree.xpath("//@href")]).encode()


def difference(old: bytes, new: bytes) -> str:
    was, now = old.decode().splitlines(), new.decode().splitlines()
    gone = [f"- {line.strip()}" for line in was if line not in now]
    come = [f"+ {line.strip()}" for line in now if line not in was]
    return "\n".join([*gone[:6], *come[:6]])


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.long
def test_no_page_changes_while_its_topics_stand(seed: int) -> None:
    one = random.Random(seed).choice(list(list_playable_combinations()))
    seen = Seen(random.Random(seed))
    RandomEvent(one.kind.name, one.rules.name, seed=seed, entrants=3, after_act=seen.after).play()
    assert not seen.wrong, "\n\n".join(seen.wrong)
    assert seen.woken and seen.slept
