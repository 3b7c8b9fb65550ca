"""Results and final places: the facts behind each, and a comparison of the recorded finish with the current places."""

from collections import defaultdict
from collections.abc import Iterator

from django.db.models import QuerySet

from pairing.course.selectors.placings import load_final_placings
from pairing.models import MatchResult
from scoring.models import Card
from scoring.verification.selectors.checks import Check, Facts
from tournament.models import Event
from tournament.money.selectors.ledger import current_finish


def figure_results(event: Event) -> Iterator[Check]:
    """Yield the winner of each match that has a result, with the cards and decisions behind it."""
    cards: dict[int, list[int]] = defaultdict(list)
    for match, card in Card.objects.filter(match__event=event).order_by("pk").values_list("match", "pk"):
        cards[match].append(card)
    results: dict[int, list[MatchResult]] = defaultdict(list)
    for result in counting_results(event):
        results[result.match_id].append(result)
    for match, recorded in results.items():
        last = recorded[-1]
        won = f"{last.winner.name} has won" if last.winner else "nobody has won"
        score = ", ".join(f"entry {number}: {points}" for number, points in last.score.items())
        facts = {"cards": cards[match], "decisions": [one.pk for one in recorded]}
        said = f"{won} ({score})" if score else won
        what = f"result of {last.match.ident}"
        yield Check(what, True, said, kind="results", counts={"results": 1}, facts=facts)


def counting_results(event: Event) -> QuerySet[MatchResult]:
    """Return the results of matches that count, in the order of recording."""
    rows = MatchResult.objects.filter(match__event=event, match__draw__taken_back__isnull=True)
    return rows.select_related("match", "winner").order_by("match__pk", "pk")


def check_places(event: Event) -> Iterator[Check]:
    """Compute every final place again from all results, once the event is finished."""
    finish = current_finish(event)
    if finish is None:
        return
    placings = load_final_placings(event)
    again = [list(placing.entries) for placing in placings.finish] if placings is not None else []
    facts: Facts = {
        "finish": [finish.pk],
        "results": counting_results(event).filter(superseded_by__isnull=True).count(),
    }
    counts = {"places": sum(map(len, again))}
    said = f"{counts['places']} entries in {len(again)} places by all results"
    yield Check("places", again == finish.places, said, kind="places", counts=counts, facts=facts)
    if again != finish.places:
        return
    for placing in placings.finish if placings is not None else ():
        entries = ", ".join(map(str, placing.entries))
        yield Check(f"place {placing}", True, f"entry {entries}", kind="places", facts=facts)
