"""Keep two entrants, couples, or the players of each club apart, or stop doing so."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from pairing.models import AvoidPair, AvoidPairEnded, ClubsApart
from pairing.stages.selectors.apart import load_last_round_with_clubs_apart
from pairing.stages.selectors.records import load_draw_preview, load_posted_draw
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, require_reason, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, Event

AvoidPairKind = AvoidPair.Kind
CLUBS_NOT_KEPT_APART: Final = 0
"""The value for clubs whose players are not kept apart in any round."""


@dataclass(frozen=True, slots=True)
class KeepApartPeriod:
    """How long two entrants are kept apart: in round one, before round `before`, or in the whole event.

    A couple (`is_couple`) is kept apart if possible, like members of a club.
    """

    kind: AvoidPair.Kind = AvoidPairKind.FIRST_ROUND
    before: int | None = None
    is_couple: bool = False


ROUND_ONE_PERIOD: Final = KeepApartPeriod()


def keep_entrants_apart(
    one: Entrant, other: Entrant, *, by: Actor, reason: str, period: KeepApartPeriod = ROUND_ONE_PERIOD
) -> AvoidPair:
    """Keep two entrants apart. If this is just for round one, it is possible only before the draw.

    Raises:
        DomainError: `bad-pair`, `reason-needed`, `bad-round`.
        Conflict: `drawn`, `listed`.
    """
    event = one.event
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="draw.keep-apart", by=by, reason=reason) as write:
        _require_valid_period(write.the_event, period, reason)
        pair = _add_pair(write, write.the_event, (one, other), period)
        write.about(pair, pair=[pair.one.number, pair.other.number], kind=period.kind.value, before=period.before)
        return pair


def keep_couples_apart(
    event: Event, couples: Sequence[tuple[int, int]], *, by: Actor, reason: str, period: KeepApartPeriod
) -> list[AvoidPair]:
    """Keep couples apart, given as pairs of entry numbers. Couples that are already listed are skipped.

    Raises:
        DomainError: `nobody`, `bad-pair`, `reason-needed`, `bad-round`.
        Conflict: `drawn`.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="draw.keep-couples-apart", by=by, reason=reason) as write:
        _require_valid_period(write.the_event, period, reason)
        if not couples:
            raise DomainError("nobody", _("Enter the couples, two entry numbers on each line."))
        numbers = {number for couple in couples for number in couple}
        entrants = {entrant.number: entrant for entrant in write.the_event.entrants.filter(number__in=numbers)}
        unknown = sorted(numbers - entrants.keys())
        if unknown:
            message = _("There is no entry %(numbers)s in this event. Check the entry numbers.")
            raise DomainError("bad-pair", message % {"numbers": ", ".join(map(str, unknown))})
        listed = {
            frozenset(pair)
            for pair in write.the_event.avoid_pairs.filter(kind=period.kind, ended=None).values_list(
                "one__number", "other__number"
            )
        }
        new = list(dict.fromkeys((min(couple), max(couple)) for couple in couples))
        added = [
            _add_pair(write, write.the_event, (entrants[low], entrants[high]), period)
            for low, high in new
            if frozenset((low, high)) not in listed
        ]
        write.about(
            write.the_event, couples=[list(couple) for couple in new], kind=period.kind.value, before=period.before
        )
        return added


def _require_valid_period(event: Event, period: KeepApartPeriod, reason: str) -> None:
    if period.kind is AvoidPairKind.FIRST_ROUND:
        _require_before_draw(event)
    require_reason(reason, _("Write the reason they are kept apart. It is published with the draw."))
    if (period.kind is AvoidPairKind.NOT_BEFORE) is (period.before is None):
        raise DomainError("bad-round", _("Enter a round only if they are kept apart until a round."))


def _add_pair(
    write: WriteTransaction, event: Event, two: tuple[Entrant, Entrant], period: KeepApartPeriod
) -> AvoidPair:
    low, high = sorted(two, key=lambda entrant: entrant.number)
    if low.pk == high.pk or low.event_id != event.pk or high.event_id != event.pk:
        raise DomainError("bad-pair", _("Choose two different entrants of this event."))
    if event.avoid_pairs.filter(one=low, other=high, kind=period.kind, ended=None).exists():
        raise Conflict("listed", _("These two are on the list already. Nothing was changed."))
    return AvoidPair.objects.create(
        event=event,
        one=low,
        other=high,
        kind=period.kind,
        before_round=period.before,
        is_couple=period.is_couple,
        **write.fact_fields(),
    )


def stop_keeping_apart(pair: AvoidPair, *, by: Actor, reason: str = "") -> None:
    require_permission(by, "direct", pair.event.tournament)
    with writing(pair.event, verb="draw.not-kept-apart", by=by, reason=reason) as write:
        if pair.kind == AvoidPairKind.FIRST_ROUND:
            _require_before_draw(write.the_event)
        if AvoidPairEnded.objects.filter(pair=pair).exists():
            raise Conflict("off-the-list", _("These two are no longer on the list. Nothing was changed."))
        AvoidPairEnded.objects.create(pair=pair, **write.fact_fields())
        write.about(pair, pair=[pair.one.number, pair.other.number])


def keep_clubs_apart(event: Event, until: int | None, *, by: Actor, reason: str = "") -> ClubsApart | None:
    """Keep entries of the same club apart up to round `until`.

    If `until` is 0, they are not kept apart. If it is None, they are kept apart for the whole event. Return None if
    nothing changes.

    Raises:
        DomainError: `bad-round`.
        Conflict: `drawn` if `until` is 1 and the draw was already made.
    """
    require_permission(by, "direct", event.tournament)
    if until is not None and until < CLUBS_NOT_KEPT_APART:
        raise DomainError("bad-round", _("Enter the round until which clubs are kept apart. 1 is round one."))
    last = load_last_round_with_clubs_apart(event)
    if last == until:
        return None
    with writing(event, verb="draw.clubs-apart", by=by, reason=reason) as write:
        if until == 1:
            _require_before_draw(write.the_event)
        clubs_apart = ClubsApart.objects.create(event=write.the_event, until=until, **write.fact_fields())
        write.about(write.the_event, until=until, was=last)
        return clubs_apart


def _require_before_draw(event: Event) -> None:
    if load_draw_preview(event) is not None or load_posted_draw(event) is not None:
        raise Conflict("drawn", _("The draw is made, so its list stays as it was. Undo the draw first to change it."))
