//! The URL table: every path with its handlers, one row for each path.

pub(crate) use crate::accounts::{
    log_in::{self, second_step},
    mail_choices, profile, recovery,
    roles::confirmation_pages,
    second_factor, sessions, sign_up,
};
use crate::{
    account_deletion, accounts,
    admin::{
        api_keys, attendees, audit_log, cancellation, charges, codes, mails, overview, people,
        popularity, programs, queue, reservations, sales, schedules, venues, webhooks,
    },
    catalog,
    entry_queue::{self, draw, log},
    payment::{
        self, checkout,
        shares::pages::{holder, link, new},
    },
    personal_data, rehearsal,
    reservation::{self, waiting_list},
    tickets::{self, check_in, hand_over, returns},
    wallet,
    web::{
        assets, health, metrics,
        path::{Path, at},
    },
};

/// Returns the table's rows.
#[rustfmt::skip]
pub fn all() -> Vec<Path> {
    let mut paths = vec![
        at("/").get(catalog::pages::show_home),
        at("/popular").get(catalog::popularity::pages::show_popular),
        at("/sitemap.xml").get(catalog::pages::sitemap::show_sitemap),
        at("/robots.txt").get(catalog::pages::sitemap::show_robots),
        at("/posters/{slug}/{version}.png").get(catalog::pages::picture::show_picture),
        at("/programs/{slug}").get(entry_queue::pages::show_program),
        at("/programs/{slug}/code-redemptions").post(reservation::pages::create_redemption),
    ];
    paths.extend(line_paths());
    paths.extend(account_paths());
    paths.extend(share_paths());
    paths.extend(ticket_paths());
    paths.extend(house_paths());
    paths.extend(integration_paths());
    paths.extend([
        at("/schedules/{id}").get(reservation::pages::show_seat_map),
        at("/schedules/{id}/changes").get(reservation::pages::show_changes),
        at("/schedules/{id}/price-types").get(reservation::pages::show_price_types),
        at("/schedules/{id}/code").post(reservation::pages::show_terms),
        at("/schedules/{id}/reservations").post(reservation::pages::create_hold),
        at("/schedules/{id}/waiting-list").get(waiting_list::pages::show_waiting_list).post(waiting_list::pages::create_wish),
        at("/wishes/{id}/cancellation").post(waiting_list::pages::cancel_wish),
        at("/reservations").get(reservation::pages::list_reservations),
        at("/reservations/{id}").get(reservation::pages::show_reservation),
        at("/reservations/{id}/renewal").post(reservation::pages::update_renewal),
        at("/reservations/{id}/payment").get(reservation::pages::show_payment).post(payment::pages::create_payment),
        at("/reservations/{id}/cancellation").post(payment::pages::create_cancellation),

        at("/wallet").get(wallet::pages::show_wallet),
        at("/wallet/statement.csv").get(wallet::statement::pages::show_statement),
        at("/wallet/charges").post(wallet::charges::pages::create_charge),
        at("/wallet/charges/{id}").get(checkout::pages::show_charge),
        at("/wallet/transfers")
            .get(wallet::transfers::list::pages::list_transfers)
            .post(wallet::transfers::pages::create_transfer),
        at("/wallet/transfers/{id}").get(wallet::transfers::pages::show_transfer),
        at("/wallet/transfers/{id}/acceptance").post(wallet::transfers::pages::create_acceptance),
        at("/wallet/transfers/{id}/rejection").post(wallet::transfers::pages::create_rejection),
        at("/wallet/transfers/{id}/cancellation").post(wallet::transfers::pages::create_cancellation),

        at("/door").get(check_in::pages::list_evenings),
        at("/door/{schedule_id}").get(check_in::pages::show_door),
        at("/door/{schedule_id}/guests").get(check_in::pages::guests::new_search).post(check_in::pages::guests::create_search),
        at("/door/{schedule_id}/check-ins").post(check_in::pages::create_check_in),
        at("/door/{schedule_id}/check-ins/{ticket_id}/undoing").post(check_in::pages::undo_check_in),

        at("/admin").get(overview::pages::show_home),
        at("/admin/programs").get(programs::pages::list_programs).post(programs::pages::create_program),
        at("/admin/programs/new").get(programs::pages::new_program),
        at("/admin/programs/{id}").get(programs::pages::show_program).post(programs::pages::update_program),
        at("/admin/programs/{id}/publication").get(programs::pages::publication::show_publication).post(programs::pages::publication::create_publication),
        at("/admin/programs/{id}/preview").get(programs::pages::preview::show_preview),
        at("/admin/programs/{id}/copies").post(programs::pages::copying::create_copy),
        at("/admin/programs/{id}/schedules").post(schedules::pages::create_schedule),
        at("/admin/programs/{id}/cancellation").get(cancellation::pages::show_cancellation).post(cancellation::pages::create_cancellation),
        at("/admin/programs/{id}/queue").get(queue::pages::show_queue).post(queue::pages::update_queue),
        at("/admin/programs/{id}/queue/guards").post(queue::pages::guards::update_guards),
        at("/admin/programs/{id}/queue/draw").post(queue::pages::draw::create_draw),
        at("/admin/programs/{id}/queue/draw/withdrawal").post(queue::pages::draw::delete_draw),
        at("/admin/programs/{id}/queue/draw/beacon-omission").post(queue::pages::draw::create_omission),
        at("/admin/programs/{id}/queue/pause").post(queue::pages::create_pause),
        at("/admin/programs/{id}/queue/resumption").post(queue::pages::create_resumption),
        at("/admin/programs/{id}/queue/admissions").post(queue::pages::create_admission),
        at("/admin/programs/{id}/queue/purge").post(queue::pages::purge::create_purge),
        at("/admin/programs/{id}/sales").get(sales::pages::show_sales),
        at("/admin/programs/{id}/sales.csv").get(sales::pages::download_sales),
        at("/admin/programs/{id}/codes").get(codes::pages::list_codes).post(codes::pages::create_codes),
        at("/admin/programs/{id}/codes.csv").get(codes::pages::download_codes),
        at("/admin/programs/{id}/codes/{code_id}/limit").post(codes::pages::update_limit),
        at("/admin/programs/{id}/codes/{code_id}/withdrawal").post(codes::pages::create_withdrawal),
        at("/admin/people").get(people::pages::list_people),
        at("/admin/people/{id}").get(people::pages::show_person),
        at("/admin/people/{id}/lock").post(people::pages::create_lock),
        at("/admin/people/{id}/unlock").post(people::pages::delete_lock),
        at("/admin/people/{id}/role").post(people::pages::update_role),
        at("/admin/people/{id}/second-factor/removal").post(people::pages::second_factor::delete_factor),
        at("/admin/people/{id}/adjustments").post(people::pages::adjustments::create_adjustment),
        at("/admin/people/{id}/debt-write-offs").post(people::pages::debts::create_write_off),
        at("/admin/reservations").get(reservations::pages::list_bookings),
        at("/admin/reservations/{id}").get(reservations::pages::show_booking),
        at("/admin/reservations/{id}/refund").post(reservations::pages::create_refund),
        at("/admin/charges").get(charges::pages::list_unclaimed),
        at("/admin/charges.csv").get(charges::pages::download_charges),
        at("/admin/popularity").get(popularity::pages::show_popularity),
        at("/admin/popularity/sell-outs").get(popularity::pages::show_sell_outs),
        at("/admin/mails").get(mails::pages::list_mails),
        at("/admin/mails/{id}").get(mails::pages::show_mail),
        at("/admin/mails/{id}/html").get(mails::pages::show_html),
        at("/admin/mails/{id}/sending").post(mails::pages::create_sending),
        at("/admin/audit").get(audit_log::pages::list_acts),
        at("/admin/audit.csv").get(audit_log::pages::download_acts),

        at("/rehearsal/stages").post(rehearsal::pages::create_stage).with_long_deadline(),
        at("/rehearsal/stages/{id}").delete(rehearsal::pages::delete_stage).with_long_deadline(),
        at("/rehearsal/stages/{id}/people").post(rehearsal::pages::create_people).with_long_deadline(),

        at("/webhooks/stripe").post(checkout::pages::webhook::create_event),

        at("/healthz").get(health::show_health),
        at("/readyz").get(health::show_readiness),
        at("/metrics").get(metrics::show_metrics),
        at("/static/{version}/{name:.*}").get(assets::show_asset),
    ]);
    paths
}

