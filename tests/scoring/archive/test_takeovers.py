"""An empty laptop can take over a tournament from a USB stick with a backup or an exported installation."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone
from tzlocal import reload_localzone

from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.installations import export_installation
from scoring.archive.selectors.takeovers import list_takeover_files
from scoring.archive.services.backups import export_for_backup
from scoring.archive.services.takeovers import carry_out_takeover, import_takeover_file, request_takeover
from tests.factories import a_tournament, a_user
from tests.kit import page_text, refused
from tests.scoring.helpers.archive import another_installation
from tests.scoring.helpers.rows import a_tournament_of, problems
from tournament.backups import services as backup_services
from tournament.backups.selectors import (
    AUTHORITY_FILES,
    INSTALLATION_MEMBER_NAME,
    SECRET_NAMES,
    BackupUnreadable,
    RestoreOutcome,
    make_restore_outcome_path,
    make_restore_request_path,
    open_backup,
    read_restore_outcome,
    read_restore_request,
)
from tournament.backups.services import (
    BackupFailed,
    carry_out_restore_request,
    make_backup,
    request_file_takeover,
    restore_backup,
)
from tournament.core.selectors.epochs import OwnEpoch, load_own_epoch
from tournament.core.services.installation import begin_installation_epoch
from tournament.core.services.secrets import explain_wrong_secrets, store_current_secrets
from tournament.models import AuditEntry, Event, Installation, Tournament, User
from tournament.templatetags.gin import local_day_time

pytestmark = pytest.mark.django_db(transaction=True)

PASSPHRASE: Final = "correct horse battery staple"
STRANGER: Final = "192.168.1.77"


@pytest.fixture(autouse=True)
def stick(settings: Any, tmp_path: Path) -> Path:
    """Simulate a plugged-in USB stick, and return its folder."""
    settings.VAR_DIR, settings.BACKUP_DIR = tmp_path / "var", tmp_path / "var" / "backups"
    settings.BACKUP_MOUNT_FOLDERS, settings.IS_SUPERVISED = [str(tmp_path / "media" / "*")], True
    folder = tmp_path / "media" / "STICK"
    (folder / "gin-rummy-backups").mkdir(parents=True)
    (tmp_path / "var").mkdir()
    begin_installation_epoch(Installation.Origin.STARTED)
    return folder


@pytest.fixture
def _everything(stick: Path) -> Iterator[None]:
    """Export the whole installation to the USB stick, and then run the test as another, empty laptop."""
    a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    export_installation(stick / "all.installation.zip")
    with another_installation():
        yield


def page(**query: str) -> str:
    return page_text(Client().get(reverse("scoring:take_over"), query)).replace("\xa0", " ")


def choose(passphrase: str = "") -> Any:
    [file] = list_takeover_files()
    address = f"{reverse('scoring:take_over')}?file={file.key}"
    assert "Take over now" in page_text(Client().get(address))
    return Client().post(address, {"passphrase": passphrase})


# --- Find the file ---------------------------------------------------------------------------------------------------


def test_without_a_stick_the_page_says_to_plug_it_in() -> None:
    assert "Plug it in, and load this page again." in page()


def test_a_file_shows_its_time_by_the_computer_s_clock_and_its_age(
    stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/Phoenix")
    reload_localzone()
    made_at = timezone.now() - dt.timedelta(minutes=12)
    (stick / "gin-rummy-backups" / f"{made_at:%Y%m%dT%H%M%SZ}-3f9a2c1b-log-7.backup.zip").touch()
    said = f"{local_day_time(made_at, 'America/Phoenix')} by this computer’s clock, 12 minutes ago"
    assert said in page()
    monkeypatch.undo()
    reload_localzone()


def test_backups_and_files_of_everything_are_listed_newest_first(stick: Path) -> None:
    for name in ("20261130T140500Z-3f9a2c1b-log-7", "20261130T142000Z-3f9a2c1b-log-9"):
        (stick / "gin-rummy-backups" / f"{name}.backup.zip").touch()
    (stick / "holiday.zip").touch()
    names = [file.path.name for file in list_takeover_files()]
    assert names == ["20261130T142000Z-3f9a2c1b-log-9.backup.zip", "20261130T140500Z-3f9a2c1b-log-7.backup.zip"]


def test_only_the_laptop_itself_shows_the_page() -> None:
    assert Client(REMOTE_ADDR=STRANGER).get(reverse("scoring:take_over")).status_code == 404
    assert Client(REMOTE_ADDR=STRANGER).post(reverse("scoring:take_over")).status_code == 404


def test_an_empty_laptop_leads_to_it() -> None:
    link = f'href="{reverse("scoring:take_over")}"'
    assert link in Client().get(reverse("tournament:this_laptop")).content.decode()
    a_tournament()
    assert link not in Client().get(reverse("tournament:this_laptop")).content.decode()


def test_a_laptop_with_tournaments_takes_nothing_over(stick: Path) -> None:
    a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    export_installation(stick / "all.installation.zip")
    [file] = list_takeover_files()
    assert "There are tournaments on this laptop already." in page(file=file.key)
    Client().post(f"{reverse('scoring:take_over')}?file={file.key}")
    with refused("not-empty"):
        request_takeover(file)
    assert read_restore_request() is None


def test_a_stick_that_was_pulled_out_is_noticed() -> None:
    assert "This file is no longer there." in page(file="0" * 16)


def test_without_the_supervisor_the_page_names_the_command(settings: Any) -> None:
    settings.IS_SUPERVISED = False
    assert "take_over_from_file FILE" in page()


# --- Take over -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_everything")
def test_an_empty_laptop_goes_on_with_a_file_of_everything(stick: Path) -> None:
    a_tournament(slug="demo", is_demo=True)
    answer = choose()
    assert "This laptop is taking over from the file." in page_text(Client().get(answer["Location"]))
    shutil.rmtree(stick)  # the stick is pulled out
    carry_out_restore_request(carry_out_takeover)
    assert [tournament.slug for tournament in Tournament.objects.all()] == ["tampa"]
    assert problems(Event.objects.get()) == []
    now = Installation.objects.latest("epoch")
    assert (now.epoch, now.came_from) == (2, "all.installation.zip")
    text = page_text(Client().get(answer["Location"]))
    assert "Everything in all.installation.zip goes on here now." in text
    assert read_restore_request() is None and list((stick.parents[1] / "var" / "take-over").iterdir()) == []


@pytest.mark.usefixtures("_everything")
def test_a_takeover_that_a_power_failure_interrupted_is_not_done_twice() -> None:
    choose()
    request = read_restore_request()
    assert request is not None
    carry_out_takeover(request)
    carry_out_restore_request(carry_out_takeover)
    outcome = read_restore_outcome()
    assert outcome is not None and outcome.failure == ""
    assert Tournament.objects.count() == 1


def test_an_encrypted_file_needs_its_passphrase(stick: Path) -> None:
    a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    export_installation(stick / "all.age", passphrase=PASSPHRASE)
    with another_installation():
        refusal = choose("wrong wrong wrong")
        assert refusal.status_code == 422 and "not the passphrase" in page_text(refusal)
        assert 'name="passphrase"' in refusal.content.decode()
        choose(PASSPHRASE)
        carry_out_restore_request(carry_out_takeover)
        outcome = read_restore_outcome()
        assert outcome is not None and (outcome.failure, outcome.request.passphrase) == ("", "")
        assert Tournament.objects.count() == 1


@pytest.fixture
def _archives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each backup an exported installation, as on PostgreSQL if its client programs are missing."""

    def copy_everything(folder: Path) -> Any:
        export_for_backup(folder / INSTALLATION_MEMBER_NAME)
        entry = AuditEntry.objects.latest("pk")
        return backup_services._DatabaseCopy(folder / INSTALLATION_MEMBER_NAME, entry.pk, entry.digest, {}, "")

    monkeypatch.setattr(backup_services, "_copy_database", copy_everything)
    monkeypatch.setattr(backup_services, "is_backup_an_archive", lambda: True)


