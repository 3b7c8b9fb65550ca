"""Compare each score card with its JSON, its pages for the public, a player, and staff, and its `/verify/` page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

import rfc8785

from tests.devtools.whole_events.facts import CardRow, Facts
from tests.devtools.whole_events.second_cards import (
    CardReading,
    Counts,
    hands_of,
    is_parted,
    paper_totals,
    read_card,
    says_otherwise,
    what_it_counts_for,
)
from tests.devtools.whole_events.values import Disagreement, Found, PageFails, compare, reports_failed_pages
from tests.devtools.whole_events.words import CardWords, Pages, read_card_page, select, words

FLAGS = re.compile(
    r"supersed|disagree|differ|stands now|counts now|decided otherwise|replaced|does not count|no longer counts"
    r"|says otherwise|does not agree|taken back|was undone|is undone",
    re.I,
)
"""Phrases with which a page says that a card does not count."""
WAITS = re.compile(r"waits for signatures|waiting for signatures|not complete|not signed again|decided since", re.I)
"""Phrases with which a page says that a posted (final) card was changed, while its result stays in force."""
GENUINE = re.compile(r"Genuine(, by an earlier key)?\.")
"""A page calls a paper genuine. After an import, another installation sealed the paper with its own key."""
AGAIN = "The match is open and will be played again."
CLAIMS = re.compile(rf"Signed by all and verified\.|{GENUINE.pattern}")


def read_cards(facts: Facts, pages: Pages, cards: Iterable[CardRow]) -> tuple[list[CardReading], list[Disagreement]]:
    """Return the cards with the digests from their JSON, and the problems found in that JSON."""
    readings: list[CardReading] = []
    wrong: list[Disagreement] = []
    for card in cards:
        where = f"/api/cards/{card.token}/"
        try:
            answer = pages.json(where)
        except PageFails as fails:
            wrong.append(fails.disagreement)
            continue
        names = tuple(one["name"] for one in answer["card"]["sides"] if one.get("number") is not None)
        own = CardReading(card, read_card(card), answer["digest"], names)
        readings.append(own)
        wrong += compare_json(facts, own, answer, where)
    return readings, wrong


def name_of(facts: Facts, card: CardRow) -> str:
    match = facts.matches[card.match]
    return f"{match.ident}, game {card.game}, {card.variant}"


def compare_json(facts: Facts, own: CardReading, answer: dict, where: str) -> Found:
    """Check that the signed content in a card's JSON matches the database rows, and its digest the content."""
    card, reading, said = own.card, own.reading, answer["card"]
    made_of = f"{len(card.lines)} lines of {name_of(facts, card)}"
    if hashlib.sha256(rfc8785.dumps(said)).hexdigest() != answer["digest"]:
        yield Disagreement("digest", where, "the SHA-256 of the content", answer["digest"], made_of)
    yield from compare("lines signed", where, hands_of(card), said.get("lines"), made_of)
    yield from compare("paper totals signed", where, paper_totals(card), said.get("totals"), made_of)
    totals = dict(reading.totals)
    yield from compare("totals signed", where, totals, said.get("result", {}).get("totals"), made_of)
    yield from compare("totals counted", where, totals, answer["tally"]["totals"], made_of)
    if not reading.closed:
        yield from compare("complete", where, reading.complete, answer["tally"]["complete"], made_of)
        yield from compare("winner counted", where, reading.winner, answer["tally"]["winner"], made_of)
    yield from compare("posted", where, own.is_posted, answer["posted"], f"{len(card.posted)} postings")
    signed = sorted(card.signed.get(own.digest, ()))
    yield from compare("signed by", where, signed, sorted(answer["signed_sides"]), "signatures under this digest")
    names = {side: number for side, (number, _name) in card.sides.items()}
    yield from compare("sides", where, names, {one["side"]: one["number"] for one in said["sides"]}, "seats")


def compare_card_pages(
    facts: Facts, pages: Pages, own: CardReading, all_cards: list[CardReading], *, thorough: bool = True
) -> Found:
    """Compare the card's public page.

    If `thorough` is true, also compare the player's page, the staff page, and the page that verifies the card.
    """
    counts = what_it_counts_for(facts, own, all_cards)
    yield from _public_page(facts, pages, own, counts)
    if not thorough:
        return
    yield from _desk(facts, pages, own, counts)
    player = next(iter(own.card.numbers), None)
    if player is not None:
        where = f"/my/{facts.entrants[player].token}/card/{own.card.token}/"
        yield from _figures_on(pages, own, where, f"{name_of(facts, own.card)}, as entry {player} sees it")
    waits_as_it_was = counts is Counts.WAITS and not says_otherwise(facts, own, all_cards)
    yield from _verified(facts, pages, own, Counts.OPEN if waits_as_it_was else counts)


@reports_failed_pages
def _public_page(facts: Facts, pages: Pages, own: CardReading, counts: Counts) -> Found:
    where = pages.of_event(f"card/{own.card.token}/")
    page = read_card_page(pages.get(where))
    card, reading = own.card, own.reading
    made_of = f"{len(card.lines)} lines of {name_of(facts, card)}"
    totals = [reading.totals[side] for side in card.sides]
    yield from compare("totals", where, totals, [side.total for side in page.sides], made_of)
    yield from compare(
        "entries on the card", where, [n for n, _name in card.sides.values()], [s.number for s in page.sides], "seats"
    )
    if counts not in (Counts.AGAINST, Counts.REPLACED):
        # Of a superseded card the page may leave the winner out: what stands now is said apart.
        won = [side == reading.winner for side in card.sides]
        yield from compare("winner", where, won, [side.won for side in page.sides], made_of)
    yield from _state(own, page, where, made_of)
    yield from _claims(facts, own, counts, page.text, where)
    if page.rows and not reading.closed and reading.over:
        last = list(page.rows[-1])
        if len(last) == len(totals) and card.variant in ("gra-singles", "standard", "oklahoma", "captain"):
            yield from compare("last running totals", where, totals, last, made_of)


