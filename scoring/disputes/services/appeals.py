"""Appeals to the event's committee, refused rulings, and the choice whether the public register shows names.

A ruling can be appealed once, and the committee upholds or changes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from scoring.disputes.selectors.disputes import DisputeState, load_dispute
from scoring.disputes.selectors.register import load_register_names
from scoring.disputes.selectors.rulings import appeal_deadline, load_committee
from scoring.disputes.services.penalties import undo_penalties
from scoring.disputes.services.rulings import Deciding, DisputePreview, RulingPreview, restore_hand, rule_in
from scoring.models import Appeal, AppealDecided, Committee, RegisterNames, Ruling, RulingRefused
from scoring.rules.rulings.policies import policy_for
from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Entrant, Event
from tournament.spreadsheets import tidy


@dataclass(frozen=True, slots=True, kw_only=True)
class AppealDecision:
    """The committee's decision with its members and reason. `changed` is None if the ruling is upheld."""

    members: tuple[str, ...]
    reason: str
    changed: Deciding | None = None


def set_committee(event: Event, names: Sequence[str], *, by: Actor, key: str = "") -> Committee:
    """Name the members of the appeals committee.

    Raises:
        DomainError: `nobody`.
    """
    require(by, "direct", event.tournament)
    members = _clean_names(names)
    if not members:
        raise DomainError("nobody", _("Enter at least one name for the appeals committee."))
    with writing(event, verb="committee.set", by=by, key=scoped_key(key, members)) as write:
        if write.repeated:
            return Committee.objects.get(pk=write.outcome["committee"])
        committee = Committee.objects.create(event=event, members=members, **write.fact_fields())
        write.about(event, committee=committee.pk, members=members)
        return committee


def _clean_names(names: Sequence[str]) -> list[str]:
    return [name for name in map(tidy, names) if name]


def appeal(ruling: Ruling, *, by: Actor, reason: str, entrant: Entrant | None = None, key: str = "") -> Appeal:
    """Record an appeal by an entrant of the ruling, or by staff for `entrant`.

    Raises:
        NotAllowed: `not-a-party`.
        DomainError: `reason-needed`, `no-committee`.
        Conflict: `appealed-already`, `superseded`, `too-late` (for players), `not-in-play`.
    """
    dispute = ruling.dispute
    who = by.entrant or entrant
    if by.entrant is None:
        require(by, "desk", dispute.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", _("Write why the ruling is appealed. The committee reads it."))
    with writing(
        dispute.event,
        verb="appeal.made",
        by=by,
        reason=reason,
        key=scoped_key(key, ruling.pk, by.name, entrant and entrant.pk),
    ) as write:
        if write.repeated:
            return Appeal.objects.get(pk=write.outcome["appeal"])
        state = load_dispute(dispute.event, dispute.pk)
        _refuse_appeal(write, state, ruling, who, by)
        made = Appeal.objects.create(ruling=ruling, entrant=who, **write.fact_fields())
        write.about(made, appeal=made.pk, ruling=ruling.pk)
        return made


def decide_appeal(made: Appeal, judgement: AppealDecision, *, by: Actor, key: str = "") -> AppealDecided:
    """Record the committee's decision.

    If the ruling is changed, its effects are undone and the new ruling is applied in the same write.

    Raises:
        DomainError: `reason-needed`, `nobody`, and the refusals of a ruling.
        Conflict: `decided-already`, `not-in-play`.
    """
    dispute = made.ruling.dispute
    require(by, "direct", dispute.event.tournament)
    members = _clean_names(judgement.members)
    if not members:
        raise DomainError("nobody", _("Choose which committee members decided."))
    if not judgement.reason.strip():
        raise DomainError("reason-needed", _("Write the committee's reason."))
    make_sender_key = scoped_key(key, made.pk, judgement)
    with writing(dispute.event, verb="appeal.decided", by=by, reason=judgement.reason, key=make_sender_key) as write:
        if write.repeated:
            return AppealDecided.objects.get(pk=write.outcome["appeal_decided"])
        _require_play(write)
        earlier = AppealDecided.objects.filter(appeal=made).first()
        if earlier is not None:
            how = "upheld" if earlier.upheld else "changed"
            raise Conflict(
                "decided-already",
                _("%(by_name)s already recorded that the ruling was %(how)s. Nothing was changed.")
                % {"by_name": earlier.by_name, "how": how},
            )
        upheld = judgement.changed is None
        decided = AppealDecided.objects.create(appeal_id=made.pk, upheld=upheld, members=members, **write.fact_fields())
        if judgement.changed is not None:
            _undo_effects(write, load_dispute(dispute.event, dispute.pk), made.ruling)
            committee = Ruling.Decider.COMMITTEE
            rule_in(write, dispute, judgement.changed, decider=committee, supersedes_id=made.ruling_id)
        write.about(made, appeal=made.pk, appeal_decided=decided.pk, upheld=upheld)
        return decided


def preview_appeal_decision(made: Appeal, judgement: AppealDecision, *, by: Actor) -> RulingPreview:
    """Return what a decision on an appeal would change, without recording it.

    It raises the errors of `decide_appeal`.
    """
    return DisputePreview(made.ruling.dispute).preview(lambda: decide_appeal(made, judgement, by=by))


def apply_appeal_decision(
    made: Appeal, judgement: AppealDecision, *, shown: str, by: Actor, key: str = ""
) -> AppealDecided:
    """Decide an appeal if the consequences are still those that were shown.

    Raises:
        Conflict: `look-again`.
    """
    preview = DisputePreview(made.ruling.dispute)
    return preview.apply(lambda: decide_appeal(made, judgement, by=by, key=key), shown=shown)


def _undo_effects(write: Write, state: DisputeState, ruling: Ruling) -> None:
    undo_penalties(write, ruling)
    restore_hand(write, state, ruling.effects.get("sheet", {}))


def _refuse_appeal(write: Write, state: DisputeState, ruling: Ruling, who: Entrant | None, by: Actor) -> None:
    _require_play(write)
    if who is None or not state.letter_of(who):
        raise NotAllowed(
            "not-a-party", _("Only the entrants of the ruling can appeal it. Choose which of them appeals.")
        )
    if state.appeal is not None:
        raise Conflict("appealed-already", _("This ruling was appealed already. Only one appeal is possible."))
    if state.ruling is None or state.ruling.pk != ruling.pk:
        raise Conflict("superseded", _("This ruling was replaced by another one. Look at the new ruling."))
    until = appeal_deadline(state)
    if by.entrant is not None and until is not None and write.at > until:
        raise Conflict("too-late", _("The time for appeals is over. Ask the desk if it should still be recorded."))
    if load_committee(state.dispute.event) is None:
        raise DomainError("no-committee", _("This event has no appeals committee yet. Ask the director to name one."))


def _require_play(write: Write) -> None:
    if write.event is None or write.event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play", _("Appeals are possible only while the event is in play. Open the event again first.")
        )


