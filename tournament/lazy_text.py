"""Lazily translated text for the pure packages, which contain no I/O.

The pure packages must not import Django, so they cannot call gettext. They build text from an English message and its
values, and the text is translated when a page, email or PDF is rendered. `TournamentConfig.ready` installs the
translation functions.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self


def _choose_english_form(one: str, more: str, number: int) -> str:
    return one if number == 1 else more


class LazyText(str):
    """An English string that `str` and templates translate. JSON and database rows store the English text.

    >>> text = LazyText("%(points)s to %(name)s", points=25, name="Ada")
    >>> text == "25 to Ada", text.message, text.values["points"]
    (True, '%(points)s to %(name)s', 25)
    """

    translate_message: ClassVar[Callable[[str], str]] = staticmethod(lambda message: message)
    message: str
    values: Mapping[str, Any]

    def __new__(cls, message: str, /, **values: Any) -> Self:
        values = {
            name: value if value is None or isinstance(value, str | int | float) else str(value)
            for name, value in values.items()
        }
        text = super().__new__(cls, message % {name: to_english(value) for name, value in values.items()})
        text.message, text.values = message, values
        return text

    def __str__(self) -> str:
        return LazyText.translate_message(self.message) % self.values

    @property
    def json_value(self) -> dict[str, Any]:
        """The text as JSON data. `text_from_json` can rebuild the text from it in any language."""
        return {"message": self.message, "values": {name: text_to_json(value) for name, value in self.values.items()}}

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.message,), dict(self.values)


class LazyPlural(LazyText):
    """Text with a singular and a plural form. The value `number` determines the form.

    >>> LazyPlural("%(number)s hand", "%(number)s hands", 2) == "2 hands"
    True
    """

    translate_plural: ClassVar[Callable[[str, str, int], str]] = staticmethod(_choose_english_form)
    singular: str
    plural: str

    def __new__(cls, one: str, more: str, number: int, /, **values: Any) -> Self:
        text = super().__new__(cls, _choose_english_form(one, more, number), **{"number": number, **values})
        text.singular, text.plural = one, more
        return text

    def __str__(self) -> str:
        return LazyPlural.translate_plural(self.singular, self.plural, self.values["number"]) % self.values

    @property
    def json_value(self) -> dict[str, Any]:
        return {**super().json_value, "message": self.singular, "plural": self.plural}

    def __getnewargs_ex__(self) -> tuple[tuple[str, str, int], dict[str, Any]]:  # type: ignore[override]
        return (self.singular, self.plural, self.values["number"]), dict(self.values)


class _JoinedText(LazyText):
    """Several pieces of text joined together, each translated separately."""

    def __str__(self) -> str:
        return self.message % {name: str(value) for name, value in self.values.items()}


class CapitalizedText(LazyText):
    """Text for the start of a sentence, with a capital first letter in every language.

    >>> CapitalizedText(LazyText("the player knocks")) == "The player knocks"
    True
    """

    def __new__(cls, text: str, /) -> Self:
        capitalized = str.__new__(cls, _capitalize_first_letter(to_english(text)))
        capitalized.message, capitalized.values = "%(text)s", {"text": text}
        return capitalized

    def __str__(self) -> str:
        return _capitalize_first_letter(str(self.values["text"]))

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.values["text"],), {}


def _capitalize_first_letter(text: str) -> str:
    return text[:1].upper() + text[1:]


def to_english(value: Any) -> Any:
    """Return a text's English value, regardless of the active language. Return other values unchanged."""
    return str.__str__(value) if isinstance(value, LazyText) else value


def lazy_text(message: str, /, **values: Any) -> str:
    """Return a translatable text with its values. `makemessages` finds messages by this function's name."""
    return LazyText(message, **values)


def lazy_plural(one: str, more: str, number: int, /, **values: Any) -> str:
    """Return a translatable text with plural forms. `makemessages` finds both forms by this function's name."""
    return LazyPlural(one, more, number, **values)


def join_texts(between: str, parts: Iterable[str]) -> str:
    """Join pieces of text with a separator, such as the sentences of a paragraph.

    >>> join_texts(", ", ["1 hand", LazyText("%(points)s points", points=25)]) == "1 hand, 25 points"
    True
    >>> join_texts(", ", [])
    ''
    """
    values = {f"part_{number}": part for number, part in enumerate(parts, start=1)}
    return _JoinedText(between.replace("%", "%%").join(f"%({name})s" for name in values), **values)


def join_with_and(parts: Sequence[str]) -> str:
    """Join names or things with commas and “and”.

    >>> join_with_and(["4", "7", "9"]) == "4, 7 and 9", join_with_and(["4"])
    (True, '4')
    """
    if len(parts) < 2:
        return parts[0] if parts else ""
    return lazy_text("%(first)s and %(last)s", first=join_texts(", ", parts[:-1]), last=parts[-1])


def join_with_or(parts: Sequence[str]) -> str:
    """Join alternatives with commas and “or”.

    >>> join_with_or(["4", "7", "9"]) == "4, 7 or 9"
    True
    """
    if len(parts) < 2:
        return parts[0] if parts else ""
    return lazy_text("%(first)s or %(last)s", first=join_texts(", ", parts[:-1]), last=parts[-1])


def replace_text_parts(text: Any, change: Callable[[LazyText], str | None]) -> Any:
    """Return a text with some parts replaced. `change` returns a part's replacement, or None to leave it unchanged.

    >>> text = LazyText("%(who)s won.", who=LazyText("entry %(number)s", number=4))
    >>> replace_text_parts(text, lambda part: "Ada" if "number" in part.values else None) == "Ada won."
    True
    """
    if not isinstance(text, LazyText):
        return text
    changed = change(text)
    if changed is not None:
        return changed
    arguments, values = text.__getnewargs_ex__()
    arguments = tuple(replace_text_parts(argument, change) for argument in arguments)
    return type(text)(*arguments, **{name: replace_text_parts(value, change) for name, value in values.items()})


def text_to_json(text: Any) -> Any:
    """Return text as a JSON value that can later be rendered in any language.

    >>> text_to_json(LazyText("%(points)s points", points=25))
    {'message': '%(points)s points', 'values': {'points': 25}}
    >>> text_to_json("Ada")
    'Ada'
    """
    return text.json_value if isinstance(text, LazyText) else text


def read_recorded_texts(record: Mapping[str, Any], name: str) -> list[tuple[Any, Any]]:
    """Return pairs of keys and texts from a stored record. Older records have no `texts`, only English strings.

    >>> read_recorded_texts({"reasons": [[4, "They met."]]}, "reasons")
    [(4, 'They met.')]
    >>> read_recorded_texts({"reasons": [], "texts": {"reasons": [[4, {"message": "New.", "values": {}}]]}}, "reasons")
    [(4, 'New.')]
    """
    recorded = record.get("texts", {}).get(name, record.get(name, ()))
    return [(key, text_from_json(text)) for key, text in recorded]


def text_from_json(json_value: Any) -> Any:
    """Rebuild a text from its JSON value.

    >>> text_from_json({"message": "%(points)s points", "values": {"points": 25}}) == "25 points"
    True
    >>> text_from_json(text_to_json(LazyPlural("%(number)s hand", "%(number)s hands", 2))) == "2 hands"
    True
    """
    if not isinstance(json_value, dict):
        return json_value
    values = {name: text_from_json(value) for name, value in json_value["values"].items()}
    if "plural" in json_value:
        return LazyPlural(json_value["message"], json_value["plural"], values["number"], **values)
    return LazyText(json_value["message"], **values)
