"""Match people with existing player records, correct and merge records, and create and renew private links."""

import datetime as dt
import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_permission
from tournament.core.selectors.events import normalize_link_token, resolve_merged_player
from tournament.core.selectors.issued import EntryCredentials, is_token_free, take_entry_credentials
from tournament.core.services.record import (
    WriteTransaction,
    bump_version,
    make_idempotency_key,
    require_reason,
    writing,
)
from tournament.core.topics import EVERYBODY_TOPIC, record_changed_rows
from tournament.errors import Conflict, DomainError
from tournament.models import (
    Entrant,
    Event,
    LinkAnswer,
    LinkRequest,
    Member,
    Merge,
    MergeUndone,
    Player,
    PlayerCorrection,
    Tournament,
)
from tournament.models.registration import make_public_name
from tournament.registration.selectors.entries import load_members, reload_entrant
from tournament.registration.selectors.people import (
    MAX_OPEN_LINK_REQUESTS,
    has_link_request_expired,
    load_open_link_requests,
    load_tournament_players,
)
from tournament.spreadsheets import email_key, name_key, normalize_text, propose_sort_name, sort_key
from tournament.spreadsheets.names import PARTNER_SEPARATOR


@dataclass(frozen=True, slots=True)
class Person:
    """A person as entered on an entry form.

    The public sees `public_name` if it is given. Otherwise, the public sees the name, or only initials if `hides_name`
    is set.

    If `record` is given, the person is this existing player. An empty `sort_name` is derived from the public name.
    """

    name: str
    email: str = ""
    phone: str = ""
    club: str = ""
    public_name: str = ""
    consents: bool = False
    record: Player | None = None
    sort_name: str = ""
    hides_name: bool = False

    @classmethod
    def from_player(cls, player: Player) -> "Person":
        known = (player.name, player.email, player.phone, player.club, player.public_name)
        return cls(*known, record=player, sort_name=player.sort_name, hides_name=player.hides_name)

    @property
    def displayed_name(self) -> str:
        return make_public_name(normalize_text(self.name), normalize_text(self.public_name), hides_name=self.hides_name)


def find_player_records(tournament: Tournament, person: Person) -> list[Player]:
    """Return this person's existing records in the tournament, which have the same name and email.

    Without an email, a record must have the same phone number and no email. A name alone is not enough, because two
    people may share a name, and a couple may share an email address. Data from other tournaments is not used.
    """
    if person.record is not None:
        return [person.record]
    key, mail = name_key(person.name), email_key(person.email)
    players = Player.objects.filter(name_key=key, members__entrant__event__tournament=tournament)
    if mail:
        players = players.filter(Q(email_key=mail) | Q(merged_into__email_key=mail))
    else:
        players = players.filter(email_key="", phone=normalize_text(person.phone))
    return list(players.select_related("merged_into").distinct().order_by("pk"))


def make_entry_sort_name(people: Sequence[Person], players: Sequence[Player]) -> str:
    """Return an entry's sort name, which contains a sort name for each player.

    A player's sort name is the one that was entered, or else the one on record, or else derived from the public name.
    """
    both = zip(people, players, strict=True)
    names = [
        normalize_text(one.sort_name) or player.sort_name or propose_sort_name(one.displayed_name)
        for one, player in both
    ]
    return PARTNER_SEPARATOR.join(names)[:420]


def find_player(tournament: Tournament, person: Person) -> Player | None:
    """Return the person's existing record, or None.

    A matching name is not enough: the email or the phone number must match, too.
    """
    known = find_player_records(tournament, person)
    return resolve_merged_player(known[0]) if known and (person.record or person.email or person.phone) else None


def find_or_create_player(tournament: Tournament, person: Person, at: dt.datetime, *, fill_in: bool = True) -> Player:
    """Return the person's existing record, or create one. `fill_in` adds missing data to an existing record.

    Raises:
        DomainError: `no-name`.
    """
    if person.record is not None:
        return resolve_merged_player(person.record)
    if not name_key(person.name):
        raise DomainError("no-name", _("Write the name."), field="name")
    player = find_player(tournament, person)
    if player is None:
        return Player.objects.create(
            name=normalize_text(person.name)[:200],
            sort_name=normalize_text(person.sort_name)[:200],
            public_name=normalize_text(person.public_name)[:200],
            email=person.email.strip(),
            phone=normalize_text(person.phone),
            club=normalize_text(person.club),
            email_key=email_key(person.email),
            name_key=name_key(person.name),
            consent_at=at if person.consents else None,
            hides_name=person.hides_name,
        )
    if fill_in:
        _add_missing_data(player, person, at)
    return player


