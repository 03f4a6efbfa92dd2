//! The URL table.

pub(crate) use crate::accounts::{log_in, roles::confirmation_pages, sessions, sign_up};
use crate::{
    accounts, admin, catalog, entry_queue, payment, rehearsal, reservation, tickets, wallet,
    web::{
        assets, health, language, metrics,
        path::{Path, at},
    },
};

/// Every path and what it answers to.
#[rustfmt::skip]
pub fn all() -> Vec<Path> {
    vec![
        at("/").get(catalog::pages::show_home),
        at("/programs/{slug}").get(catalog::pages::show_program),

        at("/programs/{slug}/queue").get(entry_queue::pages::show_queue).post(entry_queue::pages::create_token).delete(entry_queue::pages::delete_token),
        at("/programs/{slug}/queue/proof").get(entry_queue::pages::show_proof).post(entry_queue::pages::create_wait),
        at("/programs/{slug}/queue/departure").post(entry_queue::pages::delete_token),

        at("/signup").get(sign_up::pages::new_account).post(sign_up::pages::create_account).patient(),
        at("/login").get(log_in::pages::new_session).post(log_in::pages::create_session).patient(),
        at("/logout").post(log_in::pages::delete_session),
        at("/account/sessions").get(sessions::pages::list_sessions),
        at("/account/sessions/logout").post(sessions::pages::delete_others),
        at("/account/sessions/{id}/logout").post(sessions::pages::delete_one),
        at("/account/confirmation").get(confirmation_pages::new_confirmation).post(confirmation_pages::create_confirmation).patient(),
        at("/language").post(language::update_language),

        at("/schedules/{id}").get(reservation::pages::show_seat_map),
        at("/schedules/{id}/changes").get(reservation::pages::show_changes),
        at("/schedules/{id}/reservations").post(reservation::pages::create_hold),
        at("/reservations").get(reservation::pages::list_reservations),
        at("/reservations/{id}").get(reservation::pages::show_reservation),
        at("/reservations/{id}/renewal").post(reservation::pages::update_renewal),
        at("/reservations/{id}/payment").post(payment::pages::create_payment),
        at("/reservations/{id}/cancellation").post(payment::pages::create_cancellation),

        at("/tickets").get(tickets::pages::list_tickets),
        at("/tickets/{code}.ics").get(tickets::pages::show_calendar),
        at("/tickets/{code}.svg").get(tickets::pages::show_qr_code),
        at("/tickets/{code}").get(tickets::pages::show_ticket),

        at("/wallet").get(wallet::pages::show_wallet),
        at("/wallet/statement.csv").get(wallet::pages::show_statement),
        at("/wallet/charges").post(wallet::pages::create_charge),
        at("/wallet/transfers").post(wallet::pages::create_transfer),
        at("/wallet/transfers/{id}").get(wallet::pages::show_transfer),
        at("/wallet/transfers/{id}/acceptance").post(wallet::pages::create_acceptance),
        at("/wallet/transfers/{id}/rejection").post(wallet::pages::create_rejection),
        at("/wallet/transfers/{id}/cancellation").post(wallet::pages::create_cancellation),

        at("/door").get(admin::pages::door::list_evenings),
        at("/door/{schedule_id}").get(admin::pages::door::show_door),
        at("/door/{schedule_id}/check-ins").post(admin::pages::door::create_check_in),
        at("/door/{schedule_id}/check-ins/{ticket_id}/undoing").post(admin::pages::door::undo_check_in),

        at("/admin").get(admin::pages::home::show_home),
        at("/admin/programs").get(admin::pages::programs::list_programs).post(admin::pages::programs::create_program),
        at("/admin/programs/new").get(admin::pages::programs::new_program),
        at("/admin/programs/{id}").get(admin::pages::programs::show_program).post(admin::pages::programs::update_program),
        at("/admin/programs/{id}/publication").post(admin::pages::programs::create_publication),
        at("/admin/programs/{id}/schedules").post(admin::pages::schedules::create_schedule),
        at("/admin/programs/{id}/cancellation").get(admin::pages::cancellation::show_cancellation).post(admin::pages::cancellation::create_cancellation),
        at("/admin/programs/{id}/line").get(admin::pages::lines::show_line).post(admin::pages::lines::update_line),
        at("/admin/programs/{id}/line/guards").post(admin::pages::lines::update_guards),
        at("/admin/programs/{id}/line/pause").post(admin::pages::lines::create_pause),
        at("/admin/programs/{id}/line/resumption").post(admin::pages::lines::create_resumption),
        at("/admin/programs/{id}/line/admissions").post(admin::pages::lines::create_admission),
        at("/admin/programs/{id}/line/purge").post(admin::pages::lines::create_purge),
        at("/admin/programs/{id}/sales").get(admin::pages::sales::show_sales),
        at("/admin/programs/{id}/sales.csv").get(admin::pages::sales::download_sales),
        at("/admin/schedules/{id}").get(admin::pages::schedules::show_schedule).post(admin::pages::schedules::update_schedule),
        at("/admin/schedules/{id}/prices").post(admin::pages::schedules::update_prices),
        at("/admin/schedules/{id}/blocks").post(admin::pages::schedules::update_blocks),
        at("/admin/schedules/{id}/zones").post(admin::pages::schedules::create_zone),
        at("/admin/schedules/{id}/zones/{zone_id}").post(admin::pages::schedules::update_zone),
        at("/admin/venues").get(admin::pages::venues::list_all).post(admin::pages::venues::create_venue),
        at("/admin/venues/new").get(admin::pages::venues::new_venue),
        at("/admin/venues/{id}").get(admin::pages::venues::show_venue).post(admin::pages::venues::update_venue),
        at("/admin/venues/{id}/seats").post(admin::pages::venues::update_seats).uploads(accounts::admin_of),
        at("/admin/venues/{id}/seats/preview").post(admin::pages::venues::preview_seats).uploads(accounts::admin_of),
        at("/admin/people").get(admin::pages::people::list_people),
        at("/admin/people/{id}").get(admin::pages::people::show_person),
        at("/admin/people/{id}/lock").post(admin::pages::people::create_lock),
        at("/admin/people/{id}/unlock").post(admin::pages::people::delete_lock),
        at("/admin/people/{id}/role").post(admin::pages::people::update_role),
        at("/admin/people/{id}/adjustments").post(admin::pages::people::create_adjustment),
        at("/admin/reservations").get(admin::pages::reservations::list_bookings),
        at("/admin/reservations/{id}").get(admin::pages::reservations::show_booking),
        at("/admin/reservations/{id}/refund").post(admin::pages::reservations::create_refund),
        at("/admin/audit").get(admin::pages::audit::list_acts),
        at("/admin/audit.csv").get(admin::pages::audit::download_acts),

        at("/rehearsal/stages").post(rehearsal::pages::create_stage).patient(),
        at("/rehearsal/stages/{id}").delete(rehearsal::pages::delete_stage).patient(),
        at("/rehearsal/stages/{id}/people").post(rehearsal::pages::create_people).patient(),

        at("/healthz").get(health::show_health),
        at("/readyz").get(health::show_readiness),
        at("/metrics").get(metrics::show_metrics),
        at("/static/{version}/{name:.*}").get(assets::show_asset),
    ]
}
