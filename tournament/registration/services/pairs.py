"""Join two seeking entries into a pair, split such a pair, and move entries between pools, all before the draw.

A pair is a new entry with its own number. Both players' original entries remain with their history and payments, and
their private links lead to the pair. The draw of partners itself is in `pairing`.
"""

from dataclasses import replace

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_permission
from tournament.core.selectors.events import resolve_merged_player
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, EntrantFact, Event, Player
from tournament.money.services.fees_and_refunds import split_pair_payments
from tournament.registration.selectors.entries import load_members, reload_entrant
from tournament.registration.services.entries import create_entrant, send_private_link
from tournament.registration.services.waiting_list import (
    EVENT_STATES_BEFORE_DRAW,
    change_entrant_column,
    record_entrant_fact,
)

EntrantFactKind = EntrantFact.Kind
EntrantState = Entrant.State


def join_partners(one: Entrant, other: Entrant, *, by: Actor, reason: str, key: str = "", site: str = "") -> Entrant:
    """Join the entries of two players without partners into a pair that the director chose.

    Raises:
        DomainError: `reason-needed`, `same-twice`.
        Conflict: `drawn`, `not-seeking`.
    """
    require_permission(by, "direct", one.event.tournament)
    require_reason(reason)
    with writing(
        one.event, verb="partners.joined", by=by, reason=reason, key=make_idempotency_key(key, one.pk, other.pk)
    ) as write:
        if write.repeated:
            return Entrant.objects.select_related("event__tournament").get(pk=write.outcome["pair"])
        pair = record_pair(write, reload_entrant(one), reload_entrant(other))
        write.about(pair, pair=pair.pk, number=pair.number, halves=[one.number, other.number])
        send_private_link(pair, site)
        return pair


def record_pair(write: WriteTransaction, one: Entrant, other: Entrant, *, draw: str = "") -> Entrant:
    """Join the entries of two players without partners into a pair, in the caller's transaction.

    `draw` identifies the draw of partners that formed the pair, if any.
    """
    require_draw_not_posted(write)
    people = [_get_current_player(one), _get_current_player(other)]
    if people[0].pk == people[1].pk:
        raise DomainError(
            "same-twice", _("%(name)s cannot be their own partner. Choose two different people.") % {"name": one.name}
        )
    for half in (one, other):
        if half.state != EntrantState.SEEKING or half.event_id != write.the_event.pk:
            raise Conflict(
                "not-seeking",
                _("%(name)s is not looking for a partner: the entry is in the state “%(state)s”. Choose somebody else.")
                % {"name": half.name, "state": half.get_state_display()},
            )
    pair = create_entrant(
        write,
        people,
        name=f"{one.name} / {other.name}"[:200],
        sort_name=f"{one.sort_name} / {other.sort_name}" if one.sort_name and other.sort_name else "",
        club=" / ".join(dict.fromkeys(half.club for half in (one, other) if half.club))[:200],
        site=one.site if one.site == other.site else "",
        notes="\n".join(half.notes for half in (one, other) if half.notes),
        source=Entrant.Source.PARTNERS,
        entered_at=write.acted_at,
    )
    record_entrant_fact(write, pair, EntrantFactKind.ENTERED, halves=[one.number, other.number], draw=draw)
    if one.arrived and other.arrived:
        record_entrant_fact(write, pair, EntrantFactKind.ARRIVED)
    for half in (one, other):
        half.joined_to = pair
        half.save(update_fields=["joined_to"])
        record_entrant_fact(write, half, EntrantFactKind.JOINED, pair=pair.number, draw=draw)
    return pair


def split_pair(pair: Entrant, *, by: Actor, reason: str, key: str = "") -> tuple[Entrant, Entrant]:
    """Split a joined pair. Both players are then looking for a partner again, each with their own payments.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `drawn`, `entered-together`, `not-in`, `substituted`.
    """
    require_permission(by, "direct", pair.event.tournament)
    require_reason(reason)
    with writing(
        pair.event, verb="partners.parted", by=by, reason=reason, key=make_idempotency_key(key, pair.pk)
    ) as write:
        if write.repeated:
            one, other = pair.event.entrants.filter(number__in=write.outcome["halves"]).order_by("number")
            return one, other
        one, other = record_pair_split(write, reload_entrant(pair))
        write.about(pair, number=pair.number, halves=[one.number, other.number])
        return one, other


