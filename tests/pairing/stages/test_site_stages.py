from __future__ import annotations

from collections import Counter

import pytest

from pairing.blind_draw.services import make_draw, post_draw
from pairing.desk.selectors.desk import load_pairing_desk
from pairing.desk.services.pairings import PairsToSend, give_bye
from pairing.desk.services.sending import DeskPreview, change_desk_settings, send_manual_pair, send_previewed_pairs
from pairing.draws.desk.desk import DeskTerms, SiteTables, read_desk_terms
from pairing.models import DeskSettings
from pairing.results.services.late_entries import join_stage
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.services.stages import open_next_stage
from tests.factories import an_entrant
from tests.kit import client_as, event_url, fresh
from tests.pairing.helpers.desk import look
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.sites import AUSTIN, BY_SITE, OSLO, closed, in_play
from tests.pairing.helpers.stages import course_of, pool_of, staged, won
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict, DomainError, InvalidInput, ReasonRequired
from tournament.models import Event
from tournament.registration.services.waiting_list import change_site

pytestmark = pytest.mark.django_db


@prebuilt
def six_and_four() -> Event:
    return in_play(*[AUSTIN] * 6, *[OSLO] * 4)


def send_all(event: Event) -> list[tuple[int, int, int]]:
    """Send all pairs that the pairing page suggests to tables, and return the pairs."""
    desk = load_pairing_desk(fresh(event))
    assert desk is not None
    pairs = tuple(going.pair_and_table for going in desk.next_pairs if going.table is not None)
    send_previewed_pairs(event, DeskPreview(at=desk.now, pairs=pairs), by=SYSTEM_ACTOR)
    return list(pairs)


def end_open_games(event: Event) -> None:
    """End all games in progress. The entry with the lower number wins."""
    stage = course_of(event).current_stage
    for ident in stage.ready_matches:
        won(event, ident, *sorted(stage.matches[ident].meeting.sides))


def test_no_draw_while_somebody_plays_nowhere_and_the_sentence_names_them() -> None:
    event = closed(AUSTIN, AUSTIN, "", OSLO, OSLO, "")
    with pytest.raises(DomainError, match="3 Player 3, 6 Player 6") as refusal:
        make_draw(event, "7H QS 2D", by=SYSTEM_ACTOR)
    assert (refusal.value.code, refusal.value.data["numbers"]) == ("no-site", [3, 6])
    for number, site in ((3, AUSTIN), (6, OSLO)):
        change_site(event.entrants.get(number=number), site, by=SYSTEM_ACTOR)
    make_draw(event, "7H QS 2D", by=SYSTEM_ACTOR)
    post_draw(event, by=SYSTEM_ACTOR)
    pool = pool_of(event)
    assert [(part.name, sorted(part.entries)) for part in pool.parts] == [(AUSTIN, [1, 2, 3]), (OSLO, [4, 5, 6])]


def test_no_draw_without_any_site_and_none_with_somebody_alone_at_theirs() -> None:
    with pytest.raises(DomainError, match="Name the sites in the event's settings"):
        make_draw(closed("", "", sites=()), "7H QS 2D", by=SYSTEM_ACTOR)
    with pytest.raises(DomainError, match=r"3 Player 3 \(Oslo\)"):
        make_draw(closed(AUSTIN, AUSTIN, OSLO), "7H QS 2D", by=SYSTEM_ACTOR)


def test_each_site_is_paired_and_ranked_by_itself_and_its_best_go_on() -> None:
    event = six_and_four()
    assert send_pairs_stay_at_home(event)
    while not course_of(event).current_stage.is_complete:
        pairs = send_all(event)
        assert all((one <= 6) == (other <= 6) for one, other, _table in pairs)
        end_open_games(event)
    pool = pool_of(event)
    assert all(pool.qualifying[entry].record.games == 3 for entry in range(1, 11))
    ranked = {part.name: [row.entry for row in rows] for part, rows in pool.standings}
    assert sorted(ranked[AUSTIN]) == [1, 2, 3, 4, 5, 6] and sorted(ranked[OSLO]) == [7, 8, 9, 10]
    stage = open_next_stage(event, by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut="7H"))
    for _part, rows in pool.standings:
        places = {row.entry: row.place or 99 for row in rows}
        through = [places.pop(entry) for entry in stage.entries if entry in places]
        assert len(through) == 2 and max(through) <= min(places.values())
    page = client_as("director", event).get(event_url("pairing:standings", event), {"stage": "1"}).content.decode()
    assert AUSTIN in page and OSLO in page and ">Group<" not in page and "Site" in page


def send_pairs_stay_at_home(event: Event) -> bool:
    """Check that players at different sites cannot be paired, and return whether the stage has no matches afterward."""
    with pytest.raises(Conflict, match="play at different sites"):
        send_pairs(event, PairsToSend(pairs=((1, 2), (3, 7))), by=SYSTEM_ACTOR)
    with pytest.raises(Conflict, match="different sites"):
        send_manual_pair(event, (6, 7), by=SYSTEM_ACTOR, reason="they asked")
    return course_of(event).current_stage.matches == {}


