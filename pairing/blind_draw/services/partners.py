"""The steps of the draw of partners: seal the list, cut, post, or take back. Also the entries of a second chance."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from pairing.blind_draw.selectors.partners import (
    load_pairs_of,
    load_partner_requests,
    load_second_chance_candidates,
    load_unused_seal,
    open_partner_draw,
)
from pairing.draws.order import commitment_to, draw_order
from pairing.draws.partners import draw_partners
from pairing.models import PartnerDraw, PartnerDrawPosted, PartnerDrawTakenBack, PartnerSeal
from pairing.stages.services.stages import new_secret
from tournament.core.permissions import Actor, require
from tournament.core.services.record import require_reason, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, EntrantFact, Event
from tournament.registration.selectors.entries import has_two_pools, load_seeking
from tournament.registration.services.entries import Entry, enter_in, send_link
from tournament.registration.services.pairs import join_in, part_in, refuse_drawn
from tournament.registration.services.people import Person
from tournament.registration.services.waiting_list import add_fact

Kind = EntrantFact.Kind


def seal_partners(event: Event, numbers: Iterable[int] | None = None, *, by: Actor) -> PartnerSeal:
    """Publish the list for the draw of partners with the seal on a new secret.

    `numbers` limits the list to some of the players who look for a partner.

    Raises:
        Conflict: `drawn`, `drawn-already`.
        DomainError: `too-few`, `no-pool`.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="partners.sealed", by=by) as write:
        refuse_drawn(write)
        _refuse_preview(write.the_event)
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
        secret = new_secret()
        turn = write.the_event.partner_seals.count() + 1
        sealed = PartnerSeal.objects.create(
            event=write.the_event,
            draw_id=f"{write.tournament.slug}-{write.the_event.slug}-partners-{turn}",
            numbers=list(requests.numbers),
            pools=dict(requests.pools),
            same_person=[list(pair) for pair in requests.same_person],
            before=[list(pair) for pair in requests.before],
            commitment=commitment_to(secret),
            secret=secret.hex(),
            **write.fact_fields(),
        )
        write.about(sealed, commitment=sealed.commitment, draw_id=sealed.draw_id, asking=len(sealed.numbers))
        return sealed


def draw_partners_of(event: Event, public: str, *, by: Actor, key: str = "") -> PartnerDraw:
    """Record the cut and draw the partners. The draw is a preview for the director until it is posted.

    Raises:
        Conflict: `drawn`, `drawn-already`, `not-sealed`, `list-changed` (the list has to be sealed again).
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="partners.drawn", by=by, key=scoped_key(key, public)) as write:
        if write.repeated:
            return PartnerDraw.objects.get(pk=write.outcome["draw"])
        refuse_drawn(write)
        _refuse_preview(write.the_event)
        sealed = load_unused_seal(write.the_event)
        if sealed is None:
            raise Conflict("not-sealed", _("The seal has to be public before the cut. Seal the list first."))
        _refuse_changed(write.the_event, sealed)
        order = draw_order(
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


def post_partners(event: Event, *, by: Actor, site: str = "") -> list[Entrant]:
    """Publish the preview with its secret, and enter each pair. Return the pairs.

    `site` is the address of the site for links in e-mails.

    Raises:
        Conflict: `drawn`, `no-draw`, `list-changed`.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="partners.posted", by=by) as write:
        refuse_drawn(write)
        made = open_partner_draw(write.the_event)
        if made is None:
            raise Conflict("no-draw", _("There is no draw of partners to post. Check whether it has been posted."))
        _refuse_changed(write.the_event, made.seal)
        PartnerDrawPosted.objects.create(draw=made, **write.fact_fields())
        asked = {
            entrant.number: entrant for entrant in load_seeking(write.the_event).select_related("event__tournament")
        }
        pairs = [join_in(write, asked[one], asked[other], draw=made.seal.draw_id) for one, other in made.pairs]
        for number in made.left:
            add_fact(write, asked[number], Kind.LEFT_OVER, draw=made.seal.draw_id)
        write.about(made, posted=made.pk, numbers=[pair.number for pair in pairs], left=made.left)
        for pair in pairs:
            send_link(pair, site)
        return pairs


def take_back_partners(made: PartnerDraw, *, by: Actor, reason: str) -> list[Entrant]:
    """Undo a draw of partners before the event's own draw. Return the pairs that were split.

    Everybody in it looks for a partner again.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `drawn`, `taken-back`, `substituted`.
    """
    event = made.seal.event
    require(by, "direct", event.tournament)
    require_reason(reason)
    with writing(event, verb="partners.taken-back", by=by, reason=reason) as write:
        refuse_drawn(write)
        if PartnerDrawTakenBack.objects.filter(draw=made).exists():
            raise Conflict("taken-back", _("This draw of partners was undone before. Nothing was changed."))
        PartnerDrawTakenBack.objects.create(draw=made, **write.fact_fields())
        pairs = [pair for pair in load_pairs_of(made) if pair.state in (Entrant.State.IN, Entrant.State.REMOVED)]
        for pair in pairs:
            part_in(write, pair)
        if PartnerDrawPosted.objects.filter(draw=made).exists():
            for entrant in load_seeking(write.the_event).filter(number__in=made.left):
                add_fact(write, entrant, Kind.ASKS, again=True)
        write.about(made, taken_back=made.pk, parted=[pair.number for pair in pairs])
        return pairs


def enter_second_chance(event: Event, players: Iterable[int], *, by: Actor, key: str = "") -> list[Entrant]:
    """Enter players of the first event in its second-chance event, by the primary keys of their Player rows.

    In an event for pairs, each of them looks for a partner.

    Raises:
        DomainError: `no-first-event`, `nobody`, `nobody-asks`.
        Conflict: `drawn`, `not-over`.
    """
    require(by, "direct", event.tournament)
    players = list(players)
    with writing(event, verb="entrants.taken-over", by=by, key=scoped_key(key, players)) as write:
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
            entry = Entry(
                (Person.of(beaten.player),),
                source=Entrant.Source.SECOND_CHANCE.value,
                asks=here.entry_size == 2,
                pool=beaten.pool if has_two_pools(here) else "",
            )
            made.append(enter_in(write, entry))
        write.outcome.clear()
        write.about(here.second_chance_of, numbers=[entrant.number for entrant in made])
        return made


def _refuse_preview(event: Event) -> None:
    if open_partner_draw(event) is not None:
        raise Conflict("drawn-already", _("Partners have been drawn. Look at the draw, then post it or undo it."))


def _refuse_changed(event: Event, sealed: PartnerSeal) -> None:
    """Refuse if somebody on the sealed list left, found a partner or changed pools.

    Players who came after the seal are not in this draw and do not matter.
    """
    if load_partner_requests(event, sealed.numbers).differs_from(sealed):
        said = _("A player on the sealed list withdrew or changed pools. Seal it again, then cut the cards again.")
        raise Conflict("list-changed", said)