def record_pair_split(write: WriteTransaction, pair: Entrant) -> tuple[Entrant, Entrant]:
    """Split a joined pair in the caller's transaction, and return the two players' entries."""
    require_draw_not_posted(write)
    halves = sorted(pair.halves.select_related("event__tournament"), key=lambda half: half.number)
    if len(halves) != 2:
        message = _("The players of %(name)s entered together. Withdraw the pair, or enter a substitute.")
        raise Conflict("entered-together", message % {"name": pair.name})
    if pair.state not in (EntrantState.IN, EntrantState.REMOVED):
        raise Conflict(
            "not-in",
            _("The pair %(name)s is in the state “%(state)s”. Bring the pair back first.")
            % {"name": pair.name, "state": pair.get_state_display()},
        )
    if pair.members.exclude(replaces=None).exists():
        message = _(
            "A substitute plays in %(name)s. Withdraw the pair, and enter the player who needs a partner again."
        )
        raise Conflict("substituted", message % {"name": pair.name})
    record_entrant_fact(write, pair, EntrantFactKind.PARTED)
    for half in halves:
        half.joined_to = None
        half.save(update_fields=["joined_to"])
        record_entrant_fact(write, half, EntrantFactKind.ASKS, again=True)
        if pair.arrived and not half.arrived:
            record_entrant_fact(write, half, EntrantFactKind.ARRIVED)
    one, other = halves
    split_pair_payments(replace(write, outcome={}), pair, (one, other))
    return one, other


def change_partner_pool(entrant: Entrant, pool: str, *, by: Actor, reason: str = "") -> Entrant:
    """Move a player without a partner to pool A or B.

    Raises:
        DomainError: `bad-pool`.
        Conflict: `drawn`, `not-seeking`, `same-pool`.
    """
    require_permission(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="partners.pool", by=by, reason=reason) as write:
        require_draw_not_posted(write)
        _require_other_pool(write, pool)
        locked = reload_entrant(entrant)
        if not locked.asks_partner or locked.state in (EntrantState.JOINED, EntrantState.PARTED):
            raise Conflict(
                "not-seeking",
                _("%(name)s is not looking for a partner, and is in no pool. Choose somebody else.")
                % {"name": locked.name},
            )
        if locked.pool == pool:
            raise Conflict(
                "same-pool",
                _("%(name)s is already in pool %(pool)s. Nothing was changed.") % {"name": locked.name, "pool": pool},
            )
        was = change_entrant_column(write, locked, EntrantFactKind.POOL, "pool", pool)
        write.about(locked, number=locked.number, was=was, pool=pool)
        return locked


def move_entries_to_pool(event: Event, numbers: list[int], pool: str, *, by: Actor) -> int:
    """Move these players without partners to pool A or B. Return how many moved.

    Raises:
        DomainError: `bad-pool`.
        Conflict: `drawn`, `nobody`.
    """
    require_permission(by, "desk", event.tournament)
    with writing(event, verb="partners.pools", by=by) as write:
        require_draw_not_posted(write)
        _require_other_pool(write, pool)
        moved = list(event.entrants.filter(number__in=numbers, state=EntrantState.SEEKING).exclude(pool=pool))
        if not moved:
            raise Conflict(
                "nobody",
                _("None of these players can move to pool %(pool)s. Check the players who should move.")
                % {"pool": pool},
            )
        for locked in moved:
            change_entrant_column(write, locked, EntrantFactKind.POOL, "pool", pool)
        write.about(event, pool=pool, numbers=[entrant.number for entrant in moved])
        return len(moved)


def _require_other_pool(write: WriteTransaction, pool: str) -> None:
    if pool not in Entrant.Pool.values or write.the_event.partners != Event.Partners.TWO_POOLS:
        raise DomainError("bad-pool", _("This event has no such pool. Choose A or B."), field="pool")


def require_draw_not_posted(write: WriteTransaction) -> None:
    if write.the_event.state not in EVENT_STATES_BEFORE_DRAW:
        raise Conflict(
            "drawn", _("The draw of the event is posted, so pairs can no longer change. Undo that draw first.")
        )


def _get_current_player(half: Entrant) -> Player:
    return resolve_merged_player(load_members(half)[0].player)
