"""Vouch for the keys that sealed before, with the new key, after the secrets of an installation were lost."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from scoring.models import EarlierKey, SealKey
from scoring.seals.selectors.keys import installation_key, own_public, publics_of_known_secrets, words_of_key
from tournament.models import LogSeal


@dataclass(frozen=True, slots=True)
class KeyInUse:
    """A key whose secret is not known here: its seals on cards and on the log, and when it sealed its last card."""

    public: str
    cards: int
    logs: int
    last: datetime | None


def load_keys_in_use() -> list[KeyInUse]:
    """Return the keys that sealed score cards or logs here, and whose secrets this process does not have."""
    cards = {one.public: one for one in SealKey.objects.annotate(count=Count("seals"), last=Max("seals__at"))}
    logs = Counter(LogSeal.objects.order_by().values_list("public", flat=True))
    found = sorted((cards.keys() | logs.keys()) - publics_of_known_secrets())
    return [
        KeyInUse(public, getattr(cards.get(public), "count", 0), logs[public], getattr(cards.get(public), "last", None))
        for public in found
    ]


def keep_earlier_keys(keys: Iterable[KeyInUse]) -> None:
    """Vouch for these keys with the key of this installation. Their seals then read “genuine, by an earlier key”."""
    key, until = installation_key(), timezone.now()
    with transaction.atomic():
        for one in keys:
            row = EarlierKey(public=one.public, until=until, vouched_by=own_public())
            row.signature = key.sign(words_of_key(row)).hex()
            EarlierKey.objects.filter(public=one.public).delete()
            row.save()
