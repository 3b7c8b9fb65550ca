"""Rulings by a director, who follows the rules or decides otherwise. They are previewed and applied as shown.

Deciding ──preview_ruling──► RulingPreview (rolled back)
Deciding ──apply_ruling────► Ruling: facts, sheet, penalties, a row of the log
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from pairing.results.selectors.effects import Effects, EventSnapshot, compare, load_snapshot
from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import (
    BY_TOTALS,
    LineEntry,
    preview_line,
    settle_closed_game,
    write_corrected_hand,
    write_line,
)
from scoring.disputes.selectors.disputes import DisputeState, decider_of, load_dispute
from scoring.disputes.services.disputes import Finding, add_facts, refuse_bad_facts
from scoring.disputes.services.penalties import apply_penalties, record_penalties
from scoring.models import CardPosted, Dispute, Ruling, SheetLine
from scoring.posting.selectors.card_status import load_clock
from scoring.posting.services.posting import require_writable_card, settle_match_of_card
from scoring.rules.irregularities.case import DIRECTOR, Decision
from scoring.rules.rulings.recommend import (
    CHOSEN,
    PENALTIES,
    Advice,
    RulingToApply,
    SheetEffect,
    accept_advice,
    apply_ruling_to_hand,
    has_rule_for,
    recommend,
)
from scoring.seals.services.sealing import log_lines, log_row
from tournament.core.permissions import SYSTEM, Actor, require
from tournament.core.services.previews import Preview, preview_digest
from tournament.core.services.record import Write, lock_chain, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Event, Tournament

Did = dict[str, Any]
"""A change that a ruling made, as the ruling records it."""
_HandChange = tuple[int, dict[str, Any] | None, dict[str, Any] | None]
"""The number of a hand, and its line before and after a ruling. A line is None if the hand does not exist then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnWord:
    """A director's own decision, which can differ from the rules' advice."""

    ruling: Decision
    sheet: SheetEffect | None = None
    line: Mapping[str, Any] | None = None
    penalties: Mapping[str, Decision] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """A ruling to make on these facts.

    `own` is None to follow the rules. A `sheet` of None in it also follows them.
    """

    found: Finding
    own: OwnWord | None = None
    reason: str = ""


@dataclass(frozen=True)
class RulingPreview:
    """The consequences of a ruling: the card and its score, and the matches, byes, standings, places and money.

    `once_signed` means that matches, places and money change only when the card is signed again. `decided` is the
    ruling in words. `overrules` is true if the ruling differs from the rules' advice.
    """

    effects: Effects
    before: CardState | None
    after: CardState | None
    penalties: tuple[dict[str, Any], ...] = ()
    once_signed: bool = False
    decided: str = ""
    overrules: bool = False

    @property
    def changes_card(self) -> bool:
        return bool(self.hands)

    @property
    def reopens(self) -> bool:
        """Whether a posted card becomes incomplete. Its result counts until the card is signed again."""
        if self.before is None or self.after is None:
            return False
        return self.before.is_posted and not self.after.is_complete

    @property
    def hands(self) -> tuple[_HandChange, ...]:
        """The hands of the card that change, in the order of the sheet."""
        if self.before is None or self.after is None:
            return ()
        was, now = ({fact.number: dict(fact.line or {}) for fact in card.lines} for card in (self.before, self.after))
        pairs = [(was.get(number), now.get(number)) for number in sorted({*was, *now})]
        return tuple((place, old, new) for place, (old, new) in enumerate(pairs, start=1) if old != new)

    @property
    def lost_signatures(self) -> int:
        """How many signatures become invalid."""
        return len(self.before.signatures.signed_seats) if self.before is not None and self.changes_card else 0

    @property
    def digest(self) -> str:
        """A digest of exactly the consequences that the page shows."""
        cards = [card.digest if card else "" for card in (self.before, self.after)]
        penalties = [(done["side"], done["effect"], done.get("match")) for done in self.penalties]
        return preview_digest(self.effects.digest, cards, penalties, self.decided)


def rule(dispute: Dispute, deciding: Deciding, *, by: Actor, key: str = "") -> Ruling:
    """Make a ruling on a dispute.

    Raises:
        DomainError: `no-kind`, `bad-facts`, `still-open`, `reason-needed`, `bad-penalty`, `penalised-already`.
        Conflict: `ruled-already` (another director was first), `dropped`, `not-in-play`.
    """
    require(by, "direct", dispute.event.tournament)
    make_sender_key = scoped_key(key, dispute.pk, deciding)
    with writing(dispute.event, verb="ruling.made", by=by, reason=deciding.reason, key=make_sender_key) as write:
        if write.repeated:
            return Ruling.objects.get(pk=write.outcome["ruling"])
        state = load_dispute(dispute.event, dispute.pk)
        _refuse_decided(write, state)
        return rule_in(write, dispute, deciding, decider=decider_of(state, deciding.found.kind))


