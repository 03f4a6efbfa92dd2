//! Mails that end twice, events that tell what did not happen, and deliveries out of order.

use sqlx::PgPool;
use stagedoor::verify::Invariant::{EventsInOrder, EventsTellWhatHappened, MailsEndOnce};

use super::breaks;

broken! {
    a_mail_that_was_sent_and_given_up: MailsEndOnce,
        "update outbox set failed_at = now(), last_error = 'no'";
    a_secret_that_outlives_its_mail: MailsEndOnce, "update outbox set secret = 'a token'";
    an_event_of_what_did_not_happen: EventsTellWhatHappened,
        "insert into domain_events (id, subject_id, kind, payload)
         select gen_random_uuid(), subject_id, 'reservation.expired', '{}' from domain_events";
    a_payment_that_is_told_twice: EventsTellWhatHappened,
        "insert into domain_events (id, subject_id, kind, payload)
         select gen_random_uuid(), subject_id, kind, payload from domain_events";
    an_event_of_a_reservation_that_is_not_there: EventsTellWhatHappened,
        "insert into domain_events (id, subject_id, kind, payload)
         select gen_random_uuid(), gen_random_uuid(), 'reservation.held', payload from domain_events";
    a_sale_of_a_ticket_that_nobody_bought: EventsTellWhatHappened,
        "insert into domain_events (id, subject_id, kind, payload)
         select gen_random_uuid(), id, 'ticket.resold', '{}' from tickets where code = 'ADA'";
    a_ticket_that_changed_hands_less_often_than_is_told: EventsTellWhatHappened,
        "insert into domain_events (id, subject_id, kind, payload)
         select gen_random_uuid(), ticket_id, 'ticket.handed-over', '{}'
         from ticket_holder_changes cross join generate_series(1, 2)";
    a_delivery_that_was_made_and_given_up: EventsInOrder,
        "update webhook_deliveries set failed_at = now(), last_error = 'no'";
    a_later_event_that_went_before_an_earlier_one: EventsInOrder,
        "insert into domain_events (id, subject_id, kind, payload)
         select gen_random_uuid(), subject_id, 'reservation.held', '{}' from domain_events;
         insert into webhook_deliveries (endpoint_id, event_id, subject_id, position, attempts)
         select endpoint_id, e.id, e.subject_id, e.position, 1
         from webhook_deliveries d join domain_events e on e.kind = 'reservation.held';
         update webhook_deliveries set delivered_at = null where attempts = 1
             and position = (select min(position) from domain_events)";
}