@pytest.mark.usefixtures("_archives")
@pytest.mark.parametrize("by_command", [False, True])
def test_an_empty_laptop_goes_on_with_a_backup_that_has_a_file_of_everything(stick: Path, by_command: bool) -> None:
    a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    user = a_user(is_superuser=True)
    user.set_password("a good password")
    user.save()
    backup = make_backup()
    assert backup is not None
    path = shutil.move(backup.path, stick / "gin-rummy-backups")
    with another_installation():
        if by_command:
            call_command("take_over_from_file", path)
        else:
            choose()
            carry_out_restore_request(carry_out_takeover)
        assert [tournament.slug for tournament in Tournament.objects.all()] == ["tampa"]
        assert problems(Event.objects.get()) == []
        assert Installation.objects.latest("epoch").came_from == backup.path.name
        assert User.objects.get(email=user.email).check_password("a good password")


@pytest.mark.usefixtures("_archives")
def test_a_backup_with_a_file_of_everything_replaces_nothing(client: Client) -> None:
    event = a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    backup = make_backup()
    assert backup is not None
    with pytest.raises(BackupFailed, match="take_over_from_file"):
        restore_backup(backup.path)
    client.force_login(a_user(is_superuser=True))
    page = page_text(client.get(f"/desk/{event.tournament.slug}/backups/{backup.path.name}/"))
    assert f"take_over_from_file {backup.path.name}" in page


