"""Preview and make rulings, either as the rules advise or as the director decides.

ProposedRuling ──preview_ruling──────────► RulingPreview (rolled back)
ProposedRuling ──apply_previewed_ruling──► Ruling: facts, hands on the card, penalties, log row
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from pairing.results.selectors.effects import ActionEffects, EventSnapshot, compare_snapshots, load_snapshot
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import (
    ENTERED_BY_TOTALS_MESSAGE,
    LineEntry,
    preview_line,
    update_closed_game_result,
    write_corrected_hand,
    write_line,
)
from scoring.disputes.selectors.disputes import DisputeState, find_dispute_decider, load_dispute
from scoring.disputes.services.disputes import DisputeFindings, require_valid_facts, write_dispute_facts
from scoring.disputes.services.penalties import apply_penalties, record_penalties
from scoring.models import CardPosted, Dispute, Ruling, SheetLine
from scoring.posting.selectors.card_status import load_correction_period
from scoring.posting.services.posting import require_writable_card, update_match_result
from scoring.rules.irregularities.case import CHOSEN_BY_DIRECTOR, RulingDecision
from scoring.rules.rulings.recommend import (
    CHOICE_FACT_NAME,
    PENALTIES,
    RulingAdvice,
    RulingToApply,
    SheetEffect,
    apply_ruling_to_hand,
    has_rule_for_irregularity,
    make_ruling_from_advice,
    recommend_ruling,
)
from scoring.seals.services.sealing import add_lines_to_log
from tournament.core.permissions import SYSTEM_ACTOR, Actor, require_permission
from tournament.core.services.previews import Preview, compute_preview_digest
from tournament.core.services.record import WriteTransaction, lock_log_chain, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Event, Tournament

_SheetChange = dict[str, Any]
"""A ruling's change to a hand, as stored with the ruling. The keys are `did`, `hand`, `was`, `line`, and `fact`."""
_HandChange = tuple[int, dict[str, Any] | None, dict[str, Any] | None]
"""A hand's number, and the hand's line before and after the ruling. A line is None if the hand is not on the card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorDecision:
    """A director's own decision, which can differ from the rules' advice.

    `sheet` is the effect of the decision on the hand that is recorded on the score card. If `sheet` is None, the hand
    changes as the rules advise. `line` is the corrected hand, if the decision changes it.
    """

    ruling: RulingDecision
    sheet: SheetEffect | None = None
    line: Mapping[str, Any] | None = None
    penalties: Mapping[str, RulingDecision] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedRuling:
    """A ruling to make. If `director_decision` is None, the ruling follows the rules."""

    findings: DisputeFindings
    director_decision: DirectorDecision | None = None
    reason: str = ""


@dataclass(frozen=True)
class RulingPreview:
    """The changes that a ruling would make on the card and in the whole event."""

    effects: ActionEffects
    before: CardState | None
    after: CardState | None
    penalties: tuple[dict[str, Any], ...] = ()
    takes_effect_after_signing: bool = False
    """Whether the event changes only after the players have signed the card again."""
    decision_text: str = ""
    """The ruling as text."""
    overrules: bool = False
    """Whether the ruling differs from the rules' advice."""

    @property
    def changes_card(self) -> bool:
        return bool(self.hands)

    @property
    def reopens_card(self) -> bool:
        """Whether the ruling makes a posted card incomplete.

        The match's earlier result counts until the card is complete and signed again.
        """
        if self.before is None or self.after is None:
            return False
        return self.before.is_posted and not self.after.is_complete

    @property
    def hands(self) -> tuple[_HandChange, ...]:
        """The card's hands that the ruling would change, each with its line before and after the ruling."""
        if self.before is None or self.after is None:
            return ()
        old, new = ({fact.number: dict(fact.line or {}) for fact in card.lines} for card in (self.before, self.after))
        pairs = [(old.get(number), new.get(number)) for number in sorted({*old, *new})]
        return tuple((hand, before, after) for hand, (before, after) in enumerate(pairs, start=1) if before != after)

    @property
    def lost_signatures(self) -> int:
        return len(self.before.signatures.signed_seats) if self.before is not None and self.changes_card else 0

    @property
    def digest(self) -> str:
        """A digest of all parts of the preview that the page shows."""
        cards = [card.digest if card else "" for card in (self.before, self.after)]
        penalties = [(each["side"], each["effect"], each.get("match")) for each in self.penalties]
        return compute_preview_digest(self.effects.digest, cards, penalties, self.decision_text)


