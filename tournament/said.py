"""Texts of the pure folders: English for programs and records, the reader's language on pages.

The pure folders know no framework, so they cannot ask a catalog. They say a text by its message and its values;
`TournamentConfig.ready` names who translates the message when a page, a mail or a paper writes it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self


def _in_source(one: str, more: str, number: int) -> str:
    return one if number == 1 else more


class Said(str):
    """A text that is English as a value, in JSON and in rows, and translated as soon as `str` or a template writes it.

    >>> text = Said("%(points)s to %(name)s", points=25, name="Ada")
    >>> text == "25 to Ada", text.message, text.values["points"]
    (True, '%(points)s to %(name)s', 25)
    """

    in_language: ClassVar[Callable[[str], str]] = staticmethod(lambda message: message)
    message: str
    values: Mapping[str, Any]

    def __new__(cls, message: str, /, **values: Any) -> Self:
        values = {name: _as_value(value) for name, value in values.items()}
        made = super().__new__(cls, message % {name: in_english(value) for name, value in values.items()})
        made.message, made.values = message, values
        return made

    def __str__(self) -> str:
        return Said.in_language(self.message) % self.values

    @property
    def recipe(self) -> dict[str, Any]:
        """What `from_kept` makes it of again."""
        return {"message": self.message, "values": {name: as_kept(value) for name, value in self.values.items()}}

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.message,), dict(self.values)


class SaidPlural(Said):
    """A text that depends on a number, which is its value `number`; every language has its own forms.

    >>> SaidPlural("%(number)s hand", "%(number)s hands", 2) == "2 hands"
    True
    """

    in_plural: ClassVar[Callable[[str, str, int], str]] = staticmethod(_in_source)
    one: str
    more: str

    def __new__(cls, one: str, more: str, number: int, /, **values: Any) -> Self:
        made = super().__new__(cls, _in_source(one, more, number), **{"number": number, **values})
        made.one, made.more = one, more
        return made

    def __str__(self) -> str:
        return SaidPlural.in_plural(self.one, self.more, self.values["number"]) % self.values

    @property
    def recipe(self) -> dict[str, Any]:
        return {**super().recipe, "message": self.one, "plural": self.more}

    def __getnewargs_ex__(self) -> tuple[tuple[str, str, int], dict[str, Any]]:  # type: ignore[override]
        return (self.one, self.more, self.values["number"]), dict(self.values)


class SaidTogether(Said):
    """Texts one after the other, each translated when all are written."""

    def __str__(self) -> str:
        return self.message % {name: str(value) for name, value in self.values.items()}


class SaidFirst(Said):
    """A text that begins a sentence: its first letter is a capital in every language that has them.

    >>> SaidFirst(Said("the player knocks")) == "The player knocks"
    True
    """

    def __new__(cls, text: str, /) -> Self:
        made = str.__new__(cls, _with_capital(in_english(text)))
        made.message, made.values = "%(text)s", {"text": text}
        return made

    def __str__(self) -> str:
        return _with_capital(str(self.values["text"]))

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.values["text"],), {}


def _with_capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _as_value(value: Any) -> Any:
    """What says itself in words, a `Said` of its own, is translated with the text around it."""
    return value if value is None or isinstance(value, str | int | float) else str(value)


def in_english(value: Any) -> Any:
    """What a program reads of it, no matter what language is on."""
    return str.__str__(value) if isinstance(value, Said) else value


def worded(message: str, /, **values: Any) -> str:
    """A text with its values; `makemessages` finds the message by this name."""
    return Said(message, **values)


def worded_plural(one: str, more: str, number: int, /, **values: Any) -> str:
    """A text by its number; `makemessages` finds both forms by this name."""
    return SaidPlural(one, more, number, **values)


def joined(between: str, parts: Iterable[str]) -> str:
    """Texts with a sign or a blank between them: sentences of a paragraph, entries of a list.

    >>> joined(", ", ["1 hand", Said("%(points)s points", points=25)]) == "1 hand, 25 points"
    True
    >>> joined(", ", [])
    ''
    """
    values = {f"part_{number}": part for number, part in enumerate(parts, start=1)}
    return SaidTogether(between.replace("%", "%%").join(f"%({name})s" for name in values), **values)


def listed(parts: Sequence[str]) -> str:
    """Names or things in a sentence.

    >>> listed(["4", "7", "9"]) == "4, 7 and 9", listed(["4"])
    (True, '4')
    """
    if len(parts) < 2:
        return parts[0] if parts else ""
    return worded("%(first)s and %(last)s", first=joined(", ", parts[:-1]), last=parts[-1])


def either(parts: Sequence[str]) -> str:
    """Things of which one is meant, in a sentence.

    >>> either(["4", "7", "9"]) == "4, 7 or 9"
    True
    """
    if len(parts) < 2:
        return parts[0] if parts else ""
    return worded("%(first)s or %(last)s", first=joined(", ", parts[:-1]), last=parts[-1])


def reworded(text: Any, change: Callable[[Said], str | None]) -> Any:
    """The text with some of the texts in it changed; None leaves one as it is.

    >>> text = Said("%(who)s won.", who=Said("entry %(number)s", number=4))
    >>> reworded(text, lambda part: "Ada" if "number" in part.values else None) == "Ada won."
    True
    """
    if not isinstance(text, Said):
        return text
    changed = change(text)
    if changed is not None:
        return changed
    given, values = text.__getnewargs_ex__()
    given = tuple(reworded(one, change) for one in given)
    return type(text)(*given, **{name: reworded(value, change) for name, value in values.items()})


def as_kept(text: Any) -> Any:
    """A text as JSON keeps it, so that a page can write it in any language later.

    >>> as_kept(Said("%(points)s points", points=25))
    {'message': '%(points)s points', 'values': {'points': 25}}
    >>> as_kept("Ada")
    'Ada'
    """
    return text.recipe if isinstance(text, Said) else text


def as_recorded(record: Mapping[str, Any], name: str) -> list[tuple[Any, Any]]:
    """Keys with their texts in a record: from `texts`, where it keeps them so that any language can write them.

    An older record has its English words alone.

    >>> as_recorded({"reasons": [[4, "They met."]]}, "reasons")
    [(4, 'They met.')]
    >>> as_recorded({"reasons": [], "texts": {"reasons": [[4, {"message": "New.", "values": {}}]]}}, "reasons")
    [(4, 'New.')]
    """
    kept = record.get("texts", {}).get(name, record.get(name, ()))
    return [(key, from_kept(text)) for key, text in kept]


def from_kept(kept: Any) -> Any:
    """
    >>> from_kept({"message": "%(points)s points", "values": {"points": 25}}) == "25 points"
    True
    >>> from_kept(as_kept(SaidPlural("%(number)s hand", "%(number)s hands", 2))) == "2 hands"
    True
    """
    if not isinstance(kept, dict):
        return kept
    values = {name: from_kept(value) for name, value in kept["values"].items()}
    if "plural" in kept:
        return SaidPlural(kept["message"], kept["plural"], values["number"], **values)
    return Said(kept["message"], **values)
