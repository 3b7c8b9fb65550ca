"""Play a whole event with random actions, from registration to payouts."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any, Final

from django.apps import apps
from django.db import connection

from pairing.stages.selectors.plans import STAGES_FORMAT, TABLES_FORMAT, load_event_plan
from scoring.models import RuleSheet
from scoring.rehearsal.selectors.playable import (
    PlayableCombination,
    PlayableFormat,
    RehearsalRandomizer,
    RuleSet,
    choose_random_table_options,
    find_playable_combination,
)
from scoring.rehearsal.services.acts import ACTION_KINDS
from scoring.rehearsal.services.acts.at_tables import DESK_SCORING, PHONE_SCORING
from scoring.rehearsal.services.engine import (
    DEMO_TIME_ZONE,
    create_demo,
    create_demo_event,
    get_demo_date,
    get_or_create_demo_staff,
    make_demo_names,
    open_demo_event,
    require_demo_tournament,
    seed_draw_secrets,
)
from scoring.rehearsal.services.play import (
    SIDE_ACTION_TURN,
    ActionRecord,
    RehearsalAction,
    RehearsalActionKind,
    RehearsalContext,
)
from scoring.rules.sheet.card_status import CorrectionTerms, StaffEntryCheck
from scoring.rulesheets.selectors import allows_several_games, load_current_rule_sheet, make_default_rule_sheet
from scoring.rulesheets.services import ChosenRules
from tournament.core.permissions import SYSTEM_ACTOR, Actor
from tournament.errors import DomainError
from tournament.models import AuditHead, Entrant, Event, Member, StaffRole, Tournament
from tournament.setup.services.tournaments import grant_role

_By = Event.PrizesBy
MIN_RANDOM_ENTRANTS, MAX_RANDOM_ENTRANTS = 3, 12
_MAX_SIDE_ACTIONS: Final = {Event.State.OPEN: 6, Event.State.CLOSED: 4, Event.State.DRAWN: 1, Event.State.FINISHED: 4}
_MAX_SIDE_ACTIONS_IN_PLAY: Final = 20
_SIDE_ACTION_CHANCE: Final = 0.3
_MAX_ACTIONS: Final = 1500
_MAX_REJECTED_IN_A_ROW: Final = 60
"""The maximum number of rejected actions in a row. After more than that, the event counts as stuck."""
_MAX_REJECTIONS_PER_TURN: Final = 3
"""How often an action may be rejected before actions with a higher turn are tried. Any success resets the count."""
_ActionCallback = Callable[[ActionRecord], bool | None]


class EventStuck(Exception):
    """Raised if no action can bring the event closer to its end. This is a bug in the program or in the actions."""


class RefusedActionHadEffect(Exception):
    """Raised if a rejected action changed something in the database. This is a bug in the program."""


@dataclass(frozen=True, slots=True)
class PlayedEvent:
    """An event after its last action.

    `done` counts actions by name, and `refused` counts rejected actions by name and error code.
    """

    tournament: Tournament
    event: Event
    acts: int
    done: Counter[str]
    refused: Counter[tuple[str, str]]


@dataclass
class RandomEvent:
    """An event that is played with random actions. The same seed, kind, and rules produce the same actions.

    `after_act` is called after every action, including rejected ones, outside of transactions. If it returns True, play
    stops.

        RandomEvent("knockout", "gra-singles", seed=7, after_act=print).play()
        RandomEvent.continue_event(event, seed=7)

    Raises:
        LookupError: There is no such kind, or it cannot be played under these rules.
        NotAllowed: The event to continue does not belong to a demo.
        EventStuck, RefusedActionHadEffect: There is a bug. Any exception that is not listed here also indicates a bug.
    """

    kind: str
    rules: str
    seed: int = 1
    entrants: int | None = None
    after_act: _ActionCallback | None = None
    number: int = field(default=0, init=False)
    is_stopped: bool = field(default=False, init=False)
    fruitless_attempts: Counter[str] = field(default_factory=Counter, init=False)
    done: Counter[str] = field(default_factory=Counter, init=False)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter, init=False)

    def play(self) -> PlayedEvent:
        playable = find_playable_combination(self.kind, self.rules)
        if playable is None:
            raise LookupError(f"{self.kind} is not played by {self.rules}: look at the list")
        dice = RehearsalRandomizer(f"{self.kind} {self.rules} {self.seed}")
        secrets = dice.make_secrets_generator()
        return self._play_until_over(
            _create_context(playable, dice, self._choose_field_size(playable, dice), self.seed), secrets
        )

    @classmethod
    def continue_event(
        cls, event: Event, *, seed: int = 1, entrants: int | None = None, after_act: _ActionCallback | None = None
    ) -> PlayedEvent:
        """Play an existing event to its end from its current state."""
        playable, dice = (
            _find_combination_of_event(event),
            RehearsalRandomizer(f"{event.tournament.slug} {event.slug} {seed}"),
        )
        secrets = dice.make_secrets_generator()
        random_event = cls(playable.kind.name, playable.rules.name, seed, entrants, after_act)
        return random_event._play_until_over(_load_context_of_event(event, dice, entrants), secrets)

    def _play_until_over(self, play: RehearsalContext, secrets: RehearsalRandomizer) -> PlayedEvent:
        self._set_side_action_limits(play)
        refused = 0
        with seed_draw_secrets(play.event.tournament, secrets):
            while not self.is_stopped and (chosen := self._choose_action(play)) is not None:
                refused = refused + 1 if self._perform_action(play, *chosen).refused else 0
                if refused > _MAX_REJECTED_IN_A_ROW or self.number > _MAX_ACTIONS:
                    raise EventStuck(
                        f"{play.event}: {self.number} acts, the last refused: {self.refused.most_common(5)}"
                    )
        event = play.event
        return PlayedEvent(event.tournament, event, self.number, self.done, self.refused)

    def _choose_field_size(self, playable: PlayableCombination, dice: RehearsalRandomizer) -> int:
        fewest = playable.kind.find_min_entrants(playable.rules)
        return max(
            fewest,
            self.entrants
            if self.entrants is not None
            else dice.randint(max(MIN_RANDOM_ENTRANTS, fewest), MAX_RANDOM_ENTRANTS),
        )

    def _set_side_action_limits(self, play: RehearsalContext) -> None:
        play.remaining.update(
            {f"aside {state}": play.dice.randint(0, most) for state, most in _MAX_SIDE_ACTIONS.items()}
        )
        play.remaining[f"aside {Event.State.IN_PLAY}"] = play.dice.randint(
            0, _MAX_SIDE_ACTIONS_IN_PLAY + play.field_size
        )

    def _choose_action(self, play: RehearsalContext) -> tuple[RehearsalActionKind, RehearsalAction] | None:
        """Return the next action, or None if the event is over."""
        state = play.event.state
        here = [
            act
            for act in ACTION_KINDS.values()
            if state in act.in_state and self.fruitless_attempts[act.name] < _MAX_REJECTIONS_PER_TURN
        ]
        turns = sorted({act.turn for act in here if act.turn != SIDE_ACTION_TURN})
        if play.dice.happens_with_probability(_SIDE_ACTION_CHANCE) and play.use_up_allowance(f"aside {state}", 0):
            turns = [SIDE_ACTION_TURN, *turns]
        for turn in turns:
            if (found := self._find_possible_action(play, [act for act in here if act.turn == turn])) is not None:
                return found
        if state == Event.State.FINISHED:
            return None
        raise EventStuck(f"{play.event} is “{state}”, and nothing leads it on")

    def _find_possible_action(
        self, play: RehearsalContext, kinds: list[RehearsalActionKind]
    ) -> tuple[RehearsalActionKind, RehearsalAction] | None:
        """Return a random possible action. Kinds with a higher weight are more likely."""
        order = sorted(kinds, key=lambda kind: play.dice.random() ** (1 / kind.weight), reverse=True)
        possible = ((kind, act) for kind in order if (act := kind.find(play)) is not None)
        return next(possible, None)

    def _perform_action(self, play: RehearsalContext, kind: RehearsalActionKind, act: RehearsalAction) -> ActionRecord:
        before = _load_footprint(play.event)
        refused = self._try_action(kind, act, play, before)
        play.discard_state()
        self.number += 1
        self.fruitless_attempts.update([kind.name])
        if refused is None:
            self.fruitless_attempts.clear()
        self.done[kind.name] += refused is None
        done = ActionRecord(self.number, kind.name, act.about, refused, play.event)
        if self.after_act is not None:
            self.is_stopped = bool(self.after_act(done))
        return done

    def _try_action(
        self, kind: RehearsalActionKind, act: RehearsalAction, play: RehearsalContext, before: _DatabaseFootprint
    ) -> str | None:
        try:
            act.do()
        except DomainError as refusal:
            after = _load_footprint(play.event)
            if after != before:
                problem = f"{kind.name} ({act.about}) was refused ({refusal.code}), and something changed: "
                raise RefusedActionHadEffect(problem + after.describe_difference(before)) from refusal
            self.refused[kind.name, refusal.code] += 1
            return refusal.code
        except Exception as error:
            error.add_note(
                f"in act {self.number + 1}, {kind.name} ({act.about}), of {self.kind} {self.rules} {self.seed}"
            )
            raise
        return None


# --- A new event, and an event that is there already -----------------------------------------------------------------

_SCALES: Final = (["100"], ["60", "40"], ["50", "30", "20"], ["40", "24", "10", "10", "4", "4", "4", "4"])
_TABLE: Final = [[1, ["100"]], [4, ["70", "30"]], [6, ["50", "30", "20"]]]
_FLAT: Final = [300_00, 150_00, 50_01]
_STAFF: Final = (
    ("director@example.org", "Demo Director"),
    ("desk@example.org", "Demo Desk"),
    ("second@example.org", "Demo Second Director"),
)


def _create_context(
    playable: PlayableCombination, dice: RehearsalRandomizer, field_size: int, seed: int
) -> RehearsalContext:
    """Create a DEMO tournament with one event that is open for registration, and return the context for playing it."""
    director, desk, second = starmap(get_or_create_demo_staff, _STAFF)
    tournament = _create_tournament(playable, seed, director)
    _grant_staff_role(tournament, desk, StaffRole.Role.DESK, director)
    _grant_staff_role(tournament, second, StaffRole.Role.DIRECTOR, director)
    fields = {"slug": "event", "name": "Random event", **_choose_event_settings(playable, dice)}
    at_tables = playable.kind.format == TABLES_FORMAT
    options = (
        choose_random_table_options(playable.rules, dice, field_size)
        if at_tables
        else playable.kind.options(dice, field_size)
    )
    event = create_demo_event(tournament, (playable.kind.format, options), by=director, **fields)
    games = dice.choice((1, 1, 1, 2)) if allows_several_games(event, playable.rules.variant) else 1
    unfinished = dice.choice(RuleSheet.Unfinished.values)
    rules = ChosenRules(playable.rules.variant, playable.rules.choose_options(dice), games, unfinished=unfinished)
    open_demo_event(
        event, rules, _choose_correction_terms(dice) if dice.happens_with_probability(0.6) else None, by=director
    )
    return RehearsalContext(playable, dice, event.pk, director, desk, second, field_size)


def _create_tournament(playable: PlayableCombination, seed: int, by: Actor) -> Tournament:
    name = f"{playable.kind.name}-{playable.rules.name}-{seed}".replace(":", "-")
    slug, turn = name, 1
    while Tournament.objects.filter(slug=slug).exists():
        turn += 1
        slug = f"{name}-{turn}"
    return create_demo(
        by=by,
        slug=slug,
        days=2,
        name=f"Random event {seed}",
        venue="Palm Desert",
        time_zone=DEMO_TIME_ZONE,
        about="A made-up event, played by chance to check the program. Nobody in it is real.",
    )


def _grant_staff_role(tournament: Tournament, who: Actor, role: str, by: Actor) -> None:
    if who.user is None:
        raise LookupError("staff has an account")
    grant_role(tournament, who.user, role, by=by)


def _choose_event_settings(playable: PlayableCombination, dice: RehearsalRandomizer) -> dict[str, Any]:
    fee = dice.choice((0, 20_00, 100_00, 275_50))
    early = dice.happens_with_probability(0.5) and fee > 0
    return {
        "entry_size": playable.kind.entry_size,
        "fee_cents": fee,
        "early_fee_cents": fee - 5_00 if early else None,
        "early_until": get_demo_date() - dt.timedelta(days=14) if early else None,
        **_choose_prize_settings(dice),
        "prize_percent": dice.choice(("82", "100", "66.5")),
        "unit_cents": dice.choice((1, 1_00, 5_00)),
        "added_cents": dice.choice((0, 0, 250_00)),
        "guarantee_cents": dice.choice((None, None, 500_00)),
        **playable.kind.settings,
    }


def _choose_prize_settings(dice: RehearsalRandomizer) -> dict[str, Any]:
    by = dice.choice((_By.SCALE, _By.SCALE, _By.TABLE, _By.FLAT))
    return {"prizes_by": by, "prize_scale": dice.choice(_SCALES), "prize_table": _TABLE, "flat_cents": _FLAT}


def _choose_correction_terms(dice: RehearsalRandomizer) -> CorrectionTerms:
    """Return random correction terms: the periods after posting, and the check of staff entries by a second person."""
    minutes = dice.choice(((0, 0, 0), (0, 30, 30), (30, 30, 30)))
    second = dice.choice((StaffEntryCheck.NONE, StaffEntryCheck.NONE, StaffEntryCheck.APPROVAL, StaffEntryCheck.REKEY))
    return CorrectionTerms(corrections=minutes[0], rulings=minutes[1], appeals=minutes[2], second=second)


_ROLES: Final = (StaffRole.Role.DIRECTOR, StaffRole.Role.DESK, StaffRole.Role.DIRECTOR)
"""The roles of the people in `_STAFF`, in the same order."""


def _find_combination_of_event(event: Event) -> PlayableCombination:
    """Return an existing event's kind and rule set."""
    sheet, first = load_current_rule_sheet(event) or make_default_rule_sheet(event), load_event_plan(event).first.kind
    format_ = STAGES_FORMAT if first.traits.two_meet else first.value
    settings = {"sites": event.sites} if event.sites else {}
    kind = PlayableFormat(format_, format_, lambda _dice, _entrants: {}, event.entry_size, settings)
    return PlayableCombination(kind, RuleSet(sheet.variant, sheet.variant, sheet.options))


