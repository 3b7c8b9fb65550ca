"""All data on a computer can be exported as one file, and imported into an empty installation in one action."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command

from scoring.archive.selectors.files import ArchiveWriter
from scoring.archive.selectors.installations import InstallationReader, check_installation, export_installation
from scoring.archive.services.imports import ImportMode
from scoring.archive.services.installations import import_installation
from tests.factories import a_tournament
from tests.kit import fresh, refused
from tests.scoring.helpers.archive import (
    DIRECTOR,
    NAMES,
    a_tournament_in_play,
    another_installation,
    checks_of,
    facts_of_all,
    read_members,
)
from tests.scoring.helpers.rows import a_tournament_of
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.installation import load_installation, load_installation_history
from tournament.core.services.installation import begin_installation_epoch
from tournament.models import AuditEntry, Event, Installation, Player, Tournament, User
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person, correct_player

pytestmark = pytest.mark.django_db

PASSWORD: Final = "a long password of Dora"
PASSPHRASE: Final = "correct horse battery staple"


@dataclass(frozen=True)
class Before:
    """The original installation with two tournaments that share a player, its file, and its `verify_event` results."""

    folder: Path
    file: Path
    checks: dict[str, list[tuple[str, bool, str]]]
    identity: str


def checks_by_slug() -> dict[str, list[tuple[str, bool, str]]]:
    return {event.tournament.slug: checks_of(event) for event in Event.objects.filter(tournament__is_demo=False)}


@pytest.fixture(scope="module")
def before(rows_of_module: None, tmp_path_factory: pytest.TempPathFactory) -> Before:
    folder = tmp_path_factory.mktemp("installations")
    for _epoch in range(3):
        identity = begin_installation_epoch(Installation.Origin.STARTED).identity
    event, other = a_tournament_in_play(), a_tournament_of("tampa", "Kurt Cobain", "Emmy Hennings")
    kurt = event.entrants.get(number=4).members.get().player
    add_entry(other, EntryRequest((Person(kurt.name, record=kurt),)), by=SYSTEM_ACTOR)
    correct_player(other, kurt, {"phone": "555-0100"}, by=SYSTEM_ACTOR)
    a_tournament(slug="demo", is_demo=True)
    director = User.objects.get(email=DIRECTOR)
    director.set_password(PASSWORD)
    director.save()
    Authenticator.objects.create(user=director, type=Authenticator.Type.TOTP, data={"secret": "JBSWY3DP"})
    User.objects.create_superuser("admin@desert.example", "x", name="Alma Admin")
    export_installation(folder / "all.zip")
    return Before(folder, folder / "all.zip", checks_by_slug(), identity)


@pytest.fixture
def _elsewhere() -> Iterator[None]:
    with another_installation():
        Installation.objects.all().delete()
        begin_installation_epoch(Installation.Origin.STARTED)
        yield


def take(file: Path, mode: ImportMode = ImportMode.ORIGINAL) -> list[Tournament]:
    with InstallationReader(file) as reader:
        return [result.tournament for result in import_installation(reader, mode=mode, by=SYSTEM_ACTOR)]


# --- The file --------------------------------------------------------------------------------------------------------


def test_the_file_has_a_file_of_each_tournament_but_no_demo(before: Before) -> None:
    out = io.StringIO()
    call_command("check_file", str(before.file), stdout=out)
    answer = json.loads(out.getvalue())
    assert (answer["ok"], answer["tournaments"], answer["epoch"]) == (True, ["Desert Classic", "tampa"], 3)


def test_passwords_are_only_in_an_encrypted_file(before: Before, tmp_path: Path) -> None:
    accounts = json.loads(read_members(before.file)["manifest.json"])["accounts"]
    assert {"password", "second_factors"}.isdisjoint(name for account in accounts for name in account)
    assert "secrets" not in json.loads(read_members(before.file)["manifest.json"])
    encrypted = tmp_path / "all.age"
    assert export_installation(encrypted, passphrase=PASSPHRASE)["passwords"] is True
    assert User.objects.get(email=DIRECTOR).password.encode() not in encrypted.read_bytes()


def test_an_installation_without_tournaments_is_not_exported(tmp_path: Path) -> None:
    with another_installation(), refused("no-tournaments"):
        export_installation(tmp_path / "none.zip")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [(), ("desert-classic", "--everything")])
def test_the_command_needs_a_tournament_or_everything(arguments: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--everything"):
        call_command("export_event", *arguments, "--to", str(tmp_path / "x.zip"))


# --- It comes back ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_elsewhere")
def test_every_check_says_the_same(before: Before) -> None:
    assert [tournament.slug for tournament in take(before.file)] == ["desert-classic", "tampa"]
    assert checks_by_slug() == before.checks


@pytest.mark.usefixtures("_elsewhere")
def test_a_player_of_two_tournaments_is_still_one_person(before: Before) -> None:
    take(before.file)
    assert Player.objects.get(name="Kurt Gödel").members.count() == 2


@pytest.mark.usefixtures("_elsewhere")
def test_a_demo_that_is_here_is_removed(before: Before) -> None:
    a_tournament(pk=1, slug="another-demo", is_demo=True)
    take(before.file)
    assert not Tournament.objects.filter(is_demo=True).exists()
    assert checks_by_slug() == before.checks


@pytest.mark.usefixtures("_elsewhere")
def test_the_installation_goes_on_with_a_new_identity_and_a_higher_epoch(before: Before) -> None:
    take(before.file)
    now = load_installation()
    assert now is not None
    assert (now.epoch, now.origin, now.came_from) == (4, Installation.Origin.RESTORED, "all.zip")
    history = load_installation_history()
    assert [each.identity for each in history][-2:] == [before.identity, now.identity]
    assert {each.log_row for each in history} == {0}


@pytest.mark.usefixtures("_elsewhere")
def test_the_epoch_is_also_higher_than_the_one_that_was_here(before: Before) -> None:
    for _time in range(6):
        begin_installation_epoch(Installation.Origin.STARTED)
    take(before.file)
    now = load_installation()
    assert now is not None and now.epoch == 8


@pytest.mark.usefixtures("_elsewhere")
def test_accounts_come_without_passwords(before: Before) -> None:
    take(before.file)
    admin, director = (User.objects.get(email=each) for each in ("admin@desert.example", DIRECTOR))
    assert (admin.is_superuser, admin.is_active, director.is_superuser) == (True, True, False)
    assert not director.has_usable_password()


@pytest.mark.usefixtures("_elsewhere")
def test_an_account_that_is_here_stays_as_it_is(before: Before) -> None:
    User.objects.create_user("admin@desert.example", "mine", name="Somebody")
    take(before.file)
    here = User.objects.get(email="admin@desert.example")
    assert (here.name, here.is_superuser, here.check_password("mine")) == ("Somebody", False, True)


def test_the_commands_take_an_encrypted_file_with_passwords(before: Before, tmp_path: Path) -> None:
    secret, file = tmp_path / "passphrase", tmp_path / "all.age"
    secret.write_text(f"{PASSPHRASE}\n")
    call_command("export_event", everything=True, to=file, passphrase_file=secret, stdout=io.StringIO())
    with another_installation():
        out = io.StringIO()
        call_command("import_event", str(file), passphrase_file=secret, stdout=out)
        assert json.loads(out.getvalue())["tournaments"] == ["desert-classic", "tampa"]
        director = User.objects.get(email=DIRECTOR)
        assert director.check_password(PASSWORD)
        assert Authenticator.objects.get(user=director).data == {"secret": "JBSWY3DP"}


@pytest.mark.usefixtures("_elsewhere")
def test_exporting_again_has_the_same_facts(before: Before, tmp_path: Path) -> None:
    take(before.file)
    export_installation(tmp_path / "again.zip")
    assert facts_of_all(tmp_path / "again.zip") == facts_of_all(before.file)


# --- Beside what is here ---------------------------------------------------------------------------------------------


def test_it_does_not_come_back_where_something_would_be_lost(before: Before) -> None:
    with refused("not-empty") as refusal:
        take(before.file)
    assert "Use an empty one" in refusal.value.message
    assert Tournament.objects.count() == 3


def test_nothing_is_replaced(before: Before) -> None:
    with refused("no-replacement"):
        take(before.file, ImportMode.REPLACE)


def test_everything_is_opened_as_copies(before: Before) -> None:
    identity, accounts = load_installation(), User.objects.count()
    copies = take(before.file, ImportMode.COPY)
    assert [(copy.slug, copy.is_copy) for copy in copies] == [("desert-classic-copy", True), ("tampa-copy", True)]
    assert (load_installation(), User.objects.count()) == (identity, accounts)
    assert [check for copy in copies for check in checks_of(fresh(copy.events.get())) if not check[1]] == []


def test_everything_without_persons(before: Before, tmp_path: Path) -> None:
    file = tmp_path / "without.zip"
    manifest = export_installation(file, without_persons=True)
    assert (manifest["accounts"], manifest["trusted_keys"], manifest["identities"]) == ([], [], [])
    content = b""
    for member in read_members(file).values():
        inner = io.BytesIO(member)
        parts = read_members_of(inner) if zipfile.is_zipfile(inner) else {"": member}
        content += b"".join(parts.values())
    assert [name for name in (*NAMES, "Dora", "desert.example") if name.encode() in content] == []
    with refused("without-persons"):
        take(file)
    assert [copy.is_copy for copy in take(file, ImportMode.COPY)] == [True, True]


def read_members_of(file: io.BytesIO) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


# --- Files that were changed -----------------------------------------------------------------------------------------

Manifest = dict[str, Any]
Change = Callable[[Manifest, dict[str, bytes]], object]


def swap(_manifest: Manifest, members: dict[str, bytes]) -> None:
    names = ("tournaments/1.zip", "tournaments/2.zip")
    members[names[0]], members[names[1]] = members[names[1]], members[names[0]]


def forget_tournament(manifest: Manifest, members: dict[str, bytes]) -> None:
    manifest["tournaments"].pop()


def damage(_manifest: Manifest, members: dict[str, bytes]) -> None:
    members["tournaments/2.zip"] = members["tournaments/2.zip"][:-300]


CHANGED: Final[dict[str, Change]] = {
    "two tournaments are swapped": swap,
    "a tournament is not listed": forget_tournament,
    "a tournament is damaged": damage,
    "a tournament is missing": lambda manifest, members: members.pop("tournaments/2.zip"),
    "another member": lambda manifest, members: members.update({"../evil": b"x"}),
    "an account is no account": lambda manifest, members: manifest["accounts"][0].update(email="nobody"),
    "a second factor is of no kind": lambda manifest, members: manifest["accounts"][0].update(
        second_factors=[{"type": "trust-me", "data": {}}]
    ),
    "an epoch that no computer can have": lambda manifest, members: manifest.update(epoch=1 << 40),
    "an identity is listed twice": lambda manifest, members: manifest["identities"].append(manifest["identities"][0]),
    "a newer version": lambda manifest, members: manifest.update(version="2.0"),
}


@pytest.mark.usefixtures("_elsewhere")
@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_a_changed_file_is_refused_and_nothing_is_imported(before: Before, change: Change, tmp_path: Path) -> None:
    members = read_members(before.file)
    manifest = json.loads(members.pop("manifest.json"))
    change(manifest, members)
    file = tmp_path / "changed.zip"
    with zipfile.ZipFile(file, "w") as archive:
        writer = ArchiveWriter(archive)
        for name, content in members.items():
            (tmp_path / "member").write_bytes(content)
            writer.store_file(name, tmp_path / "member")
        writer.write_manifest(manifest)
    with pytest.raises(CommandError, match=r"\.$"):
        call_command("import_event", str(file))
    assert not Tournament.objects.exists() and not AuditEntry.objects.exists() and not User.objects.exists()


@pytest.mark.usefixtures("_elsewhere")
def test_a_changed_manifest_is_noticed_by_its_seal(before: Before, tmp_path: Path) -> None:
    members = read_members(before.file)
    manifest = json.loads(members["manifest.json"])
    manifest["accounts"][0]["is_superuser"] = True
    with zipfile.ZipFile(tmp_path / "changed.zip", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, json.dumps(manifest) if name == "manifest.json" else content)
    with InstallationReader(tmp_path / "changed.zip") as reader:
        assert any("seal" in fault for fault in check_installation(reader).faults)
