"""Every score card: its JSON, its pages for everybody, a player and the desk, and what `/verify/` says of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

import rfc8785

from tests.devtools.whole_events.facts import CardRow, Facts
from tests.devtools.whole_events.second_cards import CardReading, Counts, says_otherwise, what_it_counts_for
from tests.devtools.whole_events.second_tally import hands_of, paper_totals, read_card
from tests.devtools.whole_events.values import Disagreement, Found
from tests.devtools.whole_events.words import CardWords, PageFails, Pages, read_card_page, select, words

FLAGS = re.compile(
    r"supersed|disagree|differ|stands now|counts now|decided otherwise|replaced|does not count|no longer counts"
    r"|says otherwise|does not agree|taken back|was undone|is undone",
    re.I,
)
"""How a page says that a card is not what counts."""
WAITS = re.compile(r"waits for signatures|waiting for signatures|not complete|not signed again|decided since", re.I)
"""How a page says that a card was changed since it was posted, and that the result stays."""
CLAIMS = ("Signed by all and verified.", "Genuine.")


@dataclass
class Cards:
    """What is known of the cards of an event after an act: their digests by their own JSON."""

    facts: Facts
    pages: Pages

    def read(self, cards: list[CardRow]) -> tuple[list[CardReading], list[Disagreement]]:
        """The cards with the digests that their JSON names, and what is wrong with that JSON."""
        found: list[CardReading] = []
        wrong: list[Disagreement] = []
        for card in cards:
            where = f"/api/cards/{card.token}/"
            try:
                answer = self.pages.json(where)
            except PageFails as fails:
                wrong.append(page_fails(fails))
                continue
            names = tuple(one["name"] for one in answer["card"]["sides"] if one.get("number") is not None)
            own = CardReading(card, read_card(card), answer["digest"], names)
            found.append(own)
            wrong += compare_json(self.facts, own, answer, where)
        return found, wrong


def page_fails(fails: PageFails) -> Disagreement:
    return Disagreement("page", fails.path, "the page", f"{fails.status} {fails.said}")


def name_of(facts: Facts, card: CardRow) -> str:
    match = facts.matches[card.match]
    return f"{match.ident}, game {card.game}, {card.variant}"


def compare_json(facts: Facts, own: CardReading, answer: dict, where: str) -> Found:
    """The content that is signed follows from the rows, its digest from the content."""
    card, reading, said = own.card, own.reading, answer["card"]
    made_of = f"{len(card.lines)} lines of {name_of(facts, card)}"
    if hashlib.sha256(rfc8785.dumps(said)).hexdigest() != answer["digest"]:
        yield Disagreement("digest", where, "the SHA-256 of the content", answer["digest"], made_of)
    yield from _same("lines signed", where, hands_of(card), said.get("lines"), made_of)
    yield from _same("paper totals signed", where, paper_totals(card), said.get("totals"), made_of)
    totals = dict(reading.totals)
    yield from _same("totals signed", where, totals, said.get("result", {}).get("totals"), made_of)
    yield from _same("totals counted", where, totals, answer["tally"]["totals"], made_of)
    if not reading.closed:
        yield from _same("complete", where, reading.complete, answer["tally"]["complete"], made_of)
        yield from _same("winner counted", where, reading.winner, answer["tally"]["winner"], made_of)
    yield from _same("posted", where, own.is_posted, answer["posted"], f"{len(card.posted)} postings")
    signed = sorted(card.signed.get(own.digest, ()))
    yield from _same("signed by", where, signed, sorted(answer["signed_sides"]), "signatures under this digest")
    names = {side: number for side, (number, _name) in card.sides.items()}
    yield from _same("sides", where, names, {one["side"]: one["number"] for one in said["sides"]}, "seats")


def _same(what: str, where: str, expected: object, seen: object, facts: str) -> Iterator[Disagreement]:
    if expected != seen:
        yield Disagreement(what, where, expected, seen, facts)


def compare_card_pages(
    facts: Facts, pages: Pages, own: CardReading, all_cards: list[CardReading], *, thorough: bool = True
) -> Found:
    """The public page always; the player's, the desk's and the one to verify it where it is looked at thoroughly."""
    counts = what_it_counts_for(facts, own, all_cards)
    yield from _page(facts, pages, own, counts, pages.of_event(f"card/{own.card.token}/"))
    if not thorough:
        return
    yield from _desk(facts, pages, own, counts)
    player = next(iter(own.card.numbers), None)
    if player is not None:
        where = f"/my/{facts.entrants[player].token}/card/{own.card.token}/"
        yield from _figures_on(pages, own, where, f"{name_of(facts, own.card)}, as entry {player} sees it")
    waits_as_it_was = counts is Counts.WAITS and not says_otherwise(facts, own, all_cards)
    yield from _verified(facts, pages, own, Counts.OPEN if waits_as_it_was else counts)


def _page(facts: Facts, pages: Pages, own: CardReading, counts: Counts, where: str) -> Found:
    try:
        page = read_card_page(pages.get(where))
    except PageFails as fails:
        yield page_fails(fails)
        return
    yield from compare_card_words(facts, own, counts, page, where)


def compare_card_words(facts: Facts, own: CardReading, counts: Counts, page: CardWords, where: str) -> Found:
    """Names, totals and winner; the state; and what may be said of it."""
    card, reading = own.card, own.reading
    made_of = f"{len(card.lines)} lines of {name_of(facts, card)}"
    totals = [reading.totals[side] for side in card.sides]
    yield from _same("totals", where, totals, [side.total for side in page.sides], made_of)
    yield from _same(
        "entries on the card", where, [n for n, _name in card.sides.values()], [s.number for s in page.sides], "seats"
    )
    if counts not in (Counts.AGAINST, Counts.REPLACED):
        # Of a superseded card the page may leave the winner out: what stands now is said apart.
        won = [side == reading.winner for side in card.sides]
        yield from _same("winner", where, won, [side.won for side in page.sides], made_of)
    yield from _state(own, page, where, made_of)
    yield from _claims(facts, own, counts, page.text, where)
    if page.rows and not reading.closed and reading.over:
        last = [None if value is None else value for value in page.rows[-1]]
        if len(last) == len(totals) and card.variant in ("gra-singles", "standard", "oklahoma", "captain"):
            yield from _same("last running totals", where, totals, last, made_of)


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
    """A card that does not count, or not so, says it; nothing is called signed that is not."""
    claimed = [claim for claim in CLAIMS if claim in text]
    if claimed and not own.is_posted:
        yield Disagreement("claim", where, "no claim", claimed[0], "no posting of what is on it now")
    if counts in (Counts.AGAINST, Counts.REPLACED, Counts.DIFFERS):
        match = facts.matches[own.card.match]
        by = f"result {match.results[-1].winner} by {match.results[-1].by_name}" if match.results else "no result"
        made_of = f"card won by {own.winner}, {by}, {counts.value}"
        if not FLAGS.search(text):
            yield Disagreement("superseded card", where, "said to be superseded or to differ", text[:160], made_of)
        elif "Genuine." in text:
            yield Disagreement("superseded card", where, "not called genuine", "Genuine.", made_of)
    if counts in (Counts.WAITS, Counts.DECIDED) and not WAITS.search(text):
        yield Disagreement("changed card", where, "said to be changed and not signed", text[:160], counts.value)
    if counts is Counts.PARTED and "no longer meet in this match" not in text:
        yield Disagreement("parted card", where, "said that they do not meet there", text[:160], counts.value)


def _figures_on(pages: Pages, own: CardReading, where: str, made_of: str) -> Found:
    """The page has the totals of the card among its figures."""
    try:
        text = words(pages.get(where))
    except PageFails as fails:
        yield page_fails(fails)
        return
    figures = set(re.findall(r"[-\u2212]?\d+", text))
    for total in own.reading.totals.values():
        if str(total).replace("-", "\u2212") not in figures and str(total) not in figures:
            yield Disagreement("total", where, total, "nowhere on the page", made_of)


def _desk(facts: Facts, pages: Pages, own: CardReading, counts: Counts) -> Found:
    where = pages.of_desk(f"cards/{own.card.token}/")
    try:
        page = pages.get(where, staff=True)
    except PageFails as fails:
        yield page_fails(fails)
        return
    found = read_card_page(page)
    yield from _state(own, found, where, name_of(facts, own.card))
    if counts in (Counts.AGAINST, Counts.REPLACED, Counts.DIFFERS) and not FLAGS.search(found.text):
        yield Disagreement("superseded card", where, "said to be superseded or to differ", found.state, counts.value)
    if counts in (Counts.WAITS, Counts.DECIDED) and not WAITS.search(found.text):
        yield Disagreement("changed card", where, "said to be changed and not signed", found.text[:160], counts.value)


def _verified(facts: Facts, pages: Pages, own: CardReading, counts: Counts) -> Found:
    """Of every version of the card that was signed."""
    for digest, (number, sealed) in own.card.versions.items():
        where = f"/verify/{digest}/"
        try:
            page = pages.get(where)
        except PageFails as fails:
            yield page_fails(fails)
            continue
        said = " ".join(words(notice) for notice in select(page, ".notice"))
        is_now = digest == own.digest
        good = is_now and counts in (Counts.AGREES, Counts.OPEN)
        made_of = f"version {number} of {name_of(facts, own.card)}, {counts.value}, sealed {sealed}"
        if "Genuine." in said and not good:
            yield Disagreement("verify", where, "not genuine", said[:160], made_of)
        if "Altered" in said or "Unknown" in said:
            yield Disagreement("verify", where, "what was signed here", said[:160], made_of)
        if good and own.is_posted and "Genuine." not in said:
            yield Disagreement("verify", where, "Genuine.", said[:160], made_of)
        if counts is Counts.AGAINST and "Genuine." in words(page):
            yield Disagreement("verify", where, "not genuine", "Genuine.", made_of)
