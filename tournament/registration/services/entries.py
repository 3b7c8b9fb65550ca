"""Enter, approve, reject, withdraw, reinstate, and substitute players. Each function locks the event first."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournament.core.dispatch import send_task_after_commit
from tournament.core.permissions import SYSTEM_ACTOR, Actor, load_roles, require_permission
from tournament.core.selectors.copies import sends_email
from tournament.core.selectors.issued import find_entry_number, take_entry_credentials
from tournament.core.services.record import (
    WriteTransaction,
    get_action_time,
    make_idempotency_key,
    require_reason,
    writing,
)
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Entrant, EntrantFact, Event, Member, Player, Tournament
from tournament.money.services.fees_and_refunds import add_fee_cancellation, charge_fee, restore_fee
from tournament.ports import stage_provider
from tournament.registration.selectors.entries import (
    APPROVAL_ROLES,
    list_required_approvals,
    load_active_entries,
    load_entry_summary,
    load_members,
    reload_entrant,
)
from tournament.registration.services.people import (
    Person,
    find_or_create_player,
    find_player,
    find_player_records,
    make_entry_sort_name,
    make_link_secrets,
)
from tournament.registration.services.waiting_list import (
    EVENT_STATES_BEFORE_DRAW,
    fill_free_places,
    put_on_waiting_list_if_full,
    record_entrant_fact,
    require_valid_side,
    require_valid_site,
)
from tournament.spreadsheets import normalize_text

EntrantFactKind = EntrantFact.Kind
EntrantState = Entrant.State
STATES_OUT_OF_EVENT = (EntrantState.WITHDRAWN, EntrantState.REFUSED, EntrantState.REMOVED)


@dataclass(frozen=True, slots=True)
class EntryRequest:
    """A request to enter an event.

    - `at`: the time of the entry, if an imported list has one.
    - `is_reentry`: whether this is a re-entry.
    - `asks_for_partner`: the player enters alone, and a partner is drawn for them, from `pool` if there are two pools.
    - `is_different_person`: the desk has checked that an entrant of the same name is a different person.
    """

    people: tuple[Person, ...]
    team: str = ""
    notes: str = ""
    source: str = Entrant.Source.FORM.value
    at: dt.datetime | None = None
    is_reentry: bool = False
    side: str = ""
    site: str = ""
    asks_for_partner: bool = False
    pool: str = ""
    is_different_person: bool = False


def add_entry(
    event: Event,
    entry: EntryRequest,
    *,
    by: Actor,
    key: str = "",
    site: str = "",
    report: Callable[[bool], object] | None = None,
) -> Entrant:
    """Create an entry and return it. A second request with the same key returns the first entry.

    An actor without a user (the public form) can enter only while registration is open. `site` is the base URL for
    links in the email. If there is an email to send, `report` is called with True if the message broker accepts the
    email, and otherwise with False.

    Raises:
        NotAllowed: `not-open-yet`, `closed`.
        Conflict: `already-entered`, or `still-in` for an early re-entry, both with the earlier number in `data`.
        DomainError: `no-name`, `no-partner`, `same-twice`, `no-reentry`, `no-earlier-entry`, `bad-side`, `bad-site`,
            `nobody-asks`, `bad-pool`.
    """
    if by.user is not None:
        require_permission(by, "desk", event.tournament)
    with writing(event, verb="entrant.entered", by=by, key=make_idempotency_key(key, entry)) as write:
        if write.repeated:
            return Entrant.objects.select_related("event__tournament").get(pk=write.outcome["entrant"])
        entrant = record_entry(write, entry)
        send_private_link(entrant, site, report=report)
        return entrant


def record_entry(write: WriteTransaction, entry: EntryRequest) -> Entrant:
    """Create an entry in the caller's transaction. The errors are those of `add_entry`."""
    event = write.the_event
    require_registration_open(event, write.by, write.acted_at)
    if entry.asks_for_partner and event.state == Event.State.IN_PLAY:
        raise Conflict("pairs-settled", _("Play has started, and no more partners are drawn. Enter a pair."))
    _require_valid_players(event, entry)
    require_valid_side(event, entry.side)
    require_valid_site(event, entry.site)
    reentry_of = _find_earlier_entry(event, entry, write.acted_at)
    # If a public entry has a name and email on record, the desk has to confirm the player's identity.
    is_public = write.by.user is None and write.by != SYSTEM_ACTOR
    claimed = is_public and any(find_player(write.tournament, person) for person in entry.people)
    # The phone number of such an entry is not copied to the player's record. The staff find it in the notes.
    phones = [f"Phone: {person.phone}" for person in entry.people if claimed and person.phone]
    own = event.tournament
    players = [find_or_create_player(own, person, write.at, fill_in=not claimed) for person in entry.people]
    entrant = create_entrant(
        write,
        players,
        name=" / ".join(_choose_public_name(*both) for both in zip(entry.people, players, strict=True))[:200],
        sort_name=make_entry_sort_name(entry.people, players),
        club=normalize_text(entry.people[0].club)[:200],
        side=entry.side,
        site=entry.site,
        asks_partner=entry.asks_for_partner,
        pool=entry.pool,
        notes="\n".join(filter(None, (entry.notes.strip(), *phones))),
        source=entry.source,
        entered_at=entry.at or write.acted_at,
        reentry_of=reentry_of,
    )
    asked = (*list_required_approvals(event), *(["desk"] if claimed else []))
    record_entrant_fact(write, entrant, EntrantFactKind.ENTERED, asked=asked)
    if entry.asks_for_partner:
        record_entrant_fact(write, entrant, EntrantFactKind.ASKS, pool=entry.pool)
    put_on_waiting_list_if_full(write, entrant, since=entrant.entered_at.isoformat())
    charge_fee(write, entrant)
    write.about(entrant, entrant=entrant.pk, number=entrant.number, state=entrant.state)
    return entrant


