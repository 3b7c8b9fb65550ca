from typing import Final

from django.conf import settings
from django.urls import URLPattern, path

from tournament.core import console as core
from tournament.messages import console as messages
from tournament.money.console import books as money_books
from tournament.money.console import desk as money_desk
from tournament.money.console import drawers_and_close, transfers_and_cards
from tournament.money.console import prizes as money_prizes
from tournament.money.console import side_pools as money_side_pools
from tournament.registration.console import entrants as registration
from tournament.registration.console import imported_lists as imports
from tournament.setup import public as trust
from tournament.setup.console import settings as setup_settings
from tournament.setup.console import staff as setup_staff

_TOURNAMENT: Final = "desk/<slug:tournament>/"
_EVENT: Final = "desk/<slug:tournament>/<slug:event>/"

urlpatterns: list[URLPattern] = [
    path("desk/", setup_settings.desk, name="desk"),
    path("accounts/name/", setup_staff.own_name, name="own_name"),
    path("desk/new/", setup_settings.new_tournament, name="new_tournament"),
    path("desk/<slug:tournament>/", setup_settings.tournament_desk, name="today"),
    path("desk/<slug:tournament>/settings/", setup_settings.tournament_settings, name="tournament_settings"),
    path("desk/<slug:tournament>/new-event/", setup_settings.new_event, name="new_event"),
    path("desk/<slug:tournament>/players/", registration.twins, name="desk_twins"),
    path("desk/<slug:tournament>/players/<int:pk>/undo/", registration.undo_twins, name="undo_twins"),
    path("desk/<slug:tournament>/log/", setup_staff.log, name="desk_log"),
    path("desk/<slug:tournament>/staff/", setup_staff.staff_page, name="desk_staff"),
    path("desk/<slug:tournament>/staff/<int:pk>/link/", setup_staff.staff_link, name="staff_link"),
    path("desk/<slug:tournament>/phones/", trust.phones, name="desk_phones"),
    path("desk/<slug:tournament>/remove-demo/", setup_settings.remove_demo_page, name="remove_demo"),
    path("desk/<slug:tournament>/<slug:event>/settings/", setup_settings.event_settings, name="desk_settings"),
    path("desk/<slug:tournament>/<slug:event>/setup/", setup_settings.setup, name="desk_setup"),
    path("desk/<slug:tournament>/<slug:event>/setup/<slug:step>/", setup_settings.event_setup, name="event_setup"),
    path("desk/<slug:tournament>/<slug:event>/share/", setup_settings.share, name="desk_share"),
    path("desk/<slug:tournament>/<slug:event>/open/", setup_settings.open_event, name="open_event"),
    path("desk/<slug:tournament>/<slug:event>/", setup_settings.event_desk, name="desk_event"),
    path("desk/<slug:tournament>/<slug:event>/check-in/", money_desk.check_in, name="desk_checkin"),
    path("desk/<slug:tournament>/<slug:event>/check-in/arrived/", money_desk.update_check_in, name="desk_arrived"),
    path("desk/<slug:tournament>/<slug:event>/entrants/<int:number>/money/", money_desk.entry_money, name="desk_money"),
    path("desk/<slug:tournament>/<slug:event>/payments/", money_desk.payments, name="desk_payments"),
    path("desk/<slug:tournament>/<slug:event>/entrants/<int:number>/pay/", money_desk.record_sale, name="desk_sale"),
    path("desk/<slug:tournament>/<slug:event>/drawers/", drawers_and_close.drawers, name="desk_drawers"),
    path("desk/<slug:tournament>/<slug:event>/close/", drawers_and_close.close_of_day, name="desk_close"),
    path("desk/<slug:tournament>/<slug:event>/close/paper/", drawers_and_close.print_close, name="close_paper"),
    path(
        "desk/<slug:tournament>/<slug:event>/tournament-money/", money_books.tournament_money, name="desk_whole_money"
    ),
    path("desk/<slug:tournament>/<slug:event>/expenses/", money_books.expenses, name="desk_expenses"),
    path("desk/<slug:tournament>/<slug:event>/extras/", money_side_pools.extras, name="desk_extras"),
    path("desk/<slug:tournament>/<slug:event>/ledger/", money_books.ledger, name="desk_ledger"),
    path("desk/<slug:tournament>/<slug:event>/ledger/<int:number>/", money_books.movement, name="desk_movement"),
    path("desk/<slug:tournament>/<slug:event>/transfers/", transfers_and_cards.transfers, name="desk_transfers"),
    path(
        "desk/<slug:tournament>/<slug:event>/transfers/list/<int:pk>/",
        transfers_and_cards.bank_list,
        name="desk_bank_list",
    ),
    path(
        "desk/<slug:tournament>/<slug:event>/cards-paid/", transfers_and_cards.card_payments, name="desk_card_payments"
    ),
    path("desk/<slug:tournament>/<slug:event>/accounting/", money_books.accounting, name="desk_accounting"),
    path(
        "desk/<slug:tournament>/<slug:event>/accounting/<slug:scope>.<slug:program>/",
        money_books.journal,
        name="desk_journal",
    ),
    path(
        "desk/<slug:tournament>/<slug:event>/accounting/lists/<slug:listed>.<slug:kind>/",
        money_books.download_list,
        name="desk_money_list",
    ),
    path("desk/<slug:tournament>/<slug:event>/prizes/", money_prizes.prizes, name="desk_prizes"),
    path(
        "desk/<slug:tournament>/<slug:event>/prizes/preview/",
        money_prizes.preview_prizes_page,
        name="desk_prize_preview",
    ),
    path("desk/<slug:tournament>/<slug:event>/prizes/side-pools/", money_side_pools.side_pools, name="desk_side_pools"),
    path(
        "desk/<slug:tournament>/<slug:event>/prizes/signature/<int:paid>/",
        money_prizes.sign_for_payout,
        name="desk_payout_signature",
    ),
    path("desk/<slug:tournament>/<slug:event>/prizes/tax-form/", money_prizes.tax_form, name="desk_tax_form"),
    path(
        "desk/<slug:tournament>/<slug:event>/prizes/tax-form/print/",
        money_prizes.print_tax_form,
        name="desk_tax_form_print",
    ),
    path("desk/<slug:tournament>/jobs/<int:pk>/", core.job_panel, name="desk_job"),
    path("desk/<slug:tournament>/jobs/<int:pk>/again/", core.job_again, name="desk_job_again"),
    path("desk/<slug:tournament>/jobs/<int:pk>/file/", core.job_file, name="job_file"),
    path(
        "desk/<slug:tournament>/<slug:event>/entrants/<int:number>/receipt/", money_desk.print_receipt, name="receipt"
    ),
    path("desk/<slug:tournament>/<slug:event>/entrants/", registration.entrants, name="desk_entrants"),
    path("desk/<slug:tournament>/<slug:event>/entrants/new/", registration.new_entrant, name="new_entrant"),
    path("desk/<slug:tournament>/<slug:event>/entrants/approve/", registration.approve_marked, name="approve_marked"),
    path("desk/<slug:tournament>/<slug:event>/entrants/fill/", registration.fill, name="fill_places"),
    path("desk/<slug:tournament>/<slug:event>/entrants/<int:number>/", registration.entrant, name="desk_entrant"),
    path("desk/<slug:tournament>/<slug:event>/entrants/<int:number>/act/", registration.act, name="desk_entrant_act"),
    path(
        "desk/<slug:tournament>/<slug:event>/entrants/<int:number>/substitute/",
        registration.replace,
        name="desk_substitute",
    ),
    path(
        "desk/<slug:tournament>/<slug:event>/entrants/<int:number>/person/",
        registration.correct_person,
        name="desk_person",
    ),
    path("desk/<slug:tournament>/<slug:event>/import/", imports.lists, name="desk_import"),
    path("desk/<slug:tournament>/<slug:event>/import/<int:pk>/", imports.preview, name="desk_import_preview"),
    path("desk/<slug:tournament>/<slug:event>/import/<int:pk>/columns/", imports.columns, name="desk_import_columns"),
    path("desk/<slug:tournament>/<slug:event>/import/<int:pk>/take/", imports.take, name="desk_import_take"),
    path("desk/<slug:tournament>/<slug:event>/import/<int:pk>/read/", imports.read_otherwise, name="desk_import_read"),
    path("desk/<slug:tournament>/<slug:event>/import/<int:pk>/pay/", imports.pay, name="desk_import_pay"),
    path("desk/<slug:tournament>/<slug:event>/import/<int:pk>/rest/", imports.rest, name="desk_import_rest"),
    path("desk/<slug:tournament>/<slug:event>/import/<int:pk>/<int:number>/", imports.mend, name="desk_import_row"),
    path(
        "desk/<slug:tournament>/<slug:event>/import/<int:pk>/<int:number>/settle/",
        imports.settle,
        name="desk_import_settle",
    ),
    path("desk/<slug:tournament>/<slug:event>/links/", messages.send_or_print_links, name="desk_links"),
    path("desk/<slug:tournament>/<slug:event>/links/asked/", messages.link_requests, name="desk_link_requests"),
    path("desk/<slug:tournament>/<slug:event>/messages/", messages.write_message, name="desk_messages"),
    path("desk/<slug:tournament>/<slug:event>/messages/<int:pk>/", messages.show_message, name="desk_message"),
    path("desk/<slug:tournament>/<slug:event>/messages/<int:pk>/told/", messages.mark_told, name="desk_message_told"),
    path("desk/<slug:tournament>/<slug:event>/messages/<int:pk>/again/", messages.resend, name="desk_message_again"),
]

if settings.DEBUG:
    from tournament.core.pages.styleguide import styleguide

    urlpatterns.append(path("styleguide/", styleguide, name="styleguide"))
