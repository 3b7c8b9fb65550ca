"""Text for disputes and rulings, on pages and printed slips, and the table of the public register."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import django_tables2 as tables
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from pairing.ports import RulingStatement
from pairing.stages.pictures.boxes import format_full_match_name, format_match_name
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState, capitalize_first_letter, format_score_totals
from scoring.card_state.tables import describe_decision, describe_line, describe_ruling_effect, end_with_period
from scoring.disputes.selectors.disputes import DisputeState
from scoring.disputes.selectors.register import (
    RegisteredRuling,
    RulingChange,
    RulingChangeKind,
    RulingSlip,
    load_event_rulings,
    load_ruling_changes,
)
from scoring.disputes.selectors.rulings import compute_appeal_deadline
from scoring.models import Committee, Ruling
from scoring.posting.selectors.results import load_ruling_for_line, load_rulings_by_result
from scoring.posting.tables import describe_ruling
from scoring.rules.hand.cards import format_card_symbol
from scoring.rules.irregularities import Irregularity
from scoring.rules.irregularities.case import FactKind, FactQuestion
from scoring.rules.rulings.policies import find_rule_text
from scoring.rules.rulings.recommend import list_fact_questions
from scoring.rules.sheet.card_status import CorrectionPeriod
from tournament.core.tables.lists import NAME_CELL_ATTRS
from tournament.models import Entrant, Event, Tournament
from tournament.templatetags.gin import local_day_time

# --- Disputes --------------------------------------------------------------------------------------------------------

_PLAIN_TEXTS: Final[Mapping[str, tuple[str | Promise, str | Promise]]] = {
    "scoring": (gettext_lazy("Dispute about the score"), gettext_lazy("You do not agree on how a round is counted.")),
    "arithmetic": (gettext_lazy("Error in the score"), gettext_lazy("A hand was written down or added up wrong.")),
    "discard-before-draw": (
        gettext_lazy("Discarded before drawing"),
        gettext_lazy("A player discarded before drawing a card."),
    ),
    "play-error": (gettext_lazy("Error in the play"), gettext_lazy("A player drew, melded or discarded wrong.")),
    "wrong-deal": (gettext_lazy("Problem with the deal"), gettext_lazy("A card was exposed, or it was a misdeal.")),
    "applied-differently": (
        gettext_lazy("A rule applied differently"),
        gettext_lazy("The rule was applied another way before."),
    ),
    "improper-knock": (
        gettext_lazy("Improper knock"),
        gettext_lazy("A player knocked with more than the knock card allows."),
    ),
    "up-card": (gettext_lazy("Which was the up card?"), gettext_lazy("You do not agree on which card was turned up.")),
    "wrong-count": (gettext_lazy("Wrong number of cards"), gettext_lazy("A player has more or fewer than ten cards.")),
    "false-gin": (
        gettext_lazy("Gin announced without gin"),
        gettext_lazy("A player announced gin, but not all their cards match."),
    ),
    "drew-two": (gettext_lazy("Two cards drawn"), gettext_lazy("A player took two cards from the deck at once.")),
    "up-card-out-of-turn": (
        gettext_lazy("Knock card taken out of turn"),
        gettext_lazy("The dealer took the knock card before their turn."),
    ),
    "wrong-card-down": (
        gettext_lazy("Wrong card put down"),
        gettext_lazy("A player knocked or went gin and turned down the wrong card."),
    ),
    "touched-pile": (gettext_lazy("A pile was touched"), gettext_lazy("A player touched a pile by mistake.")),
    "retake-discard": (
        gettext_lazy("A discard retaken"),
        gettext_lazy("A player wants to retake a card they discarded."),
    ),
    "count-after-agreement": (
        gettext_lazy("A count already agreed"),
        gettext_lazy("A player questions a recorded hand."),
    ),
    "false-report": (
        gettext_lazy("A match that was not played"),
        gettext_lazy("A player reported a match that was never played."),
    ),
    "unmatched-play": (
        gettext_lazy("Played without being paired"),
        gettext_lazy("Two players met who were not paired by the staff."),
    ),
    "gave-game-away": (gettext_lazy("A game given away"), gettext_lazy("A player lost on purpose.")),
    "conduct": (gettext_lazy("Conduct"), gettext_lazy("A player behaved badly.")),
}
"""Titles and explanations that players see for certain kinds of irregularity. All other kinds use their own titles."""


def make_irregularity_buttons(kinds: Mapping[str, Irregularity]) -> list[dict[str, str]]:
    """Return a button for each kind of irregularity, followed by one for “anything else”."""
    order = list(_PLAIN_TEXTS)
    ranked = sorted(kinds.values(), key=lambda kind: order.index(kind.name) if kind.name in order else len(order))
    buttons = [
        {"name": kind.name, "title": format_dispute_title(kind), "hint": explain_irregularity(kind)} for kind in ranked
    ]
    other = {"name": "", "title": gettext("Something else"), "hint": gettext("Describe it in your own words.")}
    return [*buttons, other]


def format_dispute_title(kind: Irregularity | None) -> str:
    if kind is None:
        return gettext("Something else")
    return str(_PLAIN_TEXTS[kind.name][0]) if kind.name in _PLAIN_TEXTS else kind.title


def explain_irregularity(kind: Irregularity | None) -> str:
    return str(_PLAIN_TEXTS[kind.name][1]) if kind is not None and kind.name in _PLAIN_TEXTS else ""


def describe_facts(
    asked: Sequence[FactQuestion], facts: Mapping[str, Any], names: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return the questions that were answered, with their answers. `names` maps the sides' letters to names."""
    answered = [(fact.question, _describe_answer(fact, facts.get(fact.name), names)) for fact in asked]
    return [(question, answer) for question, answer in answered if answer]


