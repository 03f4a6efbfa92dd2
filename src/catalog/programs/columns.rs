//! Columns of a program that its form edits: one table, which the type, the statements of
//! [`store`](super::store) and the usual values are made from.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::refund_terms::RefundTerms;

/// Passes the columns to the macro `$take`. A row has the field, the column of the same name, the type, and
/// the value of a new program. A column that the form edits needs its row here, a migration, and a row in the
/// table of the form.
macro_rules! program_columns {
    ($take:ident) => {
        $take! {
            /// Name in addresses; empty for a draft that is to get one of its title.
            slug "slug": String = String::new();
            /// Title.
            title "title": String = String::new();
            /// Description.
            description "description": String = String::new();
            /// Opening of the sale.
            on_sale_at "on_sale_at": DateTime<Utc> = DateTime::UNIX_EPOCH;
            /// Closing of the sale; later than its opening.
            off_sale_at "off_sale_at": DateTime<Utc> = DateTime::UNIX_EPOCH;
            /// Accounts admitted at once; `None`: no queue.
            queue_capacity "queue_capacity": Option<i32> = None;
            /// Accounts admitted per second; `None`: as many as there is capacity for.
            queue_rate_per_second "queue_rate_per_second": Option<i32> = None;
            /// Length of a stay, in seconds.
            stay_secs "stay_secs": i32 = 600;
            /// Length of a hold, in seconds.
            hold_ttl_secs "hold_ttl_secs": i32 = 300;
            /// Bound on live seats and places of one account.
            places_per_account_max "places_per_account_max": i32 = 8;
            /// Seats or places that an order has at least.
            places_per_order_min "places_per_order_min": i32 = 1;
            /// Whether orders that leave a single seat free are refused.
            no_single_seats "no_single_seats": bool = false;
            /// Length of an offer of a waiting list, in minutes.
            offer_mins "offer_mins": i32 = 15;
            /// Refund deadline, in hours before the start.
            refund_until_hours "refund_until_hours": i32 = 24;
            /// Share refunded, in percent (0-100).
            refund_percent "refund_percent": i32 = 100;
            /// Steps of the refund, beside which the two fields above say the first; left out where they say all.
            #[serde(skip_serializing_if = "RefundTerms::are_one_line")]
            refund_terms "refund_terms": RefundTerms = RefundTerms::default();
            /// Share of a place that is sold on that the program keeps, in percent (0-100).
            return_fee_percent "return_fee_percent": i32 = 0;
            /// Points that a ticket is worth less in an exchange for other places; `None`: staff alone exchange tickets.
            exchange_fee "exchange_fee": Option<i32> = None;
            /// Deadline of an exchange, in hours before the start.
            exchange_until_hours "exchange_until_hours": i32 = 24;
            /// Length of a performance with its intervals, in minutes; `None`: not said.
            running_mins "running_mins": Option<i32> = None;
            /// Time before the start at which the doors open for guests, in minutes; `None`: not said.
            doors_before_mins "doors_before_mins": Option<i32> = None;
            /// Age from which on people may come, in years; `None`: not said.
            age_min "age_min": Option<i32> = None;
        }
    };
}
pub(super) use program_columns;

macro_rules! details {
    ($( $(#[$doc:meta])* $name:ident $column:tt: $type:ty = $usual:expr; )*) => {
        /// Fields of a program's form.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
        pub struct ProgramDetails {
            $( $(#[$doc])* pub $name: $type, )*
        }

        /// Usual values of a new program, without names and times.
        impl Default for ProgramDetails {
            fn default() -> Self {
                Self { $( $name: $usual, )* }
            }
        }
    };
}

program_columns!(details);