@pytest.mark.usefixtures("_archives")
def test_a_damaged_backup_with_a_file_of_everything_is_refused() -> None:
    a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    backup = make_backup()
    assert backup is not None
    with zipfile.ZipFile(backup.path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    content = members[INSTALLATION_MEMBER_NAME][:-100]
    manifest = json.loads(members["manifest.json"]) | {"sha256": hashlib.sha256(content).hexdigest()}
    with zipfile.ZipFile(backup.path, "w") as file:
        for name, member in (
            members | {INSTALLATION_MEMBER_NAME: content, "manifest.json": json.dumps(manifest).encode()}
        ).items():
            file.writestr(name, member)
    with pytest.raises(BackupUnreadable), open_backup(backup.path):
        pass


@pytest.fixture
def taken_over(stick: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Take over from an encrypted file of a whole installation.

    Yield the secrets that are stored after the takeover, keyed by name.
    """
    for name in SECRET_NAMES:
        monkeypatch.delenv(name, raising=False)
    a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    authority = Path(settings.VAR_DIR) / AUTHORITY_FILES[0]
    authority.parent.mkdir()
    authority.write_text("the authority")
    export_installation(stick / "all.age", passphrase=PASSPHRASE)
    authority.unlink()
    with another_installation():
        store_current_secrets()
        choose(PASSPHRASE)
        carry_out_restore_request(carry_out_takeover)
        outcome = read_restore_outcome()
        assert outcome is not None and outcome.failure == ""
        lines = (Path(settings.VAR_DIR) / "secrets.env").read_text().splitlines()
        yield dict(line.split("=", 1) for line in lines)


def test_an_encrypted_file_brings_the_secrets_and_the_certificate_authority(
    taken_over: dict[str, str], settings: Any
) -> None:
    stored = Path(settings.VAR_DIR) / "secrets.env"
    assert stored.stat().st_mode & 0o777 == 0o600
    assert (Path(settings.VAR_DIR) / AUTHORITY_FILES[0]).read_text() == "the authority"
    assert taken_over["SECRET_KEY"] != settings.SECRET_KEY  # this process ends, and the next one reads the file
    with override_settings(**taken_over):
        assert explain_wrong_secrets() == "" and problems(Event.objects.get()) == []


def test_the_other_laptop_learns_from_a_phone_that_it_was_replaced(taken_over: dict[str, str], settings: Any) -> None:
    other = OwnEpoch(Installation.objects.earliest("epoch").identity, epoch=1, taken_over=0)
    with override_settings(**taken_over):
        own = load_own_epoch()
        assert own is not None and (proof := own.proof) and other.is_replaced_by(proof)
    assert not other.is_replaced_by(proof)  # without the secrets


def test_secrets_in_environment_variables_belong_to_the_computer(
    stick: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    export_installation(stick / "all.age", passphrase=PASSPHRASE)
    monkeypatch.setenv("SECRET_KEY", "of this computer")
    with another_installation():
        import_takeover_file(stick / "all.age", PASSPHRASE)
        assert not (Path(settings.VAR_DIR) / "secrets.env").exists()
        assert Installation.objects.latest("epoch").origin == Installation.Origin.RESTORED


def test_a_power_failure_before_the_secrets_were_stored_loses_nothing(
    stick: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in SECRET_NAMES:
        monkeypatch.delenv(name, raising=False)
    a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    export_installation(stick / "all.age", passphrase=PASSPHRASE)
    with another_installation():
        with monkeypatch.context() as failing:
            failing.setattr(backup_services, "write_durably", fail)
            with pytest.raises(OSError, match="power"):
                import_takeover_file(stick / "all.age", PASSPHRASE)
        import_takeover_file(stick / "all.age", PASSPHRASE)
        assert (Path(settings.VAR_DIR) / "secrets.env").exists() and Tournament.objects.count() == 1


def fail(*_arguments: object) -> None:
    raise OSError("power")


def test_a_backup_is_copied_and_restored_by_the_supervisor(stick: Path, settings: Any) -> None:
    a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    backup = make_backup()
    assert backup is not None
    shutil.move(backup.path, stick / "gin-rummy-backups" / backup.path.name)
    with another_installation():
        choose()
        request = read_restore_request()
        assert request is not None and (request.backup, request.file) == (backup.path.name, "")
        assert (Path(settings.BACKUP_DIR) / backup.path.name).exists()


def test_after_a_takeover_from_a_backup_the_page_says_how_to_go_on(stick: Path, settings: Any) -> None:
    path = make_restore_outcome_path()
    request = request_file_takeover(
        backup="20261130T140500Z-3f9a2c1b-log-7.backup.zip", made_at=timezone.now(), by_name="Somebody", reason=""
    )
    path.write_text(json.dumps(RestoreOutcome(request, timezone.now()).as_json()))
    make_restore_request_path().unlink()
    text = page_text(Client().get(reverse("tournament:restore_outcome", args=[request.pk])))
    assert "Sign in with the link that the program has printed." in text


SPOILED: Final = ("20261130T140500Z-3f9a2c1b-log-7.backup.zip", "all.installation.zip", "all.age")


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_file_is_refused_with_a_sentence(name: str, stick: Path) -> None:
    (stick / name).write_bytes(b"age-encryption.org/v1\nnonsense")
    answer = choose(PASSPHRASE)
    assert answer.status_code == 422
    assert read_restore_request() is None


def test_the_file_of_a_tournament_is_not_everything(stick: Path) -> None:
    export_tournament(a_tournament_of("tampa", "Ada", "Alan").tournament, stick / "one.installation.zip")
    with another_installation():
        assert "has one tournament, not everything" in page_text(choose())


# --- The command -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_everything")
def test_the_command_takes_over(stick: Path) -> None:
    out = io.StringIO()
    call_command("take_over_from_file", str(stick / "all.installation.zip"), stdout=out)
    assert json.loads(out.getvalue()) == {"ok": True, "file": "all.installation.zip", "epoch": 2}
    with pytest.raises(CommandError, match="There are tournaments on this computer already"):
        call_command("take_over_from_file", str(stick / "all.installation.zip"))


def test_the_command_says_that_there_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        call_command("take_over_from_file", str(tmp_path / "none.zip"))


def test_an_empty_laptop_is_one_without_tournaments_but_demos(stick: Path) -> None:
    a_tournament(is_demo=True)
    with refused("no-tournaments"):
        export_installation(stick / "all.installation.zip")
