"""Run the draws of entrants and partners: seal the list, record the cut, preview, post, or undo."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from pairing.blind_draw.selectors import (
    load_current_commitment,
    load_draw_terms,
    load_partner_draw_preview,
    load_partner_requests,
    load_second_chance_candidates,
    load_unready_entrants,
    load_unused_seal,
)
from pairing.draws.order import compute_commitment, compute_draw_order
from pairing.draws.partners import draw_partners
from pairing.draws.separation.draw import BLIND_DRAW_TERMS, DrawKind, DrawTerms, place_entries_by_terms
from pairing.models import (
    Commitment,
    Draw,
    DrawPosted,
    DrawTakenBack,
    DrawTermsSaid,
    MatchResult,
    PartnerDraw,
    PartnerDrawPosted,
    PartnerDrawTakenBack,
    PartnerSeal,
    Seating,
)
from pairing.stages.selectors.apart import load_avoid_list
from pairing.stages.selectors.kinds import find_stage_kind_hooks
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.selectors.records import load_current_entry_numbers, load_draw_preview
from pairing.stages.services.stages import (
    make_draw_secret,
    open_first_stage,
    require_entrants_have_sites,
    require_opponent_at_site,
)
from pairing.stages.services.tables import require_entrants_have_sides
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, EntrantFact, Event
from tournament.registration.selectors.entries import has_two_partner_pools, load_partner_seekers
from tournament.registration.services.entries import EntryRequest, record_entry, send_private_link
from tournament.registration.services.pairs import record_pair, record_pair_split, require_draw_not_posted
from tournament.registration.services.people import Person
from tournament.registration.services.waiting_list import record_entrant_fact
from tournament.setup.services.tournaments import change_event_state

EventState = Event.State


def close_registration(event: Event, *, by: Actor, reason: str = "") -> Commitment:
    """Close registration, and publish the list of entries together with the seal (a hash) of a secret.

    Raises:
        DomainError: `no-side` if the event has two sides and an entrant has no side yet.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="event.closed", by=by, reason=reason) as write:
        require_entrants_have_sides(write.the_event)
        change_event_state(write, write.the_event, EventState.CLOSED)
        return _seal_current_list(write)


def renew_commitment(event: Event, *, by: Actor, reason: str = "") -> Commitment:
    """Seal the list of entries again with a new secret, because the list has changed."""
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="draw.sealed", by=by, reason=reason) as write:
        if write.the_event.state != EventState.CLOSED:
            raise Conflict(
                "not-closed",
                _("The list can be sealed only between the close of registration and the draw. Look at the Draw page."),
            )
        if load_draw_preview(write.the_event) is not None:
            raise Conflict("drawn", _("There is a draw that is not posted. Post it, or undo it first."))
        require_entrants_have_sides(write.the_event)
        return _seal_current_list(write)


def _seal_current_list(write: WriteTransaction) -> Commitment:
    """Seal the current list with a new secret. Call this inside a write transaction."""
    event = write.the_event
    numbers = load_current_entry_numbers(event)
    turn = event.commitments.count() + 1
    secret = make_draw_secret()
    sealed = Commitment.objects.create(
        event=event,
        draw_id=f"{event.tournament.slug}-{event.slug}-{turn}",
        numbers=numbers,
        commitment=compute_commitment(secret),
        secret=secret.hex(),
        **write.fact_fields(),
    )
    write.about(event, commitment=sealed.commitment, draw_id=sealed.draw_id, entrants=len(numbers))
    return sealed


