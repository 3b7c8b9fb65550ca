from __future__ import annotations

import pytest

from tests.factories import a_director, a_user, an_event
from tests.kit import fresh_entrant, refused
from tests.prebuilt import prebuilt
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_player_actor, make_staff_actor
from tournament.core.selectors.events import load_entrant
from tournament.errors import Conflict, NotAllowed
from tournament.models import Entrant, Event, LedgerLine, Player
from tournament.money.selectors.ledger import load_entry_account, load_event_accounts, sum_money_on_hand_by_method
from tournament.money.services.checkin import set_check_in_status
from tournament.money.services.fees_and_refunds import discount_or_waive_fee, refund_entry, take_payment
from tournament.registration.selectors.entries import (
    count_free_places,
    count_occupied_half_places,
    load_entry_summary,
    load_joined_pairs,
    make_partner_seeker_context,
)
from tournament.registration.services.entries import (
    EntryRequest,
    add_entry,
    reinstate_entrant,
    substitute_player,
    withdraw_entrant,
)
from tournament.registration.services.imported_lists import import_valid_rows, resolve_import_row, store_uploaded_list
from tournament.registration.services.pairs import change_partner_pool, join_partners, split_pair
from tournament.registration.services.people import Person, merge_players
from tournament.registration.services.waiting_list import promote_from_waiting_list

pytestmark = pytest.mark.django_db
FORM = Actor("the public form")


@prebuilt
def pairs(**fields: object) -> Event:
    return an_event(entry_size=2, name="Partnership", **{"fee_cents": 50000, **fields})


@prebuilt
def asking(event: Event, *names: str, pool: str = "") -> list[Entrant]:
    made = []
    for name in names:
        person = Person(name, f"{name.split()[0].lower()}@example.org")
        made.append(add_entry(event, EntryRequest((person,), asks_for_partner=True, pool=pool), by=FORM))
    return made


@prebuilt
def a_pair(event: Event, one: str, other: str) -> Entrant:
    return add_entry(
        event, EntryRequest((Person(one, f"{one.split()[0].lower()}@example.org"), Person(other))), by=FORM
    )


def test_a_player_without_a_partner_owes_half_the_fee() -> None:
    event = pairs(fee_cents=50001)
    (ann,) = asking(event, "Ann Smith")
    assert (ann.state, ann.name, ann.asks_partner) == ("seeking", "Ann Smith", True)
    assert load_entry_account(ann).owed_cents == 25001
    why = make_partner_seeker_context(ann)
    assert why is not None and not why["others"]
    asking(event, "Bob Jones")
    why = make_partner_seeker_context(ann)
    assert why is not None and why["others"] == 1


@pytest.mark.parametrize(
    ("fields", "entry", "code"),
    [
        ({"partners": "together"}, EntryRequest((Person("Ann"),), asks_for_partner=True), "nobody-asks"),
        ({"entry_size": 1}, EntryRequest((Person("Ann"),), asks_for_partner=True), "nobody-asks"),
        ({}, EntryRequest((Person("Ann"), Person("Bob")), asks_for_partner=True), "nobody-asks"),
        ({}, EntryRequest((Person("Ann"),)), "no-partner"),
        ({}, EntryRequest((Person("Ann"),), asks_for_partner=True, pool="A"), "bad-pool"),
        ({"partners": "a-b"}, EntryRequest((Person("Ann"),), asks_for_partner=True, pool="C"), "bad-pool"),
    ],
)
def test_options_that_an_event_lacks_are_refused(fields: dict[str, object], entry: EntryRequest, code: str) -> None:
    event = pairs(**fields) if "entry_size" not in fields else an_event(**fields)
    with refused(code):
        add_entry(event, entry, by=FORM)
    assert not event.entrants.exists()


def test_two_players_without_partners_share_a_place() -> None:
    event = pairs(capacity=2)
    a_pair(event, "Eve Adams", "Fay Brown")
    ann, bob, cid = asking(event, "Ann Smith", "Bob Jones", "Cid Young")
    assert [e.state for e in (ann, bob, cid)] == ["seeking", "seeking", "waiting"]
    assert (count_occupied_half_places(event), count_free_places(event)) == (4, 0)
    withdraw_entrant(ann, by=make_player_actor(ann))
    assert fresh_entrant(cid).state == "seeking"
    dot = a_pair(event, "Dot Gray", "Gil Hart")
    assert dot.state == "waiting"
    withdraw_entrant(bob, by=make_player_actor(bob))
    assert fresh_entrant(dot).state == "waiting", "half a place is none for a pair"
    with pytest.raises(Conflict, match="All places are taken"):
        promote_from_waiting_list(dot, by=SYSTEM_ACTOR)
    withdraw_entrant(fresh_entrant(cid), by=make_player_actor(fresh_entrant(cid)))
    assert fresh_entrant(dot).state == "in"