def _add_missing_data(player: Player, person: Person, at: dt.datetime) -> None:
    typed = {
        "phone": normalize_text(person.phone),
        "club": normalize_text(person.club),
        "public_name": normalize_text(person.public_name),
    }
    filled = {name: value for name, value in typed.items() if value and not getattr(player, name)}
    if person.consents and player.consent_at is None and not player.hides_name:
        Player.objects.filter(pk=player.pk).update(consent_at=at)
    if person.hides_name and not player.hides_name:
        player.hides_name = True
        Player.objects.filter(pk=player.pk).update(hides_name=True)
    if sort_name := normalize_text(person.sort_name):
        filled |= {"sort_name": sort_name[:200], "sort_key": sort_key(sort_name)}
    if filled:
        Player.objects.filter(pk=player.pk).update(**filled)
    record_changed_rows(Player, [player.pk])


# --- Merges ----------------------------------------------------------------------------------------------------------
# Nothing is moved: readers follow `merged_into`, so a merge can be undone.


def merge_players(tournament: Tournament, kept: Player, gone: Player, *, by: Actor, reason: str) -> Merge:
    """Merge the record `gone`, including all records merged into it earlier, into the record `kept`.

    Raises:
        DomainError: `same-player`, `reason-needed`, or `not-here` if a record has no entry in this tournament.
        Conflict: `merged-already`.
    """
    require_permission(by, "direct", tournament)
    require_reason(reason)
    if kept.pk == gone.pk:
        raise DomainError("same-player", _("These are the same record already. Choose two different ones."))
    with writing(tournament, verb="players.merged", by=by, reason=reason) as write:
        events = _lock_events(tournament, kept, gone)
        rows = {row.pk: row for row in Player.objects.select_for_update().filter(pk__in=[kept.pk, gone.pk])}
        stays, goes = rows[kept.pk], rows[gone.pk]
        if stays.merged_into_id is not None or goes.merged_into_id is not None:
            raise Conflict("merged-already", _("One of the two was merged in the meantime. Look at the list again."))
        if load_tournament_players(tournament).filter(pk__in=rows).count() != 2:
            raise DomainError("not-here", _("Both records must have an entry in this tournament."))
        members = Member.objects.filter(player=goes).values_list("pk", flat=True)
        followers = list(goes.merged.values_list("pk", flat=True))
        moved = [{"member": pk} for pk in members] + [{"player": pk} for pk in followers]
        Player.objects.filter(pk__in=[goes.pk, *followers]).update(merged_into=stays)
        record_changed_rows(Player, [goes.pk, *followers])
        merge = Merge.objects.create(kept=stays, gone=goes, moved=moved, **write.fact_fields())
        write.about(merge, merge=merge.pk, kept=stays.pk, gone=goes.pk)
        _bump_versions(events)
        return merge


def undo_merge(tournament: Tournament, merge: Merge, *, by: Actor, reason: str) -> MergeUndone:
    """Undo a merge of two player records.

    Raises:
        Conflict: `undone`, or `merged-on` if a later merge must be undone first.
    """
    require_permission(by, "direct", tournament)
    require_reason(reason)
    with writing(tournament, verb="players.merge-undone", by=by, reason=reason) as write:
        events = _lock_events(tournament, merge.gone, merge.kept)
        if MergeUndone.objects.filter(merge=merge).exists():
            raise Conflict("undone", _("This merge was undone already. Nothing was changed."))
        if Player.objects.get(pk=merge.gone_id).merged_into_id != merge.kept_id:
            raise Conflict("merged-on", _("The kept record was merged again later. Undo that merge first."))
        undone = MergeUndone.objects.create(merge=merge, **write.fact_fields())
        followers = [item["player"] for item in merge.moved if "player" in item]
        Player.objects.filter(pk=merge.gone_id).update(merged_into=None)
        Player.objects.filter(pk__in=followers).update(merged_into=merge.gone)
        record_changed_rows(Player, [merge.gone_id, *followers])
        write.about(merge, merge=merge.pk)
        _bump_versions(events)
        return undone


def _lock_events(tournament: Tournament, *players: Player) -> list[Event]:
    """Lock all events of this tournament, and all other events that its players have entered.

    Call this before locking players.
    """
    named = Event.objects.filter(Q(tournament=tournament) | Q(entrants__members__player__in=players)).values("pk")
    return list(Event.objects.select_for_update(of=("self",)).filter(pk__in=named).order_by("pk"))


def _bump_versions(events: Iterable[Event]) -> None:
    """Increase the versions of these events, so that all pages with the players' names are refreshed."""
    for event in events:
        bump_version(event, frozenset({EVERYBODY_TOPIC}))


# --- Corrections of a person -----------------------------------------------------------------------------------------