def make_ruling(dispute: Dispute, proposed: ProposedRuling, *, by: Actor, key: str = "") -> Ruling:
    """Make a ruling on a dispute.

    Raises:
        DomainError: `no-kind`, `bad-facts`, `still-open`, `reason-needed`, `bad-penalty`, `penalised-already`.
        Conflict: `ruled-already`, `dropped`, `not-in-play`.
    """
    require_permission(by, "direct", dispute.event.tournament)
    own_key = make_idempotency_key(key, dispute.pk, proposed)
    with writing(dispute.event, verb="ruling.made", by=by, reason=proposed.reason, key=own_key) as write:
        if write.repeated:
            return Ruling.objects.get(pk=write.outcome["ruling"])
        state = load_dispute(dispute.event, dispute.pk)
        _require_open_dispute(write, state)
        return record_ruling(write, dispute, proposed, decider=find_dispute_decider(state, proposed.findings.kind))


def record_ruling(write: WriteTransaction, dispute: Dispute, proposed: ProposedRuling, **columns: Any) -> Ruling:
    """Record a ruling with all its effects in the caller's transaction, and return it.

    The further keyword arguments set fields of the new `Ruling`: `decider`, and `supersedes_id` if the ruling replaces
    another one after an appeal.
    """
    proposed = _convert_to_offered_choice(load_dispute(dispute.event, dispute.pk), proposed)
    state = _record_new_facts(write, dispute, proposed.findings)
    advice = _recommend_ruling(state)
    decided = _make_ruling_to_apply(state, advice, proposed)
    why = proposed.reason.strip() or _describe_decision(advice, decided)
    before = load_card_state_by_pk(dispute.card_id).score.totals if dispute.card_id else ()
    number = _lock_next_ruling_number(write.tournament)
    # The effects of the ruling have a reason such as “Ruling 3, singles 9. As I saw it”.
    title = f"Ruling {number}, {advice.rule}." if advice.rule else f"Ruling {number}."
    write_effects = replace(write, reason=f"{title} {proposed.reason.strip()}".strip())
    sheet = _write_ruled_hand(write_effects, state, decided, why)
    penalties = apply_penalties(write_effects, state, decided.penalties, why)
    after = load_card_state_by_pk(dispute.card_id).score.totals if dispute.card_id else ()
    ruling = Ruling.objects.create(
        dispute=dispute,
        number=number,
        kind=state.kind,
        rule=advice.rule,
        facts=state.facts,
        recommended=advice.as_json(),
        ruling=str(decided.ruling),
        decided=_describe_decision(advice, decided) if proposed.director_decision else advice.text,
        overrules=_is_overruling(state, advice, decided, proposed),
        effects={
            "sheet": sheet,
            "score": {"before": list(before), "after": list(after)} if before != after else {},
            "penalties": penalties,
            "opened": [] if proposed.director_decision else _open_following_disputes(write, state, advice),
        },
        **columns,
        **write.fact_fields(),
    )
    write.log_row_digest("rulings", ruling)
    record_penalties(write_effects, ruling, penalties, state.kind)
    write.about(ruling, dispute=dispute.pk, ruling=ruling.pk, number=ruling.number, decided=ruling.ruling)
    return ruling


def _require_open_dispute(write: WriteTransaction, state: DisputeState) -> None:
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


def preview_ruling(dispute: Dispute, proposed: ProposedRuling, *, by: Actor) -> RulingPreview:
    """Return what a ruling would change, without recording it."""
    return DisputePreview(dispute).preview(lambda: make_ruling(dispute, proposed, by=by))


