"""Test that each action's idempotency key covers all values that a form submits.

Submitting the same form twice then performs the action once, and a form with other values performs another action.
`NOT_CONTENT` lists the arguments that the key may leave out, with the reasons.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from scoring.cards.services.hands import LineEntry, correct_line, record_scorekeeper
from scoring.disputes.services.appeals import set_committee, set_name_visibility_in_register
from scoring.disputes.services.disputes import answer_director_call, call_director
from scoring.models import Card, DirectorCall
from tests.config.helpers import APPS, modules_of
from tests.factories import an_entrant, an_event
from tests.scoring.helpers.playing import an_event_in_play, knock, play, the_card
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.core.services.record import writing
from tournament.errors import Conflict
from tournament.messages.services import MessageDraft, send_message
from tournament.models import AuditEntry
from tournament.registration.services.entries import EntryRequest, add_entry, withdraw_entrant
from tournament.registration.services.people import Person

BOUND_BY_WRITING: Final = {"self", "by", "key", "reason", "event", "tournament", "scope", "verb"}
BINDS: Final = {"make_idempotency_key", "make_card_idempotency_key", "_key"}
NOT_CONTENT: Final = {
    "site": "how links in an e-mail begin",
    "report": "who learns whether the e-mail could be sent",
    "override": "the same figures, once the warning was read",
    "split_equally": "the same payout, once the question was answered",
    "looked": "what the page showed; the service refuses another state itself",
    "seen": "what the page showed; the service refuses another state itself",
    "listed": "what the page showed; the service refuses another state itself",
    "previewed": "what the page showed; the service refuses another state itself",
    "cause": "in the outcome",
    "totals": "in the outcome",
    "options": "in the plan",
    "drawn": "in the key's own place",
    "names": "as members",
}


def keyed_verbs() -> Iterator[tuple[str, ast.FunctionDef]]:
    for path, tree in modules_of(*APPS).items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and any(map(is_keyed, ast.walk(node))):
                yield f"{path}:{node.name}", node


def is_keyed(node: ast.AST) -> bool:
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "writing"
    return called and any(each.arg == "key" for each in node.keywords)  # type: ignore[attr-defined]


def names_in(nodes: list[ast.AST]) -> set[str]:
    return {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}


def test_every_keyed_verb_binds_what_it_is_given() -> None:
    loose = {}
    for name, verb in keyed_verbs():
        calls = [node for node in ast.walk(verb) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        binds: list[ast.AST] = [call for call in calls if names_in([call.func]) & BINDS]
        binds += [each.value for call in calls if is_keyed(call) for each in call.keywords if each.arg == "verb"]
        given = {arg.arg for arg in (*verb.args.args, *verb.args.kwonlyargs)}
        left = given - names_in(binds) - BOUND_BY_WRITING - set(NOT_CONTENT)
        if left:
            loose[name] = left
    assert not loose, "\n".join(f"{name}: {left}" for name, left in loose.items())


@pytest.mark.django_db
def test_event_and_reason_are_bound_in_one_place() -> None:
    one = an_event()
    other = an_event(one.tournament)
    for scope, reason, repeated in ((one, "a", False), (one, "a", True), (one, "b", False), (other, "a", False)):
        with writing(scope, verb="test", by=SYSTEM_ACTOR, key="k", reason=reason) as write:
            assert write.repeated is repeated


def withdrawals() -> Iterator[Callable[[], object]]:
    event = an_event()
    for name in ("Ada", "Alan"):
        entrant = an_entrant(event, name)
        yield lambda entrant=entrant: withdraw_entrant(entrant, by=SYSTEM_ACTOR, key="k")  # type: ignore[misc]


def letters() -> Iterator[Callable[[], object]]:
    event = an_event()
    an_entrant(event)
    for body in ("Round 2 at two.", "Round 2 at three."):
        letter = MessageDraft("Round 2", body, "in")
        yield lambda letter=letter: send_message(event, letter, by=SYSTEM_ACTOR, key="k")  # type: ignore[misc]


def committees() -> Iterator[Callable[[], object]]:
    event = an_event()
    for names in (["Ada"], ["Ada", "Alan"]):
        yield lambda names=names: set_committee(event, names, by=SYSTEM_ACTOR, key="k")  # type: ignore[misc]


def registers() -> Iterator[Callable[[], object]]:
    event = an_event()
    for shown in (True, False):
        yield lambda shown=shown: set_name_visibility_in_register(event, shown=shown, by=SYSTEM_ACTOR, key="k")  # type: ignore[misc]


def corrections() -> Iterator[Callable[[], object]]:
    card: Card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))
    play(card, knock("A", 5, 20))
    for count in (21, 22):
        entry = LineEntry(knock("A", 5, count), key="k")
        yield lambda entry=entry: correct_line(card, 1, entry, by=SYSTEM_ACTOR, reason="misread", key="k")  # type: ignore[misc]


def cuts() -> Iterator[Callable[[], object]]:
    card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))
    for keeper in card.entrants:
        yield lambda keeper=keeper: record_scorekeeper(card, keeper, by=SYSTEM_ACTOR, key="k")  # type: ignore[misc]


@pytest.mark.django_db
@pytest.mark.parametrize("sent", [withdrawals, letters, committees, registers, corrections, cuts])
def test_sent_twice_is_once_and_with_other_content_is_another(
    sent: Callable[[], Iterator[Callable[[], object]]],
) -> None:
    one, other = sent()
    counts = []
    for send in (one, one, other, other):
        send()
        counts.append(AuditEntry.objects.count())
    assert counts[0] == counts[1] == counts[2] - 1 == counts[3] - 1


@pytest.mark.django_db
def test_an_entry_sent_again_with_another_phone_is_not_taken_for_the_first() -> None:
    event = an_event()
    first = add_entry(event, EntryRequest((Person("Ada", "a@example.org"),)), by=SYSTEM_ACTOR, key="k")
    assert add_entry(event, EntryRequest((Person("Ada", "a@example.org"),)), by=SYSTEM_ACTOR, key="k") == first
    with pytest.raises(Conflict, match="already"):
        add_entry(event, EntryRequest((Person("Ada", "a@example.org", "555-0100"),)), by=SYSTEM_ACTOR, key="k")


@pytest.mark.django_db
def test_a_call_sent_again_after_it_was_answered_is_no_second_call() -> None:
    card = the_card(an_event_in_play())
    by = make_player_actor(card.entrants[0])
    call = call_director(card.match, by=by, key="k")
    answer_director_call(call, by=SYSTEM_ACTOR)
    assert call_director(card.match, by=by, key="k") == call
    assert DirectorCall.objects.count() == 1
