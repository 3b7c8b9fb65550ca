"""Appeal rulings to the event's committee, and record rulings that players reject.

This module also sets whether the public register shows names.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from scoring.disputes.selectors.disputes import DisputeState, load_dispute
from scoring.disputes.selectors.register import load_name_visibility_in_register
from scoring.disputes.selectors.rulings import load_appeal_deadline, load_committee
from scoring.disputes.services.penalties import undo_penalties
from scoring.disputes.services.rulings import (
    DisputePreview,
    ProposedRuling,
    RulingPreview,
    record_ruling,
    undo_ruling_on_hand,
)
from scoring.models import Appeal, AppealDecided, Committee, RegisterNames, Ruling, RulingRefused
from scoring.rules.rulings.policies import find_dispute_policy
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Entrant, Event
from tournament.spreadsheets import normalize_text


@dataclass(frozen=True, slots=True, kw_only=True)
class AppealDecision:
    """The committee's decision about an appeal. `new_ruling` is the new ruling, or None if the ruling is upheld."""

    members: tuple[str, ...]
    reason: str
    new_ruling: ProposedRuling | None = None


def set_committee(event: Event, names: Sequence[str], *, by: Actor, key: str = "") -> Committee:
    """Set the members of the event's appeals committee.

    Raises:
        DomainError: `nobody` if no name is given.
    """
    require_permission(by, "direct", event.tournament)
    members = _normalize_names(names)
    if not members:
        raise DomainError("nobody", _("Enter at least one name for the appeals committee."))
    with writing(event, verb="committee.set", by=by, key=make_idempotency_key(key, members)) as write:
        if write.repeated:
            return Committee.objects.get(pk=write.outcome["committee"])
        committee = Committee.objects.create(event=event, members=members, **write.fact_fields())
        write.about(event, committee=committee.pk, members=members)
        return committee


def _normalize_names(names: Sequence[str]) -> list[str]:
    return [name for name in map(normalize_text, names) if name]


def record_appeal(ruling: Ruling, *, by: Actor, reason: str, entrant: Entrant | None = None, key: str = "") -> Appeal:
    """Record an appeal by a player, or by staff on behalf of `entrant`. A ruling can be appealed only once.

    Raises:
        NotAllowed: `not-a-party`.
        DomainError: `reason-needed`, `no-committee`.
        Conflict: `appealed-already`, `superseded`, `too-late` (for players), `not-in-play`.
    """
    dispute = ruling.dispute
    appellant = by.entrant or entrant
    if by.entrant is None:
        require_permission(by, "desk", dispute.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", _("Write why the ruling is appealed. The committee reads it."))
    with writing(
        dispute.event,
        verb="appeal.made",
        by=by,
        reason=reason,
        key=make_idempotency_key(key, ruling.pk, by.name, entrant and entrant.pk),
    ) as write:
        if write.repeated:
            return Appeal.objects.get(pk=write.outcome["appeal"])
        state = load_dispute(dispute.event, dispute.pk)
        _require_appealable_ruling(write, state, ruling, appellant, by)
        appeal = Appeal.objects.create(ruling=ruling, entrant=appellant, **write.fact_fields())
        write.about(appeal, appeal=appeal.pk, ruling=ruling.pk)
        return appeal


def decide_appeal(appeal: Appeal, decision: AppealDecision, *, by: Actor, key: str = "") -> AppealDecided:
    """Record the committee's decision.

    If the committee changes the ruling, the new ruling replaces the old one.

    Raises:
        DomainError: `reason-needed`, `nobody`, and the errors that a ruling can raise.
        Conflict: `decided-already`, `not-in-play`.
    """
    dispute = appeal.ruling.dispute
    require_permission(by, "direct", dispute.event.tournament)
    members = _normalize_names(decision.members)
    if not members:
        raise DomainError("nobody", _("Choose which committee members decided."))
    if not decision.reason.strip():
        raise DomainError("reason-needed", _("Write the committee's reason."))
    own_key = make_idempotency_key(key, appeal.pk, decision)
    with writing(dispute.event, verb="appeal.decided", by=by, reason=decision.reason, key=own_key) as write:
        if write.repeated:
            return AppealDecided.objects.get(pk=write.outcome["appeal_decided"])
        _require_event_in_play(write)
        earlier = AppealDecided.objects.filter(appeal=appeal).first()
        if earlier is not None:
            how = "upheld" if earlier.upheld else "changed"
            raise Conflict(
                "decided-already",
                _("%(by_name)s already recorded that the ruling was %(how)s. Nothing was changed.")
                % {"by_name": earlier.by_name, "how": how},
            )
        upheld = decision.new_ruling is None
        decided = AppealDecided.objects.create(
            appeal_id=appeal.pk, upheld=upheld, members=members, **write.fact_fields()
        )
        if decision.new_ruling is not None:
            _undo_ruling_effects(write, load_dispute(dispute.event, dispute.pk), appeal.ruling)
            committee = Ruling.Decider.COMMITTEE
            record_ruling(write, dispute, decision.new_ruling, decider=committee, supersedes_id=appeal.ruling_id)
        write.about(appeal, appeal=appeal.pk, appeal_decided=decided.pk, upheld=upheld)
        return decided


def preview_appeal_decision(appeal: Appeal, decision: AppealDecision, *, by: Actor) -> RulingPreview:
    """Return what a decision about an appeal would change, without recording it."""
    return DisputePreview(appeal.ruling.dispute).preview(lambda: decide_appeal(appeal, decision, by=by))


def apply_previewed_appeal_decision(
    appeal: Appeal, decision: AppealDecision, *, shown: str, by: Actor, key: str = ""
) -> AppealDecided:
    """Decide an appeal if its preview has not changed since it was shown. `shown` is the digest of that preview.

    Raises:
        Conflict: `look-again` if the preview has changed.
    """
    preview = DisputePreview(appeal.ruling.dispute)
    return preview.apply(lambda: decide_appeal(appeal, decision, by=by, key=key), shown=shown)


def _undo_ruling_effects(write: WriteTransaction, state: DisputeState, ruling: Ruling) -> None:
    undo_penalties(write, ruling)
    undo_ruling_on_hand(write, state, ruling.effects.get("sheet", {}))


def _require_appealable_ruling(
    write: WriteTransaction, state: DisputeState, ruling: Ruling, appellant: Entrant | None, by: Actor
) -> None:
    _require_event_in_play(write)
    if appellant is None or not state.find_side_letter(appellant):
        raise NotAllowed(
            "not-a-party", _("Only the entrants of the ruling can appeal it. Choose which of them appeals.")
        )
    if state.appeal is not None:
        raise Conflict("appealed-already", _("This ruling was appealed already. Only one appeal is possible."))
    if state.ruling is None or state.ruling.pk != ruling.pk:
        raise Conflict("superseded", _("This ruling was replaced by another one. Look at the new ruling."))
    until = load_appeal_deadline(state)
    if by.entrant is not None and until is not None and write.acted_at > until:
        raise Conflict("too-late", _("The time for appeals is over. Ask the desk if it should still be recorded."))
    if load_committee(state.dispute.event) is None:
        raise DomainError("no-committee", _("This event has no appeals committee yet. Ask the director to name one."))


def _require_event_in_play(write: WriteTransaction) -> None:
    if write.event is None or write.event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play", _("Appeals are possible only while the event is in play. Open the event again first.")
        )


