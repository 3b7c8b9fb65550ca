"""How a game is scored: rules of the hand, the sheet, and what a signature covers. Plain values, nothing else.

    rule_sheet ──open_sheet──► Sheet ──judge_line──► a further line, or why it cannot stand
                                  ├──tally──► totals, winner, settlement
                                  └──digest(CardContent)──► what is signed
    irregularity ──adjudicate──► Ruling: the rule, the line it writes, choices, penalties
    hand ──arrange, arrange_against──► melds, lay-offs and deadwood;  ──knock_options──► gin, a knock, or neither
    two hands ──judge_hands──► lay-offs, the line they make, and who scores

What is impossible raises `BadCase` (tournament.errors) with every problem and its path; what is improbable is a
`Doubt`, and the scorer decides. A variant is one file in `variants/`, registered there; the pages, the paper and the
JSON show what it declares. The modules below are this package's own affair.
"""

from scoring.rules.adjudicate_case import adjudicate, answer_adjudicate
from scoring.rules.arrangement import Arrangement, arrange, arrange_against
from scoring.rules.cards import DECK, Card, parse_card
from scoring.rules.case import answer_tally, read_sheet, write_sheet
from scoring.rules.content import CardContent, GamePlace, Seat, canonical_bytes, digest
from scoring.rules.deadwood_case import answer_deadwood
from scoring.rules.irregularities import IRREGULARITIES, Irregularity
from scoring.rules.irregularities.facts import Fact, FactKind
from scoring.rules.irregularities.ruling import Choice, Decision, Effect, Penalty, Ruling
from scoring.rules.knocking import Discard, KnockOptions, KnockRule, KnockStanding, knock_options
from scoring.rules.melds import Ace
from scoring.rules.options import NamedValue, Numbers, Option, Options, OptionValue
from scoring.rules.paper import EnteredTotals, Slip, check_running, enter_totals
from scoring.rules.sheets import (
    SET_BY_DIRECTOR,
    JudgedLine,
    PublishedOption,
    RuleSheet,
    Sheet,
    judge_line,
    open_sheet,
    rule_sheet,
    tally,
)
from scoring.rules.showdown import JudgedHands, ShownHands, judge_hands
from scoring.rules.variant import Column, Doubt, FieldKind, LineField, LineTally, Row, Tally, Variant
from scoring.rules.variants import VARIANTS

__all__ = [
    "DECK",
    "IRREGULARITIES",
    "SET_BY_DIRECTOR",
    "VARIANTS",
    "Ace",
    "Arrangement",
    "Card",
    "CardContent",
    "Choice",
    "Column",
    "Decision",
    "Discard",
    "Doubt",
    "Effect",
    "EnteredTotals",
    "Fact",
    "FactKind",
    "FieldKind",
    "GamePlace",
    "Irregularity",
    "JudgedHands",
    "JudgedLine",
    "KnockOptions",
    "KnockRule",
    "KnockStanding",
    "LineField",
    "LineTally",
    "NamedValue",
    "Numbers",
    "Option",
    "OptionValue",
    "Options",
    "Penalty",
    "PublishedOption",
    "Row",
    "RuleSheet",
    "Ruling",
    "Seat",
    "Sheet",
    "ShownHands",
    "Slip",
    "Tally",
    "Variant",
    "adjudicate",
    "answer_adjudicate",
    "answer_deadwood",
    "answer_tally",
    "arrange",
    "arrange_against",
    "canonical_bytes",
    "check_running",
    "digest",
    "enter_totals",
    "judge_hands",
    "judge_line",
    "knock_options",
    "open_sheet",
    "parse_card",
    "read_sheet",
    "rule_sheet",
    "tally",
    "write_sheet",
]