def send_private_link(entrant: Entrant, site: str, *, report: Callable[[bool], object] | None = None) -> None:
    """Email the private link after the commit, if this site can send mail and a player has an email address."""
    if site and sends_email(entrant.event.tournament) and any(member.player.email for member in load_members(entrant)):
        mail = {"entrant_id": entrant.pk, "site": site, "language": get_language()}
        send_task_after_commit("tournament.send_confirmation", report=report, **mail)


def create_entrant(write: WriteTransaction, players: Sequence[Player], **columns: Any) -> Entrant:
    """Create an entry for these players with the next free number, a private link, and a signing code."""
    event = write.the_event
    issued = take_entry_credentials(event, columns["name"])
    token, sign_code = make_link_secrets(issued)
    entrant = Entrant.objects.create(
        event=event, number=find_entry_number(event, issued), token=token, sign_code=sign_code, **columns
    )
    for seat, player in enumerate(players, start=1):
        Member.objects.create(entrant=entrant, player=player, seat=seat, **write.fact_fields())
    return entrant


def withdraw_entrant(entrant: Entrant, *, by: Actor, reason: str = "", key: str = "") -> Entrant:
    """Withdraw an entry on behalf of the entrant or the desk.

    The next entry on the waiting list moves up immediately.
    """
    if by.entrant is None or by.entrant.pk != entrant.pk:
        require_permission(by, "desk", entrant.event.tournament)
    with writing(
        entrant.event, verb="entrant.withdrawn", by=by, reason=reason, key=make_idempotency_key(key, entrant.pk)
    ) as write:
        locked = reload_entrant(entrant)
        return locked if write.repeated else _record_withdrawal(write, locked)


def _record_withdrawal(write: WriteTransaction, entrant: Entrant) -> Entrant:
    """Withdraw an entry in the caller's transaction.

    Before the draw, the unpaid part of the fee is canceled, and the director decides whether to refund the rest. After
    the draw, the fee stays in the pool, and the opponents win by walkover.
    """
    if entrant.state in STATES_OUT_OF_EVENT:
        message = _("The entry of %(name)s is in the state “%(state)s”. Nothing was changed.")
        raise Conflict("out-already", message % {"name": entrant.name, "state": entrant.get_state_display()})
    _refuse_half_or_split_pair(entrant)
    if write.the_event.state == Event.State.FINISHED:
        raise Conflict(
            "finished", _("The event is finished, so nobody can withdraw. Open it again first if that is wrong.")
        )
    # An entrant without a partner is not in the draw, so nobody gets a walkover.
    drawn = write.the_event.state in (Event.State.DRAWN, Event.State.IN_PLAY) and entrant.state != EntrantState.SEEKING
    record_entrant_fact(write, entrant, EntrantFactKind.WITHDRAWN, drawn=drawn)
    if not drawn:
        add_fee_cancellation(replace(write, reason=write.reason or "withdrawn"), entrant, only_due=True)
        fill_free_places(write)
    write.about(entrant, number=entrant.number)
    return entrant


