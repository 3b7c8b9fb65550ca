"""Compare the signed cards and the rulings of an event with what was signed, sealed and logged.

Every fault names its place.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from django.db.models import F, Q

from scoring.card_state.selectors.cards import CardState
from scoring.disputes.selectors.register import RulingChange, load_ruling_changes, load_rulings_in
from scoring.models import CardPosted, CardSeal, CardSeat, CardVersion
from scoring.rules.evidence.sealing import FIRST, Fault
from scoring.seals.selectors.checks import (
    check_card,
    check_decisions,
    check_evidence,
    check_results,
    check_rows,
    digest_now,
    find_missing_rows,
)
from scoring.seals.selectors.keys import load_earlier_keys
from scoring.seals.selectors.log import SealedLog, check_anchors, load_sealed_log
from scoring.verification.selectors.checks import Check
from tournament.models import Entrant, Event, Tournament


def check_signed_cards(event: Event, states: Sequence[CardState]) -> list[Check]:
    """Return a check for each fault, or one for all cards without a fault, and one for the chain of seals."""
    versions: dict[int, list[CardVersion]] = defaultdict(list)
    signed = CardVersion.objects.filter(card__match__event=event).select_related("seal__key").order_by("number")
    for version in signed:
        versions[version.card_id].append(version)
    log = load_sealed_log(event)
    evidence: dict[int | None, list[Fault]] = defaultdict(list)
    for card, fault in check_evidence(event, log):
        evidence[card].append(fault)
    faulty: list[Check] = []
    signed_cards: list[Check] = []
    sealed = 0
    for state in states:
        own = versions[state.card.pk]
        sealed += sum(hasattr(version, "seal") for version in own)
        faults = check_card(state, own, log)
        if digest_now(state) is None and not faults:
            faults = [Fault("hands", "The card cannot be counted: a line on it cannot stand.")]
        faults += evidence[state.card.pk]
        (faulty if faults else signed_cards).extend(_checks_of_card(_figure_of(state, own), faults))
    faulty += [Check(fault.place, False, fault.said, kind="cards") for fault in _missing_rows(log, states, versions)]
    counts = {"versions": sum(map(len, versions.values())), "seals": sealed}
    if not faulty and versions:
        older = CardPosted.objects.filter(card__match__event=event, card__versions__isnull=True).count()
        before = f", {older} posted before seals" if older else ""
        text = f"{counts['versions']} versions, {sealed} sealed{before}"
        faulty = [Check("signed cards", True, text, kind="versions", counts=counts, facts=counts)]
    decided = [Check(fault.place, False, fault.said, kind="results") for fault in check_results(event, log)]
    decided += [Check(fault.place, False, fault.said, kind="decisions") for fault in check_decisions(event, log)]
    decided += [Check(fault.place, False, fault.said, kind=kind) for kind, fault in check_rows(event, log)]
    return [*decided, *_check_names(event), *signed_cards, *faulty, *_check_seal_chain(event.tournament)]


def _check_names(event: Event) -> Iterator[Check]:
    """Compare the names on cards with the entrants they belong to.

    A card keeps its names when a substitute comes or a name is corrected. Entries with such a history are left to the
    digests of their rows.
    """
    changed = Q(members__replaces__isnull=False) | Q(members__player__corrections__isnull=False)
    merged = Q(members__player__merges__isnull=False)
    with_history = Entrant.objects.filter(changed | merged, event=event).values("pk")
    seats = CardSeat.objects.filter(card__match__event=event, entrant__isnull=False).exclude(entrant__in=with_history)
    columns = ("card__match__ident", "card__game", "name", "entrant__number", "entrant__name")
    wrong = list(seats.exclude(name=F("entrant__name")).values_list(*columns))
    for match, game, name, entry, entry_name in wrong:
        text = f"the card names “{name}”, and entry {entry} is “{entry_name}”"
        yield Check(f"names on {match}, game {game}", False, text, kind="cards")
    if not wrong and (compared := seats.count()):
        facts = {"card_seats": compared}
        yield Check("names on cards", True, f"{compared} compared with the entries", kind="cards", facts=facts)


def _missing_rows(
    log: SealedLog, states: Sequence[CardState], versions: Mapping[int, Sequence[CardVersion]]
) -> Iterator[Fault]:
    signed = [version for own in versions.values() for version in own]
    there = {
        "lines": {line.pk for state in states for line in state.facts.lines},
        "cuts": {cut.pk for state in states for cut in state.facts.cuts},
        "signatures": {signature.pk for state in states for signature in state.signatures.made},
        "versions": {version.pk for version in signed},
        "seals": {version.seal.pk for version in signed if hasattr(version, "seal")},
    }
    yield from find_missing_rows(log, there, {state.card.pk for state in states})


def _checks_of_card(figure: Check, faults: Sequence[Fault]) -> Iterator[Check]:
    """Yield the figure of a card without faults, else a check for each fault. The card is counted once."""
    if not faults:
        yield figure
    for fault in faults[:1]:
        yield replace(figure, what=f"{figure.what}: {fault.place}", good=False, found=fault.said)
    for fault in faults[1:]:
        yield Check(f"{figure.what}: {fault.place}", False, fault.said, kind="cards")


def _figure_of(state: CardState, versions: Sequence[CardVersion]) -> Check:
    """Return the totals of a card, and the rows from which they come."""
    facts = {
        "hands": [line.pk for line in state.hands],
        "totals": [line.pk for line in state.lines if line not in state.hands],
        "corrected_lines": [line.pk for line in state.facts.lines if line not in state.lines],
        "cuts": [cut.pk for cut in state.facts.cuts],
        "closings": [closing.pk for closing in state.facts.closings],
        "signatures": [signature.pk for signature in state.signatures.made],
        "versions": [version.pk for version in versions],
        "postings": [posting.pk for posting in state.postings],
    }
    counts = {"cards": 1, "hands": len(facts["hands"]), "signatures": len(facts["signatures"])}
    text = "" if digest_now(state) is None else state.score.line
    place = f"{state.card.match.ident}, game {state.card.game}" if state.is_game else "card"
    return Check(f"{place} ({state.title})", True, text, kind="cards", counts=counts, facts=facts)


def _check_seal_chain(tournament: Tournament) -> list[Check]:
    """Check that each statement names the one before. A missing or inserted seal shows in the next one."""
    rows = CardSeal.objects.filter(version__card__match__event__tournament=tournament)
    seals = list(rows.select_related("key").order_by("number", "pk"))
    anchors = check_anchors(tournament, seals)
    if anchors:
        return [Check(fault.place, False, fault.said, kind="log") for fault in anchors]
    expected, previous = 0, FIRST
    for seal in seals:
        expected += 1
        if seal.number != expected:
            return [Check("chain of seals", False, f"seal {expected} is missing", kind="seals")]
        if seal.previous != previous:
            text = f"seal {seal.number} does not follow the one before"
            return [Check("chain of seals", False, text, kind="seals")]
        previous = seal.digest
    earlier_keys = load_earlier_keys()
    older = sum(seal.key.public in earlier_keys for seal in seals)
    found = f"{expected} seals" + (f", {older} of them genuine by an earlier key" if older else "")
    return [Check("chain of seals", True, found, kind="seals", facts={"seals": expected})] if expected else []


def check_rulings(event: Event) -> Iterator[Check]:
    """Compare every ruling of an event with its effects.

    A later undoing or correction is named, with its author and reason. It is a problem only if it has no reason.
    """
    rulings = load_rulings_in(event)
    if not rulings:
        return
    changed = load_ruling_changes(rulings)
    for one in rulings:
        for change in changed.get(one.pk, ()):
            yield Check(f"ruling {one.number}", change.has_reason, _describe(change), kind="rulings")
    text = f"{len(rulings) - len(changed)} as they were made, {len(changed)} undone or corrected since"
    facts = {"rulings": [one.pk for one in rulings]}
    yield Check("rulings", True, text, kind="rulings", counts={"rulings": len(rulings)}, facts=facts)


def _describe(change: RulingChange) -> str:
    where = change.match or change.name or (f"hand {change.hand}" if change.hand else "its card")
    what = f"what it did ({where}) does not stand any more: {change.what.value}"
    if not change.has_reason:
        return f"{what}, and no act with a reason says so"
    return f"{what}, by {change.by}: {change.reason}"
