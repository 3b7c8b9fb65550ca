"""Template filters and tags for playing cards, money, places, times, states, and small drawings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from babel import Locale
from babel.numbers import format_currency, format_decimal, get_currency_precision
from django import template
from django.templatetags.static import static
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, pgettext, to_locale
from django.utils.translation import gettext_lazy as _

from tournament.core.pdf.lists import format_tournament_days
from tournament.core.selectors.program import format_command, format_program_version
from tournament.models import Tournament
from tournament.purse.prizes import CentsRange, TiedPlaces
from tournament.templatetags import figures

register = template.Library()

# --- Cards ---------------------------------------------------------------------------------------------------------

TEXT_VARIATION_SELECTOR = "\N{VARIATION SELECTOR-15}"
"""A character that keeps phones from showing a suit symbol as an emoji."""

RANKS = {
    "A": ("A", _("ace")),
    "2": ("2", _("two")),
    "3": ("3", _("three")),
    "4": ("4", _("four")),
    "5": ("5", _("five")),
    "6": ("6", _("six")),
    "7": ("7", _("seven")),
    "8": ("8", _("eight")),
    "9": ("9", _("nine")),
    "T": ("10", _("ten")),
    "J": ("J", _("jack")),
    "Q": ("Q", _("queen")),
    "K": ("K", _("king")),
}
SUITS = {"S": ("♠", _("spades")), "H": ("♥", _("hearts")), "D": ("♦", _("diamonds")), "C": ("♣", _("clubs"))}


@dataclass(frozen=True, slots=True)
class _CardFace:
    """A playing card with its symbols and its spoken name."""

    code: str
    rank: str
    suit: str
    name: str
    red: bool

    @property
    def text(self) -> str:
        return f"{self.rank}{self.suit}"


@register.filter
def card_face(code: str) -> _CardFace | None:
    """Return the playing card for a code such as `8H`, or None if the code is invalid."""
    code = str(code or "").upper()
    if len(code) != 2 or code[0] not in RANKS or code[1] not in SUITS:
        return None
    (rank, rank_name), (suit, suit_name) = RANKS[code[0]], SUITS[code[1]]
    name = gettext("%(rank)s of %(suit)s") % {"rank": rank_name, "suit": suit_name}
    return _CardFace(code, rank, suit + TEXT_VARIATION_SELECTOR, name, code[1] in "HD")


@register.filter
def card_text(code: str) -> str:
    """Format the card code `TH` as “10♥”. Return other text unchanged."""
    face = card_face(code)
    return face.text if face else str(code or "")


@register.filter
def card(code: str) -> SafeString | str:
    """Format a playing card for running text, with its name for screen readers."""
    face = card_face(code)
    if face is None:
        return str(code or "")
    return format_html(
        '<span class="card-word{}"><span aria-hidden="true">{}</span><span class="visually-hidden">{}</span></span>',
        " suit-red" if face.red else "",
        face.text,
        face.name,
    )


@register.filter
def hand(codes: str | Sequence[str]) -> SafeString | str:
    """Format several playing cards for running text, from `7H QS 2D` or a list of codes."""
    separate = codes.split() if isinstance(codes, str) else codes
    return SafeString(" ".join(format_html("{}", card(code)) for code in separate))


@register.simple_tag
def deck_rows() -> list[dict[str, Any]]:
    """Return the deck as four rows of thirteen cards for a card picker, ace first."""
    return [
        {
            "suit": suit + TEXT_VARIATION_SELECTOR,
            "name": str(name),
            "red": code in "HD",
            "cards": [card_face(rank + code) for rank in RANKS],
        }
        for code, (suit, name) in SUITS.items()
    ]


# --- Numbers -------------------------------------------------------------------------------------------------------


def _get_locale() -> str:
    return to_locale(get_language() or "en")


@register.filter
def money(cents: int | None, currency: str = "USD") -> str:
    """Format cents such as `125000` as “$1,250.00”, with a typographic minus sign. Return "" for None."""
    return "" if cents is None else _format_money(cents, currency, _get_locale())


@lru_cache(maxsize=2_000)
def _format_money(cents: int, currency: str, locale: str) -> str:
    """Format an amount. Results are cached, because formatting is slower than rendering the rest of a table row."""
    amount = Decimal(cents).scaleb(-get_currency_precision(currency))
    return format_currency(amount, currency, locale=locale).replace("-", "−")


@register.filter
def money_range(amount: CentsRange | None, currency: str = "USD") -> str:
    """Format an amount that may not be final: “$95.00”, “$95.00 to $120.00”, or “up to $120.00”."""
    if amount is None:
        return ""
    most = money(amount.most, currency)
    if amount.is_final:
        return most
    if not amount.least:
        return gettext("up to %(most)s") % {"most": most}
    return gettext("%(least)s to %(most)s") % {"least": money(amount.least, currency), "most": most}


@register.filter
def places(finishes: Sequence[TiedPlaces]) -> str:
    """Format the places that an entry can still reach: “3”, “3–4” for a tie, or “1 to 4” for a range."""
    if not finishes:
        return ""
    if len(finishes) == 1:
        return str(finishes[0])
    return gettext("%(best)s to %(worst)s") % {"best": finishes[0].first, "worst": max(tie.last for tie in finishes)}


@register.filter
def ordinal(number: int) -> str:
    """Format `3` as “3rd”."""
    number = int(number)
    endings = {1: pgettext("ordinal", "st"), 2: pgettext("ordinal", "nd"), 3: pgettext("ordinal", "rd")}
    usual = pgettext("ordinal", "th")
    ending = usual if number % 100 in (11, 12, 13) else endings.get(number % 10, usual)
    return f"{number}{ending}"


@register.filter
def place_with_ordinal(place: int | str) -> str:
    """Format `3` as “3rd” and `5–8` as “Tie for 5th–8th”. Return other text unchanged."""
    first, _dash, last = str(place or "").partition("–")
    if not first.isdecimal():
        return str(place or "")
    if not last.isdecimal():
        return ordinal(int(first))
    return gettext("Tie for %(first)s–%(last)s") % {"first": ordinal(int(first)), "last": ordinal(int(last))}


@register.filter
def percent(value: Decimal | float | str | None) -> str:
    """Format `"82.50"` as “82.5%”, with a space before the sign in languages that need one."""
    if value is None or value == "":
        return ""
    locale = Locale.parse(_get_locale())
    sign = locale.percent_formats[None].pattern.removeprefix("#,##0")
    return f"{format_decimal(Decimal(str(value)), format='#,##0.##', locale=locale)}{sign}"


HYPHEN_FOR_MINUS_PATTERN = re.compile(r"(?<![\w\u2013-])-(?=\d)")
"""A hyphen that is a minus sign, unlike the hyphens in “2026-11” and “lay-off”."""


@register.filter
def minus(number: int | str) -> str:
    """Format `total of -10` as “total of −10”, with a typographic minus sign."""
    return HYPHEN_FOR_MINUS_PATTERN.sub("−", str(number))


@register.filter
def signed(points: int | None) -> str:
    """Format `15` as “+15”, `-3` as “−3”, and `0` as “0”."""
    if points is None:
        return ""
    return f"+{points}" if points > 0 else str(points).replace("-", "−")


# --- Times ---------------------------------------------------------------------------------------------------------


def _to_local_time(at: datetime, place: Any) -> datetime:
    """Convert a time to a time zone. `place` is the zone's name, or an object with a `time_zone`."""
    zone = getattr(place, "time_zone", None) or (place if isinstance(place, str) and place else "UTC")
    return at.astimezone(ZoneInfo(zone))


