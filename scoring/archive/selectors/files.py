"""Read and write the zip archive of an exported tournament (`docs/format.md`), without a database.

Every member is read as a stream, its size is limited, and its digest is compared with the manifest.
"""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from scoring.rules.evidence.sealing import encode_canonical_json, is_signed_by
from tournament.errors import DomainError

FORMAT: Final = "gin-rummy-tournament"
ENCRYPTED_EXTENSION: Final = ".age"
ENCRYPTED_HEADERS: Final = (b"age-encryption.org/", b"-----BEGIN AGE ENCRYPTED FILE-----")
"""The first bytes of an encrypted file, in binary or as text (`encryption.py`)."""

VERSION: Final = (1, 0)
"""The major and the minor version. A newer minor version may have additional columns, which are kept."""

MANIFEST, FACTS, LOG, SUMMARY, FILES = "manifest.json", "facts.jsonl", "log.jsonl", "summary.json", "files/"

MAX_KEY: Final = 1 << 53
"""Primary keys are at most this large, so that every JSON parser reads them exactly."""
MAX_MEMBERS: Final = 20_000
MAX_MANIFEST_BYTES: Final = 16 << 20
MAX_MEMBER_BYTES: Final = 2 << 30
MAX_TOTAL_BYTES: Final = 8 << 30
"""All members together may have this size."""
MAX_LINE_BYTES: Final = 64 << 20
MAX_COMPRESSION_RATIO: Final = 200
"""The highest ratio of a member's size to its compressed size. Facts reach about 20."""
FREE_OF_RATIO_BYTES: Final = 1 << 20
"""Members up to this size may have any ratio, because a few empty values compress very well."""
_CHUNK: Final = 1 << 20