def _load_context_of_event(event: Event, dice: RehearsalRandomizer, field_size: int | None) -> RehearsalContext:
    """Return the context for playing an existing event to its end.

    Entrants may be added until there are `field_size` of them. If `field_size` is None, they are added only until there
    are enough to play.

    Raises:
        NotAllowed: `not-a-demo` if this is a real event.
    """
    require_demo_tournament(event.tournament)
    playable = _find_combination_of_event(event)
    there = event.entrants.filter(state=Entrant.State.IN).count()
    director, desk, second = (_get_staff_member(event.tournament, *who) for who in zip(_STAFF, _ROLES, strict=True))
    most = max(playable.kind.find_min_entrants(playable.rules), there if field_size is None else field_size)
    play = RehearsalContext(
        playable, dice, event.pk, director, desk, second, most, remaining={"names": _count_names_to_skip(event)}
    )
    begun = [state for state in play.state.open_cards if state.hands]
    play.scoring_methods = {
        state.card.pk: DESK_SCORING if state.keeper_id is None else PHONE_SCORING for state in begun
    }
    return play


def _get_staff_member(tournament: Tournament, who: tuple[str, str], role: str) -> Actor:
    found = get_or_create_demo_staff(*who)
    assert found.user is not None
    if not tournament.roles.filter(user=found.user, role=role).exists():
        grant_role(tournament, found.user, role, by=SYSTEM_ACTOR)
    return found