@register.filter
def local_time(at: datetime | None, place: Any = "") -> str:
    """Format the local time at the venue, such as “2:45 PM”."""
    return date_format(_to_local_time(at, place), "g:i A") if at else ""


@register.filter
def local_day_time(at: datetime | None, place: Any = "") -> str:
    """Format the local date and time at the venue, such as “Nov 22, 2:45 PM”."""
    return date_format(_to_local_time(at, place), "M j, g:i A") if at else ""


@register.filter
def local_clock_time(at: datetime | None, place: Any = "") -> str:
    """Format the local time to the second, such as “2:45:07 PM”, with the date if it is not today."""
    if at is None:
        return ""
    local, today = _to_local_time(at, place), _to_local_time(datetime.now(UTC), place)
    return date_format(local, "g:i:s A" if local.date() == today.date() else "M j, g:i:s A")


def describe_link_creator(link: Any, place: Any, at: datetime) -> str:
    """Describe who created the sign-in link that a signer used, and when.

    Return "" if the signer used no link that another person created. `link` is any object with `link_by` and `link_at`,
    such as a signature or a session's `SignInLinkAttribution`.
    """
    if not link or not link.link_by or not link.link_at:
        return ""
    if _to_local_time(link.link_at, place).date() == _to_local_time(at, place).date():
        text, time = gettext("signed in by a link that %(name)s made at %(time)s"), local_time(link.link_at, place)
    else:
        text, time = gettext("signed in by a link that %(name)s made on %(time)s"), local_day_time(link.link_at, place)
    return text % {"name": link.link_by, "time": time}