CORRECTABLE_FIELDS: Final = ("name", "public_name", "hides_name", "email", "phone", "club")


def correct_player(
    event: Event, player: Player, facts: Mapping[str, Any], *, by: Actor, reason: str = "", key: str = ""
) -> PlayerCorrection:
    """Correct a player's record, and the names of their entries in all events.

    A score card keeps the names it was opened with, so no signed document changes. `facts` contains the new values by
    field (`CORRECTABLE_FIELDS`).

    Raises:
        DomainError: `no-name`, `nothing-changed`, or `reason-needed` if the public name changes.
        Conflict: `merged-already` if the record was merged into another one.
    """
    require_permission(by, "desk", event.tournament)
    key = make_idempotency_key(key, player.pk, sorted(facts.items()))
    entered = Event.objects.filter(entrants__members__player=player).values("pk")
    with transaction.atomic():
        # All events with the name are locked in a fixed order, so that two desks cannot deadlock.
        others = list(Event.objects.select_for_update().filter(pk__in=entered).order_by("pk"))
        with writing(event, verb="player.corrected", by=by, key=key, reason=reason) as write:
            if write.repeated:
                return PlayerCorrection.objects.get(pk=write.outcome["correction"])
            locked = Player.objects.select_for_update().get(pk=player.pk)
            if locked.merged_into_id is not None:
                raise Conflict(
                    "merged-already", _("This record was merged into another one. Correct that one instead.")
                )
            before, changes = str(locked), _apply_corrections(locked, facts)
            if "hides_name" in changes or str(locked) != before:
                require_reason(reason)
            if locked.hides_name is False and "hides_name" in changes:
                locked.consent_at = write.at
            locked.save()
            correction = PlayerCorrection.objects.create(
                player=locked, event=write.the_event, changes=changes, shown_before=before, **write.fact_fields()
            )
            write.log_row_digest("player_corrections", correction)
            for entrant in Entrant.objects.filter(members__player=locked, event__in=others).distinct():
                _update_names(entrant)
            for other in others:
                if other.pk != event.pk:
                    bump_version(other, frozenset({EVERYBODY_TOPIC}))
            write.about(f"{before} → {locked}", correction=correction.pk, player=locked.pk, fields=sorted(changes))
            return correction


