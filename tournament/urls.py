"""The URLs of this app: /t/… for everybody, /my/<token>/… for players, /desk/… for staff."""

from django.conf import settings
from django.urls import URLPattern, path

from tournament.backups import console as backups_console
from tournament.backups import public as backups_public
from tournament.core import console as core_console
from tournament.core import public as core_public
from tournament.messages import console as messages_console
from tournament.messages import public as messages_public
from tournament.money import player as money_player
from tournament.money import public as money_public
from tournament.money.console import books, desk, drawers_and_close, prizes, side_pools, transfers_and_cards
from tournament.registration import player as registration_player
from tournament.registration import public as registration_public
from tournament.registration.console import entrants, imported_lists
from tournament.second_laptop import console as second_laptop_console
from tournament.second_laptop import public as second_laptop_public
from tournament.setup import public as setup_public
from tournament.setup.console import settings as setup_settings
from tournament.setup.console import staff
from tournament.this_computer import console as this_computer
from tournament.this_computer import public as this_computer_public
from tournament.this_computer.selectors.state import RunAction

app_name = "tournament"

EVENT_PREFIX = "t/<slug:tournament>/<slug:event>/"
DESK_PREFIX = "desk/<slug:tournament>/<slug:event>/"

PUBLIC_URLS: list[URLPattern] = [
    path("", setup_public.home, name="home"),
    path("robots.txt", core_public.robots, name="robots"),
    path("sign-in/<str:token>/", setup_public.sign_in, name="sign_in"),
    path("version/<slug:tournament>/<slug:event>/", core_public.serve_topics_version, name="version"),
    path("first-start/<str:token>/", this_computer_public.first_start, name="first_start"),
    path("restore/<slug:pk>/", backups_public.restore_outcome, name="restore_outcome"),
    path("trust/", setup_public.show_certificate_page, name="trust"),
    path("trust/hall.crt", setup_public.download_root_certificate, name="trust_certificate"),
    path("trust/hall.mobileconfig", setup_public.download_apple_profile, name="trust_profile"),
    path("second-laptop/state/", second_laptop_public.laptop_state, name="laptop_state"),
    path("paid-by-card/", money_public.receive_card_webhook, name="card_webhook"),
    path("t/<slug:tournament>/", setup_public.tournament_page, name="tournament"),
    path(EVENT_PREFIX, setup_public.event_page, name="event"),
    path(f"{EVENT_PREFIX}prizes/", money_public.public_prizes, name="prizes"),
    path("t/<slug:tournament>/player/<int:pk>/", registration_public.player, name="player"),
    path(f"{EVENT_PREFIX}wall/message/", messages_public.wall_message, name="wall_message"),
    path(f"{EVENT_PREFIX}entrants/", registration_public.entrants, name="entrants"),
    path(f"{EVENT_PREFIX}register/", registration_public.register, name="register"),
    path(f"{EVENT_PREFIX}mine/", registration_public.redirect_to_entrant_page, name="mine"),
    path(f"{EVENT_PREFIX}register/link/", registration_public.recover_link, name="link_again"),
    path(f"{EVENT_PREFIX}registered/<str:token>/", registration_public.show_new_entry, name="registered"),
]

PLAYER_URLS: list[URLPattern] = [
    path("my/<str:token>/", registration_player.show_entrant_page, name="my"),
    path("my/<str:token>/pay-by-card/", money_player.pay_by_card, name="my_pay_by_card"),
    path("my/<str:token>/pay-by-card/<str:ident>/", money_player.show_development_payment, name="my_card_payment"),
    path("my/<str:token>/withdraw/", registration_player.withdraw_entry, name="withdraw_mine"),
]