/// Returns the rows of a program's line: the queue, its draw and its logs.
#[rustfmt::skip]
fn line_paths() -> Vec<Path> {
    vec![
        at("/programs/{slug}/queue").get(entry_queue::pages::show_queue).post(entry_queue::pages::create_token).delete(entry_queue::pages::delete_token),
        at("/programs/{slug}/queue/new").get(entry_queue::pages::new_token),
        at("/programs/{slug}/queue/proof").get(entry_queue::pages::show_proof).post(entry_queue::pages::create_wait),
        at("/programs/{slug}/queue/notice").post(entry_queue::turn_notices::pages::create_notice).delete(entry_queue::turn_notices::pages::delete_notice),
        at("/programs/{slug}/queue/notice/withdrawal").post(entry_queue::turn_notices::pages::delete_notice),
        at("/programs/{slug}/queue/departure").post(entry_queue::pages::delete_token),
        at("/programs/{slug}/queue/receipt").get(log::pages::receipt::show_receipt),
        at("/programs/{slug}/queue/receipt.json").get(log::pages::receipt::download_receipt),
        at("/programs/{slug}/queue/receipt.svg").get(log::pages::receipt::show_qr_code),
        at("/programs/{slug}/draw").get(draw::pages::show_draw),
        at("/programs/{slug}/draw.json").get(draw::pages::download_draw),
        at("/programs/{slug}/draw/entries/{page}").get(draw::pages::show_entries),
        at("/programs/{slug}/draw/entry").get(draw::pages::show_entry).delete(draw::pages::delete_entry),
        at("/programs/{slug}/draw/entry.json").get(draw::pages::download_entry),
        at("/programs/{slug}/draw/entry/withdrawal").post(draw::pages::delete_entry),
        at("/programs/{slug}/log").get(log::pages::show_log),
        at("/programs/{slug}/log/checkpoint").get(log::pages::checkpoint::show_checkpoint),
        at("/programs/{slug}/log/checkpoint/cosigned").get(log::pages::checkpoint::show_cosigned),
        at("/programs/{slug}/log/tile/{path:.*}").get(log::pages::show_tile),
        at("/programs/{slug}/log/moves/checkpoint").get(log::pages::checkpoint::show_move_checkpoint),
        at("/programs/{slug}/log/moves/checkpoint/cosigned").get(log::pages::checkpoint::show_cosigned_moves),
        at("/programs/{slug}/log/moves/tile/{path:.*}").get(log::pages::show_move_tile),
    ]
}

