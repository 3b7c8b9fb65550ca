"""Refusals of rulings that apply a rule differently than before (Metzker, “the Kali effect”)."""

from django.utils.translation import gettext as _

from scoring.disputes.selectors.disputes import load_dispute
from scoring.models import Ruling, RulingRefused
from scoring.rules.rulings.policies import policy_of
from scoring.rulings.services.penalties import take_penalties_back
from scoring.rulings.services.ruled_sheet import take_hand_back
from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, writing
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Entrant, Event


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
        if not policy_of(state.rule_sheet.rules).can_be_refused:
            raise DomainError(
                "not-refusable", _("These rules do not let a player refuse a ruling. Record an appeal instead.")
            )
        if not state.letter_of(entrant):
            raise NotAllowed("not-a-party", _("Only the entrants of the ruling can refuse it. Choose one of them."))
        take_penalties_back(write, ruling)
        take_hand_back(write, state, ruling.effects.get("sheet", {}))
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