CONSOLE_URLS: list[URLPattern] = [
    path("desk/", setup_settings.list_user_tournaments, name="desk"),
    path("accounts/name/", staff.change_own_name, name="own_name"),
    path("desk/new/", setup_settings.new_tournament, name="new_tournament"),
    path("desk/<slug:tournament>/", setup_settings.tournament_desk, name="today"),
    path("desk/<slug:tournament>/settings/", setup_settings.tournament_settings, name="tournament_settings"),
    path("desk/<slug:tournament>/new-event/", setup_settings.new_event, name="new_event"),
    path("desk/<slug:tournament>/players/", entrants.list_duplicate_players, name="desk_twins"),
    path("desk/<slug:tournament>/players/<int:pk>/undo/", entrants.undo_player_merge, name="undo_twins"),
    path("desk/<slug:tournament>/log/", staff.show_log, name="desk_log"),
    path("desk/<slug:tournament>/staff/", staff.staff_page, name="desk_staff"),
    path("desk/<slug:tournament>/backups/", backups_console.backups_page, name="desk_backups"),
    path("this-computer/", this_computer.show_this_computer, name="this_computer"),
    path("this-computer/logs.txt", this_computer.download_logs, name="logs_to_send"),
    *(
        url
        for action in RunAction
        for url in (
            path(
                f"this-computer/{action}/", this_computer.stop_or_restart, {"action": action}, name=f"{action}_program"
            ),
            path(
                f"this-computer/{action}/requested/",
                this_computer.show_run_outcome,
                {"action": action},
                name=f"{action}_outcome",
            ),
        )
    ),
    path("second-laptop/", second_laptop_public.show_this_laptop, name="this_laptop"),
    path(
        "second-laptop/when-the-laptop-dies.pdf",
        second_laptop_public.print_sheet_of_this_laptop,
        name="this_laptop_sheet",
    ),
    path(
        "desk/<slug:tournament>/backups/when-the-laptop-dies.pdf",
        second_laptop_console.print_emergency_sheet,
        name="emergency_sheet",
    ),
    path(
        "desk/<slug:tournament>/backups/second-laptop/",
        second_laptop_console.second_laptop_page,
        name="desk_second_laptop",
    ),
    path(
        "desk/<slug:tournament>/backups/second-laptop/remove/",
        second_laptop_console.remove_second_laptop_page,
        name="remove_second_laptop",
    ),
    path("desk/<slug:tournament>/backups/old-laptop/", second_laptop_console.old_laptop_page, name="desk_old_laptop"),
    path("desk/<slug:tournament>/backups/<str:name>/", backups_console.restore_page, name="desk_restore"),
    path("desk/<slug:tournament>/staff/<int:pk>/link/", staff.create_staff_sign_in_link, name="staff_link"),
    path("desk/<slug:tournament>/phones/", setup_public.show_phone_setup, name="desk_phones"),
    path("desk/<slug:tournament>/remove-demo/", setup_settings.remove_demo_page, name="remove_demo"),
    path("desk/<slug:tournament>/remove-copy/", setup_settings.remove_copy_page, name="remove_copy"),
    path(f"{DESK_PREFIX}settings/", setup_settings.event_settings, name="desk_settings"),
    path(f"{DESK_PREFIX}setup/", setup_settings.show_setup_steps, name="desk_setup"),
    path(f"{DESK_PREFIX}setup/<slug:step>/", setup_settings.event_setup, name="event_setup"),
    path(f"{DESK_PREFIX}share/", setup_settings.share_event, name="desk_share"),
    path(f"{DESK_PREFIX}open/", setup_settings.open_event, name="open_event"),
    path(DESK_PREFIX, setup_settings.redirect_to_event_desk, name="desk_event"),
    path(f"{DESK_PREFIX}check-in/", desk.check_in_page, name="desk_checkin"),
    path(f"{DESK_PREFIX}check-in/arrived/", desk.update_check_in, name="desk_arrived"),
    path(f"{DESK_PREFIX}entrants/<int:number>/money/", desk.entry_account, name="desk_money"),
    path(f"{DESK_PREFIX}payments/", desk.payments, name="desk_payments"),
    path(f"{DESK_PREFIX}entrants/<int:number>/pay/", desk.record_sale, name="desk_sale"),
    path(f"{DESK_PREFIX}drawers/", drawers_and_close.drawers, name="desk_drawers"),
    path(f"{DESK_PREFIX}close/", drawers_and_close.close_of_day_page, name="desk_close"),
    path(f"{DESK_PREFIX}close/paper/", drawers_and_close.print_daily_close, name="close_paper"),
    path(f"{DESK_PREFIX}tournament-money/", books.tournament_money, name="desk_whole_money"),
    path(f"{DESK_PREFIX}expenses/", books.expenses, name="desk_expenses"),
    path(f"{DESK_PREFIX}extras/", side_pools.extras, name="desk_extras"),
    path(f"{DESK_PREFIX}ledger/", books.ledger_page, name="desk_ledger"),
    path(f"{DESK_PREFIX}ledger/<int:number>/", books.movement_page, name="desk_movement"),
    path(f"{DESK_PREFIX}transfers/", transfers_and_cards.bank_transfers_page, name="desk_transfers"),
    path(f"{DESK_PREFIX}transfers/list/<int:pk>/", transfers_and_cards.show_bank_statement, name="desk_bank_list"),
    path(f"{DESK_PREFIX}cards-paid/", transfers_and_cards.card_payments, name="desk_card_payments"),
    path(f"{DESK_PREFIX}accounting/", books.accounting, name="desk_accounting"),
    path(f"{DESK_PREFIX}accounting/<slug:scope>.<slug:program>/", books.download_journal, name="desk_journal"),
    path(
        f"{DESK_PREFIX}accounting/lists/<slug:listed>.<slug:kind>/",
        books.download_accounting_list,
        name="desk_money_list",
    ),
    path(f"{DESK_PREFIX}prizes/", prizes.prizes, name="desk_prizes"),
    path(f"{DESK_PREFIX}prizes/preview/", prizes.preview_prizes_page, name="desk_prize_preview"),
    path(f"{DESK_PREFIX}prizes/side-pools/", side_pools.side_pools, name="desk_side_pools"),
    path(f"{DESK_PREFIX}prizes/signature/<int:paid>/", prizes.sign_for_payout, name="desk_payout_signature"),
    path(f"{DESK_PREFIX}prizes/tax-form/", prizes.tax_form, name="desk_tax_form"),
    path(f"{DESK_PREFIX}prizes/tax-form/print/", prizes.print_tax_form, name="desk_tax_form_print"),
    path("desk/<slug:tournament>/jobs/<int:pk>/", core_console.show_job, name="desk_job"),
    path("desk/<slug:tournament>/jobs/<int:pk>/again/", core_console.retry_failed_job, name="desk_job_again"),
    path("desk/<slug:tournament>/jobs/<int:pk>/file/", core_console.download_job_file, name="job_file"),
    path(f"{DESK_PREFIX}entrants/<int:number>/receipt/", desk.print_receipt, name="receipt"),
    path(f"{DESK_PREFIX}entrants/", entrants.entrants, name="desk_entrants"),
    path(f"{DESK_PREFIX}entrants/new/", entrants.new_entrant, name="new_entrant"),
    path(f"{DESK_PREFIX}entrants/approve/", entrants.approve_selected_entrants, name="approve_marked"),
    path(f"{DESK_PREFIX}entrants/fill/", entrants.fill_from_waiting_list, name="fill_places"),
    path(f"{DESK_PREFIX}entrants/<int:number>/", entrants.show_entrant, name="desk_entrant"),
    path(f"{DESK_PREFIX}entrants/<int:number>/act/", entrants.perform_entry_action, name="desk_entrant_act"),
    path(f"{DESK_PREFIX}entrants/<int:number>/substitute/", entrants.replace_player, name="desk_substitute"),
    path(f"{DESK_PREFIX}entrants/<int:number>/person/", entrants.edit_player_record, name="desk_person"),
    path(f"{DESK_PREFIX}import/", imported_lists.upload_list, name="desk_import"),
    path(f"{DESK_PREFIX}import/<int:pk>/", imported_lists.preview_list, name="desk_import_preview"),
    path(f"{DESK_PREFIX}import/<int:pk>/columns/", imported_lists.set_list_columns, name="desk_import_columns"),
    path(f"{DESK_PREFIX}import/<int:pk>/take/", imported_lists.import_list, name="desk_import_take"),
    path(f"{DESK_PREFIX}import/<int:pk>/read/", imported_lists.change_list_parsing, name="desk_import_read"),
    path(f"{DESK_PREFIX}import/<int:pk>/pay/", imported_lists.record_listed_payments, name="desk_import_pay"),
    path(f"{DESK_PREFIX}import/<int:pk>/rest/", imported_lists.download_unimported_rows, name="desk_import_rest"),
    path(f"{DESK_PREFIX}import/<int:pk>/<int:number>/", imported_lists.edit_list_row, name="desk_import_row"),
    path(
        f"{DESK_PREFIX}import/<int:pk>/<int:number>/settle/", imported_lists.resolve_list_row, name="desk_import_settle"
    ),
    path(f"{DESK_PREFIX}links/", messages_console.send_or_print_links, name="desk_links"),
    path(f"{DESK_PREFIX}links/asked/", messages_console.review_link_requests, name="desk_link_requests"),
    path(f"{DESK_PREFIX}messages/", messages_console.write_message, name="desk_messages"),
    path(f"{DESK_PREFIX}messages/<int:pk>/", messages_console.show_message, name="desk_message"),
    path(f"{DESK_PREFIX}messages/<int:pk>/told/", messages_console.mark_recipient_phoned, name="desk_message_told"),
    path(f"{DESK_PREFIX}messages/<int:pk>/again/", messages_console.resend_message, name="desk_message_again"),
]

if settings.DEBUG:
    from tournament.core.pages.styleguide import styleguide

    CONSOLE_URLS.append(path("styleguide/", styleguide, name="styleguide"))

urlpatterns = [*PUBLIC_URLS, *PLAYER_URLS, *CONSOLE_URLS]