def reinstate_entrant(entrant: Entrant, *, by: Actor, reason: str) -> Entrant:
    """Bring an entry back before the draw, either to a free place or to the end of the waiting list.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-out`, `drawn`, `already-entered`.
    """
    require_permission(by, "direct", entrant.event.tournament)
    require_reason(reason)
    with writing(entrant.event, verb="entrant.reinstated", by=by, reason=reason) as write:
        locked, event = reload_entrant(entrant), write.the_event
        if event.state not in EVENT_STATES_BEFORE_DRAW:
            raise Conflict("drawn", _("The draw is made. Undo the draw first, or enter them in another event."))
        _record_reinstatement(write, locked)
        write.about(locked, number=locked.number, state=locked.state)
        return locked


def _record_reinstatement(write: WriteTransaction, locked: Entrant) -> None:
    """Reinstate an entry in the caller's transaction.

    The caller must already have checked that the draw has not been made yet.
    """
    if locked.state not in STATES_OUT_OF_EVENT:
        raise Conflict(
            "not-out",
            _("The entry of %(name)s is in the state “%(state)s”. Nothing was changed.")
            % {"name": locked.name, "state": locked.get_state_display()},
        )
    if load_active_entries(write.the_event, [m.player for m in load_members(locked)]).exclude(pk=locked.pk).exists():
        raise Conflict(
            "already-entered",
            _("%(name)s has entered this event again. Withdraw that entry first.") % {"name": locked.name},
        )
    record_entrant_fact(write, locked, EntrantFactKind.REINSTATED)
    if locked.state in (EntrantState.IN, EntrantState.APPLIED, EntrantState.SEEKING):
        put_on_waiting_list_if_full(write, locked, since=write.acted_at.isoformat())
    restore_fee(write, locked)


def substitute_player(entrant: Entrant, seat: int, person: Person, *, by: Actor, reason: str) -> Entrant:
    """Replace one player in an entry. The entry keeps its number, but gets a new private link and signing code.

    Raises:
        DomainError: `reason-needed`, `no-name`.
        Conflict: `out-already`, `already-entered`, `finished`.
    """
    require_permission(by, "direct", entrant.event.tournament)
    require_reason(reason)
    with writing(entrant.event, verb="entrant.substituted", by=by, reason=reason) as write:
        locked, event = reload_entrant(entrant), write.the_event
        if locked.state in STATES_OUT_OF_EVENT:
            raise Conflict(
                "out-already",
                _("The entry of %(name)s is in the state “%(state)s”. Bring them back first.")
                % {"name": locked.name, "state": locked.get_state_display()},
            )
        _refuse_half_or_split_pair(locked)
        if event.state == Event.State.FINISHED:
            raise Conflict(
                "finished", _("The event is finished, so nobody can be replaced. Open it again first if that is wrong.")
            )
        leaving = next((member for member in load_members(locked) if member.seat == seat), None)
        if leaving is None:
            raise DomainError("no-such-seat", _("Choose the player to replace."), field="seat")
        if load_active_entries(event, find_player_records(event.tournament, person)).exists():
            raise Conflict(
                "already-entered",
                _("%(name)s is already entered in this event. Choose another substitute.") % {"name": person.name},
            )
        joining = find_or_create_player(event.tournament, person, write.at)
        Member.objects.create(entrant=locked, player=joining, seat=seat, replaces=leaving, **write.fact_fields())
        record_entrant_fact(
            write, locked, EntrantFactKind.SUBSTITUTED, seat=seat, left=leaving.player_id, came=joining.pk
        )
        _update_entry_names(locked, person)
        write.about(locked, number=locked.number, left=leaving.player_id, came=joining.pk)
        return locked