def _describe_answer(fact: FactQuestion, value: Any, names: Mapping[str, str]) -> str:
    if value in (None, "", {}, []) or fact.kind is FactKind.LINE:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(
            f"{names.get(side, side)}: {_describe_value(fact, each, names)}" for side, each in value.items()
        )
    return _describe_value(fact, value, names)


def _describe_value(fact: FactQuestion, value: Any, names: Mapping[str, str]) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, (list, tuple)):
        return " ".join(_describe_value(fact, each, names) for each in value)
    if fact.kind is FactKind.CODE:
        return dict(fact.codes).get(str(value), format_card_symbol(str(value)))
    return names.get(str(value), format_card_symbol(str(value)))


def describe_appeal(standing: str) -> str:
    """Return a sentence about the appeal, or an empty string if there is none.

    `standing` is the state of the dispute (see `describe_dispute`).
    """
    sentences = {
        "appealed": gettext("Appealed. The committee decides."),
        "upheld": gettext("Appealed. The committee upheld it."),
        "changed": gettext("This is the committee’s ruling on appeal."),
    }
    return sentences.get(standing, "")


_APPEAL_TEXTS = {
    "": "",
    "waiting": gettext_lazy("appealed"),
    "upheld": gettext_lazy("upheld on appeal"),
    "changed": gettext_lazy("changed on appeal"),
}
_REFUSED_TEXT = gettext_lazy("refused: the rule was applied differently before")


def describe_dispute(
    state: DisputeState, entrant: Entrant, clock: CorrectionPeriod | None, committee: Committee | None, now: datetime
) -> dict[str, Any]:
    """Return the context for `standing.html`, which shows the state of a dispute to one of its players.

    `standing` is `waiting`, `dropped`, `ruled`, `appealed`, `upheld`, or `changed`.
    """
    ruling = state.ruling
    is_open = ruling is not None and state.appeal is None
    can_appeal = is_open and committee is not None and bool(state.find_side_letter(entrant))
    until = compute_appeal_deadline(clock, ruling) if clock and ruling is not None and state.appeal is None else None
    standing = _find_dispute_standing(state)
    return {
        "pk": state.dispute.pk,
        "title": format_dispute_title(state.irregularity),
        "hand": state.hand,
        "caller": state.caller,
        "at": state.dispute.at,
        "standing": standing,
        "appeal_words": describe_appeal(standing),
        "is_own": state.dispute.entrant_id == entrant.pk,
        "can_appeal": can_appeal and (until is None or now <= until),
        "appeal_until": until,
        "decided": ruling.decided if ruling is not None else "",
        "words": describe_decision(ruling.ruling) if ruling is not None else "",
        "rule": ruling.rule if ruling is not None else "",
        "by": ruling.by_name if ruling is not None else "",
        "number": ruling.number if ruling is not None else None,
    }


def _find_dispute_standing(state: DisputeState) -> str:
    if state.dropped is not None:
        return "dropped"
    if state.ruling is None:
        return "waiting"
    if state.appeal is None:
        return "ruled"
    decided = getattr(state.appeal, "decided", None)
    if decided is None:
        return "appealed"
    return "upheld" if decided.upheld else "changed"


