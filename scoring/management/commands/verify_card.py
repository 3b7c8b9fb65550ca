import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from scoring.disputes.tables import describe_ruling_changes
from scoring.posting.tables import describe_card_status
from scoring.prints.pdf.signed_cards import OutdatedStamp
from scoring.rules.evidence.sealing import VerificationFault
from scoring.seals.selectors.keys import load_earlier_keys, load_trusted_public_keys
from scoring.verification.pdf.file_checks import RulingInFile, SealedCardInFile, UnsealedCardInFile, check_pdf
from scoring.verification.selectors.proofs import (
    Authenticity,
    CardProof,
    RulingProof,
    find_card_proof,
    find_card_proof_or_unknown,
    find_ruling_proof,
    normalize_typed_digest,
)
from scoring.verification.tables import (
    describe_authenticity_counts,
    describe_stamp,
    explain_missing_seal,
    format_page_numbers,
)
from tournament.errors import DomainError

EXIT_CODES: Final = {
    Authenticity.GENUINE: 0,
    Authenticity.UNSIGNED: 1,
    Authenticity.OUTDATED: 1,
    Authenticity.DISAGREES: 1,
    Authenticity.SUPERSEDED: 1,
    Authenticity.ALTERED: 2,
    Authenticity.UNKNOWN: 2,
}


class Command(BaseCommand):
    help = (
        "Say whether a printed score card, or the slip of a ruling, is genuine (exit status 0), superseded (1), or "
        "altered or unknown (2), and name the place. With --key it needs neither the database nor the secrets of the "
        "installation."
    )
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="the PDF")
        parser.add_argument("--digest", default="", help="the printed digest, or its first 12 characters")
        parser.add_argument("--key", action="append", default=[], help="a public key to trust; no database is asked")

    def handle(self, *args: Any, **options: Any) -> None:
        file, digest, keys = options["file"], options["digest"], frozenset(map(str.lower, options["key"]))
        try:
            typed = normalize_typed_digest(digest) if digest else ""
            if file is not None:
                standing = self._check_file(file, typed, keys)
            elif typed and not keys:
                standing = self._check_digest(typed)
            else:
                raise _make_unknown_card_error(
                    "Name a PDF, or a digest with --digest. A digest alone is looked up on record."
                )
        except DomainError as error:
            raise _make_unknown_card_error(error.message) from None
        except DatabaseError as error:
            raise _make_unknown_card_error(
                f"The record cannot be read ({error}). With --key the file alone is checked."
            ) from None
        sys.exit(EXIT_CODES[standing])

    def _check_file(self, path: Path, typed: str, keys: frozenset[str]) -> Authenticity:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise _make_unknown_card_error(f"{path}: {error.strerror}") from None
        verdict = check_pdf(content, keys or load_trusted_public_keys(), None if keys else find_card_proof_or_unknown)
        standing, known = verdict.authenticity, verdict.digests
        lines = _describe_faults(verdict.faults)
        if typed and not any(digest.startswith(typed) for digest in known):
            standing = max(standing, Authenticity.ALTERED, key=list(Authenticity).index)
            lines.append(f"  digest: {typed} was typed; in the file is {', '.join(known) or 'none'}.")
        counted = describe_authenticity_counts(verdict) if not verdict.faults else ""
        lines += _describe_key(verdict.key) if not keys else []
        each = [
            *map(_describe_card, verdict.cards),
            *map(_describe_ruling, verdict.rulings),
            *map(_describe_unsealed_card, verdict.unsigned),
        ]
        return self._print_verdict(
            standing, [*lines, *([f"  {counted}"] if counted else []), *chain.from_iterable(each)]
        )

    def _check_digest(self, typed: str) -> Authenticity:
        proof = find_card_proof(typed)
        ruled = find_ruling_proof(typed) if proof.authenticity is Authenticity.UNKNOWN else None
        if ruled is not None and ruled.ruling is not None:
            title = f"  Ruling {ruled.ruling.number} of {ruled.ruling.dispute.event}{_describe_replacement(ruled)}"
            return self._print_verdict(ruled.authenticity, [title, *_describe_faults(ruled.faults)])
        if proof.state is None:
            return self._print_verdict(proof.authenticity, ["  Nobody has signed a card with this digest here."])
        title = f"  {proof.state.card}: {proof.state.title}, {_describe_version(proof)}"
        counts = [f"  {line}" for line in _describe_superseding(proof)]
        return self._print_verdict(
            proof.authenticity, [title, *_describe_key(proof.key), *counts, *_describe_faults(proof.faults)]
        )

    def _print_verdict(self, standing: Authenticity, lines: Iterable[str]) -> Authenticity:
        for line in (standing.value.upper(), *lines):
            self.stdout.write(line)
        return standing


