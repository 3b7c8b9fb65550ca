"""A person as typed becomes a person on record: the same one where e-mail and name agree."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.core.topics import note_rows
from tournament.errors import DomainError
from tournament.models import Player, Tournament
from tournament.models.player import shown_name
from tournament.people.selectors import kept_player
from tournament.spreadsheets import email_key, name_key, proposed_sort_name, sort_key, tidy
from tournament.spreadsheets.sort_names import BETWEEN_PAIRS


@dataclass(frozen=True, slots=True)
class Person:
    """A person as written on an entry. The public sees `public_name`, or the name, or initials if `hides_name`.

    `record` where it is known already who they are: then nothing is compared, and nothing filled in.
    `sort_name` empty: as the name that is shown proposes.
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
    def of(cls, player: Player) -> "Person":
        """A person on record, as they are."""
        known = (player.name, player.email, player.phone, player.club, player.public_name)
        return cls(*known, record=player, sort_name=player.sort_name, hides_name=player.hides_name)

    @property
    def shown(self) -> str:
        return shown_name(tidy(self.name), tidy(self.public_name), hides_name=self.hides_name)


def on_record(tournament: Tournament, person: Person) -> list[Player]:
    """The records of this very person here: name and e-mail agree, or the name where neither gave an e-mail.

    What somebody told another tournament is not known to this one.

    A name alone is not enough where the e-mails differ: two people may bear one name, a couple may share a mailbox.
    """
    if person.record is not None:
        return [person.record]
    key, mail = name_key(person.name), email_key(person.email)
    found = Player.objects.filter(name_key=key, members__entrant__event__tournament=tournament)
    if mail:
        found = found.filter(Q(email_key=mail) | Q(merged_into__email_key=mail))
    else:
        found = found.filter(email_key="", phone=tidy(person.phone))
    return list(found.select_related("merged_into").distinct().order_by("pk"))


def sort_name_of(people: Sequence[Person], players: Sequence[Player]) -> str:
    """By what an entry of these people is sorted: as typed, as on record, or as the shown name proposes."""
    both = zip(people, players, strict=True)
    names = [tidy(one.sort_name) or player.sort_name or proposed_sort_name(one.shown) for one, player in both]
    return BETWEEN_PAIRS.join(names)[:420]


def known_player(tournament: Tournament, person: Person) -> Player | None:
    """The record that an entry of this person is made under; None where they are new here."""
    known = on_record(tournament, person)
    return kept_player(known[0]) if known and (person.record or person.email or person.phone) else None


def find_or_create_player(tournament: Tournament, person: Person, at: dt.datetime, *, fill_in: bool = True) -> Player:
    """The record of this person, made where there is none; what was empty on it is filled in where that may be.

    Raises:
        DomainError: `no-name`.
    """
    if person.record is not None:
        return kept_player(person.record)
    if not name_key(person.name):
        raise DomainError("no-name", _("Write the name."), field="name")
    player = known_player(tournament, person)
    if player is None:
        return Player.objects.create(
            name=tidy(person.name)[:200],
            sort_name=tidy(person.sort_name)[:200],
            public_name=tidy(person.public_name)[:200],
            email=person.email.strip(),
            phone=tidy(person.phone),
            club=tidy(person.club),
            email_key=email_key(person.email),
            name_key=name_key(person.name),
            consent_at=at if person.consents else None,
            hides_name=person.hides_name,
        )
    if fill_in:
        _fill_in(player, person, at)
    return player


def _fill_in(player: Player, person: Person, at: dt.datetime) -> None:
    news = {"phone": tidy(person.phone), "club": tidy(person.club), "public_name": tidy(person.public_name)}
    filled = {name: value for name, value in news.items() if value and not getattr(player, name)}
    if person.consents and player.consent_at is None and not player.hides_name:
        Player.objects.filter(pk=player.pk).update(consent_at=at)
    if person.hides_name and not player.hides_name:
        player.hides_name = True
        Player.objects.filter(pk=player.pk).update(hides_name=True)
    if sort_name := tidy(person.sort_name):
        filled |= {"sort_name": sort_name[:200], "sort_key": sort_key(sort_name)}
    if filled:
        Player.objects.filter(pk=player.pk).update(**filled)
    note_rows(Player, [player.pk])
