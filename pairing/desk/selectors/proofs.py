"""The recorded reasons for each pairing. They are stored when a pair is sent, and later shown on public pages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pairing.desk.selectors.desk import PairingDesk, PairingGroup
from pairing.draws.cases.drawn_reasons import make_pair_by_record_case
from pairing.draws.cases.pair import run_pair_case
from pairing.draws.desk.words import BrokenRule, describe_broken_rule, explain_bye, explain_pair, explain_unpaired_entry
from pairing.draws.pairs.record import PairingConstraints
from pairing.models import MatchSeat, Pairing
from pairing.stages.selectors.boards import load_matches_with_started_cards
from pairing.stages.selectors.records import load_posted_draw
from tournament.core.selectors.events import load_entry_names
from tournament.lazy_text import read_recorded_texts, text_to_json, to_english
from tournament.models import Event

Pair = tuple[int, int]
ReasonTexts = Sequence[tuple[Any, str]]


def make_pairing_record(desk: PairingDesk, part: PairingGroup) -> dict[str, Any]:
    """Return a JSON record of the pairs that the desk suggests for a group of entrants who only play each other.

    The record gives the reason for each pair, for the bye, and for each unpaired entry. For pairs made by win-loss
    record, it also has the input for checking them, and the proof that no other pairing is better.
    """
    found = part.suggestion
    reasons = [(list(one.pair), explain_pair(one.reason, desk.names)) for one in found.pairs]
    stay = [(stay.entry, explain_unpaired_entry(stay, desk.names)) for stay in found.unpaired]
    bye = [(found.bye.entry, explain_bye(found.bye, desk.names))] if found.bye is not None else []
    paired = found.paired
    record: dict[str, Any] = {
        "pairs": [list(pair) for pair in paired.pairs],
        "bye": paired.bye,
        "reasons": _translate_to_english(reasons),
        "bye_reason": to_english(bye[0][1]) if bye else "",
        "stay": _translate_to_english(stay),
        "texts": {
            "reasons": _convert_texts_to_json(reasons),
            "byes": _convert_texts_to_json(bye),
            "stay": _convert_texts_to_json(stay),
        },
        "terms": part.pairing_input.terms.as_json(),
        "kept_apart": _list_pairs_kept_apart(
            part.pairing_input.constraints.restrict_to({entry.number for entry in found.entries})
        ),
    }
    if not found.entries:
        return record
    # The case for the command `pair`, the cost of the pairs, and the proof that no other pairing costs less.
    case = make_pair_by_record_case(found.entries, part.pairing_input.seed)
    answer = run_pair_case(case)
    same = [tuple(pair) for pair in answer["pairs"]] == list(paired.pairs) and answer["bye"] == paired.bye
    cost = {"rematches": paired.cost.rematches, "spread": paired.cost.spread, **paired.cost.broken._asdict()}
    return record | {"case": case, "cost": cost, "proof": paired.proof.value, "answers": same}


def _translate_to_english(texts: ReasonTexts) -> list[list[Any]]:
    return [[key, to_english(text)] for key, text in texts]


def _convert_texts_to_json(texts: ReasonTexts) -> list[list[Any]]:
    return [[key, text_to_json(text)] for key, text in texts]


def make_manual_pairing_record(desk: PairingDesk, pair: Pair, breaks: Iterable[BrokenRule]) -> dict[str, Any]:
    """Return the JSON record of a manual pairing: the rules it breaks, and both entrants' wins and losses."""
    part = desk.find_group(pair[0])
    of = part.pairing_input.candidates.by_number if part is not None else {}
    return {
        "by_hand": True,
        "breaks": _translate_to_english([(found.kind.value, found.text) for found in breaks]),
        "texts": {"breaks": _convert_texts_to_json([(found.kind.value, found.text) for found in breaks])},
        "entries": [{"number": side, "wins": of[side].wins, "losses": of[side].losses} for side in pair if side in of],
    }


