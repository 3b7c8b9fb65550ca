"""Remove personal data from a tournament file (`export_event --without-persons`).

Such a file can be attached to a bug report, or can show others how an event was organized.

`COLUMN_RULES` contains a rule for every column of every exported row. If a column has no rule, the export is refused,
and a test fails. A rule either keeps a value, because nobody can type a name into it, or replaces it.

A file without personal data contains every entry, match, hand, result, standing and amount. It contains no names,
addresses, email addresses, phone numbers, notes, photos, drawn signatures, private links or signing codes, and no other
text that somebody typed. `manifest.json` has `"persons": false`.

- **Names** are replaced by “Player 12”, “Official 2”, “Club 03”, “Site 1”, “Event 1” and so on. The same name always
  gets the same replacement. Accounts get addresses such as official-2@example.invalid. A name that belongs to no player
  or account of the tournament, such as that of a committee member, becomes “Person 3”.
- **Texts** that people typed, such as reasons, notes, statements, messages and remarks, are replaced by “…”. Empty
  texts stay empty.
- **Secrets** are replaced by random ones: private links, signing codes, the addresses of score cards, identifiers of
  payments, and the sealed secrets of draws that have not been made yet.
- **Some rows are left out**: uploaded lists, seals, earlier imports, and the idempotency keys of requests. Photos are
  left out, but the rows about them stay.
- **The log is left out**, because its digests cover the names. `log.jsonl` has no rows.
- **Signed score cards** stay signed. The content of each signed version contains the neutral names, and all of its
  digests are computed again.

Such a file can only be imported as a copy. The log of the copy begins with the import, which records every row.
`verify_event` recomputes the draws, stages, cards, results, standings, places and money as usual. It says that the
tournament is a copy without personal data, whose signatures and log cannot be compared with the original.

The names of the draws still contain the web addresses of the tournament and its events. These names and the text of
each cut stay, because the drawn order was computed from them. Times, dates, scores and amounts stay, too. Somebody who
knows the results can therefore tell who a player is. Hand the file only to people who may know that.
"""

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from django.db.models import ForeignKey, Model
from django.utils.translation import gettext as _

from pairing.draws.order import compute_commitment
from scoring.archive.selectors.files import ArchiveRefused
from scoring.archive.selectors.pseudonyms import (
    REMOVED_TEXT,
    Pseudonyms,
    get_default_side_name,
    get_default_stage_name,
    replace_round_names,
)
from tournament.core.selectors.rows import get_archived_columns, list_archived_models
from tournament.models import LedgerLine, User
from tournament.spreadsheets.names import name_key, sort_key

ColumnRule = Callable[[Pseudonyms, Any, Any], Any]
"""A function that returns the new value of a column, given the pseudonyms, the row, and the old value."""


# --- Rules for whole values ------------------------------------------------------------------------------------------


def keep_value(_names: Pseudonyms, _row: Any, value: Any) -> Any:
    """Keep a value that is not personal: a number, a time, a reference to another row, or a fixed choice."""
    return value


def _text(_names: Pseudonyms, _row: Any, value: str) -> str:
    """Replace a text that somebody typed."""
    return REMOVED_TEXT if value else ""


def clear_value(_names: Pseudonyms, _row: Any, value: Any) -> Any:
    """Return the empty value of the same type."""
    return None if isinstance(value, int) or value is None else type(value)()


def _no_file(_names: Pseudonyms, _row: Any, _value: Any) -> str:
    return ""


def _person(names: Pseudonyms, _row: Any, value: str) -> str:
    return names.get_person_pseudonym(value)


def _persons(names: Pseudonyms, _row: Any, value: list[Any]) -> list[str]:
    return [names.get_person_pseudonym(str(each)) for each in value]


def _author(names: Pseudonyms, row: Any, value: str) -> str:
    return names.get_official_pseudonym(row.by_id) if row.by_id is not None else names.get_person_pseudonym(value)


def _secret(names: Pseudonyms, _row: Any, value: str) -> str:
    """Replace a secret or an identifier. Equal values stay equal."""
    return names.make_alias(value, 32) if value else ""


def _signing_code(names: Pseudonyms, _row: Any, value: str) -> str:
    return f"{int(names.make_alias(value), 16) % 10**6:06}"