def rule_in(write: Write, dispute: Dispute, deciding: Deciding, **columns: Any) -> Ruling:
    """Make a ruling with all its effects inside an open write.

    `columns` are further columns of the row, such as its decider and the ruling that it supersedes.
    """
    deciding = _as_offered_choice(load_dispute(dispute.event, dispute.pk), deciding)
    state = _record_new_facts(write, dispute, deciding.found)
    advice = _recommend(state)
    decided = _decide(state, advice, deciding)
    why = deciding.reason.strip() or _ruling_words(advice, decided)
    before = load_card_by_pk(dispute.card_id).score.totals if dispute.card_id else ()
    number = _next_number(write.tournament)
    # Everything that the ruling writes has this reason, such as “Ruling 3, singles 9. As I saw it”.
    title = f"Ruling {number}, {advice.rule}." if advice.rule else f"Ruling {number}."
    reasoned = replace(write, reason=f"{title} {deciding.reason.strip()}".strip())
    sheet = _write_ruled_hand(reasoned, state, decided, why)
    penalties = apply_penalties(reasoned, state, decided.penalties, why)
    after = load_card_by_pk(dispute.card_id).score.totals if dispute.card_id else ()
    ruling = Ruling.objects.create(
        dispute=dispute,
        number=number,
        kind=state.kind,
        rule=advice.rule,
        facts=state.facts,
        recommended=advice.as_json(),
        ruling=str(decided.ruling),
        decided=_ruling_words(advice, decided) if deciding.own else advice.text,
        overrules=_is_overruling(state, advice, decided, deciding),
        effects={
            "sheet": sheet,
            "score": {"before": list(before), "after": list(after)} if before != after else {},
            "penalties": penalties,
            "opened": [] if deciding.own else _open_following(write, state, advice),
        },
        **columns,
        **write.fact_fields(),
    )
    log_row(write, "rulings", ruling)
    record_penalties(reasoned, ruling, penalties, state.kind)
    write.about(ruling, dispute=dispute.pk, ruling=ruling.pk, number=ruling.number, decided=ruling.ruling)
    return ruling


def _refuse_decided(write: Write, state: DisputeState) -> None:
    if write.the_event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play", _("Rulings are made only while the event is in play. A director can open it again.")
        )
    if state.ruling is not None:
        by, number = state.ruling.by_name, state.ruling.number
        raise Conflict(
            "ruled-already",
            _("%(by)s already ruled on this (ruling %(number)s): %(decided)s")
            % {"by": by, "number": number, "decided": state.ruling.decided},
        )
    if state.dropped is not None:
        raise Conflict(
            "dropped", _("This call was withdrawn, so there is nothing to rule on. Look at the list of rulings.")
        )


def preview_ruling(dispute: Dispute, deciding: Deciding, *, by: Actor) -> RulingPreview:
    """Return what a ruling would change, without recording it. It raises the errors of `rule`."""
    return DisputePreview(dispute).preview(lambda: rule(dispute, deciding, by=by))


def apply_ruling(dispute: Dispute, deciding: Deciding, *, shown: str, by: Actor, key: str = "") -> Ruling:
    """Make a ruling if its consequences are still those that were shown (`RulingPreview.digest`).

    Raises:
        Conflict: `look-again`. Nothing is written.
    """
    return DisputePreview(dispute).apply(lambda: rule(dispute, deciding, by=by, key=key), shown=shown)


class DisputePreview(Preview[RulingPreview]):
    """Previews of rulings and of decisions on appeals.

    The consequences are those after the card is signed again. The signing itself is rolled back.
    """

    def __init__(self, dispute: Dispute) -> None:
        super().__init__(dispute.event)
        self.dispute = dispute

    def watch(self) -> Callable[[], RulingPreview]:
        card = self.dispute.card
        before, card_before = load_snapshot(self.event), load_card_by_pk(card.pk) if card else None
        return lambda: self._compare(before, card_before)

    def _compare(self, before: EventSnapshot, card_before: CardState | None) -> RulingPreview:
        card_after = load_card_by_pk(self.dispute.card.pk) if self.dispute.card else None
        after, signed = load_snapshot(self.event, before), False
        if card_after is not None and card_before is not None and card_after.digest != card_before.digest:
            signed = card_after.is_complete and not card_after.is_posted
        if card_after is not None and signed:
            with transaction.atomic():
                _post(card_after)
                after = load_snapshot(self.event, before)
                transaction.set_rollback(True)
        ruling = self.dispute.rulings.last()
        return RulingPreview(
            effects=compare(before, after),
            before=card_before,
            after=card_after,
            penalties=tuple(ruling.effects.get("penalties", ())) if ruling else (),
            once_signed=signed,
            decided=ruling.decided if ruling else "",
            overrules=ruling is not None and ruling.overrules,
        )


