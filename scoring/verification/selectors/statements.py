"""Compare every signed card with the result of its match. Each card that contradicts it is named, with both."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pairing.models import Match
from scoring.models import Card
from scoring.posting.selectors.result_rows import load_results_in_force
from scoring.posting.selectors.statements import CountedCard, load_points, load_statements
from scoring.rules.sheet.card_status import Counts
from scoring.verification.selectors.checks import Check
from tournament.models import Event


def check_statements(event: Event) -> Iterator[Check]:
    """Check the cards against the results.

    A card superseded by a decision is fine, but an undecided contradiction is not.

    A changed card that waits for signatures is a problem if it contradicts the result. It also is one once the event is
    finished, because nobody can sign it then.
    """
    stated = [one for one in load_statements(event).values() if one.counts is not Counts.NOTHING and not one.is_blank]
    if stated:
        yield from _against_results(stated, is_over=event.state == Event.State.FINISHED)
    yield from _without_points(event)


def _against_results(stated: Sequence[CountedCard], *, is_over: bool) -> Iterator[Check]:
    waiting = [one for one in stated if one.counts is Counts.WAITS]
    decided = [one for one in stated if one.counts is Counts.DECIDED]
    void = [one for one in stated if one.counts is Counts.VOID]
    signed = [one for one in stated if one.counts not in (Counts.WAITS, Counts.DECIDED, Counts.VOID)]
    differing = [one for one in signed if one.counts is Counts.DISAGREES]
    for one in waiting:
        if is_over or not one.agrees:
            yield Check(_name(one), False, _waits(one), kind="statements")
    for one in differing:
        yield Check(_name(one), False, _differs(one), kind="statements")
    superseded = sum(one.counts is Counts.SUPERSEDED for one in signed)
    said = f"{len(signed) - superseded - len(differing)} count as they were signed, {superseded} superseded"
    said += f", {len(waiting)} changed and not signed again" if waiting else ""
    said += f", {len(decided)} changed and decided since" if decided else ""
    said += f", {len(void)} void" if void else ""
    counts, facts = {"statements": len(stated)}, {"cards": [one.state.card.pk for one in stated]}
    yield Check("cards and results", True, said, kind="statements", counts=counts, facts=facts)


def _without_points(event: Event) -> Iterator[Check]:
    """Check matches of two that were decided as played. Without points, the standings lose their point spread."""
    matches = {match.pk: match for match in Match.objects.filter(event=event, seating=None)}
    found: dict[bool, list[str]] = defaultdict(list)
    carded = set(Card.objects.filter(match__in=matches, postings__isnull=False).values_list("match_id", flat=True))
    for key, rows in load_results_in_force(matches).items():
        if rows and rows[-1].was_played and len(rows[-1].credits) == 2 and not rows[-1].points:
            has_points = key in carded and load_points(matches[key]) is not None
            found[has_points].append(matches[key].ident)
    for ident in found[True]:
        said = "it was decided as played, its score card has points, and no points are on record"
        yield Check(f"points of {ident}", False, said, kind="results")
    if found[False]:
        said = f"{len(found[False])} decided as played without a card and without points"
        yield Check("results without points", True, said, kind="results")


def _name(one: CountedCard) -> str:
    card = one.state.card
    return f"{card.match.ident}, game {card.game} ({one.state.title})"


def _differs(one: CountedCard) -> str:
    return f"the card says {one.state.score.line}; the result on record says {one.result_line}"


def _waits(one: CountedCard) -> str:
    """Describe a card that was changed after posting and differs from the result."""
    whole = "" if one.state.is_complete else ", and the game is not over by it"
    return f"changed since it was posted and not signed again{whole}: {_differs(one)}"