def set_draw_terms(event: Event, terms: DrawTerms, *, by: Actor, reason: str = "") -> DrawTermsSaid:
    """Set how the first bracket is filled: by lot alone, with byes for certain entries, or with seeds.

    The terms are published with the seal, before the cut. The draw uses the latest terms.

    Raises:
        Conflict: `drawn`.
        DomainError: `no-bracket`, `nobody`, `not-in-draw`.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="draw.terms-said", by=by, reason=reason) as write:
        if load_draw_preview(write.the_event) is not None or _find_posted_draw(write.the_event) is not None:
            raise Conflict("drawn", _("The draw is made, so byes and seeds can no longer change. Undo the draw first."))
        if load_event_plan(write.the_event).first.knockout is None:
            raise DomainError(
                "no-bracket",
                _(
                    "Byes and seeds are for an event that starts with a bracket. Choose another format, or leave "
                    "them out."
                ),
            )
        if terms.kind is not DrawKind.BLIND and not terms.entries:
            raise DomainError("nobody", _("No player is named. Name at least one, or choose a blind draw."))
        missing = [number for number in terms.entries if number not in load_current_entry_numbers(write.the_event)]
        if missing:
            who = ", ".join(map(str, missing))
            raise DomainError(
                "not-in-draw", _("Not in this draw: %(who)s. Look at the list of entrants.") % {"who": who}
            )
        fact = DrawTermsSaid.objects.create(event=write.the_event, terms=terms.as_json(), **write.fact_fields())
        write.about(fact, **terms.as_json())
        return fact


def make_draw(event: Event, public: str, *, by: Actor, key: str = "") -> Draw:
    """Record the cut (`public`, the cards cut in public) and compute the order.

    Only staff see the order until the draw is posted.

    Raises:
        Conflict: `not-closed`, `drawn-already`, `list-changed` (seal the list again first), or `wrong-sides` if the
            rule sheet does not allow the table sizes of round one.
        DomainError: `too-few`, `no-seeds`, `no-sites`, `no-site`, `alone-at-site`, `no-side`, and others that depend on
            the stage kind.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="draw.drawn", by=by, key=make_idempotency_key(key, public)) as write:
        if write.repeated:
            return Draw.objects.get(pk=write.outcome["draw"])
        sealed = _require_sealed_list(write.the_event)
        avoid = load_avoid_list(write.the_event)
        order = compute_draw_order(
            sealed.numbers, secret=bytes.fromhex(sealed.secret), public=public.strip(), draw_id=sealed.draw_id
        )
        terms = (load_draw_terms(write.the_event) or BLIND_DRAW_TERMS).restrict_to(sealed.numbers)
        drawn = place_entries_by_terms(order, terms, avoid) if load_event_plan(write.the_event).first.knockout else None
        made = Draw.objects.create(
            commitment=sealed,
            public=public.strip(),
            order=list(order),
            terms=terms.as_json() if drawn else {},
            avoid=avoid.as_json(),
            places=list(drawn.places) if drawn else [],
            moves=[move.as_json() for move in drawn.moves] if drawn else [],
            **write.fact_fields(),
        )
        require_draw_fits = find_stage_kind_hooks(load_event_plan(write.the_event).first.kind).require_draw_fits
        if require_draw_fits is not None:
            require_draw_fits(write.the_event, made)
        write.about(made, draw=made.pk, order=list(order))
        return made


def _require_sealed_list(event: Event) -> Commitment:
    if event.state != EventState.CLOSED:
        raise Conflict("not-closed", _("The draw is made from the sealed list. Close registration first."))
    if load_draw_preview(event) is not None:
        raise Conflict("drawn-already", _("The draw is made. Look at it, then post it or undo it."))
    sealed = load_current_commitment(event)
    if sealed is None or Draw.objects.filter(commitment=sealed).exists():
        raise Conflict("not-sealed", _("The seal has to be public before the cut. Seal the list first."))
    if sealed.numbers != load_current_entry_numbers(event):
        raise Conflict(
            "list-changed", _("The list has changed since it was sealed. Seal it again, then cut the cards again.")
        )
    undecided = [f"{row.entrant}" for row in load_unready_entrants(event) if not row.is_kept_in_draw]
    if undecided:
        message = _(
            "These entrants have not paid or not checked in: %(names)s. Keep them in the draw, or draw without them."
        )
        raise DomainError("undecided", message % {"names": ", ".join(undecided)})
    if len(sealed.numbers) < 2:
        raise DomainError("too-few", _("A draw needs at least two players. Enter more players first."))
    plan = load_event_plan(event)
    if plan.is_seeded and load_draw_terms(event) is None:
        raise DomainError("no-seeds", _("The bracket is seeded. Name the seeds first, or choose a blind draw."))
    require_entrants_have_sites(event, plan.stages, sealed.numbers)
    require_opponent_at_site(event, plan.first, sealed.numbers)
    return sealed