def _count_names_to_skip(event: Event) -> int:
    """Return how many made-up names to skip, so that the next name is new in the event."""
    there = set(Member.objects.filter(entrant__event=event).values_list("player__name", flat=True))
    names = make_demo_names(2 * len(there), RehearsalRandomizer(event.tournament.name))
    return max((turn for turn, name in enumerate(names, start=1) if name in there), default=0)


# --- What a refused act may not change -------------------------------------------------------------------------------

_APPS: Final = ("tournament", "pairing", "scoring")


@dataclass(frozen=True, slots=True)
class _DatabaseFootprint:
    rows: Mapping[str, int]
    log: tuple[int, str]
    version: int
    state: str

    def describe_difference(self, other: _DatabaseFootprint) -> str:
        tables = [name for name, count in self.rows.items() if other.rows.get(name) != count]
        return ", ".join(tables) or f"{other.log}, {other.version} became {self.log}, {self.version}"


def _load_footprint(event: Event) -> _DatabaseFootprint:
    version, state = Event.objects.values_list("version", "state").get(pk=event.pk)
    head = AuditHead.objects.filter(tournament=event.tournament_id).values_list("seq", "digest").first()
    return _DatabaseFootprint(_count_rows_by_table(), head or (0, ""), version, state)


def _count_rows_by_table() -> dict[str, int]:
    tables = [model._meta.db_table for name in _APPS for model in apps.get_app_config(name).get_models()]
    quoted = {table: connection.ops.quote_name(table) for table in tables}
    counts = ", ".join(f"(SELECT COUNT(*) FROM {name})" for name in quoted.values())
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {counts}")  # table names of our own models, quoted
        row = cursor.fetchone()
    return dict(zip(tables, row, strict=True))
