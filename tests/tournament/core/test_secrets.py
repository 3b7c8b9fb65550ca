"""A server with other secrets than the database knows is not started."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from tournament.core.services.secrets import refuse_other_secrets

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_ones_are_kept_and_others_are_refused(settings: Any) -> None:
    settings.SECRET_KEY, settings.SEAL_SECRET = "one", "two"
    refuse_other_secrets()
    refuse_other_secrets()
    settings.SEAL_SECRET = "another"
    with pytest.raises(SystemExit, match=r"its secrets \(SEAL_SECRET\) are not those"):
        refuse_other_secrets()
    settings.SECRET_KEY = "another, too"
    with pytest.raises(SystemExit, match=r"\(SECRET_KEY, SEAL_SECRET\)"):
        refuse_other_secrets()


def test_one_that_was_changed_here_and_is_known_from_before_is_taken(settings: Any) -> None:
    settings.SECRET_KEY, settings.SEAL_SECRET = "one", "two"
    refuse_other_secrets()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", ["one"]
    refuse_other_secrets()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "one", []
    with pytest.raises(SystemExit):
        refuse_other_secrets()


def test_those_that_are_lost_for_good_are_given_up_by_a_command(settings: Any) -> None:
    settings.SECRET_KEY = "lost"
    refuse_other_secrets()
    settings.SECRET_KEY = "made anew"
    call_command("use_these_secrets")
    refuse_other_secrets()
