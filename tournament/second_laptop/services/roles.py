"""Change the role of this laptop: add a second laptop, follow another laptop, take over, and be shut out.

The roles are stored in files in `VAR_DIR/second-laptop`, not in the database. A second laptop's database is replaced
as a whole, and the processes that render its pages cannot write to it.
"""

import datetime as dt
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from django.db import transaction
from django.utils.translation import gettext as _
from filelock import FileLock
from mnemonic import Mnemonic

from tournament.backups.services import restore_backup
from tournament.core.permissions import SYSTEM_ACTOR, Actor, require_installation_permission
from tournament.core.selectors.installation import load_installation
from tournament.core.services.durable_files import remove_durably, write_durably
from tournament.core.services.installation import begin_installation_epoch, log_for_all_tournaments
from tournament.errors import Conflict
from tournament.models import Installation
from tournament.second_laptop.selectors import (
    READ_ONLY_ROLES,
    LaptopLink,
    LaptopRole,
    LinkProblem,
    get_clock_file,
    get_first_copy_file,
    get_link_file,
    get_link_folder,
    get_problem_file,
    get_received_link_file,
    get_replaced_link_file,
    get_second_laptop_url_file,
    is_read_only,
    load_last_change,
    may_follow_another_laptop,
    read_clock_difference,
    read_joining_state,
    read_link,
    read_link_problem,
    read_second_laptop_url,
)
from tournament.second_laptop.services.changes import begin_following, start_recording_changes, stop_recording_changes

# --- Adding and removing a second laptop -----------------------------------------------------------------------------

OFFER_LIFETIME: Final = dt.timedelta(minutes=15)
MAX_WRONG_WORDS: Final = 5
"""The number of wrong attempts to enter the words before new words are needed."""
WORD_COUNT: Final = 6


@dataclass(frozen=True, slots=True)
class PairingOffer:
    """An offer to connect a second laptop: six words that the first laptop shows and the second laptop asks for.

    They are valid until they are used, expire, or are entered wrong too often.
    """

    words: str
    made_at: float
    by_name: str = ""
    failures: int = 0

    @property
    def key(self) -> bytes:
        return compute_words_key(self.words)


def offer_pairing(*, by: Actor) -> PairingOffer:
    """Choose six words with which a second laptop can be added. Earlier words are no longer valid.

    Raises:
        NotAllowed: the actor is neither an administrator nor a director of all tournaments.
        Conflict: `read-only-laptop`: this laptop follows another one, or was shut out by it.
    """
    require_installation_permission(by)
    if is_read_only():
        message = _("Another laptop records everything now, and this one does not. Add the second laptop there.")
        raise Conflict("read-only-laptop", message)
    words = Mnemonic("english").wordlist
    offer = PairingOffer(" ".join(secrets.choice(words) for _turn in range(WORD_COUNT)), time.time(), by.name)
    log_for_all_tournaments(verb="second-laptop.offered", by=by, only_running=True)
    _save_offer(offer)
    return offer


def read_pairing_offer() -> PairingOffer | None:
    """Return the pairing offer that is currently valid, or None if there is none."""
    with suppress(OSError, ValueError, TypeError):
        offer = PairingOffer(**json.loads((get_link_folder() / "offer.json").read_text(encoding="utf-8")))
        age = abs(time.time() - offer.made_at)  # somebody may correct the clock
        if age < OFFER_LIFETIME.total_seconds() and offer.failures < MAX_WRONG_WORDS:
            return offer
    return None


def count_wrong_words(offer: PairingOffer) -> None:
    """Count a wrong attempt to enter the six words. After too many attempts, the words are no longer valid."""
    with _hold_role_lock():  # somebody may try many words at once
        current = read_pairing_offer()
        if current is not None and current.words == offer.words:
            _save_offer(replace(current, failures=current.failures + 1))


def add_second_laptop(offer: PairingOffer, key: str, certificate: str, address: str) -> None:
    """Make this laptop the first of two laptops, after the second laptop has stored a copy of all data.

    The six words with which the second laptop was added are then no longer valid. `address` is the second laptop's
    address, which is written to the log.
    """
    installation = load_installation()
    epoch = installation.epoch if installation is not None else 0
    save_link(LaptopLink(role=LaptopRole.FIRST, key=key, certificate=certificate, epoch=epoch))
    _remove_files("offer.json", "site", "clock")
    log_for_all_tournaments(
        verb="second-laptop.added", by=Actor(offer.by_name or SYSTEM_ACTOR.name), about=address, only_running=True
    )