def apply_previewed_ruling(
    dispute: Dispute, proposed: ProposedRuling, *, shown: str, by: Actor, key: str = ""
) -> Ruling:
    """Make a ruling if its preview has not changed since it was shown. `shown` is the digest of that preview.

    Raises:
        Conflict: `look-again` if the preview has changed.
    """
    return DisputePreview(dispute).apply(lambda: make_ruling(dispute, proposed, by=by, key=key), shown=shown)


class DisputePreview(Preview[RulingPreview]):
    """A preview of a ruling or appeal decision, assuming that the changed card will be signed again."""

    def __init__(self, dispute: Dispute) -> None:
        super().__init__(dispute.event)
        self.dispute = dispute

    def start_comparison(self) -> Callable[[], RulingPreview]:
        card = self.dispute.card
        before, card_before = load_snapshot(self.event), load_card_state_by_pk(card.pk) if card else None
        return lambda: self._make_preview(before, card_before)

    def _make_preview(self, before: EventSnapshot, card_before: CardState | None) -> RulingPreview:
        card_after = load_card_state_by_pk(self.dispute.card.pk) if self.dispute.card else None
        after, signed = load_snapshot(self.event, before), False
        if card_after is not None and card_before is not None and card_after.digest != card_before.digest:
            signed = card_after.is_complete and not card_after.is_posted
        if card_after is not None and signed:
            with transaction.atomic():
                _post_as_if_signed(card_after)
                after = load_snapshot(self.event, before)
                transaction.set_rollback(True)
        ruling = self.dispute.rulings.last()
        return RulingPreview(
            effects=compare_snapshots(before, after),
            before=card_before,
            after=card_after,
            penalties=tuple(ruling.effects.get("penalties", ())) if ruling else (),
            takes_effect_after_signing=signed,
            decision_text=ruling.decided if ruling else "",
            overrules=ruling is not None and ruling.overrules,
        )


def _post_as_if_signed(state: CardState) -> None:
    """Post the card as if all sides had signed it. This is only for previews, which the caller rolls back."""
    with writing(state.card.match.event, verb="card.posted", by=SYSTEM_ACTOR) as write:
        CardPosted.objects.create(card=state.card, digest=state.digest, **write.fact_fields())
        update_match_result(write, state.card)


def _record_new_facts(write: WriteTransaction, dispute: Dispute, finding: DisputeFindings) -> DisputeState:
    """Record the facts if they differ from those already recorded. Return the updated dispute."""
    state = load_dispute(dispute.event, dispute.pk)
    if all(getattr(state.latest, name) == value for name, value in finding.make_column_values().items()):
        return state
    write_dispute_facts(write, dispute, finding)
    return load_dispute(dispute.event, dispute.pk)


def _recommend_ruling(state: DisputeState) -> RulingAdvice:
    question = state.make_case()
    if question is None:
        raise DomainError("no-kind", _("Choose the kind of irregularity first."))
    require_valid_facts(state)
    return recommend_ruling(question)


def _convert_to_offered_choice(state: DisputeState, proposed: ProposedRuling) -> ProposedRuling:
    """If the director's decision is a choice that the rules offer, return the ruling with that choice as a fact.

    For some irregularities, the rules let the director choose between several decisions. With the choice as a fact, the
    ruling does not count as overruling the rules. If no offered choice has the same effect as the director's decision,
    the proposed ruling is returned unchanged.
    """
    own, facts = proposed.director_decision, dict(proposed.findings.facts)
    if own is None:
        return proposed
    chosen = facts | {CHOICE_FACT_NAME: str(own.ruling)}
    facts.pop(CHOICE_FACT_NAME, None)
    unanswered, answered = (state.make_case(each, proposed.findings.kind) for each in (facts, chosen))
    if unanswered is None or answered is None:
        return proposed
    choices = {choice.code for choice in recommend_ruling(unanswered).choices if choice.whose == CHOSEN_BY_DIRECTOR}
    if str(own.ruling) not in choices:
        return proposed
    advice = recommend_ruling(answered)
    decision = RulingToApply(
        ruling=own.ruling, sheet=own.sheet or SheetEffect.NOTHING, line=own.line, penalties=own.penalties
    )
    if advice.is_open or not _follows_advice(decision, make_ruling_from_advice(advice, chosen)):
        return proposed
    return replace(proposed, findings=replace(proposed.findings, facts=chosen))


