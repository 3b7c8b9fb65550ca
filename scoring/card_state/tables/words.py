"""A recorded line in words, from the fields of its variant: “knock by Ann, 5–20, up card 8♥”."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.card_state.forms import A_SIDE, as_text
from scoring.card_state.selectors.cards import CardState
from scoring.card_state.tables.decisions import GAME_OF, words_of
from scoring.rules.variants.variant import TOTALS, FieldKind, LineField, says_totals
from scoring.rules.variants.word_gin import with_minus
from tournament.templatetags.gin import card_text

_JOINED: Final = {"by": gettext_lazy("by %s"), "to": gettext_lazy("to %s")}
"""The words for a side that follow the word before it."""


def line_in_words(state: CardState, line: Mapping[str, Any] | None) -> str:
    if line is None:
        return _("struck out")
    if says_totals(line):
        return _("totals from the paper score card: %s") % totals_in_words(state, line)
    return in_words(state.named_sheet.variant.line_fields(), state.with_names(dict(line)), state.names)


def totals_in_words(state: CardState, line: Mapping[str, Any]) -> str:
    """Return the totals of a line in words: “Ann 158, Bob 31”."""
    return ", ".join(f"{name} {with_minus(line[TOTALS][side])}" for side, name in state.by_letter.items())


def ended(reason: str) -> str:
    """Return a reason with a final period if it has no ending.

    >>> ended("misread "), ended("Why?")
    ('misread.', 'Why?')
    """
    said = reason.strip()
    return said if said[-1:] in tuple(".!?") else f"{said}."


def in_words(fields: Sequence[LineField], line: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return a line in words. `line` has the names of the sides.

    How the hand ended comes first, and the up card last.
    """
    ended = _ending(fields, line, names)
    done = {field.name for field in ended[1]} if ended else set()
    said = [ended[0]] if ended else []
    counted = [field for field in fields if field.kind is FieldKind.NUMBER_A_SIDE and field.required]
    for field in sorted(fields, key=lambda field: field.kind is FieldKind.CARD):
        value = line.get(field.name)
        if value is None or value is False or field.name in done:
            continue
        if field.kind is FieldKind.GROUP:
            each = (f"{field.label} {n}: {in_words(field.fields, own, names)}" for n, own in enumerate(value, start=1))
            said.append("; ".join(each))
        elif field.name in _JOINED and said:
            said[-1] += " " + str(_JOINED[field.name]) % value
        elif field in counted and len(counted) > 1:
            said.append(f"{_lower(field.label)} {_each_side(field, value, names)}")  # “words 61–12, deadwood 0–14”
        elif field.kind is FieldKind.NUMBER and field.label.lower() in " ".join(said):
            said.append(str(value))  # “points only to Ann, 20”
        else:
            said.append(_said(field, value, names))
    return ", ".join(said)


def _ending(
    fields: Sequence[LineField], line: Mapping[str, Any], names: Sequence[str]
) -> tuple[str, tuple[LineField, ...]] | None:
    """Return how the hand ended, “Ann knocked with 5 against 20”, and the fields that this covers.

    The count of the side that ended the hand comes first.
    """
    outcome = next((field for field in fields if field.verbs), None)
    by = line.get("by")
    verb = dict(outcome.verbs).get(as_text(line.get(outcome.name))) if outcome else None
    if outcome is None or verb is None or by is None:
        return None
    counted = [
        field
        for field in fields
        if field.kind is FieldKind.NUMBER_A_SIDE and field.required and by in (line.get(field.name) or {})
    ]
    said = (outcome, *(field for field in fields if field.name == "by"), *counted)
    if len(counted) == 1:
        return _("%(name)s %(verb)s with %(counts)s") % {
            "name": by, "verb": verb, "counts": _against(line[counted[0].name], by, names),
        }, said  # fmt: skip
    each = [f"{_lower(field.label)} {_against(line[field.name], by, names)}" for field in counted]
    return ", ".join([f"{by} {verb}", *each]), said


