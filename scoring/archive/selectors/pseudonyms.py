"""Neutral names for a file without personal data, such as “Player 12” and “Club 03”.

The same name always gets the same replacement, so the file still shows who played whom and who shares a club.

Draws keep their names and the text of their cut, because the drawn order was computed from both. The director can
describe the cut in any words. If it contains words that are not about cards, dice or coins, the export is refused.
"""

import hashlib
import hmac
import json
import re
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from pairing.draws.stages.plan import StageKind
from pairing.models import Commitment, Draw, PartnerDraw, PartnerSeal, Stage
from scoring.archive.selectors.files import ArchiveRefused
from scoring.card_state.selectors.cards import select_cards_with_facts
from scoring.card_state.selectors.state import make_card_state
from scoring.models import SIDE_LETTERS, Card, CardSeat, CardVersion
from scoring.rules.evidence.sealing import encode_canonical_json, sha256_hex
from scoring.seals.selectors.versions import compute_current_digest
from tournament.core.selectors.rows import select_tournament_rows
from tournament.lazy_text import to_english
from tournament.models import (
    Entrant,
    Event,
    EventExtra,
    EventMoney,
    Member,
    Player,
    PlayerCorrection,
    Posting,
    SidePool,
    Tournament,
    User,
)
from tournament.models.tournament import DEFAULT_EXPENSE_CATEGORIES
from tournament.spreadsheets.names import PARTNER_SEPARATOR, name_key

REMOVED_TEXT: Final = "…"
"""The replacement for a text that somebody typed."""

PROGRAM_ACTORS: Final = ("system", "the public form", "a player without their link")
"""The names that are recorded as the author of a fact if the author is not a known person."""

_PLAYER_ACTOR: Final = re.compile(r"(.*) \(entry (\d+)\)", re.DOTALL)
"""The author's name in a fact that an entrant recorded: a name with an entry number (`make_player_actor`)."""

_CUT_WORDS: Final = frozenset(
    (
        *("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"),
        *("joker", "heart", "hearts", "spade", "spades", "club", "clubs", "diamond", "diamonds", "red", "black"),
        *("card", "cards", "cut", "dice", "die", "coin", "head", "heads", "tail", "tails", "shows", "showed"),
        *("the", "of", "and", "a", "then", "with", "one", "nobody"),
    )
)
_CARD_LETTERS: Final = frozenset("akqjthsdc")


class NumberedNames:
    """Gives numbered names such as “Club 01” to things of one kind, in the alphabetical order of their real names."""

    def __init__(self, kind: str, texts: Iterable[str], key: Callable[[str], str] = str.strip) -> None:
        self._kind, self._key = kind, key
        known = sorted({key(text) for text in texts} - {""})
        self._width = len(str(len(known)))
        self._names: dict[str, str] = {}
        for text in known:
            self(text)

    def __call__(self, text: str) -> str:
        key = self._key(text)
        if key and key not in self._names:
            self._names[key] = f"{self._kind} {len(self._names) + 1:0{self._width}}"
        return self._names[key] if key else ""

    def find(self, text: str) -> str | None:
        """Return the neutral name of the thing with this real name, or None if there is no such thing."""
        return self._names.get(self._key(text))