def require_registration_open(event: Event, by: Actor, at: dt.datetime) -> None:
    """Raise an error if this actor cannot enter anybody at this time.

    The public can enter while registration is open. Staff can enter people until the draw, or later if a stage accepts
    late entries.
    """
    if by.user is not None or by == SYSTEM_ACTOR:
        if event.state == Event.State.IN_PLAY and stage_provider().accepts_late_entries(event):
            return
        if event.state == Event.State.IN_PLAY:
            raise Conflict(
                "drawn",
                _(
                    "The draw is made, and no place in it is open. Undo the draw before the first result, or enter a "
                    "substitute for a player."
                ),
            )
        if event.state in (Event.State.DRAWN, Event.State.FINISHED):
            raise Conflict("drawn", _("The draw is made. Undo the draw before you enter anybody."))
        return
    if event.state == Event.State.DRAFT or (event.opens_at is not None and at < event.opens_at):
        raise NotAllowed("not-open-yet", _("Registration is not open yet. Come back when it opens."))
    if event.state != Event.State.OPEN or (event.closes_at is not None and at > event.closes_at):
        raise NotAllowed("closed", _("Registration is closed. Ask the director if a place is left."))


def describe_closed_registration(event: Event, by: Actor) -> str:
    """Explain why this actor cannot enter anybody at this time. Return "" if they can."""
    try:
        require_registration_open(event, by, get_action_time())
    except DomainError as refusal:
        return refusal.message
    return ""


def _refuse_half_or_split_pair(entrant: Entrant) -> None:
    """Raise Conflict if the entry was joined into a pair, or is a pair that was split."""
    if entrant.state == EntrantState.JOINED and entrant.joined_to is not None:
        pair = entrant.joined_to
        raise Conflict(
            "in-a-pair",
            _("%(name)s plays in %(name2)s, number %(number)s. Go to that entry.")
            % {"name": entrant.name, "name2": pair.name, "number": pair.number},
        )
    if entrant.state == EntrantState.PARTED:
        raise Conflict(
            "parted", _("The pair %(name)s was split. Go to the entry of one of the two.") % {"name": entrant.name}
        )


def _require_valid_players(event: Event, entry: EntryRequest) -> None:
    if entry.asks_for_partner:
        _require_valid_partner_request(event, entry)
        return
    if len(entry.people) != event.entry_size:
        raise DomainError(
            "no-partner",
            _("An entry in this event has %(entry_size)s players. Write all the names.")
            % {"entry_size": event.entry_size},
        )
    if len({normalize_text(person.name).casefold() for person in entry.people}) != len(entry.people):
        raise DomainError("same-twice", _("Both names are the same player. Write your partner's name."))


def _require_valid_partner_request(event: Event, entry: EntryRequest) -> None:
    if event.entry_size != 2 or event.partners == Event.Partners.TOGETHER:
        raise DomainError("nobody-asks", _("This event does not draw partners. Enter with your partner."), field="way")
    if len(entry.people) != 1:
        raise DomainError(
            "nobody-asks",
            _("A player who is looking for a partner enters alone. Leave the partner's name empty."),
            field="way",
        )
    pools = ["", *Entrant.Pool.values] if event.partners == Event.Partners.TWO_POOLS else [""]
    if entry.pool not in pools:
        raise DomainError("bad-pool", _("This event has no such pool. Choose one of those on the form."), field="pool")


def _find_earlier_entry(event: Event, entry: EntryRequest, at: dt.datetime) -> Entrant | None:
    """If this is a re-entry, return the player's earlier entry. If it is a first entry, return None."""
    if entry.is_different_person:
        return None
    people = [player for person in entry.people for player in find_player_records(event.tournament, person)]
    entries = list(load_active_entries(event, people).select_related("event__tournament")) if people else []
    earlier = entries[-1] if entries else None
    if earlier is None:
        if entry.is_reentry:  # as a first entry, the same person could be drawn against themselves
            message = _("No earlier entry of %(name)s was found. Enter the name and email as in the earlier entry.")
            names = " / ".join(person.name for person in entry.people)
            raise DomainError("no-earlier-entry", message % {"name": names}, field="again")
        return None
    if not entry.is_reentry:
        message = _("%(name)s has already entered %(event)s, with number %(number)s. Look at that entry.")
        values = {"name": earlier.name, "event": event.name, "number": earlier.number}
        raise Conflict("already-entered", message % values, number=earlier.number)
    if not event.reentry:
        raise DomainError("no-reentry", _("This event has no re-entries. Ask the director."), number=earlier.number)
    if event.reentry_until is not None and at > event.reentry_until:
        raise DomainError("no-reentry", _("The time for re-entries is over. Ask the director."), number=earlier.number)
    for each in entries:
        if not stage_provider().is_eliminated_or_withdrawn(each):
            message = _("%(name)s is still in with number %(number)s. They can enter again once they are eliminated.")
            raise Conflict("still-in", message % {"name": each.name, "number": each.number}, number=each.number)
    return earlier