def post_draw(event: Event, *, by: Actor) -> Draw:
    """Publish the drawn order and its secret, and create the first stage's matches.

    Raises:
        Conflict: `no-draw`, `list-changed`.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="draw.posted", by=by) as write:
        made = load_draw_preview(write.the_event)
        if made is None:
            raise Conflict("no-draw", _("There is no draw to post. Check whether it has been posted, or draw first."))
        if made.commitment.numbers != load_current_entry_numbers(write.the_event):
            raise Conflict(
                "list-changed", _("The list of entrants has changed since the draw. Undo the draw and draw again.")
            )
        DrawPosted.objects.create(draw=made, **write.fact_fields())
        open_first_stage(write, made)
        change_event_state(write, write.the_event, EventState.DRAWN)
        write.about(made, posted=made.pk)
        return made


def take_back_draw(event: Event, *, by: Actor, reason: str) -> Commitment:
    """Undo the draw and seal the list again. This is possible until the first result. The draw stays on record.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `no-draw`, `play-began`.
    """
    require_permission(by, "direct", event.tournament)
    require_reason(reason, _("Enter why you undo the draw. The reason is published with the undone draw."))
    with writing(event, verb="draw.taken-back", by=by, reason=reason) as write:
        made = load_draw_preview(write.the_event) or _find_posted_draw(write.the_event)
        if made is None:
            raise Conflict("no-draw", _("There is no draw to undo. Look at the Draw page."))
        # Once round 2 is posted, round 1 was played.
        later_rounds = Seating.objects.filter(stage__draw=made, round__gt=1, posted__isnull=False)
        if MatchResult.objects.filter(match__draw=made).exists() or later_rounds.exists():
            raise Conflict("play-began", _("A result is recorded, so the draw stands. Correct single results instead."))
        DrawTakenBack.objects.create(draw=made, **write.fact_fields())
        if write.the_event.state in (EventState.DRAWN, EventState.IN_PLAY):
            change_event_state(write, write.the_event, EventState.CLOSED)
        sealed = _seal_current_list(write)
        write.about(made, taken_back=made.pk)
        return sealed


def _find_posted_draw(event: Event) -> Draw | None:
    return Draw.objects.filter(commitment__event=event, posted__isnull=False, taken_back__isnull=True).first()


# --- The draw of partners, and second chances ------------------------------------------------------------------------

EntrantFactKind = EntrantFact.Kind


def seal_partner_draw(event: Event, numbers: Iterable[int] | None = None, *, by: Actor) -> PartnerSeal:
    """Publish the list of players for a partner draw, together with the seal of a new secret.

    `numbers` limits the list to some of the players who are looking for a partner.

    Raises:
        Conflict: `drawn`, `drawn-already`.
        DomainError: `too-few`, `no-pool`.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="partners.sealed", by=by) as write:
        require_draw_not_posted(write)
        _require_no_preview(write.the_event)
        requests = load_partner_requests(write.the_event, numbers)
        if len(requests.numbers) < 2:
            raise DomainError(
                "too-few",
                _("A draw of partners needs at least two players. Wait until more players are looking for a partner."),
            )
        if requests.without_pool:
            names = ", ".join(str(entrant) for entrant in requests.without_pool)
            raise DomainError(
                "no-pool",
                _("These players are in no pool yet: %(names)s. Move each of them to pool A or B first.")
                % {"names": names},
            )
        secret = make_draw_secret()
        turn = write.the_event.partner_seals.count() + 1
        sealed = PartnerSeal.objects.create(
            event=write.the_event,
            draw_id=f"{write.tournament.slug}-{write.the_event.slug}-partners-{turn}",
            numbers=list(requests.numbers),
            pools=dict(requests.pools),
            same_person=[list(pair) for pair in requests.same_person],
            before=[list(pair) for pair in requests.before],
            commitment=compute_commitment(secret),
            secret=secret.hex(),
            **write.fact_fields(),
        )
        write.about(sealed, commitment=sealed.commitment, draw_id=sealed.draw_id, asking=len(sealed.numbers))
        return sealed