def _describe_key(public: str) -> list[str]:
    until = load_earlier_keys().get(public)
    return [f"  sealed by an earlier key of this installation, in use until {until:%Y-%m-%d}"] if until else []


def _describe_faults(faults: Iterable[VerificationFault], indent: str = "  ") -> list[str]:
    return [f"{indent}{fault.place}: {fault.message}" for fault in faults]


def _describe_replacement(proof: RulingProof | None) -> str:
    if proof is None:
        return "; the record was not asked"
    if proof.later is not None:
        return f"; changed on appeal by ruling {proof.later}"
    if proof.changed and proof.ruling is not None:
        texts = " ".join(each["text"] for each in describe_ruling_changes(proof.ruling, proof.changed))
        return f"; not all that it did stands any more. {texts}"
    if proof.authenticity is Authenticity.SUPERSEDED:
        return "; refused, and not applied"
    return "; appealed, and the committee has not decided yet" if proof.appealed is not None else ""


def _make_unknown_card_error(why: str) -> CommandError:
    """Return an error with the exit status for an unknown card.

    The default exit status, 1, would mean “superseded”.
    """
    return CommandError(why, returncode=EXIT_CODES[Authenticity.UNKNOWN])


def _describe_card(card: SealedCardInFile) -> Iterator[str]:
    content = card.envelope.get("content", {})
    where = f"{content.get('event')}, {content.get('match')}, game {content.get('game')}"
    version = f"version {card.envelope.get('version')}; the record was not asked"
    if card.proof:
        version = _describe_version(card.proof)
    yield f"  {card.authenticity.value}: {card.title} ({where}), {version}"
    yield from _describe_stamp(card.stamp)
    yield from (f"    {line}" for line in _describe_superseding(card.proof))
    yield from _describe_faults(card.faults, "    ")


def _describe_ruling(ruling: RulingInFile) -> Iterator[str]:
    where = f"{ruling.envelope.get('tournament')}, {ruling.envelope.get('event')}"
    yield f"  {ruling.authenticity.value}: {ruling.title} ({where}){_describe_replacement(ruling.proof)}"
    yield from _describe_faults(ruling.faults, "    ")


def _describe_unsealed_card(unsigned: UnsealedCardInFile) -> Iterator[str]:
    printed = unsigned.printed
    where = f" ({printed.match}, game {printed.game})" if printed.match else ""
    title, why = f"{unsigned.title}{where}", explain_missing_seal(unsigned)
    yield f"  {unsigned.authenticity.value}: {title}, {format_page_numbers(unsigned)}: {why}"
    if printed.line:
        yield f"    printed: {printed.line}"
    yield from _describe_stamp(unsigned.stamp)
    if unsigned.now and unsigned.stamp is None:
        yield f"    on record now: {unsigned.now}"
    yield from _describe_faults(unsigned.faults, "    ")


def _describe_stamp(stamp: OutdatedStamp | None) -> Iterator[str]:
    if stamp is not None:
        printed, current = describe_stamp(stamp)
        yield f"    The file is as it was made here, but its stamp is out of date. {printed}"
        yield f"    {current}"


def _describe_superseding(proof: CardProof | None) -> Iterator[str]:
    """Yield sentences that explain when, why, and by whom the card was superseded, and what counts now."""
    summary = describe_card_status(proof.status) if proof is not None and proof.status is not None else None
    if summary is not None:
        yield summary.text
        yield f"match: {summary.match_address}"


def _describe_version(proof: CardProof) -> str:
    if proof.version is None:
        return "posted before versions were kept" if proof.state is not None else "not on record"
    number = f"version {proof.version.number}"
    if proof.later_version is None:
        return number if proof.is_sealed else f"{number}, not sealed: signatures are missing"
    since = (
        f"version {proof.later_version} was signed later" if proof.later_version else "changed later, not signed again"
    )
    return f"{number}; {since}"