def _choose_public_name(person: Person, player: Player) -> str:
    """Return the public name as entered, or initials if the player on record hides their name."""
    return str(player) if player.hides_name else person.displayed_name


def _update_entry_names(entrant: Entrant, person: Person) -> None:
    playing = [member.player for member in load_members(entrant)]
    names = [
        _choose_public_name(person, player) if player.name == normalize_text(person.name) else str(player)
        for player in playing
    ]
    entrant.sort_name = make_entry_sort_name([Person.from_player(player) for player in playing], playing)
    entrant.name = " / ".join(names)[:200]
    entrant.club = normalize_text(person.club)[:200] or entrant.club
    entrant.token, entrant.sign_code = make_link_secrets(take_entry_credentials(entrant.event, entrant.name))
    entrant.save(update_fields=["name", "sort_name", "sort_key", "club", "token", "sign_code"])


# --- Approvals -------------------------------------------------------------------------------------------------------


def add_approved_entry(event: Event, entry: EntryRequest, *, by: Actor, key: str = "", site: str = "") -> Entrant:
    """Create an entry, and give all required approvals in the same transaction.

    Raises:
        NotAllowed: `not-your-role`: the user lacks one of the required roles.
        DomainError: any that `add_entry` raises.
    """
    require_permission(by, "desk", event.tournament)
    roles = list_required_approvals(event)
    for role in roles:
        _require_role(role, by, event.tournament)
    with writing(event, verb="entrant.entered", by=by, key=make_idempotency_key(key, entry, roles)) as write:
        if write.repeated:
            return Entrant.objects.select_related("event__tournament").get(pk=write.outcome["entrant"])
        entrant = record_entry(write, entry)
        for role in roles:
            record_entrant_fact(write, entrant, EntrantFactKind.APPROVED, role=role)
        write.about(entrant, approved_as=list(roles), state=entrant.state)
        send_private_link(entrant, site)
        return entrant


def approve_entrant(entrant: Entrant, role: str, *, by: Actor, reason: str = "") -> Entrant:
    """Record one role's approval of an entry.

    Raises:
        Conflict: `not-asked`: the approval is not needed, or was already given.
        NotAllowed: `not-your-role`.
    """
    _require_role(role, by, entrant.event.tournament)
    with writing(entrant.event, verb="entrant.approved", by=by, reason=reason) as write:
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        if (
            locked.state not in (EntrantState.APPLIED, EntrantState.WAITING)
            or role not in load_entry_summary(locked).missing_roles
        ):
            raise Conflict(
                "not-asked", _("%(name)s does not need this approval. Nothing was changed.") % {"name": locked.name}
            )
        record_entrant_fact(write, locked, EntrantFactKind.APPROVED, role=role)
        if role == "desk":
            fill_free_places(write)
        write.about(locked, number=locked.number, role=role, state=locked.state)
        return locked


def approve_entrants(event: Event, numbers: list[int], role: str, *, by: Actor) -> int:
    """Record that this role approves the entries. Return how many of them needed that approval."""
    _require_role(role, by, event.tournament)
    with writing(event, verb="entrants.approved", by=by) as write:
        approved = []
        for locked in event.entrants.filter(number__in=numbers, state__in=[EntrantState.APPLIED, EntrantState.WAITING]):
            if role in load_entry_summary(locked).missing_roles:
                record_entrant_fact(write, locked, EntrantFactKind.APPROVED, role=role)
                approved.append(locked.number)
        if not approved:
            raise Conflict("nobody", _("None of these entries needs this approval. Nothing was changed."))
        if role == "desk":
            fill_free_places(write)
        write.about(event, role=role, numbers=approved)
        return len(approved)