class Pseudonyms:
    """The neutral names for a tournament's persons, clubs, sites, events, side pools, extras and money categories.

    Raises:
        ArchiveRefused: `names-in-draw`: a draw depends on words that could be a person's name.
    """

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self._secret = secrets.token_bytes(32)
        self._persons: dict[str, str] = {}
        self._unknown_persons = 0
        self.officials: dict[int, str] = {}
        self.players: dict[int, str] = {}
        self.player_sort_names: dict[int, str] = {}
        self.entrants: dict[int, str] = {}
        self.entrant_sort_names: dict[int, str] = {}
        self._name_players()
        self._name_entrants()
        self._name_officials()
        events = list(tournament.events.order_by("pk"))
        self.events = {event.pk: f"Event {number}" for number, event in enumerate(events, start=1)}
        self.slugs = {event.slug: self.make_event_slug(event.pk) for event in events}
        self._other_texts = {event.name: self.events[event.pk] for event in reversed(events)}
        stages = Stage.objects.filter(draw__commitment__event__in=events).values_list("name", "kind")
        self._other_texts |= {name: get_default_stage_name(kind) for name, kind in stages}
        self._name_places_and_money(events)
        self._name_card_seats()
        self._collect_card_digests()
        self._find_published_secrets()
        self._require_draws_without_names()

    # --- Persons -----------------------------------------------------------------------------------------------------

    def get_official_pseudonym(self, user: int) -> str:
        if user not in self.officials:
            self.officials[user] = f"Official {len(self.officials) + 1}"
        return self.officials[user]

    def make_official_email(self, user: int) -> str:
        return f"{self.get_official_pseudonym(user).lower().replace(' ', '-')}@example.invalid"

    def get_person_pseudonym(self, text: str) -> str:
        """Return the neutral name for a person, or for a pair of partners."""
        if not text.strip() or text in PROGRAM_ACTORS:
            return text
        if text not in self._persons:
            self._persons[text] = self._name_unknown_person(text)
        return self._persons[text]

    def find_known_pseudonym(self, text: str) -> str | None:
        """Return the neutral name of a person, club, site, event or stage, or None if the text is not such a name."""
        own = (self._persons.get(text), self.club.find(text), self.site.find(text), self._other_texts.get(text))
        return next((name for name in own if name), None)

    def _name_unknown_person(self, text: str) -> str:
        if actor := _PLAYER_ACTOR.fullmatch(text):
            return f"{self.get_person_pseudonym(actor[1])} (entry {actor[2]})"
        if PARTNER_SEPARATOR in text:
            return PARTNER_SEPARATOR.join(map(self.get_person_pseudonym, text.split(PARTNER_SEPARATOR)))
        self._unknown_persons += 1
        return f"Person {self._unknown_persons}"

    def _name_players(self) -> None:
        players = select_tournament_rows(Player, self.tournament).distinct().order_by("pk")
        rows: list[Player] = list(players)
        for number, player in enumerate(rows, start=1):
            self.players[player.pk] = f"Player {number}"
            self.player_sort_names[player.pk] = f"Player {number:0{len(str(len(rows)))}}"
            self._add_names(self.players[player.pk], player.name, player.public_name, str(player))
        for correction in PlayerCorrection.objects.filter(player__in=self.players):
            earlier = correction.changes.get("name", []) + correction.changes.get("public_name", [])
            self._add_names(self.players[correction.player_id], correction.shown_before, *earlier)

    def _name_entrants(self) -> None:
        members = Member.objects.filter(entrant__event__tournament=self.tournament, replaced_by__isnull=True)
        players: dict[int, list[int]] = defaultdict(list)
        for entrant, player in members.order_by("seat", "pk").values_list("entrant_id", "player_id"):
            players[entrant].append(player)
        rows = Entrant.objects.filter(event__tournament=self.tournament).order_by("pk")
        self._entrant_names = {pk: name for pk, name, _number in rows.values_list("pk", "name", "number")}
        for pk, name, number in rows.values_list("pk", "name", "number"):
            own = players.get(pk, ())
            self.entrants[pk] = PARTNER_SEPARATOR.join(self.players[each] for each in own) or f"Entry {number}"
            sort_name = PARTNER_SEPARATOR.join(self.player_sort_names[each] for each in own)
            self.entrant_sort_names[pk] = sort_name or self.entrants[pk]
            self._add_names(self.entrants[pk], name)

    def _name_officials(self) -> None:
        for user in User.objects.filter(roles__tournament=self.tournament).distinct().order_by("pk"):
            self._add_names(self.get_official_pseudonym(user.pk), user.name, user.email, str(user))

    def _add_names(self, pseudonym: str, *names: Any) -> None:
        for name in names:
            if isinstance(name, str) and name.strip():
                self._persons.setdefault(name, pseudonym)

    # --- Clubs, sites, events, stages and money ----------------------------------------------------------------------

    def _name_places_and_money(self, events: list[Event]) -> None:
        entrants = Entrant.objects.filter(event__in=events)
        clubs = {*entrants.values_list("club", flat=True)}
        clubs.update(Player.objects.filter(pk__in=self.players).values_list("club", flat=True))
        self.club = NumberedNames("Club", clubs, key=lambda text: text.strip().casefold())
        sites = {*entrants.values_list("site", flat=True), *(site for event in events for site in event.sites)}
        self.site = NumberedNames("Site", sites)
        pools = SidePool.objects.filter(event__in=events).values_list("name", flat=True)
        extras = EventExtra.objects.filter(event__in=events).values_list("name", flat=True)
        self.side_pool, self.extra = NumberedNames("Side pool", pools), NumberedNames("Extra", extras)
        categories = {*self.tournament.expense_categories}
        categories.update(EventMoney.objects.filter(event__in=events).values_list("category", flat=True))
        categories.update(Posting.objects.filter(tournament=self.tournament).values_list("category", flat=True))
        own = (
            each
            for each in categories
            if each not in DEFAULT_EXPENSE_CATEGORIES and not self.get_product_pseudonym(each)
        )
        self._own_category = NumberedNames("Category", own)

    def get_product_pseudonym(self, text: str) -> str:
        """Return the neutral name of a side pool or an extra, or an empty string for any other text."""
        return self.side_pool.find(text) or self.extra.find(text) or ""

    def get_category_pseudonym(self, text: str) -> str:
        """Return the neutral name of a money category. The program's own categories keep their names."""
        return (
            text if text in DEFAULT_EXPENSE_CATEGORIES else self.get_product_pseudonym(text) or self._own_category(text)
        )

    def make_event_slug(self, event: int) -> str:
        return self.events[event].lower().replace(" ", "-")

    # --- Score cards -------------------------------------------------------------------------------------------------

    def _name_card_seats(self) -> None:
        self.seats: dict[int, str] = {}
        self._card_names: dict[int, dict[str, str]] = {}
        own_cards = Card.objects.filter(match__event__tournament=self.tournament)
        self._card_events: dict[int, int | None] = dict(own_cards.values_list("pk", "match__event_id"))
        columns = ("pk", "card_id", "position", "name", "entrant_id", "entrant__number", "card__match__stage__kind")
        seats = CardSeat.objects.filter(card__match__event__tournament=self.tournament).order_by("card_id", "position")
        cards: dict[int, list[tuple[str, str, int | None]]] = defaultdict(list)
        for pk, card, position, name, entrant, number, kind in seats.values_list(*columns):
            letter = SIDE_LETTERS[position]
            if not name:
                new = ""
            elif entrant is None:
                new = get_default_side_name(kind, position) or f"Side {letter}"
            else:
                new = (
                    self.entrants[entrant] if name == self._entrant_names[entrant] else self.get_person_pseudonym(name)
                )
            self.seats[pk] = new
            cards[card].append((letter, new or (self.entrants[entrant] if entrant else letter), number))
        for card, sides in cards.items():
            # As in `CardState.names`, entry numbers distinguish equal names.
            equal = len({name for _letter, name, _number in sides}) < len(sides)
            self._card_names[card] = {
                letter: f"{name} ({number or letter})" if equal else name for letter, name, number in sides
            }

    def _collect_card_digests(self) -> None:
        versions = CardVersion.objects.filter(card__match__event__tournament=self.tournament)
        self._digests: dict[tuple[int, str], str] = {}
        for card, digest, content in versions.values_list("card_id", "digest", "content").iterator():
            is_genuine = sha256_hex(content) == digest
            new = sha256_hex(self.replace_names_in_card(card, content)) if is_genuine else self.make_alias(digest)
            self._digests[card, digest] = new

    def replace_names_in_card(self, card: int, content: str) -> str:
        """Return the content of a card's signed version with neutral names, as canonical JSON (RFC 8785)."""
        try:
            read = json.loads(content)
            read["event"] = self.make_event_path_of_card(card)
            for side in read["sides"]:
                side["name"] = self._card_names[card][side["side"]]
            read["rules"]["options"] = replace_round_names(read["rules"]["options"])
            return encode_canonical_json(read).decode()
        except (ValueError, LookupError, TypeError, AttributeError):
            return REMOVED_TEXT  # somebody changed it in the database, so it may contain anything

    def make_event_path_of_card(self, card: int) -> str:
        """Return the neutral URL path of a card's event, which is part of the signed content."""
        return f"tournament/{self.make_event_slug(self._card_events[card] or 0)}"

    def get_new_card_digest(self, card: int, digest: str) -> str:
        """Return the digest of a card's content with neutral names, given the digest of the original content.

        The content of a signed version is stored, so its new digest is known. The content before that is not stored. If
        the card still has that content, its new digest is computed. Otherwise, return a random replacement.
        """
        if not digest:
            return digest
        if (card, digest) not in self._digests:
            loaded = select_cards_with_facts().filter(pk=card).first()
            state = make_card_state(loaded) if loaded is not None else None
            self._digests[card, digest] = self.make_alias(digest)
            if state is not None and loaded is not None and compute_current_digest(state) == digest:
                content = self.replace_names_in_card(card, state.content.as_bytes().decode())
                self._digests[card, digest] = sha256_hex(content)
        return self._digests[card, digest]

    # --- Secrets and draws -------------------------------------------------------------------------------------------

    def make_alias(self, text: str, length: int = 64) -> str:
        """Return a random replacement for a secret text. In one file, equal texts get the same replacement."""
        return hmac.new(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:length]

    def has_published_secret(self, row: Commitment | PartnerSeal | Any) -> bool:
        """Return whether this sealed secret was already used for a draw."""
        return row.draw_id in self._drawn

    def _find_published_secrets(self) -> None:
        draws = Draw.objects.filter(commitment__event__tournament=self.tournament)
        partner_draws = PartnerDraw.objects.filter(seal__event__tournament=self.tournament)
        drawn = [*draws.values_list("commitment__draw_id", "public")]
        drawn += partner_draws.values_list("seal__draw_id", "public")
        stages = Stage.objects.filter(draw__commitment__event__tournament=self.tournament)
        records = stages.values_list("record", flat=True)
        drawn += [(each["seal"]["draw_id"], str(each.get("cut", ""))) for each in records if "seal" in each]
        self._drawn, self._cuts = frozenset(draw_id for draw_id, _cut in drawn), {cut for _draw_id, cut in drawn}

    def _require_draws_without_names(self) -> None:
        for cut in sorted(self._cuts):
            if not is_harmless_cut(cut):
                message = _(
                    "What the room saw at a draw has words that could be a name: “%(cut)s”. Without them, nobody could "
                    "check the draw. Export the whole tournament instead, and protect the file with a passphrase."
                )
                raise ArchiveRefused("names-in-draw", message % {"cut": cut})
        draw_ids = [set(re.findall(r"\w+", each)) for each in self._list_draw_ids()]
        for name in self._persons:
            parts = name_key(name).split()
            if len(parts) > 1 and any(words.issuperset(parts) for words in draw_ids):
                message = _(
                    "The web address of the tournament or of an event has the name “%(name)s”, and the draws were "
                    "computed with it. Export the whole tournament instead, and protect the file with a passphrase."
                )
                raise ArchiveRefused("names-in-draw", message % {"name": name})

    def _list_draw_ids(self) -> set[str]:
        draws = Commitment.objects.filter(event__tournament=self.tournament).values_list("draw_id", flat=True)
        partner_draws = PartnerSeal.objects.filter(event__tournament=self.tournament).values_list("draw_id", flat=True)
        return {*draws, *partner_draws}