def test_approvals_come_before_the_waiting_for_a_partner() -> None:
    event = pairs(approvals=["director", "coordinator", "hotel"])
    (ann,) = asking(event, "Ann Smith")
    assert ann.state == "applied"
    assert make_partner_seeker_context(ann) is None


def test_two_players_are_joined_into_one_entry() -> None:
    event = pairs()
    by = a_director(event.tournament)
    ann, bob = asking(event, "Ann Smith", "Bob Jones")
    set_check_in_status(ann, by=by)
    pair = join_partners(ann, bob, by=by, reason="asked to play together", key="k1")
    assert join_partners(ann, bob, by=by, reason="asked to play together", key="k1") == pair
    assert (pair.number, pair.name, pair.state, pair.arrived) == (3, "Ann Smith / Bob Jones", "in", False)
    assert [m.player.email for m in pair.members.order_by("seat")] == ["ann@example.org", "bob@example.org"]
    assert [fresh_entrant(half).state for half in (ann, bob)] == ["joined", "joined"]
    assert [load_entrant(half.token) for half in (ann, bob, pair)] == [pair] * 3
    assert list(ann.facts.values_list("kind", flat=True)) == ["entered", "asks", "arrived", "joined"]
    assert load_joined_pairs(event) == [(pair, [ann, bob])]
    assert Player.objects.count() == 2


def test_only_a_director_joins_players_with_a_reason() -> None:
    event = pairs()
    ann, bob = asking(event, "Ann Smith", "Bob Jones")
    with pytest.raises(NotAllowed):
        join_partners(ann, bob, by=make_staff_actor(a_user("desk", event.tournament)), reason="friends")
    for act in (
        lambda: join_partners(ann, bob, by=SYSTEM_ACTOR, reason=" "),
        lambda: split_pair(ann, by=SYSTEM_ACTOR, reason=""),
    ):
        with refused("reason-needed"):
            act()


@pytest.mark.parametrize("state", ["drawn", "in-play", "finished"])
def test_after_the_draw_of_the_event_pairs_stay_as_they_are(state: str) -> None:
    event = pairs()
    ann, bob, cid, dot = asking(event, "Ann Smith", "Bob Jones", "Cid Young", "Dot Gray")
    pair = join_partners(ann, bob, by=SYSTEM_ACTOR, reason="friends")
    Event.objects.filter(pk=event.pk).update(state=state)
    for act in (
        lambda: join_partners(cid, dot, by=SYSTEM_ACTOR, reason="late"),
        lambda: split_pair(fresh_entrant(pair), by=SYSTEM_ACTOR, reason="late"),
    ):
        with refused("drawn"):
            act()


def test_nobody_is_joined_twice_or_with_themselves() -> None:
    event = pairs()
    ann, bob, cid, twice = asking(event, "Ann Smith", "Bob Jones", "Cid Young", "A. Smith")
    one, other = (entrant.members.get().player for entrant in (ann, twice))
    merge_players(event.tournament, one, other, by=SYSTEM_ACTOR, reason="one person")
    with refused("same-twice"):
        join_partners(ann, twice, by=SYSTEM_ACTOR, reason="why not")
    join_partners(ann, bob, by=SYSTEM_ACTOR, reason="friends")
    with refused("not-seeking"):
        join_partners(fresh_entrant(bob), fresh_entrant(cid), by=SYSTEM_ACTOR, reason="friends")


def test_the_pair_has_both_players_money_until_it_is_split() -> None:
    event = pairs()
    by = a_director(event.tournament)
    ann, bob = asking(event, "Ann Smith", "Bob Jones")
    take_payment(ann, 20000, "cash", by=by, key="1")
    pair = join_partners(ann, bob, by=by, reason="friends")
    assert (load_entry_account(pair).owed_cents, load_entry_account(pair).due_cents) == (50000, 30000)
    take_payment(pair, 30000, "check", by=by, key="2", reference="1042")
    books = load_event_accounts(event)
    assert books.get_account(pair.pk).is_settled
    assert (books.total.collected_cents, len(books.accounts)) == (50000, 1)

    split_pair(fresh_entrant(pair), by=by, reason="one cannot come")
    assert load_event_accounts(event).total.collected_cents == 50000
    assert sum_money_on_hand_by_method(event) == {"cash": 20000, "check": 30000}
    assert [load_entry_account(fresh_entrant(half)).balance_cents for half in (ann, bob)] == [0, 0]
    assert load_entry_account(fresh_entrant(pair)).net_paid_cents == 0
    assert LedgerLine.objects.filter(reference="1042").count() == 3


