from django.db import models

from pairing.models.match import match_topic
from tournament.models.base import Fact, OrderedFact


class DirectorCall(OrderedFact):
    """A player's request for the director at the table. It waits on the console until staff answer it."""

    match = models.ForeignKey("pairing.Match", on_delete=models.CASCADE, related_name="director_calls")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.CASCADE, related_name="director_calls")
    about = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return f"{self.entrant} calls the director"

    def topics(self) -> tuple[str, ...]:
        return (match_topic(self.match_id),)


class DirectorCallAnswered(Fact):
    call = models.OneToOneField(DirectorCall, on_delete=models.CASCADE, related_name="answered")

    def __str__(self) -> str:
        return f"{self.call}: answered"

    def topics(self) -> tuple[str, ...]:
        return self.call.topics()