def _club(names: Pseudonyms, _row: Any, value: str) -> str:
    return names.club(value)


def _site(names: Pseudonyms, _row: Any, value: str) -> str:
    return names.site(value)


def _sites(names: Pseudonyms, _row: Any, value: list[str]) -> list[str]:
    return [names.site(each) for each in value]


def _category(names: Pseudonyms, _row: Any, value: str) -> str:
    return names.get_category_pseudonym(value)


def _categories(names: Pseudonyms, _row: Any, value: list[str]) -> list[str]:
    return [names.get_category_pseudonym(each) for each in value]


def _reference(names: Pseudonyms, _row: Any, value: str) -> str:
    """Replace the name of a side pool or an extra with its neutral name. Replace any other remark with “…”."""
    return names.get_product_pseudonym(value) or _text(names, _row, value)


def _card_digest(names: Pseudonyms, row: Any, value: str) -> str:
    return names.get_new_card_digest(row.card_id, value)


def keep_booking_date(_names: Pseudonyms, _row: Any, value: str) -> str:
    """Keep a bank statement's date, which is stored exactly as the bank wrote it. Replace anything else."""
    return value if re.fullmatch(r"[\d./-]{1,10}", value) else REMOVED_TEXT


def _sealed_secret(names: Pseudonyms, row: Any, value: str) -> str:
    """Keep the secret of a draw that was made. Replace the secret of a draw that was not made yet."""
    return value if names.has_published_secret(row) else names.make_alias(value)


def _commitment(names: Pseudonyms, row: Any, value: str) -> str:
    if names.has_published_secret(row):
        return value
    return compute_commitment(bytes.fromhex(_sealed_secret(names, row, row.secret)))


# --- Rules for JSON --------------------------------------------------------------------------------------------------

_CODE: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9-]{0,39}"  # “gin”, “single-elimination”, “QC”, “R1M3”
    r"|(10|[2-9])[HSDC]|\d{1,3}(\.\d{1,4})?|\d-?[a-z]+(-[a-z0-9]+)*"  # “10H”, “66.5”, “10-dime-rummy”
    r"|\d{4}-\d\d-\d\d(T[\d:.]+(\+00:00|Z)?)?"  # a date or a time
)
_NO_WORDS: Final = re.compile(r"(?:(?![^\W\d_]{3}|\d{5}).)*", re.DOTALL)
"""A text without words and without long numbers, such as “7H” or “4–0”."""
_KEY: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


def _code(_names: Pseudonyms, _row: Any, value: Any) -> Any:
    """Return a text from JSON unchanged if it is a single code word, such as “gin”. Otherwise, return a placeholder."""
    return value if not isinstance(value, str) or not value or _CODE.fullmatch(value) else REMOVED_TEXT


def make_fixed_choices_rule(**special: ColumnRule) -> ColumnRule:
    """Return a rule for JSON whose texts are the program's own codes, such as “gin”.

    A text that is not a code is replaced by a placeholder (`_code`). `special` has rules for fields with other texts,
    keyed by the name of the field. A sentence that the program has stored (`text_to_json`) keeps its wording, but the
    names in it are replaced.
    """

    def rule(names: Pseudonyms, row: Any, value: Any) -> Any:
        if isinstance(value, list):
            return [rule(names, row, each) for each in value]
        if not isinstance(value, dict):
            return _code(names, row, value)
        if {"message", "values"} <= value.keys():
            return _sentence(names, value)
        return {
            _json_key(key, number): _choose_rule(key, each)(names, row, each)
            for number, (key, each) in enumerate(value.items(), start=1)
        }

    def _choose_rule(key: str, value: Any) -> ColumnRule:
        found = special.get(key, rule)
        return found if isinstance(value, str) or found is keep_value else rule

    return rule


def replace_typed_json(_names: Pseudonyms, _row: Any, value: Any) -> Any:
    """Replace all texts in JSON, but keep its numbers."""
    if isinstance(value, list):
        return [replace_typed_json(_names, _row, each) for each in value]
    if isinstance(value, dict):
        return {
            _json_key(key, number): replace_typed_json(_names, _row, each)
            for number, (key, each) in enumerate(value.items(), start=1)
        }
    return (REMOVED_TEXT if value else "") if isinstance(value, str) else value


