"""The text on the slip of a ruling."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from pairing.knockout.pictures.match_boxes import name_match
from scoring.card_state.selectors.score import unbroken_score
from scoring.card_state.selectors.side_names import as_start
from scoring.card_state.tables.decisions import words_of
from scoring.card_state.tables.words import line_in_words, penalty_in_words
from scoring.disputes.tables import facts_in_words, plain_title
from scoring.models import Ruling
from scoring.rules.book.rulebook import rule_text
from scoring.rules.rulings.recommend import asked_facts
from scoring.rulings.selectors.slips import RuledOn
from scoring.rulings.tables.since import said_since
from tournament.templatetags.gin import local_day_time


@dataclass(frozen=True, slots=True)
class Slip:
    number: int
    heading: str
    tournament: str
    event: str
    place: str
    """The match, the table and the hand."""
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
    """Later changes to the ruling's effects, a sentence each."""
    appeal: str
    made: str
    director: str
    path: str
    """The address of the page that proves the ruling."""
    digest: str


def slip_of(one: RuledOn, digest: str) -> Slip:
    """Return the text of a slip. `digest` is the digest of the ruling in the log."""
    ruling, state = one.ruling, one.state
    event = state.dispute.event
    kind = state.irregularity
    facts = facts_in_words(asked_facts(kind), ruling.facts, state.names) if kind else []
    return Slip(
        number=ruling.number,
        heading=_("Ruling %(number)s: %(kind)s")
        % {"number": ruling.number, "kind": plain_title(kind) if kind else ruling.kind},
        tournament=event.tournament.name,
        event=event.name,
        place=_place(one),
        between=state.between,
        facts=tuple(facts),
        rule=ruling.rule,
        rule_text=rule_text(ruling.rule),
        words=_capital(words_of(ruling.ruling)),
        decided=ruling.decided,
        overruled=ruling.overrules,
        reason=ruling.reason,
        effects=tuple(_effects(one)),
        since=tuple(each.text for each in said_since(one.ruling, one.changed)),
        appeal=_appeal(one),
        made=_("Ruled %(at)s") % {"at": _moment(one, ruling.at)},
        director=f"{ruling.by_name}, {Ruling.Decider(ruling.decider).label.lower()}",
        path=reverse("scoring:verify", kwargs={"digest": digest}),
        digest=digest,
    )


def _place(one: RuledOn) -> str:
    state, parts = one.state, []
    if state.dispute.match is not None:
        parts.append(name_match(state.dispute.match))
    if one.card is not None and one.card.is_game:
        parts.append(_("game %(number)s") % {"number": one.card.card.game})
    if state.table:
        parts.append(_("table %(number)s") % {"number": state.table})
    if state.hand:
        parts.append(state.name_line(state.hand))
    if state.board:
        parts.append(_("board %(number)s") % {"number": state.board})
    return _capital(", ".join(parts))


def _effects(one: RuledOn) -> list[str]:
    did = one.ruling.effects.get("sheet") or {}
    said: list[str] = []
    if did and one.card is not None:
        line = line_in_words(one.card, did["line"]) if did.get("line") else _("struck out")
        said.append(f"{as_start(one.card.name_line(did['hand']))}: {line}")
    if scores := scores_in_words(one.ruling):
        said.append(_("Score: %(before)s before, %(after)s by this ruling") % {"before": scores[0], "after": scores[1]})
    for each in one.ruling.effects.get("penalties", ()):
        said.append(f"{one.state.names.get(each['side'], each.get('entry', ''))}: {penalty_in_words(each)}")
    return said


def scores_in_words(ruling: Ruling) -> list[str]:
    """Return the score before and after the ruling, or nothing if it changed none."""
    score = ruling.effects.get("score") or {}
    return [unbroken_score(score[when]) for when in ("before", "after")] if score else []


def _appeal(one: RuledOn) -> str:
    if one.ruling.supersedes_id is not None:
        return _("The committee's ruling on appeal is final.")
    if one.state.appeal is not None:
        return (
            _("Appealed. The committee decides.")
            if one.state.waits_for_committee
            else _("Upheld on appeal. The ruling is final.")
        )
    if not one.has_committee:
        return _("This event has no appeals committee.")
    if one.appeal_until is None:
        return _("One appeal is possible, to the event's committee.")
    return _("One appeal is possible, until %(one)s.") % {"one": _moment(one, one.appeal_until)}


def _moment(one: RuledOn, at: datetime) -> str:
    return local_day_time(at, one.state.dispute.event.tournament)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