# --- Refused rulings -------------------------------------------------------------------------------------------------


def record_ruling_refusal(
    ruling: Ruling, precedent: Ruling, *, by: Actor, entrant: Entrant, reason: str
) -> RulingRefused:
    """Record that a player rejects a ruling because an earlier one (`precedent`) applied the rule differently.

    This undoes the rejected ruling's effects. Source: Metzker, “the Kali effect”.

    Raises:
        DomainError: `not-refusable`, `no-precedent`, `reason-needed`.
        NotAllowed: `not-a-party`.
        Conflict: `refused-already`, `superseded`, `not-in-play`.
    """
    dispute = ruling.dispute
    require_permission(by, "direct", dispute.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", _("Write how the rule was applied before."))
    with writing(dispute.event, verb="ruling.refused", by=by, reason=reason) as write:
        state = load_dispute(dispute.event, dispute.pk)
        _require_rejectable_ruling(write, ruling, precedent)
        if not find_dispute_policy(state.rule_sheet.rules).can_be_refused:
            raise DomainError(
                "not-refusable", _("These rules do not let a player refuse a ruling. Record an appeal instead.")
            )
        if not state.find_side_letter(entrant):
            raise NotAllowed("not-a-party", _("Only the entrants of the ruling can refuse it. Choose one of them."))
        _undo_ruling_effects(write, state, ruling)
        refused = RulingRefused.objects.create(
            ruling=ruling, precedent=precedent, entrant=entrant, **write.fact_fields()
        )
        write.about(ruling, refused=refused.pk, ruling=ruling.pk, precedent=precedent.pk)
        return refused


def _require_rejectable_ruling(write: WriteTransaction, ruling: Ruling, precedent: Ruling) -> None:
    if write.event is None or write.event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play", _("A ruling can be refused only while the event is in play. Open the event again first.")
        )
    if RulingRefused.objects.filter(ruling=ruling).exists():
        raise Conflict("refused-already", _("This ruling was refused already. Nothing was changed."))
    if hasattr(ruling, "superseded_by"):
        raise Conflict("superseded", _("This ruling was replaced by another one. Look at the new ruling."))
    is_earlier = precedent.kind == ruling.kind and precedent.number < ruling.number
    same_tournament = precedent.dispute.event.tournament_id == ruling.dispute.event.tournament_id
    if not (is_earlier and same_tournament and precedent.ruling != ruling.ruling):
        raise DomainError("no-precedent", _("Choose an earlier ruling of the same kind that was decided another way."))


def set_name_visibility_in_register(event: Event, *, shown: bool, by: Actor, key: str = "") -> bool:
    """Choose whether the public register shows the names in an event's rulings."""
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="register.names", by=by, key=make_idempotency_key(key, shown)) as write:
        if not write.repeated and load_name_visibility_in_register([event]).get(event.pk, False) != shown:
            names = RegisterNames.objects.create(event=event, shown=shown, **write.fact_fields())
            write.about(event, names=names.pk, shown=shown)
    return shown
