from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from tournament.core.selectors.installation import (
    InstallationEpoch,
    compute_last_shared_log_row,
    load_installation,
    load_installation_history,
)
from tournament.core.services.installation import begin_installation_epoch
from tournament.core.services.secrets import exit_on_wrong_secrets
from tournament.models import Installation

RESTORED = Installation.Origin.RESTORED
A, B, C = InstallationEpoch("a", 1, 0), InstallationEpoch("b", 2, 40), InstallationEpoch("c", 2, 60)


@pytest.mark.django_db(transaction=True)
def test_the_first_start_gives_an_identity_and_the_second_keeps_it() -> None:
    exit_on_wrong_secrets()
    exit_on_wrong_secrets()
    assert [(each.epoch, each.origin, len(each.identity)) for each in Installation.objects.all()] == [
        (1, "started", 32)
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(("above", "epoch"), [(0, 3), (2, 3), (7, 8)])
def test_an_epoch_is_higher_than_all_before(above: int, epoch: int) -> None:
    begin_installation_epoch(Installation.Origin.STARTED)
    begin_installation_epoch(RESTORED)
    assert begin_installation_epoch(RESTORED, "a backup", above=above).epoch == epoch


@pytest.mark.django_db
def test_the_newest_identity_is_the_current_one() -> None:
    begin_installation_epoch(Installation.Origin.STARTED)
    newest = begin_installation_epoch(RESTORED)
    assert load_installation() == newest


@pytest.mark.django_db
def test_an_epoch_belongs_to_one_identity() -> None:
    first = begin_installation_epoch(Installation.Origin.STARTED)
    with pytest.raises(IntegrityError), transaction.atomic():
        Installation.objects.create(identity="f" * 32, epoch=first.epoch, origin="started")


@pytest.mark.django_db
def test_a_database_that_was_never_started_has_no_identity() -> None:
    assert (load_installation(), load_installation_history()) == (None, [])


@pytest.mark.parametrize(
    ("ours", "theirs", "their_log_row", "shared"),
    [
        ([A], [A], 30, 30),
        ([A, B], [A], 30, 30),  # made before we were restored
        ([A, B], [A], 50, 40),  # made after the backup from which we were restored
        ([A, B], [A, B], 50, 50),
        ([A], [A, B], 50, 40),  # made by an installation that was restored from ours
        ([A, B], [A, C], 70, 40),  # both were restored from the same installation
        ([A], [B], 30, None),
        ([], [A], 30, None),
        ([A], [], 30, None),
    ],
)
def test_two_installations_share_the_rows_from_before_one_of_them_was_restored(
    ours: list[InstallationEpoch], theirs: list[InstallationEpoch], their_log_row: int, shared: int | None
) -> None:
    assert compute_last_shared_log_row(ours, theirs, their_log_row) == shared