def _json_key(key: str, number: int) -> str:
    return key if _KEY.fullmatch(key) else f"{REMOVED_TEXT} {number}"


def _sentence(names: Pseudonyms, value: Any) -> Any:
    """Return one of the program's stored sentences with neutral names.

    Its values are names, numbers and other sentences.
    """
    if isinstance(value, dict) and {"message", "values"} <= value.keys():
        kept = {name: each for name, each in value.items() if name in ("message", "plural", "number")}
        return {**kept, "values": {name: _sentence(names, each) for name, each in value["values"].items()}}
    if isinstance(value, str):
        return names.find_known_pseudonym(value) or (value if _NO_WORDS.fullmatch(value) else REMOVED_TEXT)
    return value if isinstance(value, int | float) or value is None else REMOVED_TEXT


def replace_names_in_pairing_record(names: Pseudonyms, row: Any, value: dict[str, Any]) -> dict[str, Any]:
    """Replace the names in the reasons for pairs, and the names of clubs whose members were kept apart."""
    groups = value.get("kept_apart", {}).get("groups", {})
    changed: dict[str, Any] = make_fixed_choices_rule(seed=keep_value, bye_reason=_text, site=_site)(names, row, value)
    if groups:
        named = [
            (names.club.find(name) or f"Group {number}", each) for number, (name, each) in enumerate(groups.items())
        ]
        changed["kept_apart"]["groups"] = dict(named)
    return changed


def _plan(_names: Pseudonyms, _row: Any, value: dict[str, Any]) -> dict[str, Any]:
    """Replace the names of stages and sides in the plan of an event."""
    stages = [{**stage, **_stage_names(stage["kind"], stage)} for stage in value.get("stages", ())]
    return {**value, "stages": stages} if "stages" in value else value


def _stage_names(kind: str, terms: Mapping[str, Any]) -> dict[str, Any]:
    named = {"name": get_default_stage_name(kind)} if "name" in terms else {}
    sides = [get_default_side_name(kind, place) for place in range(len(terms.get("sides", ())))]
    return {**named, "sides": sides} if "sides" in terms else named


def _stage_terms(_names: Pseudonyms, row: Any, value: dict[str, Any]) -> dict[str, Any]:
    return {**value, **_stage_names(row.kind, value)}


def _rule_options(_names: Pseudonyms, _row: Any, value: Any) -> Any:
    return replace_round_names(value)


# --- Rules for single columns ----------------------------------------------------------------------------------------


def _tournament_name(_names: Pseudonyms, _row: Any, _value: str) -> str:
    return "Tournament"


def _venue(_names: Pseudonyms, _row: Any, value: str) -> str:
    return "Venue" if value else ""


def _drawer_name(_names: Pseudonyms, row: Any, _value: str) -> str:
    return f"Drawer {row.number}"


def _stage_name(_names: Pseudonyms, row: Any, _value: str) -> str:
    return get_default_stage_name(row.kind)


def _player_name(names: Pseudonyms, row: Any, _value: str) -> str:
    return names.players[row.pk]


def _public_name(names: Pseudonyms, row: Any, value: str) -> str:
    """Return the neutral name instead of a player's public name.

    If the player has no public name, return an empty string, unless the player's name is hidden. In that case, pages
    would show only the initials of the neutral name, so return the whole neutral name.
    """
    return names.players[row.pk] if value or row.hides_name else ""


def _player_sort_name(names: Pseudonyms, row: Any, _value: str) -> str:
    return names.player_sort_names[row.pk]


def _player_sort_key(names: Pseudonyms, row: Any, _value: str) -> str:
    return sort_key(names.player_sort_names[row.pk])


def _name_key(names: Pseudonyms, row: Any, _value: str) -> str:
    return name_key(names.players[row.pk])


def _entrant_name(names: Pseudonyms, row: Any, _value: str) -> str:
    return names.entrants[row.pk]


def _entrant_sort_name(names: Pseudonyms, row: Any, _value: str) -> str:
    return names.entrant_sort_names[row.pk]