/// Returns the rows of tickets, and of their ways from one holder to another.
#[rustfmt::skip]
fn ticket_paths() -> Vec<Path> {
    vec![
        at("/reservations/{id}/tickets").get(tickets::pages::bought::show_bought),
        at("/reservations/{id}/tickets.pdf").get(tickets::pages::downloads::show_reservation_pdf),
        at("/reservations/{id}/tickets-a4.pdf").get(tickets::pages::downloads::show_reservation_print),
        at("/reservations/{id}/tickets.ics").get(tickets::pages::downloads::show_reservation_calendar),
        at("/tickets").get(tickets::pages::list_tickets),
        at("/tickets/{code}.ics").get(tickets::pages::downloads::show_calendar),
        at("/tickets/{code}.pdf").get(tickets::pages::downloads::show_pdf),
        at("/tickets/{code}.svg").get(tickets::pages::downloads::show_qr_code),
        at("/tickets/{code}").get(tickets::pages::show_ticket),
        at("/tickets/{code}/hand-overs").post(hand_over::pages::create_hand_over),
        at("/tickets/{code}/returns").post(returns::pages::create_return),
        at("/returns/{id}").get(returns::pages::show_return),
        at("/returns/{id}/cancellation").post(returns::pages::create_cancellation),
        at("/hand-overs/{id}").get(hand_over::pages::show_hand_over),
        at("/hand-overs/{id}/acceptance").post(hand_over::pages::create_acceptance),
        at("/hand-overs/{id}/declining").post(hand_over::pages::create_declining),
        at("/hand-overs/{id}/cancellation").post(hand_over::pages::create_cancellation),
    ]
}