def test_splitting_a_pair_splits_its_refund() -> None:
    event = pairs()
    by = a_director(event.tournament)
    ann, bob = asking(event, "Ann Smith", "Bob Jones")
    pair = join_partners(ann, bob, by=by, reason="friends")
    take_payment(pair, 60000, "cash", by=by, key="1")
    refund_entry(pair, 10000, "cash", by=by, key="2", reason="too much")
    split_pair(fresh_entrant(pair), by=by, reason="one cannot come")
    kept = sum(load_entry_account(fresh_entrant(half)).net_paid_cents for half in (ann, bob))
    assert kept == 50000 == sum_money_on_hand_by_method(event)["cash"]
    assert load_entry_account(fresh_entrant(pair)).net_paid_cents == 0


def test_a_pairs_discount_ends_with_it() -> None:
    event = pairs()
    ann, bob = asking(event, "Ann Smith", "Bob Jones")
    take_payment(ann, 10000, "cash", by=SYSTEM_ACTOR, key="1")
    pair = join_partners(ann, bob, by=SYSTEM_ACTOR, reason="friends")
    discount_or_waive_fee(pair, 10000, by=SYSTEM_ACTOR, reason="both help at the desk", key="2")
    take_payment(pair, 30000, "check", by=SYSTEM_ACTOR, key="3")
    split_pair(fresh_entrant(pair), by=SYSTEM_ACTOR, reason="one cannot come")
    assert [line.kind for line in pair.ledger.order_by("pk")] == ["discount", "payment", "reversal", "correction"]
    assert sum(posting.cents for posting in pair.postings.filter(account="entrant")) == 0
    assert [check for check in verify_event(event) if check.kind == "ledger" and not check.passed] == []


def test_splitting_a_pair_moves_nobody_elses_money() -> None:
    event = pairs()
    others = a_pair(event, "Cid Young", "Dot Lee")
    take_payment(others, 60000, "card", by=SYSTEM_ACTOR, key="1")
    refund_entry(others, 10000, "card", by=SYSTEM_ACTOR, key="2", reason="too much")
    ann, bob = asking(event, "Ann Smith", "Bob Jones")
    pair = join_partners(ann, bob, by=SYSTEM_ACTOR, reason="friends")
    take_payment(pair, 40000, "cash", by=SYSTEM_ACTOR, key="3")
    split_pair(fresh_entrant(pair), by=SYSTEM_ACTOR, reason="one cannot come")
    assert others.ledger.count() == 3
    accounts = [load_entry_account(fresh_entrant(entrant)) for entrant in (others, ann, bob)]
    assert [(account.net_paid_cents, account.due_cents) for account in accounts] == [
        (50000, 0), (25000, 0), (15000, 10000),
    ]  # fmt: skip
    assert load_entry_account(fresh_entrant(pair)).net_paid_cents == 0
    assert list(ann.ledger.filter(kind="payment").values_list("cents", "method", "reference")) == [(25000, "cash", "")]


def test_a_split_pair_seeks_partners_again_with_its_history() -> None:
    event = pairs()
    by = a_director(event.tournament)
    ann, bob = asking(event, "Ann Smith", "Bob Jones")
    pair = join_partners(ann, bob, by=by, reason="friends")
    set_check_in_status(pair, by=by)
    halves = split_pair(fresh_entrant(pair), by=by, reason="they quarrelled", key="p")
    assert split_pair(fresh_entrant(pair), by=by, reason="they quarrelled", key="p") == halves == (ann, bob)
    assert fresh_entrant(pair).state == "parted"
    assert load_entry_summary(pair).why == "they quarrelled"
    assert [(fresh_entrant(half).state, fresh_entrant(half).arrived) for half in (ann, bob)] == [("seeking", True)] * 2
    assert load_entrant(ann.token) == ann
    assert load_joined_pairs(event) == []
    second = join_partners(fresh_entrant(bob), fresh_entrant(ann), by=by, reason="made up")
    assert (second.number, second.name) == (4, "Bob Jones / Ann Smith")
    with refused("parted"):
        withdraw_entrant(fresh_entrant(pair), by=by)


def test_players_own_entries_are_fixed_while_the_pair_exists() -> None:
    event = pairs()
    ann, bob = asking(event, "Ann Smith", "Bob Jones")
    pair = join_partners(ann, bob, by=SYSTEM_ACTOR, reason="friends")
    with refused("in-a-pair") as refusal:
        withdraw_entrant(fresh_entrant(ann), by=SYSTEM_ACTOR)
    assert "number 3" in refusal.value.message
    with pytest.raises(Conflict) as entered:
        asking(event, "Bob Jones")
    assert entered.value.data["number"] == pair.number


