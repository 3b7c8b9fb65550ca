"""The URLs of the scoring app.

/t/… is public, /my/<token>/… and /c/<card>/… are for players, /desk/… is for staff, and /api/… is for programs.
"""

from collections.abc import Callable
from typing import Any

from django.urls import URLPattern, path

from scoring.archive import console as archive_console
from scoring.archive import public as archive_public
from scoring.cards import api as cards_api
from scoring.cards import public as cards_public
from scoring.cards.console import card as card_console
from scoring.cards.console import closing, paper
from scoring.cards.player import card as card_player
from scoring.cards.player import match
from scoring.disputes import console as disputes_console
from scoring.disputes import player as disputes_player
from scoring.disputes import public as disputes_public
from scoring.posting import console as posting_console
from scoring.posting import public as posting_public
from scoring.prints import console as prints_console
from scoring.rulesheets import console as rulesheets_console
from scoring.rulesheets import public as rulesheets_public
from scoring.scorekeeping import console as scorekeeping_console
from scoring.scorekeeping import public as scorekeeping_public
from scoring.seals import console as seals_console
from scoring.today import console as today_console
from scoring.verification import public as verification_public

app_name = "scoring"

EVENT_PREFIX = "t/<slug:tournament>/<slug:event>/"
DESK_PREFIX = "desk/<slug:tournament>/<slug:event>/"

PUBLIC_URLS: list[URLPattern] = [
    path("handover/", cards_public.show_offline_hand, name="handover"),
    path("offline/", cards_public.show_offline_page, name="offline"),
    path("sw.js", cards_public.serve_service_worker, name="service_worker"),
    path("app.webmanifest", cards_public.serve_manifest, name="web_app"),
    path("rules/", rulesheets_public.list_rule_sets, name="rule_sets"),
    path("rules/<slug:rules>/", rulesheets_public.show_rule_set, name="rule_set"),
    path("t/<slug:tournament>/rulings/", disputes_public.show_ruling_register, name="public_rulings"),
    path("t/<slug:tournament>/rulings/<int:number>/", disputes_public.show_registered_ruling, name="public_ruling"),
    path(f"{EVENT_PREFIX}rules/", rulesheets_public.show_rules, name="rules"),
    path(f"{EVENT_PREFIX}settlement/", posting_public.show_settlement, name="settlement"),
    path(f"{EVENT_PREFIX}rounds/", scorekeeping_public.show_rounds, name="rounds"),
    path(f"{EVENT_PREFIX}rounds/wall/", scorekeeping_public.show_rounds_wall_display, name="rounds_wall"),
    path(f"{EVENT_PREFIX}hand/", disputes_public.judge_hands_for_public, name="hands"),
    path("t/<slug:tournament>/table/<int:table>/", cards_public.redirect_to_match_at_table, name="table_now"),
    path(f"{EVENT_PREFIX}match/<slug:ident>/cards/", cards_public.list_match_cards, name="match_cards"),
    path(f"{EVENT_PREFIX}card/<str:token>/", cards_public.show_card, name="card"),
    path(f"{EVENT_PREFIX}card/<str:token>/pdf/", verification_public.serve_card_pdf, name="card_pdf"),
    path(
        f"{EVENT_PREFIX}card/<str:token>/version/<int:number>/",
        verification_public.show_card_version,
        name="card_version",
    ),
    path("verify/", verification_public.verify_printout, name="verify_any"),
    path("verify/<str:digest>/", verification_public.verify_printout, name="verify"),
]

PLAYER_ACTIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    "cut": ("cut/", card_player.choose_scorekeeper),
    "draw": ("draw/", card_player.enter_table_draw),
    "hand": ("hand/", card_player.enter_hand),
    "last": ("last/", card_player.correct_last_hand),
    "preview": ("preview/", card_player.preview_hand),
    "sign": ("sign/", card_player.sign_card),
    "call": ("call/", card_player.call_director_to_card),
    "what": ("call/what/", disputes_player.report_irregularity),
    "dispute": ("rulings/<int:dispute>/", disputes_player.show_dispute),
    "photo": ("rulings/<int:dispute>/photo/<int:evidence>/", disputes_player.show_photo_to_player),
    "announce": ("announce/", disputes_player.announce_card_totals),
    "up": ("up-card/", card_player.enter_up_card),
    "confirm": ("confirm/", card_player.confirm_displayed_hand),
    "other": ("other-figures/", card_player.dispute_displayed_hand),
    "take": ("take/", card_player.accept_other_players_figures),
    "deck": ("new-deck/", card_player.request_new_deck),
}
"""Player actions on a score card, available under a private link and under the card's own URL."""