def _entrant_sort_key(names: Pseudonyms, row: Any, _value: str) -> str:
    return sort_key(names.entrant_sort_names[row.pk])


def _seat_name(names: Pseudonyms, row: Any, _value: str) -> str:
    return names.seats[row.pk]


def _shown_before(names: Pseudonyms, row: Any, _value: str) -> str:
    return names.players[row.player_id]


def _event_name(names: Pseudonyms, row: Any, _value: str) -> str:
    return names.events[row.pk]


def _event_slug(names: Pseudonyms, row: Any, _value: str) -> str:
    return names.make_event_slug(row.pk)


def _tournament_slug(_names: Pseudonyms, _row: Any, _value: str) -> str:
    return "tournament"


def _product_name(names: Pseudonyms, _row: Any, value: str) -> str:
    return names.get_product_pseudonym(value)


def _version_content(names: Pseudonyms, row: Any, value: str) -> str:
    return names.replace_names_in_card(row.card_id, value)


def _version_facts(names: Pseudonyms, row: Any, value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "event": names.make_event_path_of_card(row.card_id)}


def _event_names(names: Pseudonyms, _row: Any, value: str) -> str:
    return names.find_known_pseudonym(value) or REMOVED_TEXT


def _close_figures(names: Pseudonyms, row: Any, value: dict[str, Any]) -> Any:
    """Replace the names of events, side pools, extras and categories in the figures of a daily close."""
    figures = make_fixed_choices_rule(of=_method_or_category, name=_event_names)(names, row, value)
    for part in ("fees", "moved"):  # the lines of one kind are in alphabetical order
        lines = figures.get(part, [])
        kinds = list(dict.fromkeys(line["kind"] for line in lines))
        lines.sort(key=lambda line: (kinds.index(line["kind"]), line["of"]))
    return figures


def _method_or_category(names: Pseudonyms, _row: Any, value: str) -> str:
    return value if value in LedgerLine.Method.values else names.get_category_pseudonym(value)


# --- The table -------------------------------------------------------------------------------------------------------

ColumnRules = dict[ColumnRule, str]
"""A mapping from each rule to the names of the model's columns that it applies to, separated by spaces."""


def _fact(rules: ColumnRules, *, signed: bool = False) -> ColumnRules:
    """Return these rules and the rules for the columns of `Fact`.

    If `signed` is true, also include the rules for the columns of `SignInLinkColumns`.
    """
    more: ColumnRules = {keep_value: "at by link_at" if signed else "at by", _author: "by_name", _text: "reason"}
    more |= {_person: "link_by"} if signed else {}
    return {rule: f"{more.get(rule, '')} {rules.get(rule, '')}" for rule in {**more, **rules}}


_CODES: Final = make_fixed_choices_rule()
_DISPUTE: Final[ColumnRules] = {_CODES: "facts", replace_typed_json: "claims"}