def _list_pairs_kept_apart(wanted: PairingConstraints) -> dict[str, Any]:
    groups: dict[str, list[int]] = {}
    for entry, names in sorted(wanted.groups.items()):
        for name in names:
            groups.setdefault(name, []).append(entry)
    return {
        "never": sorted(list(pair) for pair in wanted.never),
        "not_yet": sorted(list(pair) for pair in wanted.not_yet),
        "groups": {name: members for name, members in sorted(groups.items()) if len(members) > 1},
    }


@dataclass(frozen=True)
class PairingProof:
    """A pairing with its recorded reasons.

    If several pairings were sent together, `first_pairing` is the first of them. Its database row stores the reasons
    for all of them.
    """

    pairing: Pairing
    first_pairing: Pairing
    names: dict[int, str]

    @property
    def record(self) -> dict[str, Any]:
        return dict(self.first_pairing.record)

    @property
    def pairs(self) -> list[Pair]:
        return [(one, other) for one, other in self.pairing.pairs]

    def find_reason(self, pair: Pair) -> str:
        texts = {tuple(found): reason for found, reason in read_recorded_texts(self.record, "reasons")}
        return str(texts.get(pair, ""))

    @property
    def broken_rules(self) -> list[str]:
        """The rules broken by a manual pairing, as text.

        Older records store only the kinds of the broken rules. For these records, the text is generated from the kinds.
        """
        texts = read_recorded_texts(self.record, "breaks")
        if "texts" in self.record or not self.pairs:
            return [text for _kind, text in texts]
        return [describe_broken_rule(kind, text, self.pairs[0], self.names) for kind, text in texts]

    @property
    def bye_reason(self) -> str:
        (_entry, text), *_ = [*read_recorded_texts(self.record, "byes"), (None, self.record.get("bye_reason", ""))]
        return str(text)

    @property
    def is_taken_back(self) -> bool:
        return hasattr(self.pairing, "taken_back")


def load_pairings(event: Event) -> list[Pairing]:
    """Return all pairings sent since the current draw, including undone ones, newest first."""
    draw = load_posted_draw(event)
    if draw is None:
        return []
    sent = Pairing.objects.filter(stage__draw=draw, stage__taken_back__isnull=True)
    return list(sent.select_related("stage", "taken_back").order_by("-pk"))


def load_proof(event: Event, pk: int) -> PairingProof | None:
    """Return the pairing with this primary key and its recorded reasons, or None if there is no such pairing.

    Suggestions and unposted rounds are not recorded.
    """
    found = {pairing.pk: pairing for pairing in load_pairings(event)}
    pairing = found.get(pk)
    if pairing is None:
        return None
    whole = found.get(pairing.record.get("with", pk), pairing)
    return PairingProof(pairing, whole, load_entry_names(event))


# --- Pairings to undo ------------------------------------------------------------------------------------------------


def load_pairings_to_undo(event: Event, pairing: Pairing, *, whole: bool) -> list[Pairing]:
    """Return this pairing or, if `whole` is true, all pairings sent together with it that have not been undone."""
    pairings = [pairing]
    if whole:
        same = Pairing.objects.filter(stage=pairing.stage_id, at=pairing.at, taken_back__isnull=True)
        pairings = list(same.order_by("pk"))
    return pairings


def load_started_games(event: Event, pairings: Iterable[Pairing]) -> dict[str, tuple[int, ...]]:
    """Return those games of the pairings in which hands are entered on the score card, mapped to their two sides."""
    sides: dict[str, list[int]] = {}
    seats = MatchSeat.objects.filter(match__pairing__in=list(pairings)).order_by("match__position", "position")
    for ident, number in seats.values_list("match__ident", "entrant__number"):
        sides.setdefault(ident, []).append(number)
    begun = load_matches_with_started_cards(
        event, {ident: frozenset(two) for ident, two in sides.items() if len(two) == 2}
    )
    return {ident: tuple(two) for ident, two in sides.items() if ident in begun}
