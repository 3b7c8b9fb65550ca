"""Secrets are made once, kept for their owner alone, and by nobody who does not need one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config import environment
from config.environment import BASE_DIR, lazy_secret


@pytest.fixture
def secrets_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(environment, "VAR_DIR", tmp_path / "var")
    monkeypatch.setattr(environment, "SECRETS_FILE", tmp_path / "var" / "secrets.env")
    return tmp_path / "var" / "secrets.env"


def test_a_secret_is_made_at_first_use_and_stays(secrets_file: Path) -> None:
    first = lazy_secret("MY_SECRET")
    assert not secrets_file.exists()
    assert len(str(first)) >= 50
    assert str(lazy_secret("MY_SECRET")) == str(first)
    assert str(lazy_secret("ANOTHER")) != str(first)
    assert str(lazy_secret("MY_SECRET")) == str(first)


def test_only_the_owner_reads_them(secrets_file: Path) -> None:
    str(lazy_secret("MY_SECRET"))
    assert secrets_file.stat().st_mode & 0o777 == 0o600


def test_the_environment_has_the_last_word(secrets_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET", "from outside")
    assert str(lazy_secret("MY_SECRET")) == "from outside"
    assert not secrets_file.exists()


def test_two_processes_at_once_agree(tmp_path: Path) -> None:
    ask = "from config.environment import lazy_secret; print(lazy_secret('SECRET_KEY'))"
    clean = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path)}
    asking = [
        subprocess.Popen([sys.executable, "-c", ask], env=clean, cwd=BASE_DIR, stdout=subprocess.PIPE) for _ in range(6)
    ]
    assert len({process.communicate()[0] for process in asking}) == 1


@pytest.mark.parametrize("command", ["payout", "verify_draw", "tally", "pair"])
def test_a_stateless_command_needs_nothing_and_leaves_nothing(tmp_path: Path, command: str) -> None:
    clean = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path / "var")}
    answer = subprocess.run(
        [sys.executable, BASE_DIR / "manage.py", command],
        input=b"{}\n",
        env=clean,
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert answer.stdout.startswith(b'{"ok": false'), answer.stderr
    assert answer.returncode == 1
    assert list(tmp_path.iterdir()) == []