# --- Later changes to a ruling's effects -----------------------------------------------------------------------------


def describe_ruling_changes(
    ruling: Ruling, changes: Collection[RulingChange], *, is_named: bool = True
) -> list[dict[str, str]]:
    """Return a sentence (`text`) for each change, and the URL of its match or card (`address`) if there is one.

    If `is_named` is false, names, matches, and reasons are left out.
    """
    return [_describe_with_author(ruling, change, is_named) for change in changes]


def load_ruling_statements(results: Collection[int]) -> dict[int, RulingStatement]:
    """Return the rulings that created these match results, keyed by the result's primary key."""
    return {key: describe_ruling(ruling) for key, ruling in load_rulings_by_result(results).items()}


def load_ruling_for_hand(state: CardState, number: int) -> RulingStatement | None:
    """Return the ruling that changed this hand (numbered from 1) on the card, or None if no ruling did."""
    fact = state.lines[number - 1] if 1 <= number <= len(state.lines) else None
    ruling = load_ruling_for_line(fact.pk) if fact is not None else None
    return describe_ruling(ruling) if ruling is not None else None


def load_changed_rulings(event: Event) -> list[RulingStatement]:
    """Return the event's rulings whose effects were changed later."""
    rulings = load_event_rulings(event)
    return describe_changed_rulings(rulings, load_ruling_changes(rulings))


def describe_changed_rulings(
    rulings: Iterable[Ruling], changed: Mapping[int, Sequence[RulingChange]]
) -> list[RulingStatement]:
    """Describe the rulings that have later changes.

    `changed` contains the changes, keyed by the ruling's primary key.
    """
    described = {pk: tuple(map(_describe_change, changes)) for pk, changes in changed.items()}
    return [replace(describe_ruling(each), said=described[each.pk]) for each in rulings if each.pk in described]


def describe_event_ruling_changes(event: Event) -> dict[int, list[dict[str, str]]]:
    """Return a description of each later change, keyed by the ruling's primary key. Unchanged rulings are left out."""
    rulings = load_event_rulings(event)
    changed = load_ruling_changes(rulings)
    return {each.pk: describe_ruling_changes(each, changed[each.pk]) for each in rulings if each.pk in changed}


def _describe_change(change: RulingChange, *, is_named: bool = True) -> str:
    """Describe a later change to a ruling's effect, such as “Round 1, match 1: the result it set was undone”."""
    match change.kind:
        case RulingChangeKind.UNDONE | RulingChangeKind.DECIDED_OTHERWISE:
            return _describe_result(change, is_named)
        case RulingChangeKind.STRUCK | RulingChangeKind.CORRECTED:
            struck, other = _("%(line)s, as ruled, was struck out"), _("%(line)s, as ruled, was corrected")
            assert change.card is not None
            line = capitalize_first_letter(load_card_state_by_pk(change.card.pk).name_line(change.hand))
            return (struck if change.kind is RulingChangeKind.STRUCK else other) % {"line": line}
        case RulingChangeKind.CARD_SUPERSEDED:
            return _("The score card it changed was superseded")
    name = change.name if is_named else _("Side %(letter)s") % {"letter": change.letter}
    if change.kind is RulingChangeKind.LIFTED:
        return _("%(who)s: the penalty was lifted") % {"who": name}
    return _("%(who)s: brought back into the event") % {"who": name}


def _describe_result(change: RulingChange, is_named: bool) -> str:
    undone = change.kind is RulingChangeKind.UNDONE
    if not is_named:
        return _("A result it set was undone") if undone else _("A result it set was changed by a decision")
    text = (
        _("%(match)s: the result it set was undone")
        if undone
        else _("%(match)s: the result it set was changed by a decision")
    )
    return text % {"match": format_match_name(change.match, change.round_count)}


def _describe_with_author(ruling: Ruling, change: RulingChange, is_named: bool) -> dict[str, str]:
    what = _describe_change(change, is_named=is_named)
    if change.at is None:
        return {"text": f"{what}.", "address": _make_changed_page_url(ruling, change) if is_named else ""}
    at = local_day_time(change.at, ruling.dispute.event.tournament)
    text = _("%(what)s on %(at)s, by %(by)s.") % {"what": what, "at": at, "by": change.by}
    if not is_named:
        return {"text": text, "address": ""}
    reason = _("Reason: %(reason)s") % {"reason": end_with_period(change.reason)} if change.reason.strip() else ""
    return {"text": f"{text} {reason}".strip(), "address": _make_changed_page_url(ruling, change)}