/// Returns the rows of paying together.
#[rustfmt::skip]
fn share_paths() -> Vec<Path> {
    vec![
        at("/reservations/{id}/shares").get(holder::show_shares).post(new::create_share),
        at("/reservations/{id}/shares/new").get(new::new_share),
        at("/reservations/{id}/shares/{share_id}/cancellation").post(holder::create_cancellation),
        at("/reservations/{id}/rest/payment").post(holder::create_rest_payment),
        at("/shares/{code}").get(link::show_share),
        at("/shares/{code}/payment").post(link::create_payment),
        at("/shares/{code}/withdrawal").post(link::create_withdrawal),
    ]
}

/// Returns the rows of signing up, logging in and one's own account.
#[rustfmt::skip]
fn account_paths() -> Vec<Path> {
    vec![
        at("/signup").get(sign_up::pages::new_account).post(sign_up::pages::create_account).with_long_deadline(),
        at("/login").get(log_in::pages::new_session).post(log_in::pages::create_session).with_long_deadline(),
        at("/login/code").get(second_step::pages::new_code).post(second_step::pages::create_session),
        at("/logout").post(log_in::pages::delete_session),
        at("/password/forgotten").get(recovery::pages::new_request).post(recovery::pages::create_request),
        at("/password/reset").get(recovery::pages::new_password).post(recovery::pages::create_password).with_long_deadline(),
        at("/address/confirmation").get(profile::address_pages::new_confirmation).post(profile::address_pages::create_confirmation),
        at("/mails/unsubscription").get(mail_choices::pages::new_unsubscription).post(mail_choices::pages::create_unsubscription),
        at("/account").get(profile::pages::show_account),
        at("/account/name").post(profile::pages::update_name),
        at("/account/address").post(profile::pages::update_address).with_long_deadline(),
        at("/account/address/confirmation").get(profile::address_pages::new_confirmation_mail).post(profile::address_pages::create_confirmation_mail),
        at("/account/password").post(profile::pages::update_password).with_long_deadline(),
        at("/account/deletion").get(account_deletion::pages::new_deletion).post(account_deletion::pages::create_deletion),
        at("/account/mails").post(mail_choices::pages::update_choices),
        at("/account/data.json").get(personal_data::pages::download_data),
        at("/account/sessions").get(sessions::pages::list_sessions),
        at("/account/sessions/logout").post(sessions::pages::delete_others),
        at("/account/sessions/{id}/logout").post(sessions::pages::delete_one),
        at("/account/confirmation").get(confirmation_pages::new_confirmation).post(confirmation_pages::create_confirmation).with_long_deadline(),
        at("/account/confirmation/code").get(confirmation_pages::new_code_confirmation).post(confirmation_pages::create_code_confirmation).with_long_deadline(),
        at("/account/second-factor").get(second_factor::pages::show_factor).post(second_factor::pages::create_factor),
        at("/account/second-factor/recovery-codes").post(second_factor::pages::create_codes),
        at("/account/second-factor/removal").post(second_factor::pages::delete_factor),
        at("/language").post(accounts::pages::update_language),
    ]
}

