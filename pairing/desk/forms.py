"""The forms of the desk: sending pairs, pairing by hand, undoing pairings, and the settings."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from django import forms
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from pairing.desk.services.sending import DeskPreview
from pairing.draws.desk.desk import (
    MOST_MINUTES,
    MOST_TABLES,
    MOST_WAITING,
    DeskTerms,
    MissedGamesPolicy,
    SiteTables,
    shared_table,
)
from pairing.draws.stages.plan import StagePlan
from pairing.draws.stages.qualifier import MOST_GAMES
from pairing.models import AvoidPair
from pairing.results.forms import MISSED
from tournament.core.forms import KeyedForm
from tournament.models import Entrant, Event

PAIR: Final = re.compile(r"(\d{1,9})-(\d{1,9})@(\d{1,9})")
SPAN: Final = re.compile(r"(\d{1,4})\s*[-–]\s*(\d{1,4})")
CALL: Final = re.compile(r"([A-Za-z0-9]{1,20})@(\d{1,9})")
NOT_READ: Final = _("The page was not complete. Look at it again.")


def _words(typed: str, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    found = [pattern.fullmatch(word) for word in typed.split()]
    if None in found:
        raise forms.ValidationError(NOT_READ)
    return [word for word in found if word is not None]


class SendForm(forms.Form):
    """The list that the page showed: `1-7@5 2-3@6`, `G5@7`, and the minute for which it was computed."""

    at = forms.CharField(widget=forms.HiddenInput, max_length=40)
    pairs = forms.CharField(widget=forms.HiddenInput, required=False)
    calls = forms.CharField(widget=forms.HiddenInput, required=False)
    bye = forms.IntegerField(widget=forms.HiddenInput, required=False)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100)
    reason = forms.CharField(label=_("Why you do not wait for the others"), max_length=300, required=False)

    def clean_at(self) -> datetime:
        try:
            found = parse_datetime(self.cleaned_data["at"])
        except ValueError:
            found = None
        if found is None or found.tzinfo is None:
            raise forms.ValidationError(NOT_READ)
        return found

    def clean_pairs(self) -> tuple[tuple[int, int, int], ...]:
        return tuple((int(one[1]), int(one[2]), int(one[3])) for one in _words(self.cleaned_data["pairs"], PAIR))

    def clean_calls(self) -> tuple[tuple[str, int], ...]:
        return tuple((one[1], int(one[2])) for one in _words(self.cleaned_data["calls"], CALL))

    def shown(self, *, alone: bool) -> DeskPreview:
        facts = self.cleaned_data
        return DeskPreview(at=facts["at"], pairs=facts["pairs"], calls=facts["calls"], bye=facts["bye"], alone=alone)


def _number(label: Any, *, required: bool = True, most: int = 999_999_999) -> forms.IntegerField:
    widget = forms.TextInput(attrs={"inputmode": "numeric", "size": 4, "autocomplete": "off", "class": "form-control"})
    return forms.IntegerField(label=label, min_value=1, max_value=most, required=required, widget=widget)


class ChooseForm(forms.Form):
    one = _number(_("Number"))
    other = _number(_("plays"), required=False)


class ByHandForm(KeyedForm):
    """A pair by hand. `seen` are the kinds of broken rules that the page showed."""

    table = _number(_("Table"), required=False, most=MOST_TABLES)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=300,
        required=False,
        help_text=_("Everybody can read it on the page about the pairings."),
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)


class TakeBackForm(forms.Form):
    """The reason for undoing pairings. `seen` are the games that the page showed as begun."""

    reason = forms.CharField(label=_("Reason, for the record"), max_length=300, initial=_("Sent by mistake"))
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, data: Any = None, *, begun: Iterable[str]) -> None:
        super().__init__(data, initial={"seen": " ".join(begun)})


class EntrantActForm(KeyedForm):
    number = _number(_("Number"))
    reason = forms.CharField(label=_("Reason, shown to the entrant"), max_length=300)


class _SiteTablesField(forms.CharField):
    """The tables of one site, such as 1–20. If empty, the site shares the tables of the event."""

    def __init__(self, site: str, **options: Any) -> None:
        label = _("Tables of %(site)s") % {"site": site}
        about = _("Such as 1–20. Leave empty to use any table that no other site has.")
        super().__init__(label=label, help_text=about, required=False, max_length=20, **options)
        self.site = site

    def clean(self, value: Any) -> SiteTables | None:
        typed = super().clean(value)
        if not typed:
            return None
        found = SPAN.fullmatch(typed)
        first, last = (int(found[1]), int(found[2])) if found is not None else (0, 0)
        if not 1 <= first <= last <= MOST_TABLES:
            raise forms.ValidationError(_("Enter the first and the last table, such as 1–20."))
        return SiteTables(self.site, first, last)

    def prepare_value(self, value: Any) -> Any:
        return f"{value.first}–{value.last}" if isinstance(value, SiteTables) else value


BEFORE_SITES: Final = ("wait_for", "longest_wait", "difference", "grow_every", "first_table", "last_table")


class DeskTermsForm(forms.Form):
    wait_for = forms.IntegerField(
        label=_("Pair when this many players are waiting"), min_value=2, max_value=MOST_WAITING
    )
    longest_wait = forms.IntegerField(
        label=_("or when a player has waited this many minutes"), min_value=0, max_value=MOST_MINUTES
    )
    difference = forms.IntegerField(
        label=_("Allowed difference in wins"),
        min_value=0,
        max_value=50,
        required=False,
        help_text=_("Leave empty to allow any difference."),
    )
    grow_every = forms.IntegerField(
        label=_("One more win for every … minutes of waiting"),
        min_value=1,
        max_value=MOST_MINUTES,
        required=False,
        help_text=_("Leave empty to keep the difference fixed."),
    )
    first_table = forms.IntegerField(label=_("First table"), min_value=1, max_value=MOST_TABLES)
    last_table = forms.IntegerField(
        label=_("Last table"),
        min_value=1,
        max_value=MOST_TABLES,
        required=False,
        help_text=_("Leave empty for as many tables as are needed."),
    )
    apart_in = forms.CharField(
        label=_("Keep clubs apart in games"),
        required=False,
        max_length=100,
        help_text=_("Such as 1, 2. Leave empty to let clubs meet."),
    )
    reset_daily = forms.BooleanField(label=_("Players may meet again on another day"), required=False)
    pair_absent = forms.BooleanField(
        label=_("Also pair players who are not checked in"),
        required=False,
        help_text=_("If nobody is checked in, everybody is paired."),
    )
    missed = forms.ChoiceField(
        label=_("Games a late entry missed count as"),
        choices=MISSED,
        required=False,
        help_text=_("You can change this for each late entry."),
    )
    rounds = forms.IntegerField(label=_("Rounds to play"), min_value=1, max_value=MOST_GAMES, required=False)
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300, required=False)

    def __init__(
        self,
        data: Any = None,
        *,
        terms: DeskTerms,
        plan: StagePlan,
        sites: Sequence[str] = (),
        rounds: int | None = None,
        fewest: int = 1,
    ) -> None:
        """Make the form for the desk of one stage.

        `sites` are the sites that play separately, so each may have its own tables.
        `rounds` is the planned number, which the director can shorten down to `fewest`. None: nothing to shorten.
        """
        planned = {"apart_in": ", ".join(map(str, terms.apart_in)), "rounds": terms.rounds or rounds}
        super().__init__(data, initial=terms.as_json() | planned)
        self.planned, self.fewest = rounds, fewest
        if rounds is None:
            del self.fields["rounds"]
        else:
            words = {"planned": rounds, "fewest": min(fewest, rounds)}
            self.fields["rounds"].help_text = _("Planned: %(planned)s. You can play fewer, down to %(fewest)s.") % words
        own = {one.site: one for one in terms.at_sites}
        self.sites = {f"site_{turn}": site for turn, site in enumerate(sites)}
        for name, site in self.sites.items():
            self.fields[name] = _SiteTablesField(site, initial=own.get(site))
        self.order_fields(["rounds", *BEFORE_SITES, *self.sites])
        traits = plan.kind.traits
        hidden = [] if traits.at_desk else ["wait_for", "longest_wait", "difference", "grow_every"]
        hidden += ["pair_absent", "missed"] if plan.pool is None or traits.all_meet else []
        hidden += ["apart_in", "reset_daily", "missed"] if traits.in_line else []
        for name in hidden:
            self.fields[name].disabled = True
            self.fields[name].widget = forms.HiddenInput()

    def clean_apart_in(self) -> tuple[int, ...]:
        games = [word for word in re.split(r"[\s,;]+", self.cleaned_data["apart_in"]) if word]
        if not all(word.isdecimal() and len(word) < 4 and 1 <= int(word) <= 50 for word in games):
            raise forms.ValidationError(_("Enter the numbers of the games, such as 1, 2."))
        return tuple(sorted({int(word) for word in games}))

    def clean_rounds(self) -> int | None:
        rounds: int | None = self.cleaned_data["rounds"]
        if rounds is None or self.planned is None or rounds == self.planned:
            return None
        if not self.fewest <= rounds < self.planned:
            words = {"fewest": min(self.fewest, self.planned), "planned": self.planned}
            raise forms.ValidationError(_("Enter a number from %(fewest)s to %(planned)s.") % words)
        return rounds

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        first, last = facts.get("first_table"), facts.get("last_table")
        if first is not None and last is not None and last < first:
            self.add_error("last_table", _("The last table comes before the first. Correct one of them."))
        twice = shared_table(self._at_sites())
        if twice is not None:
            said = _("Table %(table)s is at two sites. Give each site its own tables.") % {"table": twice}
            self.add_error(next(reversed(self.sites)), said)
        return facts

    def _at_sites(self) -> tuple[SiteTables, ...]:
        return tuple(said for name in self.sites if (said := self.cleaned_data.get(name)) is not None)

    def terms(self) -> DeskTerms:
        facts = {name: self.cleaned_data[name] for name in (*BEFORE_SITES, "apart_in", "reset_daily", "pair_absent")}
        missed = MissedGamesPolicy(self.cleaned_data["missed"] or MissedGamesPolicy.LOSS)
        rounds = self.cleaned_data.get("rounds")
        return DeskTerms(**facts, missed=missed, at_sites=self._at_sites(), rounds=rounds)


class ListForm(forms.Form):
    """Two entrants who are kept apart until a game or for the whole event."""

    one = forms.ModelChoiceField(Entrant.objects.none(), label=_("Entrant"))
    other = forms.ModelChoiceField(Entrant.objects.none(), label=_("kept apart from"))
    kind = forms.ChoiceField(
        label=_("How long"),
        choices=(
            (AvoidPair.Kind.NEVER.value, _("For the whole event")),
            (AvoidPair.Kind.NOT_BEFORE.value, _("Until the game named here")),
        ),
    )
    before_round = forms.IntegerField(label=_("Until game"), min_value=2, max_value=50, required=False)
    reason = forms.CharField(label=_("Reason"), max_length=300)

    def __init__(self, data: Any = None, *, event: Event) -> None:
        super().__init__(data)
        choices = event.entrants.filter(state=Entrant.State.IN).order_by("sort_key", "number")
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = choices

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("kind") == AvoidPair.Kind.NOT_BEFORE and not facts.get("before_round"):
            self.add_error("before_round", _("Enter the game until which they are kept apart."))
        return facts