def test_a_site_with_an_odd_field_gives_its_own_bye() -> None:
    event = in_play(*[AUSTIN] * 4, *[OSLO] * 3)
    for _game in range(3):
        while True:
            desk = load_pairing_desk(fresh(event))
            assert desk is not None
            if desk.next_pairs:
                send_all(event)
            elif desk.entry_without_opponent is not None:
                assert desk.entry_without_opponent >= 5
                give_bye(
                    event.entrants.get(number=desk.entry_without_opponent),
                    by=SYSTEM_ACTOR,
                    reason="nobody is left at the site",
                )
            elif course_of(event).current_stage.ready_matches:
                end_open_games(event)
            else:
                break
    pool = course_of(event).pool
    assert pool is not None and pool.is_complete
    byes = Counter({entry: pool.qualifying[entry].record.byes for entry in range(1, 8)})
    assert sum(byes[entry] for entry in range(1, 5)) == 0 < sum(byes[entry] for entry in (5, 6, 7))


def test_each_site_has_its_own_tables() -> None:
    event = six_and_four()
    terms = DeskTerms(wait_for=2, at_sites=(SiteTables(AUSTIN, 1, 2), SiteTables(OSLO, 11, 19)))
    change_desk_settings(event, terms, by=SYSTEM_ACTOR)
    desk = load_pairing_desk(fresh(event))
    assert desk is not None
    assert desk.free_tables == (1, 2, *range(11, 20))
    assert (desk.list_free_tables(1), desk.list_free_tables(7)) == ((1, 2), tuple(range(11, 20)))
    tables = {table: {one, other} for one, other, table in send_all(event)}
    assert set(tables) == {1, 2, 11, 12}
    assert tables[1] | tables[2] < {1, 2, 3, 4, 5, 6} and tables[11] | tables[12] == {7, 8, 9, 10}
    waiting = load_pairing_desk(fresh(event))
    assert waiting is not None and [going.table for going in waiting.next_pairs] == [None]


def test_sites_without_tables_of_their_own_share_the_rest_and_no_table_is_given_twice() -> None:
    event = six_and_four()
    change_desk_settings(event, DeskTerms(first_table=4, at_sites=(SiteTables(OSLO, 5, 5),)), by=SYSTEM_ACTOR)
    sent = {table: one for one, _other, table in send_all(event)}
    assert set(sent) == {4, 5, 6, 7} and sent[5] > 6
    change_desk_settings(event, DeskTerms(), by=SYSTEM_ACTOR)
    plain = six_and_four()
    assert sorted(table for _one, _other, table in send_all(plain)) == [1, 2, 3, 4, 5]


def test_the_settings_of_the_desk_name_the_tables_of_each_site() -> None:
    event = six_and_four()
    client, page = client_as("director", event), event_url("pairing:desk_pairing_settings", event)
    assert "Tables of Austin, TX" in client.get(page).content.decode()
    terms = {"act": "terms", "wait_for": "4", "longest_wait": "5", "first_table": "1"}
    for austin, oslo, wrong in (("1-9", "9 – 12", "site_1"), ("9-1", "", "site_0"), ("one", "", "site_0")):
        refused = client.post(page, terms | {"site_0": austin, "site_1": oslo})
        assert set(refused.context["forms"]["terms"].errors) == {wrong}
    client.post(page, terms | {"site_0": "1-2", "site_1": "11 – 19"})
    kept = [{"site": AUSTIN, "first": 1, "last": 2}, {"site": OSLO, "first": 11, "last": 19}]
    assert DeskSettings.objects.get().settings["at_sites"] == kept
    assert 'value="11–19"' in client.get(page).content.decode()
    html = look(client, event)
    assert html.count(AUSTIN) == 7 and html.count(OSLO) == 5
    plain = staged(4, BY_SITE | {"by_site": False})
    assert (
        "Tables of"
        not in client_as("director", plain).get(event_url("pairing:desk_pairing_settings", plain)).content.decode()
    )


@pytest.mark.parametrize(
    "at_sites",
    [
        "Oslo",
        [{"site": "Oslo", "first": 1}],
        [{"site": "", "first": 1, "last": 2}],
        [{"site": "Oslo", "first": 3, "last": 2}],
        [{"site": "Oslo", "first": 1, "last": 3}, {"site": "Bonn", "first": 3, "last": 4}],
        ["Oslo"],
    ],
)
def test_tables_of_sites_are_read_strictly(at_sites: object) -> None:
    with pytest.raises(InvalidInput):
        read_desk_terms({"at_sites": at_sites})


def test_a_late_entry_says_where_they_play() -> None:
    event = six_and_four()
    late = an_entrant(event, "Late", number=11)
    with pytest.raises(DomainError, match="11 Late"):
        join_stage(late, by=SYSTEM_ACTOR, reason="the train was late")
    with pytest.raises(ReasonRequired):
        change_site(late, OSLO, by=SYSTEM_ACTOR)
    change_site(late, OSLO, by=SYSTEM_ACTOR, reason="came late")
    join_stage(late, by=SYSTEM_ACTOR, reason="the train was late")
    pool = course_of(event).pool
    assert pool is not None and 11 in {part.name: part.entries for part in pool.parts}[OSLO]