def _post(state: CardState) -> None:
    """Post the card as if both sides had signed it. The caller always rolls this back."""
    with writing(state.card.match.event, verb="card.posted", by=SYSTEM) as write:
        CardPosted.objects.create(card=state.card, digest=state.digest, **write.fact_fields())
        settle_match_of_card(write, state.card)


def _record_new_facts(write: Write, dispute: Dispute, finding: Finding) -> DisputeState:
    """Return the dispute with these facts, which are recorded if they differ from those on record."""
    state = load_dispute(dispute.event, dispute.pk)
    if all(getattr(state.latest, name) == value for name, value in finding.columns().items()):
        return state
    add_facts(write, dispute, finding)
    return load_dispute(dispute.event, dispute.pk)


def _recommend(state: DisputeState) -> Advice:
    question = state.question()
    if question is None:
        raise DomainError("no-kind", _("Choose the kind of irregularity first."))
    refuse_bad_facts(state)
    return recommend(question)


def _as_offered_choice(state: DisputeState, deciding: Deciding) -> Deciding:
    """Record the director's own decision as a choice, if it is one that the rules leave to the director."""
    own, facts = deciding.own, dict(deciding.found.facts)
    if own is None:
        return deciding
    chosen = facts | {CHOSEN: str(own.ruling)}
    facts.pop(CHOSEN, None)
    asked, answered = (state.question(each, deciding.found.kind) for each in (facts, chosen))
    if asked is None or answered is None:
        return deciding
    left = {choice.code for choice in recommend(asked).choices if choice.whose == DIRECTOR}
    if str(own.ruling) not in left:
        return deciding
    advice = recommend(answered)
    decision = RulingToApply(
        ruling=own.ruling, sheet=own.sheet or SheetEffect.NOTHING, line=own.line, penalties=own.penalties
    )
    if advice.is_open or not _is_as_recommended(decision, accept_advice(advice, chosen)):
        return deciding
    return replace(deciding, found=replace(deciding.found, facts=chosen))


def _is_as_recommended(decided: RulingToApply, usual: RulingToApply) -> bool:
    """Return whether a decision follows the rules. A warning follows them no matter who receives it."""
    warns = decided.ruling is Decision.WARNING and set(decided.penalties.values()) <= {Decision.WARNING}
    return decided == (replace(usual, penalties=decided.penalties) if warns else usual)


def _decide(state: DisputeState, advice: Advice, deciding: Deciding) -> RulingToApply:
    """Return what to do.

    Raises:
        DomainError: `still-open`, `reason-needed`, `bad-penalty`, `no-line`.
    """
    if deciding.own is None:
        if advice.is_open:
            raise DomainError("still-open", advice.text)
        return accept_advice(advice, state.facts)
    if not deciding.reason.strip():
        raise DomainError("reason-needed", _("Write why you rule differently. It is shown beside the rule."))
    own = deciding.own
    _refuse_unfit_penalties(own)
    if own.sheet is None and not advice.is_open:
        usual = accept_advice(advice, state.facts)
        return RulingToApply(ruling=own.ruling, sheet=usual.sheet, line=usual.line, penalties=own.penalties)
    if own.sheet is SheetEffect.LINE and own.line is None:
        raise DomainError("no-line", _("Enter the hand as it should be on the score card."))
    return RulingToApply(
        ruling=own.ruling, sheet=own.sheet or SheetEffect.NOTHING, line=own.line, penalties=dict(own.penalties)
    )


def _refuse_unfit_penalties(own: OwnWord) -> None:
    """Refuse a ruling that does not fit the chosen penalties.

    A warning that names nobody is given to the table.

    Raises:
        DomainError: `bad-penalty`.
    """
    fall_on = set(own.penalties.values())
    is_general = own.ruling is Decision.WARNING and not fall_on
    if own.ruling in PENALTIES and own.ruling not in fall_on and not is_general:
        raise DomainError("bad-penalty", _("Choose who gets the penalty: %(words)s.") % {"words": own.ruling.words})
    if own.ruling is Decision.NO_PENALTY and fall_on:
        raise DomainError(
            "bad-penalty", _("You ruled that there is no penalty, but one is chosen. Choose one or the other.")
        )


def _is_overruling(state: DisputeState, advice: Advice, decided: RulingToApply, deciding: Deciding) -> bool:
    """Return whether the ruling differs from the rules' advice.

    Nothing is overruled if they leave it to the director.
    """
    if deciding.own is None or not has_rule_for(state.rule_sheet.rules, state.kind):
        return False
    return advice.is_open or not _is_as_recommended(decided, accept_advice(advice, state.facts))