COLUMN_RULES: Final[Mapping[str, ColumnRules | None]] = {
    # Tournaments, events and their staff
    "tournament.Tournament": {
        keep_value: "starts_on ends_on time_zone currency tax_form_cents publishes_names is_demo is_copy created_at",
        _tournament_slug: "slug",
        _tournament_name: "name",
        _venue: "venue",
        clear_value: "contact about bank_account",
        _categories: "expense_categories",
        _CODES: "providers",
    },
    "tournament.Event": {
        keep_value: "tournament entry_size partners second_chance_of fee_cents early_fee_cents early_until "
        "late_fee_cents late_from capacity promotion starts_at opens_at closes_at reentry reentry_until "
        "reentry_fee_cents prize_percent prizes_by prize_scale prize_table flat_cents unit_cents "
        "added_cents guarantee_cents discounts_from absent_by_round settlement state version",
        _event_slug: "slug",
        _event_name: "name",
        _plan: "plan",
        _sites: "sites",
        _CODES: "approvals",
    },
    "tournament.EventStep": _fact({keep_value: "event came_from went_to"}),
    "tournament.StaffRole": {keep_value: "tournament user role"},
    # Players and entries
    "tournament.Player": {
        keep_value: "consent_at hides_name merged_into created_at",
        _player_name: "name",
        _player_sort_name: "sort_name",
        _player_sort_key: "sort_key",
        _name_key: "name_key",
        _public_name: "public_name",
        clear_value: "email email_key phone address",
        _club: "club",
    },
    "tournament.Merge": _fact({keep_value: "kept gone", _CODES: "moved"}),
    "tournament.MergeUndone": _fact({keep_value: "merge"}),
    "tournament.PlayerCorrection": _fact(
        {keep_value: "player event", replace_typed_json: "changes", _shown_before: "shown_before"}
    ),
    "tournament.Entrant": {
        keep_value: "event number side asks_partner pool joined_to source entered_at state arrived prize_shares "
        "reentry_of",
        _entrant_name: "name",
        _entrant_sort_name: "sort_name",
        _entrant_sort_key: "sort_key",
        _club: "club",
        _site: "site",
        _text: "notes",
        _secret: "token",
        _signing_code: "sign_code",
    },
    "tournament.Member": _fact({keep_value: "entrant player seat replaces"}),
    "tournament.EntrantFact": _fact(
        {
            keep_value: "entrant kind role",
            make_fixed_choices_rule(draw=keep_value, rule=keep_value, since=keep_value, site=_site): "data",
        },
        signed=True,
    ),
    "tournament.LinkRequest": _fact(
        {keep_value: "event", _person: "name", clear_value: "birth_year phone_end", _secret: "browser"}
    ),
    "tournament.LinkAnswer": _fact({keep_value: "request entrant renewed"}),
    # Uploaded lists
    "tournament.ImportBatch": None,
    "tournament.ImportRow": None,
    "tournament.BankList": None,
    # Messages
    "tournament.Message": _fact({keep_value: "event audience", _text: "subject body"}),
    "tournament.MessageCopy": {keep_value: "message entrant channel state changed_at", _text: "note"},
    # Money
    "tournament.LedgerLine": _fact({keep_value: "event entrant kind cents method corrects", _reference: "reference"}),
    "tournament.RefundSource": _fact({keep_value: "line method"}),
    "tournament.Finish": _fact({keep_value: "event places"}),
    "tournament.EndedEarly": _fact({keep_value: "finish"}),
    "tournament.PaidOut": _fact({keep_value: "event entrant cents method reverses"}),
    "tournament.PayoutSignature": _fact({keep_value: "paid_out player cents", clear_value: "strokes"}),
    "tournament.Withholding": _fact({keep_value: "paid_out cents"}),
    "tournament.Drawer": _fact({keep_value: "tournament number cashier", _drawer_name: "name"}),
    "tournament.DrawerClosed": _fact({keep_value: "drawer pieces counted_cents expected_cents next"}, signed=True),
    "tournament.CashMoved": _fact({keep_value: "tournament kind cents method drawer to_drawer"}),
    "tournament.EventMoney": _fact(
        {keep_value: "event kind cents method reverses", _category: "category", _text: "party reference"}
    ),
    "tournament.Movement": {
        keep_value: "tournament event number kind line paid_out money cash reverses drawer day given_cents receipt_key"
    },
    "tournament.Posting": {
        keep_value: "movement tournament event account kind entrant method drawer day cents",
        _category: "category",
    },
    "tournament.BankTransfer": _fact(
        {keep_value: "tournament cents", _secret: "ident", keep_booking_date: "booked", _text: "payer text"}
    ),
    "tournament.TransferMatch": _fact({keep_value: "transfer line"}),
    "tournament.CardPayment": _fact({keep_value: "event entrant cents", _secret: "ident"}),
    "tournament.CardEvent": {
        keep_value: "at payment cents state line",
        _secret: "ident refund",
        _code: "currency",
        clear_value: "payload",
        _text: "kind note",
    },
    "tournament.DayOpened": _fact({keep_value: "tournament day"}),
    "tournament.DayCount": _fact({keep_value: "tournament day pieces counted expected"}, signed=True),
    "tournament.DayClose": _fact({keep_value: "tournament day count", _close_figures: "figures"}, signed=True),
    "tournament.DayReopened": _fact({keep_value: "close movements"}, signed=True),
    "tournament.EventExtra": {keep_value: "event price_cents", _product_name: "name"},
    "tournament.SidePool": {
        keep_value: "event fee_cents prize_percent prize_scale places_by",
        _product_name: "name",
        _text: "condition",
    },
    "tournament.SidePoolEntry": _fact({keep_value: "pool entrant line"}),
    "tournament.SidePoolPayout": _fact({keep_value: "pool paid_out"}),
    "tournament.SidePoolResult": _fact({keep_value: "pool places"}),
    # Requests, seals and imports
    "tournament.IdempotencyKey": None,
    "tournament.LogSeal": None,
    "tournament.TournamentImport": None,
    "scoring.CardSeal": None,
    # Draws, stages and matches. Entries are referred to by their numbers.
    "pairing.Commitment": _fact(
        {keep_value: "event draw_id numbers", _commitment: "commitment", _sealed_secret: "secret"}
    ),
    "pairing.Draw": _fact({keep_value: "commitment public order places", _CODES: "terms avoid moves"}),
    "pairing.DrawPosted": _fact({keep_value: "draw"}),
    "pairing.DrawTakenBack": _fact({keep_value: "draw"}),
    "pairing.DrawTermsSaid": _fact({keep_value: "event", _CODES: "terms"}),
    "pairing.AvoidPair": _fact({keep_value: "event one other kind before_round is_couple"}),
    "pairing.AvoidPairEnded": _fact({keep_value: "pair"}),
    "pairing.ClubsApart": _fact({keep_value: "event until"}),
    "pairing.PartnerSeal": _fact(
        {
            keep_value: "event draw_id numbers pools same_person before",
            _commitment: "commitment",
            _sealed_secret: "secret",
        }
    ),
    "pairing.PartnerDraw": _fact({keep_value: "seal public order pairs left"}),
    "pairing.PartnerDrawPosted": _fact({keep_value: "draw"}),
    "pairing.PartnerDrawTakenBack": _fact({keep_value: "draw"}),
    "pairing.Stage": _fact(
        {
            keep_value: "draw number kind entries",
            _stage_name: "name",
            _stage_terms: "terms",
            make_fixed_choices_rule(seed=keep_value, cut=keep_value, seal=keep_value, why=_text): "record",
        }
    ),
    "pairing.StageTakenBack": _fact({keep_value: "stage"}),
    "pairing.StageSeal": _fact({keep_value: "stage draw_id", _commitment: "commitment", _sealed_secret: "secret"}),
    "pairing.StageLots": _fact({keep_value: "stage order"}),
    "pairing.StageEntry": _fact({keep_value: "stage entrant"}),
    "pairing.Pairing": _fact({keep_value: "stage round pairs bye by_hand", replace_names_in_pairing_record: "record"}),
    "pairing.PairingTakenBack": _fact({keep_value: "pairing"}),
    "pairing.Hold": _fact({keep_value: "stage entrant"}),
    "pairing.HoldEnded": _fact({keep_value: "hold"}),
    "pairing.DeskSettings": _fact({keep_value: "event number", make_fixed_choices_rule(site=_site): "settings"}),
    "pairing.Seating": _fact(
        {keep_value: "stage round tables sits_out", make_fixed_choices_rule(seed=keep_value): "record"}
    ),
    "pairing.SeatingPosted": _fact({keep_value: "seating"}),
    "pairing.SeatingTakenBack": _fact({keep_value: "seating"}),
    "pairing.RulesAtTables": _fact({keep_value: "event fewest most low_wins", _text: "title"}),
    "pairing.LateEntry": _fact({keep_value: "draw stage match entrant bye open_byes kept_apart"}),
    "pairing.LateEntryTakenBack": _fact({keep_value: "late_entry"}),
    "pairing.Match": {keep_value: "event draw seating stage pairing ident round position"},
    "pairing.MatchSeat": {keep_value: "match position entrant"},
    "pairing.MatchResult": _fact({keep_value: "match winner supersedes undoes", _CODES: "credits score"}),
    "pairing.MatchKept": _fact({keep_value: "match sides result"}),
    "pairing.TableCall": _fact({keep_value: "match table"}),
    # Rule sheets and score cards. Sides are referred to by their letters.
    "scoring.RuleSheet": _fact(
        {
            keep_value: "event version variant games_to_win unfinished seats",
            _rule_options: "options",
            _CODES: "lengths",
            _text: "remarks",
        }
    ),
    "scoring.RuleSheetFrozen": _fact({keep_value: "event sheet"}),
    "scoring.CardTerms": _fact({keep_value: "event", _CODES: "terms"}),
    "scoring.Card": {keep_value: "match game sides_key sheet opened_at", _CODES: "length", _secret: "token"},
    "scoring.CardSeat": {keep_value: "card position entrant", _seat_name: "name"},
    "scoring.Cut": _fact({keep_value: "card keeper", _CODES: "order"}),
    "scoring.SheetLine": _fact(
        {keep_value: "card number via supersedes", _CODES: "line", replace_typed_json: "warnings"}
    ),
    "scoring.UpCard": _fact({keep_value: "card hand up entrant turned_at"}),
    "scoring.HandCheck": _fact({keep_value: "line entrant", _CODES: "own"}),
    "scoring.NewDeck": _fact({keep_value: "card entrant hand"}),
    "scoring.TotalsAnnounced": _fact({keep_value: "card hand", _CODES: "totals"}),
    "scoring.Signature": _fact(
        {
            keep_value: "card seat entrant method",
            _card_digest: "digest",
            clear_value: "strokes",
            _person: "witness",
            _text: "device",
        }
    ),
    "scoring.CardVersion": _fact(
        {keep_value: "card number", _card_digest: "digest", _version_content: "content", _version_facts: "facts"}
    ),
    "scoring.CardPosted": _fact({keep_value: "card", _card_digest: "digest"}),
    "scoring.CardClosed": _fact({keep_value: "card cause rule hands left winner", _CODES: "games"}),
    "scoring.ClosingTakenBack": _fact({keep_value: "closing"}),
    "scoring.StaffEntry": _fact(
        {
            keep_value: "card kind needs",
            _card_digest: "digest",
            make_fixed_choices_rule(witness=_person, override=_text, said=_text): "payload",
        },
        signed=True,
    ),
    "scoring.StaffEntryDecided": _fact({keep_value: "entry decision", replace_typed_json: "differences"}, signed=True),
    # Disputes and rulings
    "scoring.DirectorCall": _fact({keep_value: "match entrant", _text: "about"}),
    "scoring.DirectorCallAnswered": _fact({keep_value: "call"}),
    "scoring.Dispute": _fact(
        {keep_value: "event match card hand board kind entries entrant", **_DISPUTE, _text: "about"}
    ),
    "scoring.DisputeFacts": _fact({keep_value: "dispute kind hand board", **_DISPUTE}),
    "scoring.DisputeDropped": _fact({keep_value: "dispute"}),
    "scoring.Evidence": _fact(
        {keep_value: "dispute kind entrant", _no_file: "photo", clear_value: "digest", _CODES: "hands", _text: "words"}
    ),
    "scoring.Ruling": _fact(
        {
            keep_value: "dispute number kind rule ruling overrules decider supersedes",
            _CODES: "facts effects",
            make_fixed_choices_rule(rule=keep_value, text=_text): "recommended",
            _text: "decided",
        }
    ),
    "scoring.RulingRefused": _fact({keep_value: "ruling precedent entrant"}),
    "scoring.Appeal": _fact({keep_value: "ruling entrant"}),
    "scoring.AppealDecided": _fact({keep_value: "appeal upheld", _persons: "members"}),
    "scoring.Committee": _fact({keep_value: "event", _persons: "members"}),
    "scoring.ConductPenalty": _fact({keep_value: "entrant ruling effect offence"}),
    "scoring.ConductPenalty_players": {keep_value: "conductpenalty player"},
    "scoring.ConductPenaltyLifted": _fact({keep_value: "penalty"}),
    "scoring.RegisterNames": _fact({keep_value: "event shown"}),
}
"""The rules for the columns of each model. If a model has None, its rows are left out of the file."""


