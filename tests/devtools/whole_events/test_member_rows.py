"""The second reading of who played: names of the moment, from the rows of the members."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.devtools.whole_events.member_rows import name_at, read_sittings
from tests.factories import a_player, an_entrant, an_event
from tournament.models import Member

pytestmark = pytest.mark.django_db


def test_a_substitute_has_the_entry_from_when_they_came() -> None:
    event = an_event(entry_size=2)
    pair = an_entrant(event, "Ada")
    alan = Member.objects.create(entrant=pair, player=a_player("Alan"), seat=2, by_name="test")
    came = timezone.now()
    more = {"entrant": pair, "seat": 2, "by_name": "test"}
    Member.objects.create(player=a_player("Zoe"), replaces=alan, at=came, **more)
    an_entrant(event, "Bea")
    (sittings,) = read_sittings(event).values()
    assert name_at(sittings, came - timedelta(seconds=1)) == "Ada / Alan"
    assert name_at(sittings, came) is None