def save_second_laptop_url(url: str) -> None:
    """Store the second laptop's address for phones, which the second laptop has sent."""
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.hostname and not parts.path and url != read_second_laptop_url():
        with suppress(OSError):  # the disk may be full
            write_durably(get_second_laptop_url_file(), url)


def remember_clock_difference(seconds: float) -> None:
    """Store the difference between the clocks of the two laptops, rounded to minutes."""
    minutes = round(abs(seconds) / 60)
    if minutes != read_clock_difference():
        with suppress(OSError):  # the disk may be full
            write_durably(get_clock_file(), str(minutes))


def remove_second_laptop(*, by: Actor) -> None:
    """Remove the link to the other laptop. From then on, this laptop works alone.

    If this laptop was read-only until now, it has the same identity as the other laptop. It then gets a new identity
    and a new epoch, as after a restore, so that the two can be distinguished.

    Raises:
        NotAllowed: the actor is neither an administrator nor a director of all tournaments.
    """
    require_installation_permission(by)
    with _hold_role_lock():
        link = read_link()
        with transaction.atomic():
            if link is not None and link.role in READ_ONLY_ROLES:
                above = max(link.epoch, link.seen_epoch)
                begin_installation_epoch(Installation.Origin.RESTORED, link.address, above=above)
            log_for_all_tournaments(verb="second-laptop.removed", by=by, only_running=True)
        _discard_copy()
        _remove_files("take-over")
        _forget_link()
    stop_recording_changes()


def resume_recording_changes() -> None:
    """Start to record changes again, if there is a second laptop.

    A database that was just restored or migrated may not record its changes anymore.
    """
    link = read_link()
    if link is not None and link.role is LaptopRole.FIRST:
        start_recording_changes()


def compute_words_key(words: str) -> bytes:
    """Return the key that is derived from the six words of an offer. Spaces and capitalization do not matter.

    The words contain 66 random bits, and `scrypt` makes every guess slow.
    """
    normalized = " ".join(words.lower().split()).encode()
    return hashlib.scrypt(normalized, salt=b"gin-rummy second laptop", n=1 << 14, r=8, p=1, dklen=32)


def _save_offer(offer: PairingOffer) -> None:
    write_durably(get_link_folder() / "offer.json", json.dumps(asdict(offer)))


# --- Following another laptop ----------------------------------------------------------------------------------------


def request_joining(address: str, words: str, *, directs_installation: bool) -> None:
    """Ask the process `second_laptop connect` to follow the laptop at this address.

    Raises:
        Conflict: `laptop-has-data`: tournaments of this laptop would be replaced. `laptop-has-role`: the laptop
            already follows another one, or has a second laptop.
    """
    require_joining_allowed(directs_installation=directs_installation)
    clear_link_problem()
    write_durably(get_link_folder() / "join.json", json.dumps({"address": address, "words": words}))


def require_joining_allowed(*, directs_installation: bool) -> None:
    """Raise Conflict unless this laptop may follow another one (`may_follow_another_laptop`)."""
    if may_follow_another_laptop(directs_installation=directs_installation):
        return
    link = read_link()
    if link is None:
        message = _(
            "There are tournaments on this laptop, and they would be replaced. To allow this, sign in here first, as "
            "an administrator or as a director of all of them."
        )
        raise Conflict("laptop-has-data", message)
    message = (
        _("This laptop has a second laptop of its own. Choose “Work with one laptop again” on its page first.")
        if link.role is LaptopRole.FIRST
        else _("This laptop already follows another one. If that one is broken, take over here instead.")
    )
    raise Conflict("laptop-has-role", message)


def record_joining_failure(problem: LinkProblem) -> None:
    """Give up a request to follow another laptop. The page then shows the problem, and the address from the request."""
    save_link_problem(problem)
    address = read_joining_state().get("address", "")
    try:
        write_durably(get_link_folder() / "join.json", json.dumps({"address": address, "failure": problem.value}))
    except OSError:  # the disk is full. Without the file, nothing is tried again and again.
        _remove_files("join.json")


def change_first_laptop_address(address: str) -> None:
    """Connect to the first laptop at another address. It still has to prove that it is the same laptop.

    Raises:
        Conflict: `laptop-has-role`: this laptop does not follow another one.
    """
    with _hold_role_lock():
        link = read_link()
        if link is None or link.role is not LaptopRole.SECOND:
            raise Conflict("laptop-has-role", _("This laptop follows no other one. Follow another laptop first."))
        save_link(replace(link, address=address))


def remember_seen_epoch(link: LaptopLink, epoch: int) -> None:
    """Remember the epoch that the first laptop has now, so that a takeover begins a higher one."""
    with _hold_role_lock():
        if read_link() == link:  # somebody may have taken over in the meantime
            save_link(replace(link, seen_epoch=epoch))


