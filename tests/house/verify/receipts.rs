//! Sale entries and receipts, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::ReceiptsAddUp;

use super::breaks;

broken! {
    a_payment_that_was_not_booked: ReceiptsAddUp,
        "update receipt_progress set booked_until = now()";
    a_number_that_no_receipt_has: ReceiptsAddUp,
        "update receipt_progress set next_number = 2";
    a_sale_entry_of_a_payment_of_other_points: ReceiptsAddUp,
        "update receipt_progress set numbered_from = now() + interval '1 hour';
         insert into sale_entries (id, kind, reference_id, payment_id, reservation_id, schedule_id, program_id,
             title, starts_at, time_zone, channel, at, points)
         select gen_random_uuid(), 'PAYMENT', payments.id, payments.id, r.id, r.schedule_id, r.program_id,
             'A show', now(), 'UTC', 'ONLINE', now(), amount - 1
         from payments join reservations r on r.id = reservation_id limit 1;
         insert into sale_entry_lines (entry_id, number, item_id, section, places, price)
         select id, 1, gen_random_uuid(), 'Stalls', 1, points from sale_entries";
    an_entry_whose_lines_are_others: ReceiptsAddUp,
        "update receipt_progress set numbered_from = now() + interval '1 hour';
         insert into sale_entries (id, kind, reference_id, payment_id, reservation_id, schedule_id, program_id,
             title, starts_at, time_zone, channel, at, points)
         select gen_random_uuid(), 'PAYMENT', payments.id, payments.id, r.id, r.schedule_id, r.program_id,
             'A show', now(), 'UTC', 'ONLINE', now(), amount
         from payments join reservations r on r.id = reservation_id limit 1";
}
