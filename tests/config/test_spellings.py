"""Test that each page spells a person's name in only one way.

For example, no page has “Katherine Johnson” in a list and “K. Johnson” in the picture beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle, product
from typing import Final

import pytest
from django.test import Client

from pairing.draws.layouts.short_names import _list_short_forms
from scoring.models import CardSeat
from tests.config.hall import Hall, routes
from tests.journeys.every_page import half_played, pages_of
from tests.kit import public_url
from tests.page_forms import read_html
from tests.pairing.helpers.stages import begun as a_group_in_play
from tournament.models import Entrant, Player

GIVEN: Final = ("Katherine", "Maximiliane", "Bartholomew", "Wilhelmina", "Christopher", "Evangeline", "Theodora", "Ann")
FAMILY: Final = ("Longfellow", "Wadsworth", "Abernathy", "Featherstonehaugh", "Montgomery", "Winterbottom", "Gray")


def name_everybody() -> list[str]:
    """Give every player a long and unique name, also on existing cards, and return the names."""
    names: dict[int, str] = {}
    letters = map("".join, product("abcdef", repeat=3))
    made = (f"{given} {family}{part}" for part, (given, family) in zip(letters, cycle(product(GIVEN, FAMILY))))
    for player in Player.objects.order_by("pk"):
        names[player.pk] = player.name = player.public_name = next(made)
        player.save(update_fields=["name", "public_name"])
    for entrant in Entrant.objects.prefetch_related("members"):
        own = [names[member.player_id] for member in entrant.members.all()]
        name = " / ".join(own) or next(made)
        Entrant.objects.filter(pk=entrant.pk).update(name=name)
        CardSeat.objects.filter(entrant=entrant).update(name=name)
        names[-entrant.pk] = name
    return list(dict.fromkeys(names.values()))


def spellings(page: str, names: list[str]) -> Iterator[str]:
    """Yield a message about each person who appears with a full and a short name on this page."""
    text = visible_text(page)
    for name in sorted(names, key=len, reverse=True):
        rest = text.replace(name, "·")
        if rest == text:
            continue
        given, _space, family = name.rpartition(" ")
        rest = rest.replace(f"{family}, {given}", "·")  # by what a list is sorted
        shorter = (
            short for short in _list_short_forms(name)[1:] if re.search(rf"(?<!\w){re.escape(short)}(?!\w)", rest)
        )
        if short := next(shorter, ""):
            yield f"{name} is also {short}"
        text = rest


def visible_text(page: str) -> str:
    """Return the text of a page without scripts, SVG titles, and preformatted text."""
    tree = read_html(page)
    for hidden in tree.xpath("//script | //style | //template | //head | //*[local-name()='title'] | //pre"):
        hidden.drop_tree()
    return " ".join(" ".join(tree.itertext()).split())


def spelled_twice(client: Client, path: str, names: list[str]) -> Iterator[str]:
    answer = client.get(path)
    if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"):
        yield from (f"{path}: {each}" for each in spellings(answer.content.decode(), names))


@pytest.mark.sample("spellings", 2)
@pytest.mark.long
@pytest.mark.django_db
def test_a_bracket_and_its_desk_spell_each_name_one_way() -> None:
    made = half_played()
    names = name_everybody()
    client = Client()
    client.force_login(made.director)
    paths = [path for _name, path in pages_of(made)]
    paths += [f"{made.page}bracket/?me=1", f"{made.page}wall/"]
    found = [each for path in paths for each in spelled_twice(client, path, names)]
    assert not found, "\n".join(found)


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["groups/", "groups/?me=1", "wall/", "pairings/"])
def test_groups_spell_each_name_one_way(page: str) -> None:
    event = a_group_in_play()
    names = name_everybody()
    assert not list(spelled_twice(Client(), public_url(event, page), names))


@pytest.mark.sample("spellings", 2)
@pytest.mark.long
@pytest.mark.django_db
def test_every_page_of_the_hall_spells_each_name_one_way() -> None:
    hall = Hall()
    names = name_everybody()
    found = []
    for name, wanted, at in routes():
        if name.startswith("library:"):
            continue
        for role in ("director", "player"):
            found += spelled_twice(hall.clients[role], hall.address(role, name, wanted, at), names)
    assert not found, "\n".join(dict.fromkeys(found))