def make_partner_draw(event: Event, public: str, *, by: Actor, key: str = "") -> PartnerDraw:
    """Record the cut and draw the partners. Only the director sees them until they are posted.

    Raises:
        Conflict: `drawn`, `drawn-already`, `not-sealed`, `list-changed` (the list has to be sealed again).
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="partners.drawn", by=by, key=make_idempotency_key(key, public)) as write:
        if write.repeated:
            return PartnerDraw.objects.get(pk=write.outcome["draw"])
        require_draw_not_posted(write)
        _require_no_preview(write.the_event)
        sealed = load_unused_seal(write.the_event)
        if sealed is None:
            raise Conflict("not-sealed", _("The seal has to be public before the cut. Seal the list first."))
        _require_unchanged_list(write.the_event, sealed)
        order = compute_draw_order(
            sealed.numbers, secret=bytes.fromhex(sealed.secret), public=public.strip(), draw_id=sealed.draw_id
        )
        pools = (sealed.pools["A"], sealed.pools["B"]) if sealed.pools else None
        same_person, before = ([(one, other) for one, other in pairs] for pairs in (sealed.same_person, sealed.before))
        drawn = draw_partners(order, pools=pools, same_person=same_person, before=before)
        made = PartnerDraw.objects.create(
            seal=sealed,
            public=public.strip(),
            order=list(order),
            pairs=[list(pair) for pair in drawn.pairs],
            left=list(drawn.left),
            **write.fact_fields(),
        )
        write.about(made, draw=made.pk, pairs=made.pairs, left=made.left)
        return made


def post_partner_draw(event: Event, *, by: Actor, site: str = "") -> list[Entrant]:
    """Publish the drawn pairs and the secret, and return the new entry of each pair.

    `site` is the site's URL, used for links in emails.

    Raises:
        Conflict: `drawn`, `no-draw`, `list-changed`.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="partners.posted", by=by) as write:
        require_draw_not_posted(write)
        made = load_partner_draw_preview(write.the_event)
        if made is None:
            raise Conflict("no-draw", _("There is no draw of partners to post. Check whether it has been posted."))
        _require_unchanged_list(write.the_event, made.seal)
        PartnerDrawPosted.objects.create(draw=made, **write.fact_fields())
        asked = {
            entrant.number: entrant
            for entrant in load_partner_seekers(write.the_event).select_related("event__tournament")
        }
        pairs = [record_pair(write, asked[one], asked[other], draw=made.seal.draw_id) for one, other in made.pairs]
        for number in made.left:
            record_entrant_fact(write, asked[number], EntrantFactKind.LEFT_OVER, draw=made.seal.draw_id)
        write.about(made, posted=made.pk, numbers=[pair.number for pair in pairs], left=made.left)
        for pair in pairs:
            send_private_link(pair, site)
        return pairs


