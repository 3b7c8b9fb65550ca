"""Show the refusal of a service on the form that was sent, without losing what was typed."""

from typing import Any

from scoring.card_state.selectors.cards import CardState
from scoring.cards.services.hands import BadLine
from scoring.correction_period.services.second_official import Differs
from scoring.correction_period.tables import differs_in_words
from tournament.errors import DomainError, NeedsReason


class Tried:
    """A context manager that puts a refusal on a form: `with Tried(form): …`.

    The error goes to the field it is about, or else to the top of the form. `state` is the card if two people may type
    it. With `warns`, an improbable entry is collected in `warnings`, for the form to ask why it is right. `decide` is
    the match to decide first, if a later one has begun.
    """

    def __init__(self, form: Any, state: CardState | None = None, *, warns: bool = False) -> None:
        self.form, self.state, self.warns = form, state, warns
        self.warnings: list[str] = []
        self.decide: dict[str, str] = {}

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, DomainError):
            return False
        if isinstance(error, BadLine) and hasattr(self.form, "show"):
            self.form.show(error)
        elif isinstance(error, NeedsReason) and self.warns:
            self.warnings = list(error.data["warnings"])
            self.decide = {name: error.data[name] for name in ("ident", "ending") if name in error.data}
        elif isinstance(error, Differs) and self.state is not None:
            self.form.add_error(None, differs_in_words(self.state, error))
        else:
            asks_why = error.code == "reason-needed" and "reason" in self.form.fields
            self.form.add_error("reason" if asks_why else None, error.message)
        return True