def _follows_advice(decided: RulingToApply, advised: RulingToApply) -> bool:
    """Return whether a decision follows the rules' advice.

    If the rules advise a warning, the decision may warn any side, or the table without naming anybody.
    """
    is_warning = decided.ruling is RulingDecision.WARNING and set(decided.penalties.values()) <= {
        RulingDecision.WARNING
    }
    return decided == (replace(advised, penalties=decided.penalties) if is_warning else advised)


def _make_ruling_to_apply(state: DisputeState, advice: RulingAdvice, proposed: ProposedRuling) -> RulingToApply:
    """Return the ruling to apply, with its penalties and its effect on the hand.

    Raises:
        DomainError: `still-open`, `reason-needed`, `bad-penalty`, `no-line`.
    """
    if proposed.director_decision is None:
        if advice.is_open:
            raise DomainError("still-open", advice.text)
        return make_ruling_from_advice(advice, state.facts)
    if not proposed.reason.strip():
        raise DomainError("reason-needed", _("Write why you rule differently. It is shown beside the rule."))
    own = proposed.director_decision
    _require_fitting_penalties(own)
    if own.sheet is None and not advice.is_open:
        advised = make_ruling_from_advice(advice, state.facts)
        return RulingToApply(ruling=own.ruling, sheet=advised.sheet, line=advised.line, penalties=own.penalties)
    if own.sheet is SheetEffect.LINE and own.line is None:
        raise DomainError("no-line", _("Enter the hand as it should be on the score card."))
    return RulingToApply(
        ruling=own.ruling, sheet=own.sheet or SheetEffect.NOTHING, line=own.line, penalties=dict(own.penalties)
    )


def _require_fitting_penalties(own: DirectorDecision) -> None:
    """Raise an error unless the chosen penalties fit the ruling.

    Raises:
        DomainError: `bad-penalty`.
    """
    chosen = set(own.penalties.values())
    is_for_table = own.ruling is RulingDecision.WARNING and not chosen
    if own.ruling in PENALTIES and own.ruling not in chosen and not is_for_table:
        raise DomainError("bad-penalty", _("Choose who gets the penalty: %(words)s.") % {"words": own.ruling.words})
    if own.ruling is RulingDecision.NO_PENALTY and chosen:
        raise DomainError(
            "bad-penalty", _("You ruled that there is no penalty, but one is chosen. Choose one or the other.")
        )


def _is_overruling(state: DisputeState, advice: RulingAdvice, decided: RulingToApply, proposed: ProposedRuling) -> bool:
    """Return whether the ruling differs from the rules' advice.

    Always return False for kinds of disputes that the rules leave to the director.
    """
    if proposed.director_decision is None or not has_rule_for_irregularity(state.rule_sheet.rules, state.kind):
        return False
    return advice.is_open or not _follows_advice(decided, make_ruling_from_advice(advice, state.facts))


def _describe_decision(advice: RulingAdvice, decided: RulingToApply) -> str:
    words = decided.ruling.words
    if decided.ruling is RulingDecision.WARNING and not decided.penalties:
        return _("The director rules: a warning to the table. Nobody is named.")
    return _("The director rules: %(words)s.") % {"words": words} if words else advice.text