def _state(own: CardReading, page: CardWords, where: str, made_of: str) -> Found:
    word = page.state.casefold()
    complete = own.reading.over
    if word in ("posted", "final") and not own.is_posted:
        yield Disagreement("state", where, "not posted", page.state, "no posting of what is on it now")
    if own.is_posted and not own.reading.closed and word in ("unsigned", "playing", "ready"):
        yield Disagreement("state", where, "posted", page.state, "the posting of what is on it now")
    if word == "unsigned" and not complete:
        yield Disagreement("state", where, "open", page.state, made_of)
    if word in ("playing", "ready") and complete:
        yield Disagreement("state", where, "complete", page.state, made_of)


def _claims(facts: Facts, own: CardReading, counts: Counts, text: str, where: str) -> Found:
    """Compare what a card's page says about the card's validity with the recorded facts.

    The page must say so if the card was superseded, differs from the result of its match, was changed without all
    signatures, or is void. The page must not call the card genuine or signed by all unless everybody has signed its
    current content.
    """
    if (claim := CLAIMS.search(text)) and not own.is_posted:
        yield Disagreement("claim", where, "no claim", claim[0], "no posting of what is on it now")
    if counts in (Counts.AGAINST, Counts.REPLACED, Counts.DIFFERS):
        match = facts.matches[own.card.match]
        by = f"result {match.results[-1].winner} by {match.results[-1].by_name}" if match.results else "no result"
        made_of = f"card won by {own.winner}, {by}, {counts.value}"
        if not FLAGS.search(text):
            yield Disagreement("superseded card", where, "said to be superseded or to differ", text[:160], made_of)
        elif GENUINE.search(text):
            yield Disagreement("superseded card", where, "not called genuine", "Genuine.", made_of)
    if counts in (Counts.WAITS, Counts.DECIDED) and not WAITS.search(text):
        yield Disagreement("changed card", where, "said to be changed and not signed", text[:160], counts.value)
    if counts is Counts.VOID and "before its match became void" not in text:
        yield Disagreement("void card", where, "said that its match became void", text[:160], counts.value)
    if counts is Counts.VOID and is_parted(facts, own) and AGAIN in text:
        yield Disagreement("void card", where, "said who meets in its match now", AGAIN, counts.value)
    if counts is Counts.PARTED and "no longer meet in this match" not in text:
        yield Disagreement("parted card", where, "said that they do not meet there", text[:160], counts.value)


@reports_failed_pages
def _figures_on(pages: Pages, own: CardReading, where: str, made_of: str) -> Found:
    text = words(pages.get(where))
    figures = set(re.findall(r"[-\u2212]?\d+", text))
    for total in own.reading.totals.values():
        if str(total).replace("-", "\u2212") not in figures and str(total) not in figures:
            yield Disagreement("total", where, total, "nowhere on the page", made_of)


@reports_failed_pages
def _desk(facts: Facts, pages: Pages, own: CardReading, counts: Counts) -> Found:
    where = pages.of_desk(f"cards/{own.card.token}/")
    page = pages.get(where, staff=True)
    found = read_card_page(page)
    yield from _state(own, found, where, name_of(facts, own.card))
    if counts in (Counts.AGAINST, Counts.REPLACED, Counts.DIFFERS) and not FLAGS.search(found.text):
        yield Disagreement("superseded card", where, "said to be superseded or to differ", found.state, counts.value)
    if counts in (Counts.WAITS, Counts.DECIDED) and not WAITS.search(found.text):
        yield Disagreement("changed card", where, "said to be changed and not signed", found.text[:160], counts.value)


def _verified(facts: Facts, pages: Pages, own: CardReading, counts: Counts) -> Found:
    for digest, (number, sealed) in own.card.versions.items():
        if digest in own.card.digests_of_original:
            continue
        made_of = f"version {number} of {name_of(facts, own.card)}, {counts.value}, sealed {sealed}"
        yield from _verified_version(pages, own, counts, digest, made_of)


@reports_failed_pages
def _verified_version(pages: Pages, own: CardReading, counts: Counts, digest: str, made_of: str) -> Found:
    where = f"/verify/{digest}/"
    page = pages.get(where)
    notices = " ".join(words(notice) for notice in select(page, ".notice"))
    good = digest == own.digest and counts in (Counts.AGREES, Counts.OPEN)
    if GENUINE.search(notices) and not good:
        yield Disagreement("verify", where, "not genuine", notices[:160], made_of)
    if "Altered" in notices or "Unknown" in notices:
        yield Disagreement("verify", where, "what was signed here", notices[:160], made_of)
    if good and own.is_posted and not GENUINE.search(notices):
        yield Disagreement("verify", where, "Genuine.", notices[:160], made_of)
    if counts is Counts.AGAINST and GENUINE.search(words(page)):
        yield Disagreement("verify", where, "not genuine", "Genuine.", made_of)
