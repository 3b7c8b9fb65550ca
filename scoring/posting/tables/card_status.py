"""The status of a signed card in words, the same on every page, on paper, and in commands."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _

from pairing.draws.results import Cause, Credit, Result
from pairing.ports import CardCounts, CardStatement, RulingStatement
from pairing.stages.words import credit_words, penalty_words
from scoring.card_state.selectors.cards import CardState
from scoring.card_state.tables import ended
from scoring.models import Ruling
from scoring.posting.selectors.card_status import CountedCard, changed_at, load_cached_statements, load_statements
from scoring.rules.sheet.card_status import Counts, ResultRow
from scoring.rules.variants.word_gin import with_minus
from tournament.models import Event
from tournament.templatetags.gin import local_day_time

SETTLED: Final = {Counts.SUPERSEDED.value, Counts.DECIDED.value, Counts.VOID.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementSaid:
    """The words for a card's status.

    `title` is such as “Superseded.”. `lines` say when, by whom and why, and what counts instead. `address` is the
    match's page. `ruling` is the ruling that superseded the card, if one did. `over`: the card cannot be changed any
    more.
    """

    counts: str
    title: str
    lines: tuple[str, ...]
    address: str
    ruling: RulingStatement | None = None
    over: bool = False

    @property
    def settled(self) -> bool:
        """Whether nobody has to do anything about the card any more."""
        return self.counts in SETTLED

    @property
    def text(self) -> str:
        return " ".join((self.title, *self.lines))


def said_of(statement: CountedCard) -> StatementSaid | None:
    """Return the words for a card's status, or None if the card counts or has no status yet."""
    if statement.holds:
        return None
    match = statement.state.card.match
    place = {"tournament": match.event.tournament.slug, "event": match.event.slug, "ident": match.ident}
    title, lines = _title_and_lines(statement)
    address = reverse("pairing:match", kwargs=place)
    ruling = named(statement.by.ruling) if statement.by is not None and statement.by.ruling is not None else None
    counts = statement.counts.value
    return StatementSaid(counts=counts, title=title, lines=lines, address=address, ruling=ruling, over=statement.over)


def _title_and_lines(statement: CountedCard) -> tuple[str, tuple[str, ...]]:
    if statement.counts is Counts.SUPERSEDED:
        return _("Superseded."), _superseding_lines(statement)
    if statement.counts is Counts.DISAGREES:
        return _("The score card and the result disagree."), _disagreeing_lines(statement)
    if statement.counts is Counts.DECIDED:
        nobody = _("The decision counts. No signatures are needed.")
        return _("Changed; decided since."), (*_superseding_lines(statement), nobody)
    if statement.counts is Counts.VOID:
        void = _(
            "Not all players signed this score card before its match became void. It no longer counts "
            "and needs no signatures."
        )
        parted = _("These two no longer meet in this match. The score card does not count and needs no signatures.")
        return _("Void."), (void if statement.now is None else parted, *_superseding_lines(statement))
    return _waiting_title(statement.state), _waiting_lines(statement)


def _superseding_lines(statement: CountedCard) -> tuple[str, ...]:
    what = _("The result now: %(result)s") % {"result": _present_result(statement)}
    by = statement.by
    if by is None:
        return (what,)
    at = local_day_time(by.at, statement.state.card.match.event.tournament)
    who = _("%(at)s, by %(by)s.") % {"at": at, "by": by.by}
    reason = by.reason if by.reason.strip() or by.ruling is None else named(by.ruling).title
    why = _("Reason: %(reason)s") % {"reason": ended(reason)} if reason.strip() else ""
    return tuple(filter(None, (who, why, what)))


def _present_result(statement: CountedCard) -> str:
    if statement.gone:
        return _("%(what)s; this match does not count.") % {"what": statement.gone}
    if statement.now is not None:
        names = " – ".join(statement.now)
        words = (
            _("%(names)s meet in this match.") if len(statement.now) > 1 else _("%(names)s is waiting for an opponent.")
        )
        return words % {"names": names} if names else _("nobody plays this match.")
    return _result_words(statement.stands, statement.names)


def _disagreeing_lines(statement: CountedCard) -> tuple[str, ...]:
    signed = _("The score card, signed %(at)s: %(score)s.")
    card, result = _card_and_result(statement, signed, statement.state.clock.counts_since)
    if len(statement.state.seats) == 1:
        return card, result, _("The result is the sum of all score cards. It follows when all players have signed.")
    return card, result, _("The result counts until the desk decides.")


def _waiting_title(state: CardState) -> str:
    if not state.is_complete:
        return _("Changed; not complete.")
    if state.card.match.event.state in (Event.State.FINISHED, Event.State.CALLED_OFF):
        return _("Corrected; not signed again.")
    return _("Corrected; waiting for signatures.")


