import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairing.knockout.pictures.match_boxes import match_name
from pairing.knockout.selectors import load_round_count
from scoring.card_list.selectors import DeskCard
from tournament.core.tables.lists import NAME, PERSON
from tournament.models import Event
from tournament.templatetags.gin import badge, state_badge

WORDS = {
    "ready": _("Not started"),
    "playing": _("Playing"),
    "unsigned": _("Not signed"),
    "posted": _("Posted"),
    "closed": _("Closed early"),
    "time-called": _("Time called, last hand"),
    "undecided": _("Director decides"),
}


SCORE = {"td": {"class": "is-text"}}


class CardTable(tables.Table):
    """The list of score cards. `counts` has the status of signed cards that do not count as signed, by primary key."""

    table = tables.Column(verbose_name=_("Table"), accessor="state__table", empty_values=())
    match = tables.Column(verbose_name=_("Match"), accessor="state__card__match__ident")
    game = tables.Column(verbose_name=_("Game"), accessor="state__card__game")
    players = tables.Column(verbose_name=_("Players"), accessor="state__names", attrs=PERSON)
    score = tables.Column(verbose_name=_("Score"), accessor="state__score__totals", orderable=False, attrs=SCORE)
    condition = tables.Column(verbose_name=_("State"), accessor="state__state", attrs=NAME)
    minutes = tables.Column(verbose_name=_("Minutes"))

    row_header = "players"

    class Meta:
        order_by = ("-minutes",)
        caption = _("Score cards")

    def __init__(self, rows: list[DeskCard], *, event: Event) -> None:
        slugs = {"tournament": event.tournament.slug, "event": event.slug}
        self.counts: dict[int, str] = {}
        self.round_count = load_round_count(event)
        self.card_url = reverse("scoring:desk_card_lines", kwargs={**slugs, "token": "TOKEN"})
        self.totals_url = reverse("scoring:desk_totals", kwargs={**slugs, "token": "TOKEN"})
        super().__init__(rows)

    def order_table(self, rows: list[DeskCard], is_descending: bool) -> tuple[list[DeskCard], bool]:
        return sorted(rows, key=lambda row: row.state.table or 0, reverse=is_descending), True

    def render_table(self, record: DeskCard) -> str:
        return str(record.state.table or "–")

    def render_match(self, record: DeskCard) -> str:
        match = record.state.card.match
        return match_name(match.ident, self.round_count if match.ident.startswith("R") else 0)

    def render_players(self, record: DeskCard) -> SafeString:
        url = self.card_url.replace("TOKEN", record.state.card.token)
        names = format_html_join(mark_safe("<br>"), "<strong>{}</strong>", ((name,) for name in record.state.names))
        return format_html('<a href="{}">{}</a>', url, names)

    def value_players(self, record: DeskCard) -> str:
        return record.state.title

    def render_score(self, record: DeskCard) -> str | SafeString:
        if not record.state.is_by_totals:
            return record.state.score.figures
        url = self.totals_url.replace("TOKEN", record.state.card.token)
        words = gettext("Correct the totals")
        return format_html('<span>{}<br><a href="{}">{}</a></span>', record.state.score.figures, url, words)

    def value_score(self, record: DeskCard) -> str:
        return record.state.score.figures

    def render_condition(self, record: DeskCard) -> str | SafeString:
        if record.state.card.pk in self.counts:
            return badge(self.counts[record.state.card.pk])
        if record.is_settled:
            return badge("closed", record.settled_word)
        code, word = record.state.state, str(WORDS[record.state.state])
        if record.is_overdue:
            code, word = "overdue", gettext("%s, overdue") % word
        state = badge(code, word)
        if record.state.state != "unsigned":
            return state
        missing = ", ".join(record.state.signatures.missing_names)
        said = gettext("missing: %s") % missing
        return format_html('<span>{}<br><small class="second">{}</small></span>', state, said)

    def value_condition(self, record: DeskCard) -> str:
        if record.state.card.pk in self.counts:
            return str(state_badge(self.counts[record.state.card.pk]).word)
        if record.is_settled:
            return record.settled_word
        return str(WORDS[record.state.state])

    def render_minutes(self, record: DeskCard) -> str:
        return "" if record.state.is_posted or record.is_settled else str(record.minutes)
