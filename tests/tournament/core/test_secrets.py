"""A server does not start if its secrets differ from those that its database was used with before."""

from __future__ import annotations

import io
import os
import threading
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from scoring.models import EarlierKey
from scoring.seals.selectors.keys import load_earlier_keys
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tournament.core.services import secrets
from tournament.core.services.secrets import exit_on_wrong_secrets
from tournament.models import SecretDigest

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_secrets_are_stored_and_others_refused(settings: Any) -> None:
    settings.SECRET_KEY, settings.SEAL_SECRET = "one", "two"
    exit_on_wrong_secrets()
    exit_on_wrong_secrets()
    settings.SEAL_SECRET = "another"
    with pytest.raises(SystemExit, match=r"its secrets \(SEAL_SECRET\) differ"):
        exit_on_wrong_secrets()
    settings.SECRET_KEY = "another, too"
    with pytest.raises(SystemExit, match=r"\(SECRET_KEY, SEAL_SECRET\)"):
        exit_on_wrong_secrets()


def test_a_changed_secret_with_a_known_predecessor_is_accepted(settings: Any) -> None:
    settings.SECRET_KEY, settings.SEAL_SECRET = "one", "two"
    exit_on_wrong_secrets()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", ["one"]
    exit_on_wrong_secrets()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "one", []
    with pytest.raises(SystemExit):
        exit_on_wrong_secrets()


def test_a_command_replaces_lost_secrets(settings: Any) -> None:
    settings.SECRET_KEY = "lost"
    exit_on_wrong_secrets()
    settings.SECRET_KEY = "made anew"
    call_command("use_these_secrets", yes=True)
    exit_on_wrong_secrets()


def test_the_command_warns_about_seals_first(settings: Any) -> None:
    event = an_event_in_play(("Ada", "Alan"))
    version = post(the_card(event)).version
    settings.SEAL_SECRET = "the second secret"
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("use_these_secrets", stdout=io.StringIO())
    assert not EarlierKey.objects.exists()
    output = io.StringIO()
    call_command("use_these_secrets", "--yes", "--without-earlier-keys", stdout=output)
    assert "read “made by another key”" in output.getvalue() and not EarlierKey.objects.exists()
    call_command("use_these_secrets", "--yes", stdout=output)
    assert f"{version.seal.key.public}: sealed 1 score card, the last on" in output.getvalue()
    assert version.seal.key.public in load_earlier_keys()


def test_two_servers_that_start_at_once_do_not_mix_secrets(settings: Any, monkeypatch: Any) -> None:
    settings.SECRET_KEY, settings.SEAL_SECRET = "one", "two"
    exit_on_wrong_secrets()
    kept = dict(SecretDigest.objects.values_list("name", "digest"))
    settings.SECRET_KEY, settings.SEAL_SECRET = "three", "four"
    looked = iter([{}, kept])  # the other one was quicker after the first look
    monkeypatch.setattr(secrets, "_load_digests", lambda: next(looked))
    with pytest.raises(SystemExit):
        exit_on_wrong_secrets()
    assert dict(SecretDigest.objects.values_list("name", "digest")) == kept


def test_without_a_database_it_starts_and_checks_later(settings: Any, monkeypatch: Any, capsys: Any) -> None:
    answers: list[Any] = [OperationalError("away"), OperationalError("away"), "its secrets are others"]
    ended = threading.Event()

    def ask() -> str:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    def end(status: int) -> None:
        assert status == 1
        ended.set()

    monkeypatch.setattr(secrets, "explain_wrong_secrets", ask)
    monkeypatch.setattr(secrets, "RETRY_INTERVAL_S", 0.01)
    monkeypatch.setattr(os, "_exit", end)
    exit_on_wrong_secrets()
    assert ended.wait(5) and not answers
    assert "its secrets are others" in capsys.readouterr().err