@register.filter
def signer(signature: Any, place: Any = "") -> str:
    """Format a signer: “Cora Lund”, or “Cora Lund (signed in by a link that Ann Cole made at 9:14 PM)”."""
    link = describe_link_creator(signature, place, signature.at)
    return f"{signature.by_name} ({link})" if link else str(signature.by_name)


@register.filter
def local_deadline(at: datetime | None, place: Any = "") -> str:
    """Format the local time at the venue, with the weekday if it is not today: “12:05 AM on Saturday”."""
    if at is None:
        return ""
    local, today = _to_local_time(at, place), _to_local_time(datetime.now(UTC), place)
    if local.date() == today.date():
        return local_time(at, place)
    return gettext("%(time)s on %(weekday)s") % {"time": local_time(at, place), "weekday": date_format(local, "l")}


@register.filter
def month_day(day: date | None) -> str:
    """Format a date, such as “Nov 22”."""
    return date_format(day, "M j") if day else ""


@register.filter
def tournament_days(tournament: Tournament) -> str:
    return format_tournament_days(tournament)


@register.filter
def day_in_year(day: date | None) -> str:
    """Format a date with its year, such as “Nov 22, 2026”."""
    return date_format(day, "M j, Y") if day else ""


@register.simple_tag
def moment(at: datetime | None, place: Any, show: str = "time") -> SafeString | str:
    """Format a local time as a `<time>` element. `show` is "time", "day" (with the date), or "deadline"."""
    if at is None:
        return ""
    shapes = {"time": local_time, "day": local_day_time, "deadline": local_deadline}
    text = shapes[show](at, place)
    return format_html('<time datetime="{}">{}</time>', at.astimezone(UTC).isoformat(timespec="seconds"), text)


@register.filter
def clock_face(at: datetime | None, now: datetime | None = None) -> str:
    """Format the time until or since `at` like a stopwatch: “4:05” or “1:12:00”."""
    if at is None:
        return ""
    seconds = abs(int((at - (now or datetime.now(UTC))).total_seconds()))
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


# --- States: always with a word and a sign, because not everybody sees the color -------------------------------------


@dataclass(frozen=True, slots=True)
class _Badge:
    """A state's label and symbol. `tone` is good, wait, bad or plain."""

    word: str
    sign: str
    tone: str


