from django.db import models

from tournament.models.fact import Fact, OrderedFact
from tournament.models.topic import DESK, EVERYBODY


def link_topic(request: int) -> str:
    """Return the topic of the phone that asked for a private link, by the request's primary key."""
    return f"link-{request}"


class LinkRequest(OrderedFact):
    """Somebody has lost their private link and asks the desk for it, by what they say of themselves.

    Whether anybody of that name is entered is not asked when it is written: the desk finds out.
    """

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="link_requests")
    name = models.CharField(max_length=200)
    birth_year = models.PositiveSmallIntegerField(null=True, blank=True)
    phone_end = models.CharField(max_length=8, blank=True)
    browser = models.CharField(max_length=64, unique=True)
    """The SHA-256 of a secret that only the session of the asking browser has: the link is shown there alone."""

    def __str__(self) -> str:
        return self.name

    def topics(self) -> tuple[str, ...]:
        return (DESK, link_topic(self.pk))


class LinkAnswer(Fact):
    """The desk's answer to a request: whose link it is, or nobody's (refused)."""

    request = models.OneToOneField(LinkRequest, on_delete=models.CASCADE, related_name="answer")
    entrant = models.ForeignKey("Entrant", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    renewed = models.BooleanField(default=False)
    """Whether it is a new link, so that the old one opens nothing any more."""

    def __str__(self) -> str:
        return f"{self.request} → {self.entrant or '–'}"

    def topics(self) -> tuple[str, ...]:
        return (EVERYBODY,) if self.renewed else (DESK, link_topic(self.request_id))
