"""Judged hands for the page: the melds with lay-offs, the loose cards, and the verdict in words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.card_state.selectors.state import capitalize_first
from scoring.rules.hand.arrangement import Ace
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import KnockRule, KnockStanding, Outcome
from scoring.rules.sheet.showdown import JudgedHands, ShowdownHands
from scoring.rules.variants.variant import Variant


@dataclass(frozen=True, slots=True)
class HandShown:
    """A hand on the table. `remark` names anything unusual about it.

    Each meld has its `cards` by code, and in `laid_off` the opponent's cards on it. `alone` is the deadwood in points
    without lay-offs. `thrown` is the discard.
    """

    name: str
    melds: list[dict[str, list[str]]]
    loose: list[str]
    deadwood: int
    laid_off: list[str]
    alone: int | None = None
    thrown: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class HandsShown:
    """The judged hands. `verdict` says who scores how many points, or is "" if that is not certain.

    `legal` is None if it cannot be decided.
    """

    word: str
    legal: bool | None
    why_legal: str
    verdict: str
    explanation: str
    refused: list[str]
    totals: list[tuple[str, int]]
    first: HandShown
    other: HandShown | None
    discards: list[dict[str, Any]]
    up: str

    @property
    def head(self) -> str:
        if self.verdict:
            return self.verdict
        return _("It cannot be recorded this way") if self.other else f"{self.first.name}: {self.word}"

    @property
    def legal_word(self) -> str:
        """The announcement and its verdict: “Knock, legal”."""
        if self.legal is None:
            return _("Cannot be decided")
        words = (_("%(word)s, legal") if self.legal else _("%(word)s, not legal")) % {"word": self.word}
        return capitalize_first(words)

    @property
    def badge(self) -> tuple[str, str]:
        return {True: ("legal", "good"), None: ("open", "wait"), False: ("not-legal", "bad")}[self.legal]


def show_judged_hands(shown: ShowdownHands, found: JudgedHands, variant: Variant[Any, Any]) -> HandsShown:
    word = variant.finishes[found.outcome]
    # The announcement is legal as the sheet judges it, or for a hand alone as its count does.
    is_refused = any(each.path == "said" for each in found.refused)
    legal = True if found.judged is not None else False if is_refused else found.standing.is_legal
    counted = found.judged.counted if found.judged else None
    return HandsShown(
        word=word,
        legal=legal,
        why_legal=_why_legal(shown, found, word),
        verdict=_verdict(counted.points) if counted else "",
        explanation=counted.explanation if counted else "",
        refused=[problem.message for problem in found.refused],
        totals=list(found.judged.tally.totals.items()) if found.judged and found.judged.sheet.lines[1:] else [],
        first=_show_first_hand(shown, found),
        other=_show_other_hand(shown, found),
        discards=[
            {
                "card": str(each.card),
                "deadwood": each.deadwood,
                "word": _standing_word(each.standing, variant),
                "legal": each.standing.is_legal is True,
            }
            for each in found.knock.discards
        ],
        up=str(shown.up or ""),
    )


def _why_legal(shown: ShowdownHands, found: JudgedHands, word: str) -> str:
    standing, points, limit = found.standing, found.laid.deadwood, found.rule.limit
    if standing.is_legal and found.outcome is Outcome.KNOCK and points == 0:
        return _("Every card is matched, but “%s” was announced.") % word
    if standing is KnockStanding.BIG_GIN and found.outcome is Outcome.GIN:
        return _("Nothing is unmatched after a discard.")
    up = {"points": points, "limit": limit, "card": shown.up.symbol if shown.up else ""}
    limited = _("%(points)s unmatched; at most %(limit)s is allowed.") % up
    if shown.up:
        limited = _("%(points)s unmatched; at most %(limit)s is allowed under the up card %(card)s.") % up
    return {
        KnockStanding.BIG_GIN: _("Every card is matched, without a discard."),
        KnockStanding.GIN: _("Nothing is unmatched."),
        KnockStanding.KNOCK: limited,
        KnockStanding.TOO_HIGH: limited,
        KnockStanding.ACE_REQUIRES_GIN: _("%(points)s unmatched; the up card is an ace, so the hand is played for gin.")
        % up,
        KnockStanding.NO_UP_CARD: _("%(points)s unmatched; the up card that limits the knock is missing.") % up,
    }[standing]


def _verdict(points: Mapping[str, int]) -> str:
    scored = [(side, number) for side, number in points.items() if number]
    if not scored:
        return _("Nobody scores")
    return ", ".join(_("%(points)s to %(side)s") % {"side": side, "points": number} for side, number in scored)


def _show_first_hand(shown: ShowdownHands, found: JudgedHands) -> HandShown:
    laid, layoffs = found.laid, found.other.layoffs if found.other else ()
    melds = [
        {"cards": _codes(meld), "laid_off": _codes(layoffs[place]) if layoffs else []}
        for place, meld in enumerate(laid.melds)
    ]
    laid_down = {card for meld in laid.melds for card in meld} | set(laid.loose)
    thrown = next((str(card) for card in shown.hand if card not in laid_down), "")
    best = found.knock.best.deadwood
    remark = _("At its best, this hand has %s unmatched.") % best if best < laid.deadwood else ""
    return HandShown(shown.by, melds, _codes(laid.loose), laid.deadwood, [], thrown=thrown, remark=remark)


def _show_other_hand(shown: ShowdownHands, found: JudgedHands) -> HandShown | None:
    other = found.other
    if other is None:
        return None
    return HandShown(
        shown.against,
        [{"cards": _codes(meld), "laid_off": []} for meld in other.melds],
        _codes(other.loose),
        other.deadwood,
        [code for cards in other.layoffs for code in _codes(cards)],
        alone=found.alone.deadwood if found.alone else None,
        remark=_wrong_number_of_cards(len(shown.other), found.rule.hand_size),
    )


def _wrong_number_of_cards(held: int, dealt: int) -> str:
    if held < dealt:
        return ngettext("%s card missing.", "%s cards missing.", dealt - held) % (dealt - held)
    if held > dealt:
        many = ngettext("%s card too many:", "%s cards too many:", held - dealt) % (held - dealt)
        return many + " " + _("all of them are arranged here. The director says which one is extra.")
    return ""


def _standing_word(standing: KnockStanding, variant: Variant[Any, Any]) -> str:
    return {
        KnockStanding.BIG_GIN: variant.finishes[Outcome.BIG_GIN],
        KnockStanding.GIN: variant.finishes[Outcome.GIN],
        KnockStanding.KNOCK: variant.finishes[Outcome.KNOCK],
        KnockStanding.TOO_HIGH: _("too high"),
        KnockStanding.ACE_REQUIRES_GIN: _("no gin"),
        KnockStanding.NO_UP_CARD: _("no up card"),
    }[standing]


def _codes(cards: Iterable[PlayingCard]) -> list[str]:
    return [str(card) for card in cards]


def rule_facts(rule: KnockRule, variant: Variant[Any, Any]) -> list[str]:
    """Return sentences about hands in this rule set, for the top of the page."""
    low = _("An ace is low in a run: A-2-3.")
    both = _("An ace is low or high in a run: A-2-3 or Q-K-A, but not K-A-2.")
    big = variant.finishes[Outcome.BIG_GIN]
    drawn = _("%s is played here: every card matched, without a discard.") % capitalize_first(big)
    return [
        _("%s cards are dealt to each.") % rule.hand_size,
        both if rule.ace is Ace.BOTH else low,
        drawn if rule.big_gin else _("%s is not played.") % capitalize_first(big),
    ]
