"""Acts that need a reason are refused without one."""

from tournament.errors import DomainError


def refuse_without(reason: str, said: str = "Write down why; it is kept in the record.") -> None:
    if not reason.strip():
        raise DomainError("reason-needed", said, field="reason")