def _make_changed_page_url(ruling: Ruling, change: RulingChange) -> str:
    event = ruling.dispute.event
    place = {"tournament": event.tournament.slug, "event": event.slug}
    if change.card is not None:
        return reverse("scoring:card", kwargs={**place, "token": change.card.token})
    return reverse("pairing:match", kwargs={**place, "ident": change.match}) if change.match else ""


# --- Slips -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RulingSlipText:
    """The text on a ruling's printed slip."""

    number: int
    heading: str
    tournament: str
    event: str
    place: str
    """The match, table, and hand that the ruling is about."""
    between: str
    facts: tuple[tuple[str, str], ...]
    rule: str
    rule_text: str
    words: str
    decided: str
    overruled: bool
    reason: str
    effects: tuple[str, ...]
    since: tuple[str, ...]
    """A sentence for each later change to the ruling's effects."""
    appeal: str
    made: str
    director: str
    path: str
    """The path of the page on which the ruling can be verified."""
    digest: str


def describe_ruling_slip(slip: RulingSlip, digest: str) -> RulingSlipText:
    """Return the text for a printed slip.

    `digest` is the digest of the log entry in which the ruling was recorded.
    """
    ruling, state = slip.ruling, slip.state
    event = state.dispute.event
    kind = state.irregularity
    facts = describe_facts(list_fact_questions(kind), ruling.facts, state.names) if kind else []
    return RulingSlipText(
        number=ruling.number,
        heading=_("Ruling %(number)s: %(kind)s")
        % {"number": ruling.number, "kind": format_dispute_title(kind) if kind else ruling.kind},
        tournament=event.tournament.name,
        event=event.name,
        place=_describe_place(slip),
        between=state.between,
        facts=tuple(facts),
        rule=ruling.rule,
        rule_text=find_rule_text(ruling.rule),
        words=capitalize_first_letter(describe_decision(ruling.ruling)),
        decided=ruling.decided,
        overruled=ruling.overrules,
        reason=ruling.reason,
        effects=tuple(_describe_effects(slip)),
        since=tuple(each["text"] for each in describe_ruling_changes(slip.ruling, slip.changed)),
        appeal=_describe_possible_appeal(slip),
        made=_("Ruled %(at)s") % {"at": local_day_time(ruling.at, event.tournament)},
        director=f"{ruling.by_name}, {Ruling.Decider(ruling.decider).label.lower()}",
        path=reverse("scoring:verify", kwargs={"digest": digest}),
        digest=digest,
    )


def _describe_place(slip: RulingSlip) -> str:
    state, parts = slip.state, []
    if state.dispute.match is not None:
        parts.append(format_full_match_name(state.dispute.match))
    if slip.card is not None and slip.card.is_single_game:
        parts.append(_("game %(number)s") % {"number": slip.card.card.game})
    if state.table:
        parts.append(_("table %(number)s") % {"number": state.table})
    if state.hand:
        parts.append(state.name_line(state.hand))
    if state.board_number:
        parts.append(_("board %(number)s") % {"number": state.board_number})
    return capitalize_first_letter(", ".join(parts))


def _describe_effects(slip: RulingSlip) -> list[str]:
    change = slip.ruling.effects.get("sheet") or {}
    effects: list[str] = []
    if change and slip.card is not None:
        line = describe_line(slip.card, change["line"]) if change.get("line") else _("struck out")
        effects.append(f"{capitalize_first_letter(slip.card.name_line(change['hand']))}: {line}")
    if scores := describe_score_change(slip.ruling):
        score = _("Score: %(before)s before, %(after)s by this ruling")
        effects.append(score % {"before": scores[0], "after": scores[1]})
    for each in slip.ruling.effects.get("penalties", ()):
        effects.append(f"{slip.state.names.get(each['side'], each.get('entry', ''))}: {describe_ruling_effect(each)}")
    return effects


def describe_score_change(ruling: Ruling) -> list[str]:
    """Return the scores before and after the ruling as text, or an empty list if the score did not change."""
    score = ruling.effects.get("score") or {}
    return [format_score_totals(score[when]) for when in ("before", "after")] if score else []