# --- Refused rulings -------------------------------------------------------------------------------------------------
# A player may refuse a ruling that applies a rule differently than before (Metzker, “the Kali effect”).


def refuse_ruling(ruling: Ruling, precedent: Ruling, *, by: Actor, entrant: Entrant, reason: str) -> RulingRefused:
    """Record that an entrant refuses a ruling because an earlier one applied the rule differently.

    The effects of the refused ruling are undone. See Metzker, “the Kali effect”.

    Raises:
        DomainError: `not-refusable`, `no-precedent`, `reason-needed`.
        NotAllowed: `not-a-party`.
        Conflict: `refused-already`, `superseded`, `not-in-play`.
    """
    dispute = ruling.dispute
    require(by, "direct", dispute.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", _("Write how the rule was applied before."))
    with writing(dispute.event, verb="ruling.refused", by=by, reason=reason) as write:
        state = load_dispute(dispute.event, dispute.pk)
        _refuse_refusal(write, ruling, precedent)
        if not policy_for(state.rule_sheet.rules).can_be_refused:
            raise DomainError(
                "not-refusable", _("These rules do not let a player refuse a ruling. Record an appeal instead.")
            )
        if not state.letter_of(entrant):
            raise NotAllowed("not-a-party", _("Only the entrants of the ruling can refuse it. Choose one of them."))
        _undo_effects(write, state, ruling)
        made = RulingRefused.objects.create(ruling=ruling, precedent=precedent, entrant=entrant, **write.fact_fields())
        write.about(ruling, refused=made.pk, ruling=ruling.pk, precedent=precedent.pk)
        return made


def _refuse_refusal(write: Write, ruling: Ruling, precedent: Ruling) -> None:
    if write.event is None or write.event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play", _("A ruling can be refused only while the event is in play. Open the event again first.")
        )
    if RulingRefused.objects.filter(ruling=ruling).exists():
        raise Conflict("refused-already", _("This ruling was refused already. Nothing was changed."))
    if hasattr(ruling, "superseded_by"):
        raise Conflict("superseded", _("This ruling was replaced by another one. Look at the new ruling."))
    same = precedent.kind == ruling.kind and precedent.number < ruling.number
    within = precedent.dispute.event.tournament_id == ruling.dispute.event.tournament_id
    if not (same and within and precedent.ruling != ruling.ruling):
        wanted = _("Choose an earlier ruling of the same kind that was decided another way.")
        raise DomainError("no-precedent", wanted)


def set_register_names(event: Event, *, shown: bool, by: Actor, key: str = "") -> bool:
    """Show or hide names in the register, for earlier and later rulings of the event."""
    require(by, "direct", event.tournament)
    with writing(event, verb="register.names", by=by, key=scoped_key(key, shown)) as write:
        if not write.repeated and load_register_names([event]).get(event.pk, False) != shown:
            made = RegisterNames.objects.create(event=event, shown=shown, **write.fact_fields())
            write.about(event, names=made.pk, shown=shown)
    return shown