def _apply_corrections(player: Player, facts: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Set a player's corrected values, and return the old and new value of each changed field."""
    before = {field: getattr(player, field) for field in CORRECTABLE_FIELDS}
    for field, value in {**before, **facts}.items():
        text = (
            value.strip()[:254]
            if field == "email"
            else normalize_text(value)[:200]
            if isinstance(value, str)
            else value
        )
        setattr(player, field, text)
    is_renamed = (player.name, player.hides_name) != (before["name"], before["hides_name"])
    if is_renamed and player.public_name in (player.name, before["name"]):
        player.public_name = ""  # it repeats the name, and would otherwise remain
    changes = {field: [was, getattr(player, field)] for field, was in before.items() if was != getattr(player, field)}
    if not changes:
        raise DomainError("nothing-changed", _("Nothing is different yet. Change a field, or go back."))
    if not name_key(player.name):
        raise DomainError("no-name", _("Write the name."), field="name")
    player.name_key, player.email_key = name_key(player.name), email_key(player.email)
    if "name" in changes:
        player.sort_name = ""  # it belongs to the old name
    return changes


def _update_names(entrant: Entrant) -> None:
    playing = [member.player for member in load_members(entrant)]
    entrant.name = " / ".join(map(str, playing))[:200]
    entrant.sort_name = make_entry_sort_name([Person.from_player(player) for player in playing], playing)
    entrant.club = playing[0].club if playing else entrant.club
    entrant.save(update_fields=["name", "sort_name", "sort_key", "club"])


def change_sort_name(entrant: Entrant, seat: int, sort_name: str, *, by: Actor) -> Entrant:
    """Change a player's sort name in one entry. An empty name restores the derived one.

    Raises:
        DomainError: `no-such-seat`.
    """
    require_permission(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.sort-name", by=by) as write:
        locked = reload_entrant(entrant)
        playing = {member.seat: member.player for member in load_members(locked)}
        if seat not in playing:
            raise DomainError("no-such-seat", _("This player is not in the entry. Open the entry again and choose."))
        player = playing[seat]
        was, player.sort_name = player.sort_name, normalize_text(sort_name)[:200]
        player.save(update_fields=["sort_name", "sort_key"])
        locked.sort_name = make_entry_sort_name(
            [Person.from_player(one) for one in playing.values()], list(playing.values())
        )
        locked.save(update_fields=["sort_name", "sort_key"])
        write.about(locked, number=locked.number, player=player.pk, was=was, sort_name=player.sort_name)
        return locked


# --- Private links ---------------------------------------------------------------------------------------------------

LINK_REQUEST_ACTOR: Final = Actor("a player without their link")
TOKEN_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""The characters used in a private link's secret. Characters that look alike on paper are left out."""
TOKEN_LENGTH: Final = 12


def make_private_link_token() -> str:
    """Return a new secret for a private link, such as “k7mp-3xwq-9dtf”, with 59 random bits."""
    return normalize_link_token("".join(secrets.choice(TOKEN_LETTERS) for _turn in range(TOKEN_LENGTH)))


def make_link_secrets(issued: EntryCredentials | None) -> tuple[str, str]:
    """Return the secret of a private link, and a signing code.

    If `issued` is given and no entry uses its link, return the secret and the code in `issued`. Otherwise, choose new
    ones at random.
    """
    if issued is not None and is_token_free(issued.token):
        return issued.token, issued.sign_code
    return make_private_link_token(), f"{secrets.randbelow(1_000_000):06d}"


def digest_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def request_link(
    event: Event, *, name: str, birth_year: int | None = None, phone_end: str = "", secret: str
) -> LinkRequest:
    """Record a request for a lost link from the browser whose session contains this secret.

    A second request with the same secret returns the first one.

    Raises:
        DomainError: `too-many` if so many requests are already open that the desk could not tell them apart.
    """
    with writing(event, verb="link.asked", by=LINK_REQUEST_ACTOR) as write:
        earlier = LinkRequest.objects.filter(browser=digest_secret(secret)).first()
        if earlier is not None:
            return earlier
        if load_open_link_requests(event, write.at).count() >= MAX_OPEN_LINK_REQUESTS:
            raise DomainError("too-many", _("Too many people are asking right now. Please go to the desk."))
        request = LinkRequest.objects.create(
            event=event,
            name=name.strip()[:200],
            birth_year=birth_year,
            phone_end=phone_end,
            browser=digest_secret(secret),
            **write.fact_fields(),
        )
        write.about(request, request=request.pk)
        return request


def approve_link_request(
    request: LinkRequest, entrant: Entrant, *, renew: bool, by: Actor, key: str = ""
) -> LinkAnswer:
    """Allow the requesting browser to open the entry's private link. `renew` replaces the link and the signing code.

    Raises:
        Conflict: `answered` (by another official), `too-late`.
        DomainError: `other-event`.
    """
    event = request.event
    require_permission(by, "desk", event.tournament)
    with writing(
        event, verb="link.approved", by=by, key=make_idempotency_key(key, request.pk, entrant.pk, renew)
    ) as write:
        if write.repeated:
            return LinkAnswer.objects.get(pk=write.outcome["answer"])
        _require_undecided_request(write, request)
        locked = Entrant.objects.select_related("event").filter(pk=entrant.pk, event=event).first()
        if locked is None:
            raise DomainError("other-event", _("This entry is in another event. Choose one of this event."))
        if renew:
            locked.token, locked.sign_code = make_link_secrets(take_entry_credentials(event, locked.name))
            locked.save(update_fields=["token", "sign_code"])
        answer = LinkAnswer.objects.create(request=request, entrant=locked, renewed=renew, **write.fact_fields())
        write.about(locked, request=request.pk, answer=answer.pk, number=locked.number, renewed=renew)
        return answer


def reject_link_request(request: LinkRequest, *, by: Actor, key: str = "") -> LinkAnswer:
    """Reject a request for a lost link.

    Raises:
        Conflict: `answered`, `too-late`.
    """
    event = request.event
    require_permission(by, "desk", event.tournament)
    with writing(event, verb="link.refused", by=by, key=make_idempotency_key(key, request.pk)) as write:
        if write.repeated:
            return LinkAnswer.objects.get(pk=write.outcome["answer"])
        _require_undecided_request(write, request)
        answer = LinkAnswer.objects.create(request=request, **write.fact_fields())
        write.about(request, request=request.pk, answer=answer.pk)
        return answer


def _require_undecided_request(write: WriteTransaction, request: LinkRequest) -> None:
    earlier = LinkAnswer.objects.filter(request=request).select_related("entrant").first()
    if earlier is not None:
        if earlier.entrant is None:
            message = _("%(by)s has just refused this request. Nothing was changed.")
        else:
            message = _("%(by)s has just approved this request for %(name)s. Nothing was changed.")
        raise Conflict("answered", message % {"by": earlier.by_name, "name": earlier.entrant and earlier.entrant.name})
    if has_link_request_expired(request, write.at):
        raise Conflict("too-late", _("This request is too old. Ask the player to send it again."))