def _ruling_words(advice: Advice, decided: RulingToApply) -> str:
    words = decided.ruling.words
    if decided.ruling is Decision.WARNING and not decided.penalties:
        return _("The director rules: a warning to the table. Nobody is named.")
    return _("The director rules: %(words)s.") % {"words": words} if words else advice.text


def _open_following(write: Write, state: DisputeState, advice: Advice) -> list[int]:
    """Open a dispute on the same card for each further matter that the ruling uncovered. Return their primary keys."""
    called = state.dispute
    return [
        Dispute.objects.create(
            event=called.event,
            match=called.match,
            card=called.card,
            hand=state.hand,
            board=state.board,
            kind=following.kind,
            facts=dict(following.facts),
            about=called.about,
            entries=called.entries,
            **write.fact_fields(),
        ).pk
        for following in advice.following
    ]


def _next_number(tournament: Tournament) -> int:
    """Return the number of the next ruling.

    The numbers run through all events of the tournament, so the lock of the log's chain is taken.
    """
    lock_chain(tournament)
    last = Ruling.objects.filter(dispute__event__tournament=tournament).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


# --- Hands of the card -----------------------------------------------------------------------------------------------
# A ruling can change a hand of the card, and the change can be undone. A changed card loses its signatures.


def _write_ruled_hand(write: Write, state: DisputeState, decided: RulingToApply, why: str) -> Did:
    """Write the ruled hand inside an open write. Return the change for the ruling's record, or nothing.

    A card that the desk entered by its totals has no hand to change. The desk corrects its totals afterwards.

    Raises:
        BadLine, Conflict: As for a correction at the desk.
    """
    card = state.dispute.card
    if card is None or decided.sheet is SheetEffect.NOTHING:
        return {}
    before = load_card_by_pk(card.pk)
    if before.lines and not before.hands:
        return {}
    require_writable_card(write, card)
    hand = state.hand if state.hand is not None and 1 <= state.hand <= len(before.lines) else None
    was = before.lines[hand - 1].line if hand is not None else None
    line = apply_ruling_to_hand(decided, was, kind=state.kind, board=state.board)
    if line == was:
        return {}
    _refuse_called_late(state, before)
    if hand is None:
        return _add_ruled_hand(write, before, line, why)
    entry = LineEntry(line, via=SheetLine.Via.DESK, override=why) if line is not None else None
    fact = write_corrected_hand(write, before, hand, entry, override=why)
    return {"did": "struck" if line is None else "corrected", "hand": hand, "was": was, "line": line, "fact": fact.pk}


def _refuse_called_late(state: DisputeState, card: CardState) -> None:
    """Refuse to change a card that was already final when the director was called.

    An earlier call stops the clock of its card.
    """
    clock = load_clock(card)
    if clock is not None and state.dispute.at >= clock.final_at:
        raise Conflict(
            "final",
            _(
                "This score card was final when the director was called. Rule that the hand stays, then have "
                "a director and a second official correct it on the score card’s page."
            ),
        )


def _add_ruled_hand(write: Write, before: CardState, line: dict[str, Any] | None, why: str) -> Did:
    if line is None:
        return {}
    if before.score.tally.complete and before.is_by_totals:
        raise Conflict("by-totals", str(BY_TOTALS))
    if before.score.tally.complete:
        raise Conflict("after-end", _("The game is over. Choose the hand that the ruling is about."))
    judged = preview_line(before, line)
    entry = LineEntry(line, via=SheetLine.Via.DESK, override=why)
    fact = write_line(write, before, entry, [doubt.message for doubt in judged.doubts])
    settle_closed_game(write, before)
    return {"did": "added", "hand": len(before.lines) + 1, "was": None, "line": fact.line, "fact": fact.pk}


def restore_hand(write: Write, state: DisputeState, did: Mapping[str, Any]) -> None:
    """Restore the hand as it was before a ruling, inside an open write.

    A hand that somebody has changed since is left alone.
    """
    if not did or state.dispute.card is None:
        return
    fact = SheetLine.objects.get(pk=did["fact"])
    if SheetLine.objects.filter(supersedes=fact).exists():
        return
    before = load_card_by_pk(state.dispute.card.pk)
    line = SheetLine.objects.create(
        card_id=fact.card_id,
        number=fact.number,
        line=did["was"],
        via=fact.via,
        warnings=[],
        supersedes=fact,
        **write.fact_fields(),
    )
    log_lines(write, line)
    if load_card_by_pk(fact.card_id).is_posted or before.score.is_closed:
        settle_match_of_card(write, before.card)
