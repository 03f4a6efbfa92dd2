//! Daily sales, broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::SalesAreCounted;

use super::breaks;

broken! {
    a_booking_that_was_not_counted: SalesAreCounted,
        "update daily_sales_progress set counted_until = now()";
    a_booking_that_nobody_made: SalesAreCounted,
        "insert into daily_sales select current_date, id, program_id, 1, 0, 1 from schedules limit 1";
}