def _waiting_lines(statement: CountedCard) -> tuple[str, ...]:
    """Return what the card says, which result stays, and until when."""
    state = statement.state
    unsigned = _("The score card, changed %(at)s and not signed by all players: %(score)s.")
    changed, result = _card_and_result(statement, unsigned, changed_at(state))
    if state.card.match.event.state in (Event.State.FINISHED, Event.State.CALLED_OFF):
        return (
            changed,
            result,
            _("The event is finished, so nobody can sign. The result counts until the desk decides."),
        )
    if statement.is_by_desk:
        stays = _("The desk decided the result before the change. The result stays until the desk decides again.")
        return changed, result, stays
    if state.is_complete:
        return changed, result, _("The result stays until all players have signed the change.")
    return changed, result, _("The result stays until the game is finished or corrected and all players have signed.")


def _card_and_result(statement: CountedCard, card: str, at: datetime | None) -> tuple[str, str]:
    """Return what the card says since that moment, in the words of `card`, and what the result says."""
    row, place = statement.stands, statement.state.card.match.event.tournament
    assert row is not None
    recorded = {"at": local_day_time(row.at, place), "result": _result_words(row, statement.names)}
    words = card % {"at": local_day_time(at, place), "score": statement.state.score.line}
    return words, _("The result, recorded %(at)s: %(result)s") % recorded


def _result_words(row: ResultRow | None, names: Mapping[int, str]) -> str:
    """Return a result in words: “Alan won, 91–0” or “Ada: loss by forfeit; Alan: win by walkover”."""
    if row is None or (row.is_open and not row.points):
        return _("The match is open and will be played again.")
    if row.winner is not None and row.was_played and len(row.credits) == 2:
        won = _("%(name)s won") % {"name": names.get(row.winner, str(row.winner))}
        ordered = sorted(row.points, key=lambda number: number != row.winner)
        points = "–".join(with_minus(row.points[number]) for number in ordered)
        return f"{won}, {points}." if points else _("%(won)s; no score is on record.") % {"won": won}
    credits = {number: Credit(Result(result), Cause(cause)) for number, (result, cause) in row.credits.items()}
    if by_penalty := penalty_words(credits, row.winner, names):
        return by_penalty
    if row.points:
        return ", ".join(f"{names.get(n, n)} {with_minus(points)}" for n, points in row.points.items()) + "."
    return "; ".join(f"{names.get(n, n)}: {credit_words(credit)}" for n, credit in credits.items()) + "."


def named(ruling: Ruling) -> RulingStatement:
    """Return a ruling's number and title, “Ruling 3, singles 9”, with its page."""
    title = _("Ruling %(number)s, %(rule)s") if ruling.rule else _("Ruling %(number)s")
    place = {"tournament": ruling.dispute.event.tournament.slug, "number": ruling.number}
    return RulingStatement(
        number=ruling.number,
        title=title % {"number": ruling.number, "rule": ruling.rule},
        address=reverse("scoring:public_ruling", kwargs=place),
    )


# --- Lists and JSON --------------------------------------------------------------------------------------------------


def load_card_statements(event: Event, matches: Collection[int] | None) -> list[CardStatement]:
    """Return every signed card with its status, for the pages of matches."""
    return _as_statements(load_statements(event, matches))


def load_cached_card_statements(
    event: Event, matches: Collection[int], versions: Mapping[str, int]
) -> list[CardStatement]:
    """Return every signed card with its status, from cached card states (`load_cached_statements`)."""
    return _as_statements(load_cached_statements(event, matches, versions))


def _as_statements(found: Mapping[int, CountedCard]) -> list[CardStatement]:
    return [_as_statement(one) for one in found.values() if one.counts is not Counts.NOTHING and not one.is_blank]


def _as_statement(one: CountedCard) -> CardStatement:
    card, words = one.state.card, said_of(one)
    place = {"tournament": card.match.event.tournament.slug, "event": card.match.event.slug, "token": card.token}
    return CardStatement(
        card=card.pk,
        match=card.match.ident,
        game=card.game,
        title=one.state.score.line,
        counts=CardCounts(one.counts.value),
        said=(words.title, *words.lines) if words is not None else (),
        address=reverse("scoring:card", kwargs=place),
    )


def as_json(statement: CountedCard) -> dict[str, Any]:
    """Return the card's status for other programs: the act that superseded it, and the result in force."""
    by, stands = statement.by, statement.stands
    return {
        "counts": statement.counts.value,
        "superseded": {"at": by.at.isoformat(), "by": by.by, "reason": by.reason} if by is not None else None,
        "stands": None
        if stands is None or statement.holds
        else {"winner": stands.winner, "points": {str(n): points for n, points in stands.points.items()}},
        "said": words.text if (words := said_of(statement)) is not None else "",
    }