# --- Rows ------------------------------------------------------------------------------------------------------------


def list_undeclared_columns() -> list[str]:
    """Return the columns that have no rule in `COLUMN_RULES`, have two rules, or no longer exist.

    Also return the names of models that are missing from `COLUMN_RULES`, or are no longer exported.
    """
    return sorted(_iter_undeclared_columns())


def _iter_undeclared_columns() -> Iterator[str]:
    labels = {model._meta.label for model in list_archived_models()}
    yield from labels ^ COLUMN_RULES.keys()
    for model in list_archived_models():
        if (rules := COLUMN_RULES.get(model._meta.label)) is not None:
            declared = " ".join(rules.values()).split()
            existing = {column.name for column in get_archived_columns(model)}
            twice = {name for name in declared if declared.count(name) > 1}
            yield from (f"{model._meta.label}.{name}" for name in existing.symmetric_difference(declared) | twice)


@cache
def _rules(model: type[Model]) -> tuple[tuple[str, ColumnRule], ...]:
    """Return the attributes of a model whose values must be changed, each with its rule."""
    declared = {name: rule for rule, names in (COLUMN_RULES[model._meta.label] or {}).items() for name in names.split()}
    columns = {column.name: column for column in get_archived_columns(model)}
    return tuple(
        (column.attname if isinstance(column, ForeignKey) else name, declared[name])
        for name, column in columns.items()
        if declared[name] is not keep_value
    )