STATUS_ICONS = {"good": "✓", "wait": "◷", "bad": "✗", "plain": "·"}
STATE_BADGES = {
    "draft": (_("Draft"), "✎", "plain"),
    "open": (_("Open"), "○", "good"),
    "closed": (_("Closed"), "■", "plain"),
    "drawn": (_("Drawn"), "♠", "plain"),
    "in-play": (_("In play"), "▶", "good"),
    "finished": (_("Finished"), "✓", "good"),
    "called-off": (_("Called off"), "✗", "bad"),
    "applied": (_("Waiting for approval"), "◷", "wait"),
    "approved": (_("Approved"), "✓", "good"),
    "in": (_("Accepted"), "✓", "good"),
    "waiting": (_("Waiting"), "◷", "wait"),
    "seeking": (_("Looking for a partner"), "◷", "wait"),
    "joined": (_("In a pair"), "✓", "plain"),
    "parted": (_("Pair split"), "–", "plain"),
    "refused": (_("Refused"), "✗", "bad"),
    "withdrawn": (_("Withdrawn"), "–", "plain"),
    "removed": (_("Out of the event"), "✗", "bad"),
    "arrived": (_("Checked in"), "✓", "good"),
    "no-show": (_("No-show"), "✗", "bad"),
    "disqualified": (_("Disqualified"), "✗", "bad"),
    "paid": (_("Paid"), "✓", "good"),
    "owing": (_("Owes"), "◷", "wait"),
    "ready": (_("Ready"), "○", "wait"),
    "called": (_("Called"), "◎", "good"),
    "playing": (_("Playing"), "▶", "good"),
    "unsigned": (_("Not signed"), "✎", "wait"),
    "signed": (_("Signed"), "✓", "good"),
    "posted": (_("Posted"), "✓", "wait"),
    "final": (_("Final"), "✓", "good"),
    "disputed": (_("Disputed"), "!", "bad"),
    "overdue": (_("Overdue"), "!", "bad"),
    "void": (_("Void"), "✗", "bad"),
    "bye": (_("Bye"), "–", "plain"),
    "walk-over": (_("Walkover"), "–", "plain"),
    "queued": (_("Waiting"), "◷", "wait"),
    "running": (_("Running"), "▶", "wait"),
    "done": (_("Done"), "✓", "good"),
    "corrected": (_("Corrected"), "✎", "wait"),
    "superseded": (_("Superseded"), "!", "bad"),
    "disagrees": (_("Differs from the result"), "!", "bad"),
    "waits": (_("Changed, not signed again"), "✎", "wait"),
    "decided": (_("Changed, decided since"), "✎", "plain"),
    "if-needed": (_("If needed"), "◇", "plain"),
    "not-needed": (_("Not needed"), "–", "plain"),
    "failed": (_("Failed"), "✗", "bad"),
    "sent": (_("Sent"), "✓", "good"),
    "told": (_("Called by phone"), "✓", "good"),
}


@register.simple_tag
def state_badge(state: str, word: str = "", tone: str = "") -> _Badge:
    """Return the badge for a state. `word` and `tone` replace the defaults. An unknown state is shown as it is."""
    known_word, sign, known_tone = STATE_BADGES.get(state, (str(state).replace("-", " ").capitalize(), "", "plain"))
    chosen = tone or known_tone
    return _Badge(str(word or known_word), STATUS_ICONS[chosen] if tone or not sign else sign, chosen)


def render_badge(state: str, word: str = "") -> SafeString:
    return _render_cached_badge(state, word, get_language())


@lru_cache(maxsize=200)
def _render_cached_badge(state: str, word: str, _language: str | None) -> SafeString:
    """Render a state's badge once per language, and cache it. Long lists have only a few different states."""
    known = state_badge(state, word)
    return format_html(
        '<span class="state is-{}"><span class="state-sign" aria-hidden="true">{}</span> {}</span>',
        known.tone,
        known.sign,
        known.word,
    )


STEP_LABELS = {"done": _("done"), "now": _("now"), "next": _("to come"), "refused": _("refused")}
STEP_ICONS = {"done": "✓", "now": "●", "next": "○", "refused": "✗"}


@register.filter
def step_label(state: str) -> str:
    return str(STEP_LABELS.get(state, STEP_LABELS["next"]))


@register.filter
def step_icon(state: str) -> str:
    return STEP_ICONS.get(state, STEP_ICONS["next"])


# --- Drawings ------------------------------------------------------------------------------------------------------


@register.simple_tag
@lru_cache(maxsize=256)
def icon(name: str) -> SafeString:
    """Render an icon. Screen readers skip it and read the text next to it."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        static("img/sprite.svg"),
        name,
    )


register.simple_tag(format_command, name="command")
register.simple_tag(format_program_version, name="program_version")
register.simple_tag(figures.running_totals_chart, name="running_totals_chart")
register.simple_tag(figures.signature_drawing, name="signature_drawing")


@register.simple_tag
def bar_segments(*parts: int) -> tuple[figures.BarSegment, ...]:
    return figures.make_bar_segments(parts)


@register.filter
def group_in_fours(digest: str) -> str:
    """Format a digest in groups of four characters, so that people can compare it."""
    return " ".join(digest[start : start + 4] for start in range(0, len(digest), 4))


@register.simple_tag
def call_off_step(event: Any) -> Any:
    """Return the state change that called off an event, with its reason, or None if it was not called off."""
    if getattr(event, "state", "") != "called-off":
        return None
    return event.steps.filter(went_to="called-off").last()