UNREADABLE: Final = (
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
    """The primary keys of accounts by email address, and of seal keys by public key, by the name of their model."""

    @property
    def has_persons(self) -> bool:
        """Whether the file has the real names, and the log. A file without persons has neither (`persons.py`)."""
        return self.content.get("persons", True) is not False

    @property
    def seal(self) -> Mapping[str, str]:
        seal = self.content["seal"]
        assert isinstance(seal, dict)
        return seal

    @property
    def signable(self) -> bytes:
        """The bytes that the seal signs: the manifest without its seal, as canonical JSON (RFC 8785)."""
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

    def write_manifest(self, content: Mapping[str, Any]) -> None:
        self.archive.writestr(zipfile.ZipInfo(MANIFEST), encode_json_line(content), zipfile.ZIP_DEFLATED)


@dataclass
class MemberWriter:
    file: IO[bytes]
    member: ArchiveMember
    digest: Any

    def write_line(self, content: Mapping[str, Any]) -> None:
        self.write(encode_json_line(content))

    def write(self, content: bytes) -> None:
        """Write a part of the member that counts as one row."""
        self.file.write(content)
        self.digest.update(content)
        self.member.size += len(content)
        self.member.rows += 1


def encode_json_line(content: Mapping[str, Any]) -> bytes:
    """Return the content as one line of JSON, in UTF-8 and without spaces. The order of its names stays."""
    return (json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n").encode(
        "utf-8", "surrogatepass"
    )


# --- Reading ---------------------------------------------------------------------------------------------------------


class ArchiveReader:
    """An opened archive whose manifest was read. Its other members have not been checked yet.

    Raises:
        ArchiveRefused: `not-an-archive`, `passphrase-needed`, `newer-version`, `damaged-archive`, `too-large`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._archive = zipfile.ZipFile(path)
            infos = self._archive.infolist()
            content = json.loads(self._read_limited(MANIFEST, MAX_MANIFEST_BYTES))
            if content["format"] != FORMAT:
                raise ValueError
        except ArchiveRefused:
            raise
        except UNREADABLE as error:
            if is_encrypted(path):
                message = _("%(name)s is encrypted. Enter the passphrase with which it was exported.")
                raise ArchiveRefused("passphrase-needed", message % {"name": path.name}) from error
            message = _("%(name)s is not the file of a tournament. Choose a file that this program exported.")
            raise ArchiveRefused("not-an-archive", message % {"name": path.name}) from error
        _require_known_version(content, path.name)
        self._infos = {info.filename: info for info in infos}
        self.digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        """A digest of the manifest, which covers the whole file."""
        try:
            self.manifest = _read_manifest(content)
            names = [info.filename for info in infos if info.filename != MANIFEST]
            if len(names) != len(set(names)) or set(names) != self.manifest.members.keys():
                raise ValueError("other members than those in the manifest")
            for name in names:
                self._require_reasonable_size(name)
            if sum(member.size for member in self.manifest.members.values()) > MAX_TOTAL_BYTES:
                raise self._too_large()
        except UNREADABLE as error:
            raise self._damaged() from error

    def close(self) -> None:
        self._archive.close()

    def __enter__(self) -> "ArchiveReader":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def is_seal_genuine(self) -> bool:
        """Return whether the manifest was sealed with the key that it names."""
        seal = self.manifest.seal
        return is_signed_by(seal["key"], self.manifest.signable, seal["signature"])

    def read_lines(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the lines of a member as JSON objects. After the last one, compare the digest with the manifest.

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
        except UNREADABLE as error:
            raise self._damaged() from error
        if (digest.hexdigest(), rows) != (member.digest, member.rows):
            raise self._damaged()

    def read_chunks(self, name: str) -> Iterator[bytes]:
        """Yield a member in chunks. After the last one, compare the digest with the manifest.

        Raises:
            ArchiveRefused: `damaged-archive`.
        """
        digest = hashlib.sha256()
        try:
            with self._archive.open(name) as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
                    yield chunk
        except UNREADABLE as error:
            raise self._damaged() from error
        if digest.hexdigest() != self.manifest.members[name].digest:
            raise self._damaged()

    def list_files(self) -> list[str]:
        """Return the names of the attached files, as the rows refer to them."""
        return [name.removeprefix(FILES) for name in self.manifest.members if name.startswith(FILES)]

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
        is_bomb = member.size > FREE_OF_RATIO_BYTES and member.size > MAX_COMPRESSION_RATIO * max(info.compress_size, 1)
        if member.size > MAX_MEMBER_BYTES or is_bomb or len(self._infos) > MAX_MEMBERS:
            raise self._too_large()

    def _too_large(self) -> ArchiveRefused:
        message = _("%(name)s is larger than a tournament can be. Choose another file. Nothing was imported.")
        return ArchiveRefused("too-large", message % {"name": self.path.name})

    def _damaged(self) -> ArchiveRefused:
        message = _("%(name)s is damaged or was changed. Copy it again, or choose another file. Nothing was imported.")
        return ArchiveRefused("damaged-archive", message % {"name": self.path.name})


def is_encrypted(path: Path) -> bool:
    """Return whether the file begins like an encrypted one."""
    try:
        with open(path, "rb") as file:
            return file.read(max(map(len, ENCRYPTED_HEADERS))).startswith(ENCRYPTED_HEADERS)
    except OSError:
        return False


def _require_known_version(content: Mapping[str, Any], name: str) -> None:
    """Refuse files of a newer major version. A newer minor version can be read."""
    try:
        major, minor = (int(part) for part in str(content["version"]).split("."))
    except UNREADABLE as error:
        message = _("%(name)s is not the file of a tournament. Choose a file that this program exported.")
        raise ArchiveRefused("not-an-archive", message % {"name": name}) from error
    if major != VERSION[0] or minor < 0:
        message = _("%(name)s was made by a newer version of this program. Update this computer's program first.")
        raise ArchiveRefused("newer-version", message % {"name": name})


def _read_manifest(content: Mapping[str, Any]) -> Manifest:
    """Return the manifest.

    Raises:
        ValueError, KeyError, TypeError: a part is missing or has the wrong type.
    """
    members = {}
    for name, each in content["members"].items():
        if name not in (FACTS, LOG, SUMMARY) and not _is_safe_file_name(name):
            raise ValueError(name)
        members[name] = ArchiveMember(_read(each, "rows", int), _read(each, "bytes", int), _read(each, "sha256", str))
    if not {FACTS, LOG, SUMMARY} <= members.keys():
        raise ValueError("a member is missing")
    tournament, log, seal = content["tournament"], content["log"], content["seal"]
    _read_key(tournament)
    for part, name, type_ in (
        *((tournament, "slug", str), (tournament, "name", str), (tournament, "is_copy", bool)),
        *((log, "rows", int), (log, "digest", str), (seal, "key", str), (seal, "signature", str)),
        (content, "made_at", str),
    ):
        _read(part, name, type_)
    if not all(type(key) is int for key in content["shared_players"]):
        raise ValueError("shared_players")
    accounts, seal_keys = content["accounts"], content["seal_keys"]
    for account in accounts:
        validate_email(_read(account, "email", str))
        _read(account, "name", str)
    for each in seal_keys:
        bytes.fromhex(_read(each, "public", str))
        _read(each, "trusted", bool)
    shared = {
        "tournament.User": {each["email"]: _read_key(each) for each in accounts},
        "scoring.SealKey": {each["public"]: _read_key(each) for each in seal_keys if each["key"] is not None},
    }
    if len(shared["tournament.User"]) != len(accounts) or len({each["public"] for each in seal_keys}) != len(seal_keys):
        raise ValueError("an account or a key is listed twice")
    return Manifest(content, members, shared)


_Value = TypeVar("_Value")


def _read(part: Mapping[str, Any], name: str, type_: type[_Value]) -> _Value:
    value = part[name]
    if type(value) is not type_:
        raise ValueError(name)
    return value


def _read_key(part: Mapping[str, Any]) -> int:
    key = _read(part, "key", int)
    if not 0 < key < MAX_KEY:
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
