"""Payouts: pay prizes, undo, void or reissue payouts, take back overpayments, and collect signatures.

Functions with a `pool` argument can also pay that side pool's awards. Part of a payout can be withheld for taxes. The
withheld part counts as paid but is not handed over. Reversing the payout also reverses the withholding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.core.services.strokes import parse_signature_strokes
from tournament.errors import Conflict, DomainError
from tournament.models import (
    CashMoved,
    Entrant,
    Event,
    LedgerLine,
    Movement,
    PaidOut,
    PayoutSignature,
    Player,
    SidePool,
    SidePoolPayout,
    Tournament,
    Withholding,
)
from tournament.money.selectors.awards import (
    EMPTY_PRIZE_SHARES,
    get_prize_cents_by_entry,
    load_prize_shares,
    load_valid_payouts,
    split_payout,
    sum_paid_prize_cents,
)
from tournament.money.selectors.drawers_and_close import is_on_closed_day, load_last_closed_day
from tournament.money.selectors.ledger import (
    find_side_pool,
    find_withholding,
    get_withheld_cents,
    join_withholding_reasons,
    list_paid_prizes,
    load_current_finish,
    load_payout,
)
from tournament.money.selectors.side_pools import load_side_pools
from tournament.money.services.fees_and_refunds import correct_payment, reverse_ledger_line
from tournament.money.services.ledger import post_money_fact, require_money_still_held, reverse_event_money
from tournament.purse.kinds import MONEY_KIND_DETAILS, AccountKind, MoneyKind
from tournament.purse.prizes import reduce_payouts, split_prize
from tournament.templatetags.gin import money


@dataclass(frozen=True, slots=True)
class WithheldAmount:
    """The part of a payout that is withheld for taxes, in cents, with the reason."""

    cents: int = 0
    reason: str = ""


NOTHING_WITHHELD: Final = WithheldAmount()
_LONGEST_ADDRESS: Final = 500


# --- Payouts ---------------------------------------------------------------------------------------------------------


def pay_prize(
    entrant: Entrant,
    method: str,
    *,
    by: Actor,
    key: str = "",
    cents: int | None = None,
    pool: SidePool | None = None,
    split_equally: bool = False,
    withheld: WithheldAmount = NOTHING_WITHHELD,
) -> PaidOut:
    """Record that an entry was paid its prize, or the rest of it.

    `cents` is the amount on the page, which is compared with the amount due. `split_equally` allows equal shares if the
    agreed split no longer matches the players. `withheld` is not handed over.

    Raises:
        DomainError: `bad-value`, `reason-needed` for the withheld amount.
        Conflict: `not-finished`, `no-prize`, `paid-already`, `paid-too-much`, `amount-changed` if the amount due is not
            `cents`, or `split-stale` if an agreed split does not fit the current players.
    """
    event = entrant.event
    require_permission(by, "direct", event.tournament)
    key = make_idempotency_key(
        key, entrant.pk, method, cents, *([pool.pk] if pool else []), *([withheld] if withheld.cents else [])
    )
    with writing(event, verb="prize.paid", by=by, key=key) as write:
        if write.repeated:
            return _load_repeated_payout(write.outcome["paid"])
        due = _compute_due_cents(entrant, write.the_event, pool)
        if (
            not split_equally
            and not load_prize_shares(event, [entrant.number]).get(entrant.number, EMPTY_PRIZE_SHARES).is_split_valid
        ):
            message = _(
                "The split that %(name)s agreed on does not fit who plays now. Save a new split, or pay equal shares."
            )
            raise Conflict("split-stale", message % {"name": entrant.name})
        if cents not in (None, due):
            message = _("The prize of %(name)s has changed since this page was opened. Look at the amount again.")
            raise Conflict("amount-changed", message % {"name": entrant.name})
        _require_valid_withholding(withheld, due, event.tournament.currency)
        paid = _add_payout(write, entrant, due, method, pool, withheld)
        more = {"pool": pool.pk} if pool is not None else {}
        if withheld.cents:
            more["withheld"] = withheld.cents
        write.about(entrant, paid=paid.pk, cents=due, rows={str(paid.pk): due}, **more)
        return paid


def undo_payout(paid: PaidOut, *, by: Actor, reason: str, key: str = "") -> PaidOut:
    """Reverse a payout that never took place, while its business day is open. The prize can then be paid again.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `undone-already`, `day-closed`, `withheld-sent`.
    """
    require_permission(by, "direct", paid.event.tournament)
    require_reason(reason, _("Enter why it was not paid out. The reason stays on record."))
    return _reverse_payout_in_transaction(paid, "prize.undone", by=by, reason=reason, key=key)


def void_payout(paid: PaidOut, *, by: Actor, reason: str, key: str = "") -> PaidOut:
    """Reverse a payout from a closed day. The reversal belongs to an open day, and the prize can then be paid again.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `undone-already`, `withheld-sent`.
    """
    require_permission(by, "direct", paid.event.tournament)
    require_reason(reason, _("Enter why the payout is void. The reason stays on record."))
    return _reverse_payout_in_transaction(paid, "prize.voided", by=by, reason=reason, key=key)


def _reverse_payout_in_transaction(paid: PaidOut, verb: str, *, by: Actor, reason: str, key: str) -> PaidOut:
    with writing(paid.event, verb=verb, by=by, key=make_idempotency_key(key, paid.pk), reason=reason) as write:
        if write.repeated:
            return PaidOut.objects.get(pk=write.outcome["undone"])
        _refuse_undone_payout(write, paid)
        if verb == "prize.undone" and is_on_closed_day(paid.movement, load_last_closed_day(paid.movement.tournament)):
            message = _("The day of this payout is closed. Open the prizes page again, and void the payout.")
            raise Conflict("day-closed", message)
        require_money_still_held(write, AccountKind.WITHHELD, get_withheld_cents(paid))
        undone = _reverse_payout(write, paid)
        write.about(paid.entrant, undone=undone.pk, cents=paid.cents, rows={str(undone.pk): undone.cents})
        return undone


def reissue_payout(paid: PaidOut, method: str, *, by: Actor, reason: str, key: str = "") -> PaidOut:
    """Void a payout and record it again in one transaction, for example after a lost check or a wrong method.

    Both rows belong to the current business day, so a closed day does not change. The same amount is withheld again,
    even if it is already at the tax office.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `undone-already`, `not-finished`, `paid-too-much`.
    """
    require_permission(by, "direct", paid.event.tournament)
    require_reason(reason, _("Enter why it is paid again. The reason stays on record."))
    with writing(
        paid.event, verb="prize.reissued", by=by, key=make_idempotency_key(key, paid.pk, method), reason=reason
    ) as write:
        if write.repeated:
            return _load_repeated_payout(write.outcome["paid"])
        _refuse_undone_payout(write, paid)
        pool = find_side_pool(paid)
        won, already_paid = (
            _compute_prize_cents(paid.entrant, write.the_event, pool),
            sum_paid_prize_cents(paid.entrant, pool),
        )
        _refuse_overpaid_entry(paid.entrant, already_paid, won)
        undone = _reverse_payout(write, paid)
        again = _add_payout(write, paid.entrant, paid.cents, method, pool, _get_withheld_amount(paid))
        rows = {str(row.pk): row.cents for row in (undone, again)}
        write.about(paid.entrant, undone=undone.pk, paid=again.pk, cents=paid.cents, rows=rows)
        return again


def record_returned_excess(
    entrant: Entrant, *, by: Actor, reason: str, key: str = "", cents: int | None = None, pool: SidePool | None = None
) -> int:
    """Record that an entry gave back the excess of a prize that was overpaid. Return the cents that were given back.

    The latest payouts are reversed until the total paid no longer exceeds the prize. If the total is then below the
    prize, a new payout covers the difference, by the method of the last reversed payout. The new payout withholds as
    much as the reversed ones did, up to its own amount.

    `cents` is the excess shown on the page, including its withheld part. The returned cents do not include withheld
    money.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-finished`, `nothing-to-return`, `amount-changed`, `withheld-sent`.
    """
    event = entrant.event
    require_permission(by, "direct", event.tournament)
    require_reason(reason, _("Enter why the money was given back. The reason stays on record."))
    key = make_idempotency_key(key, entrant.pk, cents, *([pool.pk] if pool is not None else []))
    with writing(event, verb="prize.returned", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return int(write.outcome.get("back", write.outcome["cents"]))
        won, already_paid = _compute_prize_cents(entrant, write.the_event, pool), sum_paid_prize_cents(entrant, pool)
        if already_paid <= won:
            raise Conflict(
                "nothing-to-return", _("%(name)s was not paid too much. Nothing was changed.") % {"name": entrant.name}
            )
        if cents not in (None, already_paid - won):
            raise Conflict(
                "amount-changed",
                _("The amount that %(name)s was paid too much has changed. Look at the amount again.")
                % {"name": entrant.name},
            )
        rows, back = _reduce_to_prize(write, entrant, won, pool)
        write.about(entrant, cents=already_paid - won, back=back, rows={str(row.pk): row.cents for row in rows})
        return back


def _reduce_to_prize(
    write: WriteTransaction, entrant: Entrant, won: int, pool: SidePool | None
) -> tuple[list[PaidOut], int]:
    """Reduce an overpaid entry's payouts to its prize. Return the new rows, and the cents that the player hands back.

    The cents do not include withheld money, because the player never received it.
    """
    standing = list(load_valid_payouts(write.the_event, pool).filter(entrant=entrant).select_related("withholding"))
    standing.sort(key=lambda payout: payout.pk, reverse=True)
    reduction = reduce_payouts(list_paid_prizes(standing), won)
    require_money_still_held(write, AccountKind.WITHHELD, reduction.released_cents)
    reversed_payouts = standing[: reduction.reversed_count]
    rows = [_reverse_payout(write, paid) for paid in reversed_payouts]
    if not reduction.replacement.cents:
        return rows, reduction.return_cents
    withheld = WithheldAmount(reduction.replacement.withheld_cents, join_withholding_reasons(reversed_payouts))
    cents, method = reduction.replacement.cents, reversed_payouts[-1].method
    rows.append(_add_payout(write, entrant, cents, method, pool, withheld))
    return rows, reduction.return_cents


def set_prize_shares(entrant: Entrant, percents: Sequence[str], *, by: Actor) -> Entrant:
    """Set how an entry's partners split their prize. An empty list means equal shares.

    Raises:
        DomainError: `bad-shares`, `bad-value`, `bad-scale`.
        Conflict: `plays-alone`, or `paid-already` if a payout has already used the earlier split.
    """
    require_permission(by, "direct", entrant.event.tournament)
    players = entrant.members.filter(replaced_by=None).count()
    if players < 2 and percents:
        message = _("%(name)s plays alone, so there is nothing to split. Nothing was changed.")
        raise Conflict("plays-alone", message % {"name": entrant.name})
    split_prize(0, max(1, players), percents)
    with writing(entrant.event, verb="prize.shares", by=by) as write:
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        if PaidOut.objects.filter(entrant=locked, reverses=None, reversed_by=None).exists():
            message = _(
                "%(name)s has been paid by the present split. Undo or void the payout first, then save the new split."
            )
            raise Conflict("paid-already", message % {"name": entrant.name})
        before = list(locked.prize_shares)
        locked.prize_shares = list(percents)
        locked.save(update_fields=["prize_shares"])
        write.about(locked, number=locked.number, before=before, shares=locked.prize_shares)
        return locked


def _compute_due_cents(entrant: Entrant, event: Event, pool: SidePool | None) -> int:
    won, already_paid = _compute_prize_cents(entrant, event, pool), sum_paid_prize_cents(entrant, pool)
    _refuse_overpaid_entry(entrant, already_paid, won)
    if won == 0:
        raise Conflict(
            "no-prize",
            _("%(name)s has not won a prize in this event. Look at the payout list.") % {"name": entrant.name},
        )
    if already_paid == won:
        raise Conflict("paid-already", _("%(name)s has been paid. Look at the payout list.") % {"name": entrant.name})
    return won - already_paid


def _compute_prize_cents(entrant: Entrant, event: Event, pool: SidePool | None) -> int:
    if pool is not None and load_current_finish(event) is not None:
        awards = next(state.awards for state in load_side_pools(event) if state.pool.pk == pool.pk)
        return sum(row.cents for row in awards if row.entrant_id == entrant.pk)
    payout = load_payout(event)
    if payout is None:
        raise Conflict("not-finished", _("The event is not finished, so no prize can be paid. Finish the event first."))
    return get_prize_cents_by_entry(payout).get(entrant.number, 0)


def _load_repeated_payout(pk: int) -> PaidOut:
    """Return the payout that an earlier request with the same key recorded.

    Raises:
        Conflict: `undone-already` if that payout has been undone since.
    """
    paid = PaidOut.objects.select_related("entrant", "event__tournament").get(pk=pk)
    if hasattr(paid, "reversed_by"):
        raise Conflict("undone-already", _("This payout was recorded and then undone. Open the prizes page again."))
    return paid


def _refuse_undone_payout(write: WriteTransaction, paid: PaidOut) -> None:
    if not load_valid_payouts(write.the_event, find_side_pool(paid)).filter(pk=paid.pk).exists():
        raise Conflict("undone-already", _("This payout was undone before. Nothing was changed."))


def _refuse_overpaid_entry(entrant: Entrant, already_paid: int, won: int) -> None:
    if already_paid > won:
        raise Conflict(
            "paid-too-much",
            _("%(name)s was paid more than their prize. Record the money they give back.") % {"name": entrant.name},
        )


def _require_valid_withholding(withheld: WithheldAmount, due: int, currency: str) -> None:
    if not 0 <= withheld.cents <= due:
        message = _("No more can be withheld than the prize of %(amount)s. Enter a smaller amount.")
        raise DomainError("bad-value", message % {"amount": money(due, currency)}, field="withheld")
    if withheld.cents:
        require_reason(withheld.reason, _("Enter what the money is withheld for. It is printed on the receipt."))


def _add_payout(
    write: WriteTransaction,
    entrant: Entrant,
    cents: int,
    method: str,
    pool: SidePool | None = None,
    withheld: WithheldAmount = NOTHING_WITHHELD,
    **more: Any,
) -> PaidOut:
    columns = write.fact_fields() | more
    row = PaidOut.objects.create(event=write.the_event, entrant=entrant, cents=cents, method=method, **columns)
    write.log_row_digest("paid_out", row)
    if pool is not None:
        link = SidePoolPayout.objects.create(pool=pool, paid_out=row, **write.fact_fields())
        write.log_row_digest("pool_payouts", link)
    if withheld.cents:
        about = write.fact_fields() | {"reason": withheld.reason}
        write.log_row_digest("withholdings", Withholding.objects.create(paid_out=row, cents=withheld.cents, **about))
    post_money_fact(write, row)
    return row


def _reverse_payout(write: WriteTransaction, paid: PaidOut) -> PaidOut:
    return _add_payout(
        write, paid.entrant, paid.cents, paid.method, find_side_pool(paid), _get_withheld_amount(paid), reverses=paid
    )


def _get_withheld_amount(paid: PaidOut) -> WithheldAmount:
    withholding = find_withholding(paid)
    return WithheldAmount(withholding.cents, withholding.reason) if withholding is not None else NOTHING_WITHHELD


# --- Signatures ------------------------------------------------------------------------------------------------------
# Players sign on screen for a payout, or for their share of it.


def sign_payout(paid: PaidOut, player: int, strokes: Any, *, by: Actor, key: str = "") -> PayoutSignature:
    """Store a player's signature for a payout, drawn on the screen of the staff member `by`.

    The signature stays on record even if the payout is undone later.

    Raises:
        DomainError: `no-signature`, `not-a-player`.
        Conflict: `undone-already`, `signed-already`.
    """
    event = paid.event
    require_permission(by, "desk", event.tournament)
    drawn = parse_signature_strokes(strokes, _("There is no signature yet. Sign on the line."))
    key = make_idempotency_key(key, paid.pk, player, strokes)
    with writing(event, verb="prize.signed", by=by, key=key) as write:
        if write.repeated:
            return PayoutSignature.objects.get(pk=write.outcome["signature"])
        if paid.reverses_id is not None or PaidOut.objects.filter(reverses=paid).exists():
            raise Conflict("undone-already", _("This payout was undone. Open the prizes page again."))
        share = next((share for share in split_payout(paid) if share.player == player), None)
        if share is None:
            raise DomainError("not-a-player", _("Only a player of this entry can sign for its prize."))
        if PayoutSignature.objects.filter(paid_out=paid, player_id=player).exists():
            message = _("%(name)s has signed for this payout. Nothing was changed.") % {"name": share.name}
            raise Conflict("signed-already", message)
        row = PayoutSignature.objects.create(
            paid_out=paid, player_id=player, cents=share.handed_over_cents, strokes=drawn, **write.fact_fields()
        )
        write.log_row_digest("payout_signatures", row)
        write.about(paid.entrant, paid=paid.pk, signature=row.pk, player=player, cents=share.handed_over_cents)
        return row


# --- Tax form --------------------------------------------------------------------------------------------------------


def set_tax_form_threshold(tournament: Tournament, cents: int | None, *, by: Actor) -> Tournament:
    """Set the winnings at or above which a player needs a tax form. If the amount is None, no player needs one.

    Raises:
        DomainError: `bad-value`.
    """
    require_permission(by, "direct", tournament)
    if cents is not None and cents < 1:
        message = _("Enter an amount above zero, or leave it empty to list nobody.")
        raise DomainError("bad-value", message, field="cents")
    with writing(tournament, verb="money.tax-amount", by=by) as write:
        write.tournament.tax_form_cents = cents
        write.tournament.save(update_fields=["tax_form_cents"])
        write.about(tournament, cents=cents)
        return write.tournament


def set_tax_address(tournament: Tournament, player: Player, address: str, *, by: Actor) -> Player:
    """Record a player's address for the tax form. The log states that it changed, but does not contain the address.

    Raises:
        DomainError: `bad-value`.
    """
    require_permission(by, "direct", tournament)
    lines = [" ".join(line.split()) for line in address.splitlines()]
    cleaned = "\n".join(line for line in lines if line)
    if len(cleaned) > _LONGEST_ADDRESS:
        words = _("The address is too long. Shorten it to %(most)s letters.") % {"most": _LONGEST_ADDRESS}
        raise DomainError("bad-value", words, field="address")
    with writing(tournament, verb="player.address", by=by) as write:
        locked = Player.objects.get(pk=player.pk)
        locked.address = cleaned
        locked.save(update_fields=["address"])
        write.about(locked, player=locked.pk)
        return locked


# --- Reversals of any movement ---------------------------------------------------------------------------------------


def is_reversible(movement: Movement) -> bool:
    """Return whether a movement can be undone by a reversal.

    This is not possible for reversals, reversed movements, charges, or moved cash. A fee is canceled instead, and cash
    is moved back.
    """
    if movement.cash_id is not None or movement.is_reversal or hasattr(movement, "reversed_by"):
        return False
    line = movement.line
    return line is None or bool(line.kind in MONEY_KIND_DETAILS and MONEY_KIND_DETAILS[line.kind].reversed_by)


def reverse_movement(movement: Movement, *, by: Actor, reason: str, key: str) -> None:
    """Reverse a money movement by calling the service for its kind. That service may raise an error."""
    fact = movement.fact
    if isinstance(fact, PaidOut):
        undo = void_payout if is_on_closed_day(movement, load_last_closed_day(movement.tournament)) else undo_payout
        undo(fact, by=by, reason=reason, key=key)
    elif isinstance(fact, CashMoved):
        raise Conflict("not-reversible", _("Cash moved by mistake is moved back under Money › Drawers."))
    elif not isinstance(fact, LedgerLine):
        reverse_event_money(fact, by=by, reason=reason, key=key)
    elif fact.kind == MoneyKind.PAYMENT:
        correct_payment(fact, by=by, reason=reason, key=key)
    else:
        reverse_ledger_line(fact, by=by, reason=reason, key=key)