class PersonalDataRemover:
    """Replaces or removes all personal data in the rows of one tournament.

    Raises:
        ArchiveRefused: `undeclared-columns`, `names-in-draw`.
    """

    def __init__(self, names: Pseudonyms) -> None:
        if undeclared := list_undeclared_columns():
            message = _("This version cannot export without persons, because of %(columns)s. Report this as a bug.")
            raise ArchiveRefused("undeclared-columns", message % {"columns": ", ".join(undeclared)})
        self.names = names

    def exports_model(self, model: type[Model]) -> bool:
        return COLUMN_RULES[model._meta.label] is not None

    def replace(self, row: Model) -> Model:
        """Return a copy of the row without personal data."""
        changed = copy.copy(row)
        changed._state = copy.copy(row._state)
        for attribute, rule in _rules(type(row)):
            value = getattr(row, attribute)
            setattr(changed, attribute, None if value is None else rule(self.names, row, value))
        return changed

    def describe_accounts(self, users: set[int]) -> list[dict[str, Any]]:
        """Return the manifest's list of these accounts, with neutral names and email addresses."""
        return [
            {
                "key": user,
                "name": self.names.get_official_pseudonym(user),
                "email": self.names.make_official_email(user),
            }
            for user in User.objects.filter(pk__in=users).order_by("pk").values_list("pk", flat=True)
        ]

    def replace_summary(self, summary: Any, choices_in: str = "") -> Any:
        """Return the summary with neutral names.

        Some values have only texts that are the program's fixed choices (`_SUMMARY_CHOICES`). Such texts are kept, and
        so are texts without words, such as “4–0”. Any other text that is not a name is replaced by a placeholder.

        If the summary is part of a value with fixed choices, `choices_in` is the name of that value.
        """
        if isinstance(summary, dict):
            kept = {name: choices_in or (name if name in _SUMMARY_CHOICES else "") for name in summary}
            return {name: self._replace_named(name, value, kept[name]) for name, value in summary.items()}
        if isinstance(summary, list):
            return [self.replace_summary(each, choices_in) for each in summary]
        if not isinstance(summary, str):
            return summary
        if known := self.names.find_known_pseudonym(summary):
            return known
        return (
            _code(self.names, None, summary)
            if choices_in
            else summary
            if _NO_WORDS.fullmatch(summary)
            else REMOVED_TEXT
        )

    def _replace_named(self, name: str, value: Any, choices_in: str) -> Any:
        if name == "slug":
            return self.names.slugs.get(value, "tournament")
        fixed = {"tournament": "Tournament", "venue": "Venue"} if isinstance(value, str) else {}
        return fixed.get(name) or self.replace_summary(value, choices_in)


_SUMMARY_CHOICES: Final = frozenset(
    (
        *("state", "kind", "currency", "starts_on", "ends_on", "time_zone", "method", "match", "credits", "result"),
        *("cause", "round", "variant", "rules", "format"),
    )
)
"""The names of the values in the summary that are the program's fixed choices."""