def _open_following_disputes(write: WriteTransaction, state: DisputeState, advice: RulingAdvice) -> list[int]:
    """Open a dispute for each further irregularity that the ruling reveals, and return the disputes' primary keys."""
    called = state.dispute
    return [
        Dispute.objects.create(
            event=called.event,
            match=called.match,
            card=called.card,
            hand=state.hand,
            board=state.board_number,
            kind=following.kind,
            facts=dict(following.facts),
            about=called.about,
            entries=called.entries,
            **write.fact_fields(),
        ).pk
        for following in advice.follow_ups
    ]


def _lock_next_ruling_number(tournament: Tournament) -> int:
    """Lock the tournament's log, and return the number for its next ruling."""
    lock_log_chain(tournament)
    last = Ruling.objects.filter(dispute__event__tournament=tournament).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


# --- Hands of the card -----------------------------------------------------------------------------------------------


def _write_ruled_hand(write: WriteTransaction, state: DisputeState, decided: RulingToApply, why: str) -> _SheetChange:
    """Change the hand on the card as the ruling requires. Earlier signatures then no longer count.

    Return an empty dict if nothing on the card changes.

    Raises:
        BadLine, Conflict: The same errors as for a correction by staff.
    """
    card = state.dispute.card
    if card is None or decided.sheet is SheetEffect.NOTHING:
        return {}
    before = load_card_state_by_pk(card.pk)
    if before.lines and not before.hands:
        return {}
    require_writable_card(write, card)
    hand = state.hand if state.hand is not None and 1 <= state.hand <= len(before.lines) else None
    was = before.lines[hand - 1].line if hand is not None else None
    line = apply_ruling_to_hand(decided, was, kind=state.kind, board=state.board_number)
    if line == was:
        return {}
    _require_called_in_time(state, before)
    if hand is None:
        return _add_ruled_hand(write, before, line, why)
    entry = LineEntry(line, via=SheetLine.Via.DESK, override=why) if line is not None else None
    fact = write_corrected_hand(write, before, hand, entry, override=why)
    return {"did": "struck" if line is None else "corrected", "hand": hand, "was": was, "line": line, "fact": fact.pk}


def _require_called_in_time(state: DisputeState, card: CardState) -> None:
    """Raise Conflict if the card was already final when the director was called."""
    clock = load_correction_period(card)
    if clock is not None and state.dispute.at >= clock.final_at:
        raise Conflict(
            "final",
            _(
                "This score card was final when the director was called. Rule that the hand stays, then have "
                "a director and a second official correct it on the score card’s page."
            ),
        )


def _add_ruled_hand(write: WriteTransaction, before: CardState, line: dict[str, Any] | None, why: str) -> _SheetChange:
    if line is None:
        return {}
    if before.score.tally.complete and before.has_only_totals:
        raise Conflict("by-totals", str(ENTERED_BY_TOTALS_MESSAGE))
    if before.score.tally.complete:
        raise Conflict("after-end", _("The game is over. Choose the hand that the ruling is about."))
    judged = preview_line(before, line)
    entry = LineEntry(line, via=SheetLine.Via.DESK, override=why)
    fact = write_line(write, before, entry, [doubt.message for doubt in judged.warnings])
    update_closed_game_result(write, before)
    return {"did": "added", "hand": len(before.lines) + 1, "was": None, "line": fact.line, "fact": fact.pk}


def undo_ruling_on_hand(write: WriteTransaction, state: DisputeState, change: Mapping[str, Any]) -> None:
    """Undo a ruling's change to a hand, unless somebody has changed the hand since."""
    if not change or state.dispute.card is None:
        return
    fact = SheetLine.objects.get(pk=change["fact"])
    if SheetLine.objects.filter(supersedes=fact).exists():
        return
    before = load_card_state_by_pk(state.dispute.card.pk)
    line = SheetLine.objects.create(
        card_id=fact.card_id,
        number=fact.number,
        line=change["was"],
        via=fact.via,
        warnings=[],
        supersedes=fact,
        **write.fact_fields(),
    )
    add_lines_to_log(write, line)
    if load_card_state_by_pk(fact.card_id).is_posted or before.score.is_closed:
        update_match_result(write, before.card)