def is_harmless_cut(text: str) -> bool:
    """Return whether a cut contains only words about cards, dice and coins.

    >>> [is_harmless_cut(each) for each in ("7H 10S QD", "7♥ Q♠", "Queen of hearts", "the dice showed 4 and 5", "")]
    [True, True, True, True, True]
    >>> [is_harmless_cut(each) for each in ("Ada cut the king", "call 555-0100")]
    [False, False]
    """
    words = re.findall(r"[^\W\d_]+", text.casefold())
    is_short = not re.search(r"\d{3}", text)
    return is_short and all(word in _CUT_WORDS or (len(word) <= 2 and set(word) <= _CARD_LETTERS) for word in words)


def get_default_stage_name(kind: str) -> str:
    return to_english(StageKind(kind).traits.name) if kind in set(StageKind) else "Stage"


def get_default_side_name(kind: str, position: int) -> str:
    """Return the default name of a side in this kind of stage, or "" if its stages do not have two sides."""
    sides = StageKind(kind).traits.sides if kind in set(StageKind) else None
    return to_english(sides[position]) if sides is not None and position < len(sides) else ""


def replace_round_names(options: Any) -> Any:
    """Return the options of a rule sheet with neutral names for rounds. All other options are fixed choices."""
    if not isinstance(options, Mapping) or not isinstance(options.get("rounds"), list):
        return options
    rounds = [f"Round {number}" for number in range(1, len(options["rounds"]) + 1)]
    return {**options, "rounds": rounds}