def take_back_partner_draw(made: PartnerDraw, *, by: Actor, reason: str) -> list[Entrant]:
    """Undo a partner draw, and return the pairs that were split up. This is possible until the event itself is drawn.

    The players of these pairs are then looking for a partner again.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `drawn`, `taken-back`, `substituted`.
    """
    event = made.seal.event
    require_permission(by, "direct", event.tournament)
    require_reason(reason)
    with writing(event, verb="partners.taken-back", by=by, reason=reason) as write:
        require_draw_not_posted(write)
        if PartnerDrawTakenBack.objects.filter(draw=made).exists():
            raise Conflict("taken-back", _("This draw of partners was undone before. Nothing was changed."))
        PartnerDrawTakenBack.objects.create(draw=made, **write.fact_fields())
        pairs = [pair for pair in _load_drawn_pairs(made) if pair.state in (Entrant.State.IN, Entrant.State.REMOVED)]
        for pair in pairs:
            record_pair_split(write, pair)
        if PartnerDrawPosted.objects.filter(draw=made).exists():
            for entrant in load_partner_seekers(write.the_event).filter(number__in=made.left):
                record_entrant_fact(write, entrant, EntrantFactKind.ASKS, again=True)
        write.about(made, taken_back=made.pk, parted=[pair.number for pair in pairs])
        return pairs


def enter_second_chance_players(event: Event, players: Iterable[int], *, by: Actor, key: str = "") -> list[Entrant]:
    """Enter players from an earlier event in this second-chance event. `players` are primary keys of Player rows.

    In an event for pairs, each of them starts out looking for a partner.

    Raises:
        DomainError: `no-first-event`, `nobody`, `nobody-asks`.
        Conflict: `drawn`, `not-over`.
    """
    require_permission(by, "direct", event.tournament)
    players = list(players)
    with writing(event, verb="entrants.taken-over", by=by, key=make_idempotency_key(key, players)) as write:
        here = write.the_event
        if write.repeated:
            return list(here.entrants.filter(number__in=write.outcome["numbers"]).order_by("number"))
        if here.second_chance_of is None:
            raise DomainError(
                "no-first-event", _("This event is not a second chance yet. Choose the first event in the settings.")
            )
        wanted = set(players)
        offered = {beaten.player.pk: beaten for beaten in load_second_chance_candidates(here)}
        if not wanted <= offered.keys():
            raise Conflict(
                "not-over", _("One of these players is back in the first event. Open the page again and choose.")
            )
        chosen = [beaten for pk, beaten in offered.items() if pk in wanted and not beaten.is_in]
        if not chosen:
            raise DomainError("nobody", _("No new player is checked. Check the players who want to play."))
        made = []
        for beaten in chosen:
            entry = EntryRequest(
                (Person.from_player(beaten.player),),
                source=Entrant.Source.SECOND_CHANCE.value,
                asks_for_partner=here.entry_size == 2,
                pool=beaten.pool if has_two_partner_pools(here) else "",
            )
            made.append(record_entry(write, entry))
        write.outcome.clear()
        write.about(here.second_chance_of, numbers=[entrant.number for entrant in made])
        return made


def _require_no_preview(event: Event) -> None:
    if load_partner_draw_preview(event) is not None:
        raise Conflict("drawn-already", _("Partners have been drawn. Look at the draw, then post it or undo it."))


def _require_unchanged_list(event: Event, sealed: PartnerSeal) -> None:
    """Raise a conflict if somebody on the sealed list has left, found a partner, or changed pools."""
    if load_partner_requests(event, sealed.numbers).differs_from(sealed):
        message = _("A player on the sealed list withdrew or changed pools. Seal it again, then cut the cards again.")
        raise Conflict("list-changed", message)


def _load_drawn_pairs(made: PartnerDraw) -> list[Entrant]:
    """Return the pairs that were created by this posted draw and still exist."""
    facts = EntrantFact.objects.filter(
        entrant__event=made.seal.event, kind=EntrantFact.Kind.ENTERED, data__draw=made.seal.draw_id
    )
    pairs = Entrant.objects.filter(facts__in=facts, halves__isnull=False).select_related("event__tournament")
    return list(pairs.distinct().order_by("number"))