PLAYER_URLS: list[URLPattern] = [
    path("my/<str:token>/match/", match.show_player_match, name="my_match"),
    path("my/<str:token>/app.webmanifest", cards_public.serve_player_manifest, name="my_web_app"),
    path("my/<str:token>/card/<str:card>/", card_player.show_player_card, name="my_card"),
    *[
        path(f"my/<str:token>/card/<str:card>/{at}", view, name=f"my_{act}")
        for act, (at, view) in PLAYER_ACTIONS.items()
    ],
    path("c/<str:card>/", card_player.show_card_on_shared_device, name="table_card"),
    *[path(f"c/<str:card>/{at}", view, name=f"table_{act}") for act, (at, view) in PLAYER_ACTIONS.items()],
]

CONSOLE_URLS: list[URLPattern] = [
    path("desk/new/paper/<slug:name>.svg", today_console.show_card_picture, name="ready_paper"),
    path("desk/<slug:tournament>/new-event/ready/", today_console.start_from_ready_made_event, name="ready_events"),
    path("desk/<slug:tournament>/new-event/former/", today_console.start_from_earlier_event, name="former_events"),
    path("second-laptop/file/", archive_public.take_over_from_file, name="take_over"),
    path("files/open/", archive_console.open_file, name="open_file"),
    path("files/<slug:token>/", archive_console.show_upload, name="upload"),
    path("desk/<slug:tournament>/documents/file/", archive_console.tournament_file, name="desk_file"),
    path("desk/<slug:tournament>/documents/file/download/", archive_console.download_file, name="desk_file_download"),
    path("desk/<slug:tournament>/documents/certificate/", seals_console.edit_certificate, name="desk_certificate"),
    path("desk/<slug:tournament>/log/file/", seals_console.download_log_file, name="desk_log_file"),
    path(f"{DESK_PREFIX}today/", today_console.show_today, name="desk_today"),
    path(f"{DESK_PREFIX}prints/", prints_console.request_printouts, name="desk_prints"),
    path(f"{DESK_PREFIX}settlement/", posting_console.show_settlement_at_desk, name="desk_settlement"),
    path(f"{DESK_PREFIX}settlement/print/", posting_console.print_settlement, name="desk_settlement_print"),
    path(f"{DESK_PREFIX}rules/", rulesheets_console.edit_rules, name="desk_rules"),
    path(f"{DESK_PREFIX}rulings/", disputes_console.list_rulings_at_desk, name="desk_rulings"),
    path(f"{DESK_PREFIX}rulings/open/", disputes_console.open_dispute_without_card, name="desk_open_ruling"),
    path(f"{DESK_PREFIX}rulings/table/", disputes_console.redirect_to_card_at_table, name="desk_call"),
    path(f"{DESK_PREFIX}rulings/committee/", disputes_console.edit_committee, name="desk_committee"),
    path(f"{DESK_PREFIX}rulings/<int:dispute>/", disputes_console.show_ruling_at_desk, name="desk_ruling"),
    path(f"{DESK_PREFIX}rulings/<int:dispute>/appeal/", disputes_console.appeal_ruling, name="desk_appeal"),
    path(f"{DESK_PREFIX}rulings/<int:dispute>/drop/", disputes_console.drop_dispute_at_desk, name="desk_drop_dispute"),
    path(
        f"{DESK_PREFIX}rulings/<int:dispute>/evidence/", disputes_console.add_evidence_at_desk, name="desk_add_evidence"
    ),
    path(
        f"{DESK_PREFIX}rulings/<int:dispute>/photo/<int:evidence>/",
        disputes_console.show_evidence_photo_at_desk,
        name="desk_evidence",
    ),
    path(f"{DESK_PREFIX}rulings/<int:dispute>/slip/", disputes_console.print_ruling_slip, name="desk_ruling_slip"),
    path(
        f"{DESK_PREFIX}rulings/<int:dispute>/refuse/",
        disputes_console.record_ruling_refusal_at_desk,
        name="desk_refuse_ruling",
    ),
    path(f"{DESK_PREFIX}rulings/names/", disputes_console.edit_name_visibility_in_register, name="desk_register_names"),
    path(f"{DESK_PREFIX}begin-round/", posting_console.begin_next_round, name="begin_round"),
    path(f"{DESK_PREFIX}start-play/", posting_console.start_play_at_desk, name="start_play"),
    path(f"{DESK_PREFIX}hand/", disputes_console.judge_hands_at_desk, name="desk_hands"),
    path(f"{DESK_PREFIX}rounds/", scorekeeping_console.redirect_to_scorekeeper_page, name="desk_rounds"),
    path(f"{DESK_PREFIX}whist/", scorekeeping_console.show_whist_game, name="desk_whist"),
    path(f"{DESK_PREFIX}whist/<int:game>/<int:number>/", scorekeeping_console.enter_whist_table, name="whist_table"),
    path(f"{DESK_PREFIX}worksheet/", scorekeeping_console.show_worksheet, name="desk_worksheet"),
    path(f"{DESK_PREFIX}worksheet/sums/", scorekeeping_console.preview_round_sums, name="worksheet_sums"),
    path(f"{DESK_PREFIX}worksheet/<int:line>/", scorekeeping_console.edit_round, name="worksheet_round"),
    path(f"{DESK_PREFIX}cards/", posting_console.list_cards, name="desk_cards"),
    path(f"{DESK_PREFIX}cards/enter/", paper.enter_paper_card_at_desk, name="desk_card"),
    path(f"{DESK_PREFIX}card-terms/", posting_console.edit_correction_terms, name="desk_card_terms"),
    path(f"{DESK_PREFIX}entries/", posting_console.list_staff_entries, name="desk_entries"),
    path(f"{DESK_PREFIX}entries/<int:entry>/", posting_console.decide_staff_entry, name="desk_entry_decide"),
    path(f"{DESK_PREFIX}time/", closing.call_time_for_games, name="desk_time"),
    path(
        f"{DESK_PREFIX}calls/<int:call>/answer/", posting_console.mark_director_call_answered, name="desk_answer_call"
    ),
    path(f"{DESK_PREFIX}cards/<str:token>/", card_console.show_card_at_desk, name="desk_card_lines"),
    path(f"{DESK_PREFIX}cards/<str:token>/ruling/", disputes_console.open_dispute_at_card, name="desk_card_dispute"),
    path(f"{DESK_PREFIX}cards/<str:token>/cut/", card_console.choose_scorekeeper_at_desk, name="desk_cut"),
    path(f"{DESK_PREFIX}cards/<str:token>/draw/", card_console.enter_draw_at_desk, name="desk_draw"),
    path(f"{DESK_PREFIX}cards/<str:token>/sign/", card_console.enter_signature, name="desk_sign"),
    path(f"{DESK_PREFIX}cards/<str:token>/settle/", card_console.settle_disputed_hand, name="desk_settle"),
    path(f"{DESK_PREFIX}cards/<str:token>/take/", card_console.accept_figures_at_desk, name="desk_take"),
    path(f"{DESK_PREFIX}cards/<str:token>/left/", card_console.close_game, name="desk_left"),
    path(f"{DESK_PREFIX}cards/<str:token>/reopen/", card_console.reopen_closed_game, name="desk_reopen"),
    path(f"{DESK_PREFIX}cards/<str:token>/totals/", card_console.edit_totals, name="desk_totals"),
    path(f"{DESK_PREFIX}cards/<str:token>/hand/<int:number>/", card_console.edit_hand, name="desk_hand"),
]

API_URLS: list[URLPattern] = [
    path("api/cards/<str:token>/", cards_api.serve_card_json, name="api_card"),
    path("api/cards/<str:token>/lines", cards_api.receive_line, name="api_lines"),
    path("api/cards/<str:token>/draws", cards_api.receive_draw, name="api_draws"),
    path("api/cards/<str:token>/signatures", cards_api.receive_signature, name="api_signatures"),
    path("api/cards/<str:token>/up-cards", cards_api.receive_up_card, name="api_up_cards"),
    path("api/cards/<str:token>/checks", cards_api.receive_hand_check, name="api_checks"),
    path("api/cards/<str:token>/kept", cards_api.receive_offline_hand, name="api_kept"),
    path("api/cards/<str:token>/kept/read", cards_api.preview_offline_hand, name="api_kept_read"),
]

urlpatterns = [*PUBLIC_URLS, *PLAYER_URLS, *CONSOLE_URLS, *API_URLS]