def _against(counts: Mapping[str, int], by: str, names: Sequence[str]) -> str:
    """Return the counts, “5 against 20”. With more than two players each opponent's count has a name."""
    others = [(name, counts[name]) for name in names if name != by and name in counts]
    several = len(names) > 2
    other = ", ".join(
        _("%(count)s of %(name)s") % {"count": n, "name": name} if several else str(n) for name, n in others
    )
    return _("%(own)s against %(other)s") % {"own": counts[by], "other": other} if other else str(counts[by])


@dataclass(frozen=True, slots=True)
class Different:
    """A figure on which two scorekeepers disagree: its label, the value on the card, and the other value."""

    what: str
    on_card: str
    other: str


def different_figures(
    fields: Sequence[LineField], on_card: Mapping[str, Any], other: Mapping[str, Any], names: Sequence[str]
) -> tuple[Different, ...]:
    """Return the figures that differ between two lines. Both lines have the names of the sides."""
    found: list[Different] = []
    for field in fields:
        one, two = on_card.get(field.name), other.get(field.name)
        if one == two:
            continue
        if field.kind is FieldKind.GROUP:
            pairs: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = list(
                zip_longest(one or (), two or (), fillvalue={})
            )
            for n, (was, has) in enumerate(pairs, start=1):
                own = different_figures(field.fields, was, has, names)
                found += [
                    Different(f"{field.label} {n}, {_lower(each.what)}", each.on_card, each.other) for each in own
                ]
        elif field.kind in A_SIDE:
            found += [
                Different(_("%(what)s of %(name)s") % {"what": field.label, "name": name}, *map(_figure, pair))
                for name in names
                if (pair := ((one or {}).get(name), (two or {}).get(name)))[0] != pair[1]
            ]
        else:
            found.append(Different(field.label, _value(field, one), _value(field, two)))
    return tuple(found)


def _value(field: LineField, value: Any) -> str:
    if value is None or value is False:
        return _("nothing")
    if field.kind is FieldKind.CHOICE:
        return str(dict(field.choices).get(as_text(value), as_text(value)))
    return card_text(value) if field.kind is FieldKind.CARD else _("yes") if value is True else str(value)


def _figure(value: Any) -> str:
    if value is None:
        return _("nothing")
    return " ".join(map(card_text, value)) if isinstance(value, list) else str(value)


def _lower(words: str) -> str:
    words = str(words)  # the text is lazy, and becomes text of the reader's language here
    return words[:1].lower() + words[1:]


def _said(field: LineField, value: Any, names: Sequence[str]) -> str:
    label = _lower(field.label)
    if field.kind is FieldKind.CHOICE:
        return str(dict(field.choices).get(as_text(value), as_text(value)))
    if field.kind in A_SIDE:
        return _each_side(field, value, names)
    if field.kind is FieldKind.SWITCH:
        return label
    if field.kind is FieldKind.CARD:
        return f"{label} {card_text(value)}"
    return f"{label} {value}"


def _each_side(field: LineField, value: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the values of the sides: “5–20” if both of two have one, or else each after its name."""
    if field.kind is FieldKind.NUMBER_A_SIDE and len(names) == 2 and set(value) == set(names) and field.required:
        return "–".join(str(value[name]) for name in names)
    shown = {name: " ".join(map(card_text, held)) if isinstance(held, list) else held for name, held in value.items()}
    each = ", ".join(f"{name} {held}" for name, held in shown.items())
    return each if field.required else f"{_lower(field.label)}: {each}"


def penalty_in_words(did: Mapping[str, Any]) -> str:
    """Return the effect of a ruling on one side. In a match of several games, say what the loss of one game means."""
    words = words_of(did["effect"])
    return _("%s: one game of the match, and the other needs one less to go on") % words if GAME_OF in did else words