def test_a_pair_withdrawn_and_back_owes_what_it_did() -> None:
    event = pairs()
    by = a_director(event.tournament)
    ann, bob = asking(event, "Ann Smith", "Bob Jones")
    pair = join_partners(ann, bob, by=by, reason="friends")
    for _twice in range(2):
        withdraw_entrant(fresh_entrant(pair), by=by)
        assert load_entry_account(pair).owed_cents == 0
        reinstate_entrant(fresh_entrant(pair), by=by, reason="back")
        assert load_entry_account(pair).owed_cents == 50000
    split_pair(fresh_entrant(pair), by=by, reason="no")
    assert [load_entry_account(fresh_entrant(half)).owed_cents for half in (ann, bob)] == [25000, 25000]


def test_only_joined_pairs_can_be_split() -> None:
    event = pairs()
    together = a_pair(event, "Eve Adams", "Fay Brown")
    ann, bob = asking(event, "Ann Smith", "Bob Jones")
    changed = join_partners(ann, bob, by=SYSTEM_ACTOR, reason="friends")
    substitute_player(changed, 2, Person("Cid Young"), by=SYSTEM_ACTOR, reason="ill")
    for pair, code in ((together, "entered-together"), (fresh_entrant(changed), "substituted")):
        with refused(code):
            split_pair(pair, by=SYSTEM_ACTOR, reason="no")


def test_the_desk_changes_a_pool() -> None:
    event = pairs(partners="a-b")
    (ann,) = asking(event, "Ann Smith", pool="A")
    (bob,) = asking(event, "Bob Jones", pool="B")
    desk = make_staff_actor(a_user("desk", event.tournament))
    assert change_partner_pool(ann, "B", by=desk).pool == "B"
    assert fresh_entrant(ann).facts.get(kind="pool").data == {"was": "A", "pool": "B"}
    why = make_partner_seeker_context(fresh_entrant(bob))
    assert why is not None and (why["other_pool"], why["in_other_pool"]) == ("A", 0)
    for pool, code in (("B", "same-pool"), ("", "bad-pool")):
        with refused(code):
            change_partner_pool(fresh_entrant(ann), pool, by=desk)


LIST = b"""Player A;Player B;Email;Partner e-mail;Pool;Fee paid
Ann Smith;partner wanted;ann@example.org;;A;250
Bob Jones;?;bob@example.org;;;
Cid Young;;cid@example.org;;B;
Dot Gray;Eve Adams;dot@example.org;eve@example.org;;500
Fay Brown;TBD;;;C;
"""


def test_a_list_has_pairs_and_single_players() -> None:
    event = pairs(partners="a-b")
    by = a_director(event.tournament)
    batch = store_uploaded_list(event, "pairs.csv", LIST, by=by)
    said = {row.number: (row.verdict, [remark["code"] for remark in row.remarks]) for row in batch.rows.all()}
    assert said == {
        2: ("new", ["asks"]),
        3: ("new", ["asks", "no-pool"]),
        4: ("look", ["no-partner"]),
        5: ("new", []),
        6: ("look", ["asks", "bad-pool"]),
    }
    resolve_import_row(batch.rows.get(number=4), "accept", by=by)
    assert import_valid_rows(batch, by=by) == 4
    found = event.entrants.order_by("number").values_list("name", "state", "pool")
    assert list(found) == [
        ("Ann Smith", "seeking", "A"),
        ("Bob Jones", "seeking", ""),
        ("Cid Young", "seeking", "B"),
        ("Dot Gray / Eve Adams", "in", ""),
    ]
    assert load_entry_account(event.entrants.get(number=1)).is_settled
    assert Player.objects.get(name="Eve Adams").email == "eve@example.org"
    assert store_uploaded_list(event, "pairs.csv", LIST, by=by).rows.filter(verdict="there").count() == 4


def test_if_only_pairs_enter_a_row_needs_a_partner() -> None:
    event = pairs(partners="together")
    batch = store_uploaded_list(event, "pairs.csv", LIST, by=a_director(event.tournament))
    found = {row.number: [remark["code"] for remark in row.remarks] for row in batch.rows.filter(verdict="look")}
    assert {number: codes[0] for number, codes in found.items()} == dict.fromkeys((2, 3, 4, 6), "no-partner")
    assert {number for number, codes in found.items() if codes[1:] == ["not-taken"]} == {2, 4, 6}, "they name a pool"