def save_received_link(link: LaptopLink) -> None:
    """Store the link to the first laptop until that laptop's data is installed here (`install_first_copy`)."""
    write_durably(get_received_link_file(), json.dumps(asdict(link)))


def install_first_copy(*, is_stopped: bool) -> None:
    """Replace this laptop's data with the copy that it received. From then on, follow the first laptop.

    Raises:
        BackupUnreadable: the copy is damaged.
        BackupFailed: the program is running, or the disk is full.
    """
    link = read_link(get_received_link_file())
    try:
        if link is not None:
            restore_backup(get_first_copy_file(), is_stopped=is_stopped, keeps_identity=True)
            begin_following(link.change)
            _remove_files("join.json", "replaced.json", "take-over", "ack", "problem", "offer.json", "requests.jsonl")
            save_link(link)
    finally:
        _discard_copy()


def _discard_copy() -> None:
    get_received_link_file().unlink(missing_ok=True)
    get_first_copy_file().unlink(missing_ok=True)


# --- Taking over, and being shut out ---------------------------------------------------------------------------------


class NotSecondLaptop(Exception):
    """Raised if this laptop cannot take over because it does not follow another one."""


def request_take_over() -> None:
    """Ask the process `second_laptop connect` to take over.

    Raises:
        NotSecondLaptop: this laptop does not follow another one.
    """
    link = read_link()
    if link is None or link.role is not LaptopRole.SECOND:
        raise NotSecondLaptop
    (get_link_folder() / "take-over").touch()


def take_over() -> None:
    """Make this second laptop the one that writes. The first laptop is shut out as soon as it can be reached.

    A second call does nothing, even at the same moment. If the power fails during a takeover, or the disk is full,
    another call completes it.

    Raises:
        NotSecondLaptop: this laptop does not follow another one.
    """
    with _hold_role_lock():
        link = read_link()
        if link is None or link.role is not LaptopRole.SECOND:
            _remove_files("take-over")
            if read_link(get_replaced_link_file()) is None:
                raise NotSecondLaptop
            return
        _discard_copy()  # a newer copy would replace what is recorded here from now on
        epoch = _begin_takeover(link)
        replaced = replace(link, epoch=epoch, change=load_last_change(), at=time.time())
        write_durably(get_replaced_link_file(), json.dumps(asdict(replaced)))
        _remove_files("take-over")
        _forget_link()  # the supervisor then stops this process, and starts all of them again


def _begin_takeover(link: LaptopLink) -> int:
    """Begin a new epoch for the takeover, and return it. If an earlier attempt already did so, return that epoch."""
    here = load_installation()
    if here is not None and here.epoch > link.epoch and here.origin == Installation.Origin.TAKEN_OVER:
        return here.epoch
    above = max(link.epoch, link.seen_epoch)
    with transaction.atomic():
        begun = begin_installation_epoch(Installation.Origin.TAKEN_OVER, link.address, above=above)
        log_for_all_tournaments(verb="second-laptop.took-over", by=SYSTEM_ACTOR, about=link.address, only_running=True)
    return begun.epoch


@contextmanager
def _hold_role_lock() -> Iterator[None]:
    """Let only one process at a time change the role of this laptop."""
    get_link_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(get_link_folder() / "lock", mode=0o600):
        yield


def forget_replaced_laptop() -> None:
    """Forget the laptop that this one replaced, after that laptop has learned of the takeover."""
    _remove_files("replaced.json")


def shut_out(link: LaptopLink, *, epoch: int, change: int, at: float) -> None:
    """Make this laptop read-only, because the other laptop took over with a higher epoch."""
    _remove_files("offer.json", "problem")
    save_link(replace(link, role=LaptopRole.SHUT_OUT, epoch=epoch, change=change, at=at))


# --- The files -------------------------------------------------------------------------------------------------------


def save_link(link: LaptopLink) -> None:
    """Store the link to the other laptop. The file contains a secret, so only this user may read it."""
    write_durably(get_link_file(), json.dumps(asdict(link)))


def save_link_problem(problem: LinkProblem) -> None:
    """Store the latest problem with the connection, so that this laptop's pages can show it."""
    with suppress(OSError):  # the disk may be full
        if read_link_problem() is not problem:
            write_durably(get_problem_file(), problem.value)


def clear_link_problem() -> None:
    """Delete the stored problem, because the connection works now."""
    get_problem_file().unlink(missing_ok=True)


def _forget_link() -> None:
    _remove_files("ack", "offer.json", "join.json", "problem", "requests.jsonl", "site", "clock", "link.json")


def _remove_files(*names: str) -> None:
    remove_durably(*(get_link_folder() / name for name in names))