def reject_entrant(entrant: Entrant, role: str, *, by: Actor, reason: str) -> Entrant:
    """Reject an entry, cancel its fee, and move up the next entry on the waiting list.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `out-already`, `drawn`.
    """
    tournament = entrant.event.tournament
    asked = load_entry_summary(entrant).asked or list_required_approvals(entrant.event)
    if asked and asked != ("desk",):
        _require_role(role, by, tournament)
    else:
        require_permission(by, "desk", tournament)
    require_reason(reason)
    with writing(entrant.event, verb="entrant.refused", by=by, reason=reason) as write:
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        if locked.state in STATES_OUT_OF_EVENT:
            raise Conflict(
                "out-already",
                _("The entry of %(name)s is already in the state “%(state)s”. Nothing was changed.")
                % {"name": locked.name, "state": locked.get_state_display()},
            )
        _refuse_half_or_split_pair(locked)
        if write.the_event.state not in EVENT_STATES_BEFORE_DRAW:
            raise Conflict(
                "drawn", _("The draw is made, so the entry can no longer be refused. Record a ruling instead.")
            )
        record_entrant_fact(write, locked, EntrantFactKind.REFUSED, role=role)
        add_fee_cancellation(replace(write, reason=reason), locked, only_due=False)
        write.about(locked, number=locked.number, role=role)
        fill_free_places(write)
        return locked


def _require_role(role: str, by: Actor, tournament: Tournament) -> None:
    if role == "desk":
        require_permission(by, "desk", tournament)
        return
    require_permission(by, "approve", tournament)
    if role not in APPROVAL_ROLES:
        raise NotAllowed("not-your-role", _("This role cannot approve entries. Choose director, coordinator or hotel."))
    if by == SYSTEM_ACTOR:
        return
    if by.user is None or role not in load_roles(by.user, tournament):
        raise NotAllowed(
            "not-your-role",
            _("You are not the %(role)s of this tournament. Ask the %(role)s to approve it.") % {"role": role},
        )


# --- Unpaid and absent entries ---------------------------------------------------------------------------------------
# Before the draw, the director keeps them in the draw or leaves them out.


def keep_entrants_in_draw(event: Event, numbers: list[int], *, by: Actor, reason: str = "") -> int:
    """Mark unpaid or absent entries to be kept in the draw. Return how many were newly marked."""
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="draw.kept", by=by, reason=reason) as write:
        already = EntrantFact.objects.filter(entrant__event=event, kind=EntrantFactKind.KEPT).values_list(
            "entrant_id", flat=True
        )
        entrants = list(event.entrants.filter(number__in=numbers, state=Entrant.State.IN).exclude(pk__in=list(already)))
        for entrant in entrants:
            EntrantFact.objects.create(entrant=entrant, kind=EntrantFactKind.KEPT, **write.fact_fields())
        write.about(event, kept=[entrant.number for entrant in entrants])
        return len(entrants)


def leave_entries_out_of_draw(event: Event, numbers: list[int], *, by: Actor, reason: str) -> int:
    """Leave entries out of the draw, and return how many. They can be brought back until the draw.

    Raises:
        Conflict: `drawn`.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="draw.left-out", by=by, reason=reason) as write:
        _require_before_draw(write)
        entrants = list(event.entrants.filter(number__in=numbers, state=Entrant.State.IN))
        for entrant in entrants:
            EntrantFact.objects.create(entrant=entrant, kind=EntrantFactKind.LEFT_OUT, **write.fact_fields())
            entrant.state = Entrant.State.REMOVED
            entrant.save(update_fields=["state"])
        write.about(event, left_out=[entrant.number for entrant in entrants], promoted=fill_free_places(write))
        return len(entrants)


def return_entries_to_draw(event: Event, numbers: list[int], *, by: Actor, reason: str) -> int:
    """Reinstate entries that were left out of the draw. Return how many were reinstated.

    Each entry gets a free place, or goes to the end of the waiting list.

    Raises:
        Conflict: `drawn`, or `already-entered` if a player has entered again. In that case, nobody is brought back.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="draw.brought-back", by=by, reason=reason) as write:
        _require_before_draw(write)
        entrants = list(event.entrants.filter(number__in=numbers, state=Entrant.State.REMOVED).order_by("number"))
        for entrant in entrants:
            _record_reinstatement(write, entrant)
        write.about(event, brought_back=[entrant.number for entrant in entrants])
        return len(entrants)


def _require_before_draw(write: WriteTransaction) -> None:
    if write.the_event.state not in (Event.State.OPEN, Event.State.CLOSED):
        raise Conflict("drawn", _("The draw is posted. Withdraw the player on the Results page instead."))
