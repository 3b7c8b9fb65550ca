"""Read and write the zip archive of an exported tournament (`docs/format.md`), without a database.

Every member is read as a stream, its size is limited, and its digest is compared with the manifest.
"""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any, ClassVar, Final, Self, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from scoring.rules.evidence.sealing import encode_canonical_json, encode_public_key, is_signed_by
from scoring.seals.selectors.keys import get_installation_key
from tournament import __version__
from tournament.core.selectors.left_out import LeftOutParts, read_left_out_parts
from tournament.errors import DomainError

FORMAT: Final = "gin-rummy-tournament"
ENCRYPTED_EXTENSION: Final = ".age"
ENCRYPTED_HEADERS: Final = (b"age-encryption.org/", b"-----BEGIN AGE ENCRYPTED FILE-----")
"""The first bytes of an encrypted file, in binary or as text (`encryption.py`)."""

VERSION: Final = (1, 1)
"""The major and the minor version. Additional columns from a file with a newer minor version are preserved."""

MANIFEST, FACTS, LOG, SUMMARY, FILES = "manifest.json", "facts.jsonl", "log.jsonl", "summary.json", "files/"

MAX_PRIMARY_KEY: Final = 1 << 53
"""The upper limit for primary keys. Every JSON parser can read numbers up to this limit exactly."""
MAX_MEMBERS: Final = 20_000
MAX_MANIFEST_BYTES: Final = 16 << 20
MAX_MEMBER_BYTES: Final = 2 << 30
MAX_TOTAL_BYTES: Final = 8 << 30
"""The maximum total size of all members."""
MAX_LINE_BYTES: Final = 64 << 20
MAX_COMPRESSION_RATIO: Final = 200
"""The highest ratio of a member's size to its compressed size. Facts reach about 20."""
MAX_BYTES_WITHOUT_RATIO_LIMIT: Final = 1 << 20
"""Members up to this size may have any compression ratio, because short files with empty values compress very well."""
_CHUNK: Final = 1 << 20

UNREADABLE_ARCHIVE_ERRORS: Final = (
    *(OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, RecursionError),
    *(LookupError, ValueError, TypeError, AttributeError, OverflowError, ValidationError),
)
"""The errors that a damaged or malicious file can raise in the libraries that read it."""


class ArchiveRefused(DomainError):
    """Raised if a file cannot be imported. The message says why, and can be shown to users."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of `manifest.json`.

    `members` maps the name of each member to its number of rows, its size in bytes, and its SHA-256. `content` is the
    whole manifest, including parts that this version does not know.
    """

    content: Mapping[str, Any]
    members: Mapping[str, "ArchiveMember"]
    shared_keys: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """The primary keys of the accounts and seal keys that the file names, keyed by model name.

    Accounts are then keyed by email address, and seal keys by public key.
    """

    @property
    def made_at(self) -> datetime:
        return datetime.fromisoformat(self.content["made_at"])

    @property
    def event(self) -> Mapping[str, Any] | None:
        """The event (`slug`, `name`, `key`) if this is an event file, otherwise None."""
        event = self.content.get("event")
        return event if isinstance(event, dict) else None

    @property
    def left_out(self) -> LeftOutParts:
        """The parts of the tournament that are missing from the file.

        Even the file of a whole tournament can lack parts, if that tournament was once imported from an event file.
        """
        content = self.content.get("left_out")
        return LeftOutParts() if content is None else read_left_out_parts(content, until=self.content["log"]["rows"])

    @property
    def has_persons(self) -> bool:
        """Whether the file contains real names and the log. A file without personal data has neither (`persons.py`)."""
        return self.content.get("persons", True) is not False

    @property
    def seal(self) -> Mapping[str, str]:
        seal = self.content["seal"]
        assert isinstance(seal, dict)
        return seal

    @property
    def signable_bytes(self) -> bytes:
        """The bytes that the seal signs. They are the manifest without its seal, as canonical JSON (RFC 8785)."""
        return encode_canonical_json({name: value for name, value in self.content.items() if name != "seal"})


