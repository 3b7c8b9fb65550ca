"""A background job whose worker died is given to another worker. If no worker is running, the job's page says so."""

from __future__ import annotations

import datetime as dt

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from tests.factories import an_event
from tests.kit import client_as
from tests.processes import until
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services import jobs
from tournament.core.services.jobs import (
    HEARTBEAT_TIMEOUT,
    JOB_LOST_AFTER,
    begin_job,
    finish_job,
    keep_job_alive,
    record_worker_heartbeat,
    request_job,
    resend_lost_jobs,
)
from tournament.models import Job


def a_job() -> Job:
    return request_job(
        an_event(), kind="blank-cards", title="Blank cards", task="tests.nobody", parameters={}, by=SYSTEM_ACTOR
    )


def was_quiet_for(job: Job, how_long: dt.timedelta) -> None:
    Job.objects.filter(pk=job.pk).update(changed_at=timezone.now() - how_long - dt.timedelta(seconds=1))


@pytest.mark.django_db
def test_another_worker_begins_an_abandoned_job() -> None:
    job = a_job()
    assert begin_job(job.pk) is not None
    assert begin_job(job.pk) is None
    was_quiet_for(job, HEARTBEAT_TIMEOUT)
    assert begin_job(job.pk) is not None


@pytest.mark.django_db
def test_only_silent_jobs_are_sent_again() -> None:
    running, silent, unsent, fresh, done = (a_job() for _turn in range(5))
    for job in (running, silent):
        begin_job(job.pk)
    finish_job(done, "a.pdf", b"%PDF")
    was_quiet_for(silent, HEARTBEAT_TIMEOUT)
    was_quiet_for(done, HEARTBEAT_TIMEOUT)
    was_quiet_for(unsent, JOB_LOST_AFTER)
    assert resend_lost_jobs() == 2
    states = {job.pk: job.state for job in Job.objects.all()}
    assert states[silent.pk] == states[unsent.pk] == states[fresh.pk] == Job.State.QUEUED
    assert (states[running.pk], states[done.pk]) == (Job.State.RUNNING, Job.State.DONE)


@pytest.mark.django_db
def test_a_clock_set_back_does_not_hide_lost_jobs() -> None:
    lost, living, unsent = (a_job() for _turn in range(3))
    begin_job(lost.pk)
    begin_job(living.pk)
    Job.objects.update(changed_at=timezone.now() + dt.timedelta(hours=1))
    assert resend_lost_jobs() == 0  # from here on they count as of now
    was_quiet_for(lost, HEARTBEAT_TIMEOUT)
    was_quiet_for(unsent, JOB_LOST_AFTER)
    assert {job.changed_at <= timezone.now() for job in Job.objects.all()} == {True}
    assert resend_lost_jobs() == 2
    assert Job.objects.get(pk=living.pk).state == Job.State.RUNNING


@pytest.mark.django_db(transaction=True)
def test_a_running_job_sends_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "JOB_HEARTBEAT_INTERVAL_S", 0.05)
    job = begin_job(a_job().pk)
    assert job is not None
    was_quiet_for(job, HEARTBEAT_TIMEOUT)
    with keep_job_alive(job):
        until(lambda: Job.objects.get(pk=job.pk).changed_at > timezone.now() - HEARTBEAT_TIMEOUT)


@pytest.mark.django_db
def test_the_page_says_if_no_worker_is_running() -> None:
    job = a_job()
    client = client_as("desk", job)
    page = reverse("tournament:desk_job", kwargs={"tournament": job.tournament.slug, "pk": job.pk})
    cache.delete("worker")
    alone = client.get(page).content.decode()
    assert "This job is saved." in alone and "Starting soon" not in alone
    record_worker_heartbeat()
    worked_on = client.get(page).content.decode()
    assert "This job is saved." not in worked_on and "Starting soon" in worked_on