def _describe_possible_appeal(slip: RulingSlip) -> str:
    if slip.ruling.supersedes_id is not None:
        return _("The committee's ruling on appeal is final.")
    if slip.state.appeal is not None:
        return (
            _("Appealed. The committee decides.")
            if slip.state.waits_for_committee
            else _("Upheld on appeal. The ruling is final.")
        )
    if not slip.has_committee:
        return _("This event has no appeals committee.")
    if slip.appeal_until is None:
        return _("One appeal is possible, to the event's committee.")
    until = local_day_time(slip.appeal_until, slip.state.dispute.event.tournament)
    return _("One appeal is possible, until %(one)s.") % {"one": until}


# --- The table of the register ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _RegisterRow:
    number: int
    at: datetime
    event: str
    kind: str
    rule: str
    who: str
    facts: str
    ruling: str
    overruled: bool
    reason: str
    appeal: str
    since: tuple[str, ...] = ()
    """A sentence for each later change to the ruling's effects."""

    @property
    def ruled(self) -> str:
        return gettext("%s; undone or corrected since") % self.ruling if self.since else self.ruling


def make_ruling_register_row(entry: RegisteredRuling) -> _RegisterRow:
    return _RegisterRow(
        number=entry.ruling.number,
        at=entry.ruling.at,
        event=entry.event.name,
        kind=format_dispute_title(entry.irregularity) if entry.irregularity else entry.ruling.kind,
        rule=entry.ruling.rule,
        who=entry.state.between if entry.is_named else "",
        facts="; ".join(f"{question} {answer}" for question, answer in list_registered_ruling_facts(entry)),
        ruling=entry.decision_name,
        overruled=entry.ruling.overrules,
        reason=entry.reason,
        appeal=str(_REFUSED_TEXT if entry.is_refused else _APPEAL_TEXTS[entry.appeal]),
        since=tuple(
            each["text"] for each in describe_ruling_changes(entry.ruling, entry.changed, is_named=entry.is_named)
        ),
    )


def list_registered_ruling_facts(entry: RegisteredRuling) -> list[tuple[str, str]]:
    kind = entry.irregularity
    return describe_facts(list_fact_questions(kind), entry.ruling.facts, entry.names) if kind is not None else []


class RulingRegisterTable(tables.Table):
    number = tables.Column(verbose_name=gettext_lazy("No."), attrs={"td": {"class": "is-narrow"}})
    at = tables.Column(verbose_name=gettext_lazy("Day"))
    event = tables.Column(verbose_name=gettext_lazy("Event"), attrs=NAME_CELL_ATTRS)
    kind = tables.Column(verbose_name=gettext_lazy("About"))
    rule = tables.Column(verbose_name=gettext_lazy("Rule"))
    who = tables.Column(verbose_name=gettext_lazy("Between"), attrs=NAME_CELL_ATTRS)
    facts = tables.Column(verbose_name=gettext_lazy("Facts"), attrs=NAME_CELL_ATTRS, orderable=False)
    ruling = tables.Column(verbose_name=gettext_lazy("Ruling"), attrs=NAME_CELL_ATTRS)
    overruled = tables.Column(verbose_name=gettext_lazy("By the rules"), empty_values=())
    appeal = tables.Column(verbose_name=gettext_lazy("Appeal"))

    search_field = "q"
    search_label = gettext_lazy("Find a word")
    row_header = "kind"

    class Meta:
        empty_text = gettext_lazy("There are no rulings yet.")
        order_by = ("-number",)

    def __init__(self, rows: list[_RegisterRow], *, tournament: Tournament) -> None:
        self.zone = ZoneInfo(tournament.time_zone)
        address = reverse("scoring:public_ruling", kwargs={"tournament": tournament.slug, "number": 0})
        self.before = address.removesuffix("0/")
        super().__init__(rows, exclude=() if any(row.who for row in rows) else ("who",))

    def render_kind(self, record: _RegisterRow) -> SafeString:
        return format_html('<a href="{}{}/">{}</a>', self.before, record.number, record.kind)

    def value_kind(self, record: _RegisterRow) -> str:
        return record.kind

    def render_ruling(self, record: _RegisterRow) -> str:
        return record.ruled

    def render_at(self, value: datetime) -> str:
        return f"{timezone.localtime(value, self.zone):%Y-%m-%d}"

    def render_overruled(self, record: _RegisterRow) -> str:
        if not record.overruled:
            return gettext("yes")
        return gettext("no: %s") % record.reason if record.reason else gettext("no, with a reason")