/// Returns the paths of webhooks and of the keys of programs.
#[rustfmt::skip]
fn integration_paths() -> Vec<Path> {
    vec![
        at("/admin/webhooks").get(webhooks::pages::list_webhooks).post(webhooks::pages::create_webhook),
        at("/admin/webhooks/{id}").get(webhooks::pages::show_webhook),
        at("/admin/webhooks/{id}/secret").post(webhooks::pages::create_secret),
        at("/admin/webhooks/{id}/pause").post(webhooks::pages::create_pause),
        at("/admin/webhooks/{id}/resumption").post(webhooks::pages::create_resumption),
        at("/admin/webhooks/{id}/deletion").post(webhooks::pages::create_deletion),
        at("/admin/webhooks/{id}/replays").post(webhooks::pages::create_replays),
        at("/admin/webhooks/{id}/deliveries/{event_id}/replay").post(webhooks::pages::create_replay),
        at("/admin/api-keys").get(api_keys::pages::list_keys).post(api_keys::pages::create_key),
        at("/admin/api-keys/{id}/revocation").post(api_keys::pages::create_revocation),
    ]
}

/// Returns the rows of performances and venues, as administrators edit them.
#[rustfmt::skip]
fn house_paths() -> Vec<Path> {
    vec![
        at("/admin/schedules/{id}").get(schedules::pages::show_schedule).post(schedules::pages::update_schedule),
        at("/admin/schedules/{id}/attendees").get(attendees::pages::list_attendees),
        at("/admin/schedules/{id}/attendees/sheet").get(attendees::pages::show_sheet),
        at("/admin/schedules/{id}/attendees.csv").get(attendees::pages::download_attendees),
        at("/admin/schedules/{id}/cancellation").get(cancellation::schedule_pages::show_schedule_cancellation).post(cancellation::schedule_pages::create_schedule_cancellation),
        at("/admin/schedules/{id}/deletion").post(schedules::pages::create_deletion),
        at("/admin/schedules/{id}/kept-places").post(schedules::pages::update_kept_places),
        at("/admin/schedules/{id}/prices").post(schedules::pages::update_prices),
        at("/admin/schedules/{id}/price-types").get(schedules::pages::price_types::show_price_types).post(schedules::pages::price_types::create_price_type),
        at("/admin/schedules/{id}/price-types/copies").post(schedules::pages::price_types::copy_price_types),
        at("/admin/schedules/{id}/price-types/{type_id}").post(schedules::pages::price_types::update_price_type),
        at("/admin/schedules/{id}/price-types/{type_id}/withdrawal").post(schedules::pages::price_types::withdraw_price_type),
        at("/admin/schedules/{id}/hidden-sections").post(schedules::pages::hidden::update_hidden),
        at("/admin/schedules/{id}/blocks").post(schedules::pages::update_blocks),
        at("/admin/schedules/{id}/zones").post(schedules::pages::create_zone),
        at("/admin/schedules/{id}/zones/{zone_id}").post(schedules::pages::update_zone),
        at("/admin/venues").get(venues::pages::list_all).post(venues::pages::create_venue),
        at("/admin/venues/new").get(venues::pages::new_venue),
        at("/admin/venues/{id}").get(venues::pages::show_venue).post(venues::pages::update_venue),
        at("/admin/venues/{id}/deletion").post(venues::pages::create_deletion),
        at("/admin/venues/{id}/seats").post(venues::pages::update_seats).uploads(accounts::admin_of),
        at("/admin/venues/{id}/seats.csv").get(venues::pages::show_seats),
        at("/admin/venues/{id}/seats/preview").post(venues::pages::preview_seats).uploads(accounts::admin_of),
    ]
}
