"""Texts of the pure folders: English for programs and records, the reader's language on pages.

The pure folders know no framework, so they cannot ask a catalogue. They say a text by its message and its values;
`TournamentConfig.ready` names who translates the message when a page, a mail or a paper writes it.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar


class Said(str):
    """A text that is English as a value, in JSON and in rows, and translated as soon as `str` or a template writes it.

    >>> text = Said("%(points)s to %(name)s", points=25, name="Ada")
    >>> text == "25 to Ada", text.message, text.values["points"]
    (True, '%(points)s to %(name)s', 25)
    """

    in_language: ClassVar[Callable[[str], str]] = staticmethod(lambda message: message)
    message: str
    values: Mapping[str, Any]

    def __new__(cls, message: str, /, **values: Any) -> "Said":
        made = super().__new__(cls, message % {name: in_english(value) for name, value in values.items()})
        made.message, made.values = message, values
        return made

    def __str__(self) -> str:
        return Said.in_language(self.message) % self.values

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.message,), dict(self.values)


def in_english(value: Any) -> Any:
    """What a program reads of it, whatever language is on."""
    return str.__str__(value) if isinstance(value, Said) else value


def worded(message: str, /, **values: Any) -> str:
    """A text with its values; `makemessages` finds the message by this name."""
    return Said(message, **values)


def as_kept(text: Any) -> Any:
    """A text as JSON keeps it, so that a page can write it in any language later.

    >>> as_kept(Said("%(points)s points", points=25))
    {'message': '%(points)s points', 'values': {'points': 25}}
    >>> as_kept("Ada")
    'Ada'
    """
    if isinstance(text, Said):
        return {"message": text.message, "values": {name: as_kept(value) for name, value in text.values.items()}}
    return text


def from_kept(kept: Any) -> Any:
    """
    >>> from_kept({"message": "%(points)s points", "values": {"points": 25}}) == "25 points"
    True
    """
    if isinstance(kept, dict):
        return Said(kept["message"], **{name: from_kept(value) for name, value in kept["values"].items()})
    return kept