@dataclass(slots=True)
class ArchiveMember:
    """A member of the archive. `rows` is the number of lines, or 1 if the member is not in JSON Lines."""

    rows: int = 0
    size: int = 0
    digest: str = ""

    def as_json(self) -> dict[str, int | str]:
        return {"rows": self.rows, "bytes": self.size, "sha256": self.digest}


# --- Writing ---------------------------------------------------------------------------------------------------------


@dataclass
class ArchiveWriter:
    """Writes the members of an archive one after the other, and finally the manifest."""

    archive: zipfile.ZipFile
    members: dict[str, ArchiveMember] = field(default_factory=dict)

    @contextmanager
    def member(self, name: str) -> Iterator["MemberWriter"]:
        # All members have the same time, so that the same facts make the same file.
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED
        member = self.members[name] = ArchiveMember()
        digest = hashlib.sha256()
        with self.archive.open(info, "w", force_zip64=True) as file:
            yield MemberWriter(file, member, digest)
        member.digest = digest.hexdigest()

    def store_file(self, name: str, file: Path) -> None:
        """Add a file without compressing it again. The manifest counts it as one row."""
        member = self.members[name] = ArchiveMember(rows=1)
        digest = hashlib.sha256()
        with open(file, "rb") as source, self.archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as target:
            while chunk := source.read(_CHUNK):
                target.write(chunk)
                digest.update(chunk)
                member.size += len(chunk)
        member.digest = digest.hexdigest()

    def write_manifest(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Add the program's version, the members' digests, and the installation's seal to the manifest. Write it."""
        key = get_installation_key()
        members = {name: member.as_json() for name, member in self.members.items()}
        seal = {"key": encode_public_key(key), "signature": ""}
        sealed: dict[str, Any] = {**content, "program": __version__, "members": members, "seal": seal}
        sealed["seal"]["signature"] = key.sign(Manifest(sealed, {}).signable_bytes).hex()
        self.archive.writestr(zipfile.ZipInfo(MANIFEST), encode_json_line(sealed), zipfile.ZIP_DEFLATED)
        return sealed


@dataclass
class MemberWriter:
    file: IO[bytes]
    member: ArchiveMember
    digest: Any

    def write_line(self, content: Mapping[str, Any]) -> None:
        self.write(encode_json_line(content))

    def write(self, content: bytes) -> None:
        """Write a part of the member, such as a line. It counts as one row."""
        self.file.write(content)
        self.digest.update(content)
        self.member.size += len(content)
        self.member.rows += 1


def encode_json_line(content: Mapping[str, Any]) -> bytes:
    """Return the content as one line of JSON, in UTF-8 and without spaces. The order of the keys is preserved."""
    return (json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n").encode(
        "utf-8", "surrogatepass"
    )


# --- Reading ---------------------------------------------------------------------------------------------------------


class SealedArchive:
    """An open archive. Its manifest has been read, but its other members have not been checked yet.

    Raises:
        ArchiveRefused: `not-an-archive`, `passphrase-needed`, `newer-version`, `damaged-archive`, `too-large`.
    """

    format: ClassVar[str]
    major_version: ClassVar[int]

    def read_manifest(self, content: Mapping[str, Any]) -> Manifest:
        """Return the manifest.

        Raises:
            ValueError, KeyError, TypeError: a part is missing or has the wrong type.
        """
        raise NotImplementedError

    def __init__(self, path: Path) -> None:
        self.path = path
        with ExitStack() as opened:  # closes a refused file, because Windows cannot delete an open file
            try:
                self._archive = opened.enter_context(zipfile.ZipFile(path))
                infos = self._archive.infolist()
                content = json.loads(self._read_limited(MANIFEST, MAX_MANIFEST_BYTES))
                if content["format"] != self.format:
                    raise ValueError
            except ArchiveRefused:
                raise
            except UNREADABLE_ARCHIVE_ERRORS as error:
                if is_encrypted(path):
                    message = _("%(name)s is encrypted. Enter the passphrase with which it was exported.")
                    raise ArchiveRefused("passphrase-needed", message % {"name": path.name}) from error
                message = _("%(name)s is not the file of a tournament. Choose a file that this program exported.")
                raise ArchiveRefused("not-an-archive", message % {"name": path.name}) from error
            _require_known_version(content, self.major_version, path.name)
            self._infos = {info.filename: info for info in infos}
            # This digest covers the whole file, because the manifest has the digests of all members.
            self.digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
            try:
                self.manifest = self.read_manifest(content)
                names = [info.filename for info in infos if info.filename != MANIFEST]
                if len(names) != len(set(names)) or set(names) != self.manifest.members.keys():
                    raise ValueError("other members than those in the manifest")
                for name in names:
                    self._require_reasonable_size(name)
                if sum(member.size for member in self.manifest.members.values()) > MAX_TOTAL_BYTES:
                    raise self._too_large()
            except UNREADABLE_ARCHIVE_ERRORS as error:
                raise self._damaged() from error
            opened.pop_all()

    def close(self) -> None:
        self._archive.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def is_seal_genuine(self) -> bool:
        """Return whether the manifest's seal is valid for the public key that the manifest names."""
        seal = self.manifest.seal
        try:
            return is_signed_by(seal["key"], self.manifest.signable_bytes, seal["signature"])
        except UNREADABLE_ARCHIVE_ERRORS:  # canonical JSON can't represent one of its numbers or strings
            return False

    def read_lines(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the lines of a member as JSON objects. After the last line, compare the digest with the manifest.

        Raises:
            ArchiveRefused: `damaged-archive`.
        """
        member, digest, rows = self.manifest.members[name], hashlib.sha256(), 0
        try:
            with self._archive.open(name) as file:
                while line := file.readline(MAX_LINE_BYTES):
                    digest.update(line)
                    rows += 1
                    content = json.loads(line)
                    if not isinstance(content, dict) or not line.endswith(b"\n"):
                        raise ValueError
                    yield content
        except ArchiveRefused:
            raise
        except UNREADABLE_ARCHIVE_ERRORS as error:
            raise self._damaged() from error
        if (digest.hexdigest(), rows) != (member.digest, member.rows):
            raise self._damaged()

    def read_chunks(self, name: str) -> Iterator[bytes]:
        """Yield a member in chunks. After the last chunk, compare the digest with the manifest.

        Raises:
            ArchiveRefused: `damaged-archive`.
        """
        digest = hashlib.sha256()
        try:
            with self._archive.open(name) as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
                    yield chunk
        except UNREADABLE_ARCHIVE_ERRORS as error:
            raise self._damaged() from error
        if digest.hexdigest() != self.manifest.members[name].digest:
            raise self._damaged()

    def _read_limited(self, name: str, limit: int) -> bytes:
        with self._archive.open(name) as file:
            content = file.read(limit + 1)
        if len(content) > limit:
            raise self._too_large()
        return content

    def _require_reasonable_size(self, name: str) -> None:
        info, member = self._infos[name], self.manifest.members[name]
        if info.file_size != member.size:
            raise ValueError("another size than in the manifest")
        max_size = max(MAX_BYTES_WITHOUT_RATIO_LIMIT, MAX_COMPRESSION_RATIO * info.compress_size)
        if member.size > min(MAX_MEMBER_BYTES, max_size) or len(self._infos) > MAX_MEMBERS:
            raise self._too_large()

    def _too_large(self) -> ArchiveRefused:
        message = _("%(name)s is larger than a tournament can be. Choose another file. Nothing was imported.")
        return ArchiveRefused("too-large", message % {"name": self.path.name})

    def _damaged(self) -> ArchiveRefused:
        message = _("%(name)s is damaged or was changed. Copy it again, or choose another file. Nothing was imported.")
        return ArchiveRefused("damaged-archive", message % {"name": self.path.name})


class ArchiveReader(SealedArchive):
    """An open tournament file or event file."""

    format = FORMAT
    major_version = VERSION[0]

    def read_manifest(self, content: Mapping[str, Any]) -> Manifest:
        return _read_manifest(content)

    def list_files(self) -> list[str]:
        """Return the names of the attached files, in the form in which the rows refer to them."""
        return [name.removeprefix(FILES) for name in self.manifest.members if name.startswith(FILES)]


def read_format(path: Path) -> str:
    """Return the name of the file's format, or "" if this program did not write the file."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(MANIFEST) as file:
            content = json.loads(file.read(MAX_MANIFEST_BYTES))
            return str(content["format"])
    except UNREADABLE_ARCHIVE_ERRORS:
        return ""


def is_encrypted(path: Path) -> bool:
    """Return whether the file begins like an encrypted file."""
    try:
        with open(path, "rb") as file:
            return file.read(max(map(len, ENCRYPTED_HEADERS))).startswith(ENCRYPTED_HEADERS)
    except OSError:
        return False


def _require_known_version(content: Mapping[str, Any], major_version: int, name: str) -> None:
    """Refuse a file with a newer major version. A file with a newer minor version can be read."""
    try:
        major, minor = (int(part) for part in str(content["version"]).split("."))
    except UNREADABLE_ARCHIVE_ERRORS as error:
        message = _("%(name)s is not the file of a tournament. Choose a file that this program exported.")
        raise ArchiveRefused("not-an-archive", message % {"name": name}) from error
    if major != major_version or minor < 0:
        message = _("%(name)s was made by a newer version of this program. Update this computer's program first.")
        raise ArchiveRefused("newer-version", message % {"name": name})


def _read_manifest(content: Mapping[str, Any]) -> Manifest:
    members = read_members(content)
    for name in members:
        if name not in (FACTS, LOG, SUMMARY) and not _is_safe_file_name(name):
            raise ValueError(name)
    if not {FACTS, LOG, SUMMARY} <= members.keys():
        raise ValueError("a member is missing")
    require_valid_time_and_seal(content)
    tournament, log = content["tournament"], content["log"]
    _read_key(tournament)
    for part, name, type_ in (
        *((tournament, "slug", str), (tournament, "name", str), (tournament, "is_copy", bool)),
        *((log, "rows", int), (log, "digest", str)),
    ):
        read_typed_value(part, name, type_)
    if not all(type(key) is int for key in content["shared_players"]):
        raise ValueError("shared_players")
    if content.get("event") is not None:
        _read_key(content["event"])
        for name in ("slug", "name"):
            read_typed_value(content["event"], name, str)
    if content.get("left_out") is not None:
        read_left_out_parts(content["left_out"], until=log["rows"])
    accounts, seal_keys = content["accounts"], content["seal_keys"]
    for account in accounts:
        validate_email(read_typed_value(account, "email", str))
        read_typed_value(account, "name", str)
    for each in seal_keys:
        bytes.fromhex(read_typed_value(each, "public", str))
        read_typed_value(each, "trusted", bool)
    shared = {
        "tournament.User": {each["email"]: _read_key(each) for each in accounts},
        "scoring.SealKey": {each["public"]: _read_key(each) for each in seal_keys if each["key"] is not None},
    }
    if len(shared["tournament.User"]) != len(accounts) or len({each["public"] for each in seal_keys}) != len(seal_keys):
        raise ValueError("an account or a key is listed twice")
    return Manifest(content, members, shared)


def read_members(content: Mapping[str, Any]) -> dict[str, ArchiveMember]:
    return {
        name: ArchiveMember(
            read_typed_value(each, "rows", int),
            read_typed_value(each, "bytes", int),
            read_typed_value(each, "sha256", str),
        )
        for name, each in content["members"].items()
    }


def require_valid_time_and_seal(content: Mapping[str, Any]) -> None:
    for name in ("key", "signature"):
        read_typed_value(content["seal"], name, str)
    if datetime.fromisoformat(content["made_at"]).tzinfo is None:
        raise ValueError("made_at")


_Value = TypeVar("_Value")


def read_typed_value(part: Mapping[str, Any], name: str, type_: type[_Value]) -> _Value:
    value = part[name]
    if type(value) is not type_:
        raise ValueError(name)
    return value


def _read_key(part: Mapping[str, Any]) -> int:
    key = read_typed_value(part, "key", int)
    if not 0 < key < MAX_PRIMARY_KEY:
        raise ValueError("key")
    return key


def _is_safe_file_name(name: str) -> bool:
    parts = name.split("/")
    return (
        name.startswith(FILES)
        and len(name) <= 300
        and all(part not in ("", ".", "..") for part in parts)
        and not any(ord(letter) < 32 or letter in '\\:*?"<>|' for letter in name)
    )
