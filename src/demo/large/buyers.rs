//! One program of the large office, with the accounts that bought from it.
//!
//! Each account was admitted once and made two orders, one after the other, for the same
//! performance. Most were paid; some of the first were cancelled, expired or refunded later.

use std::ops::Range;

use uuid::Uuid;

use super::{
    orders::{HOLD_SECS, OrderOutcome, PAID_SECS, ROWS, SEATS_A_ROW, code, price, seats_of},
    rows::{At, Rows, id},
};
use crate::demo::store::copy::Table;

/// Seats of each hall.
pub(crate) const SEATS: u64 = SECTIONS * ROWS * SEATS_A_ROW;
const SECTIONS: u64 = 4;
/// Accounts that bought seats of one performance.
pub(crate) const BUYERS: u64 = 100;
/// Orders of each account.
pub(crate) const ORDERS: u64 = 2;
/// Distance between the first seats of two orders; an order that takes fewer seats leaves the rest
/// free.
const SEATS_APART: u64 = SEATS / (BUYERS * ORDERS);
/// Points charged by each account: more than any of them spends.
const CHARGED: i64 = 1_000_000;
/// Upper bound of the entries of a wallet.
const ENTRIES_MAX: u64 = 8;
/// Default of a program's upper bound of live places per account.
const PLACES_MAX: i32 = 8;
/// Null in the text format of COPY.
const NULL: &str = "\\N";
/// Distance between the row numbers of two programs.
const ROWS_A_PROGRAM: u64 = 1_000_000_000;

const DAY_SECS: i64 = 86_400;
/// Days from the opening of the sale to today.
const SALE_DAYS: i64 = 30;
/// Time from the last admission to today, in seconds.
const QUIET_SECS: i64 = 3_600;
/// Start of a performance, in seconds after midnight UTC: 19:30 in Seoul.
const CURTAIN_SECS: i64 = 37_800;
const STAY_SECS: i64 = 600;
/// Times of the two orders, in seconds after the admission.
const FIRST_SECS: i64 = 60;
const SECOND_SECS: i64 = 400;

/// Program whose rows are written.
#[derive(Debug)]
pub(crate) struct ProgramRows<'a> {
    /// Number of the program, from 0.
    pub nth: u64,
    pub performances: u64,
    pub(crate) midnight_ms: i64,
    pub password_hash: &'a str,
    /// One id for each seat of the hall.
    pub seat_ids: Vec<i64>,
    /// One id for each seat of each performance.
    pub(crate) schedule_seat_ids: Vec<i64>,
}

/// Wallet of an account while its rows are written.
struct WalletRows {
    wallet_id: Uuid,
    /// Number of its first entry, apart from the entries of other wallets.
    first_entry: u64,
    version: i64,
    balance: i64,
}

impl ProgramRows<'_> {
    /// Adds all rows of the program.
    pub(crate) fn write(&self, rows: &mut Rows) {
        let (nth, opens) = (self.nth + 1, self.opens());
        let (venue_id, program_id) = (self.id(Table::Venues, 0), self.program_id());
        rows.add(Table::Venues, format_args!("{venue_id}\tSeason Hall {nth}\tSeoul"));
        self.write_seats(rows, venue_id);
        let closes = At(self.midnight_ms).plus(DAY_SECS * (day_of(self.performances) + 1));
        rows.add(
            Table::Programs,
            format_args!(
                "{program_id}\tseason-{nth}\tSeason {nth} 시즌\tPUBLISHED\t{opens}\t{closes}\t{opens}"
            ),
        );
        let buyers = self.performances * BUYERS;
        rows.add(Table::QueueNumbers, format_args!("{program_id}\t{}", buyers + 1));
        rows.add(Table::QueueGates, format_args!("{program_id}"));
        for performance in 0..self.performances {
            let starts = self.starts(performance);
            let schedule_id = self.id(Table::Schedules, performance);
            rows.add(
                Table::Schedules,
                format_args!("{schedule_id}\t{program_id}\t{venue_id}\t{starts}"),
            );
            self.write_schedule_seats(rows, performance, schedule_id);
        }
        for buyer in 0..buyers {
            self.write_buyer(rows, buyer);
        }
    }

    fn write_seats(&self, rows: &mut Rows, venue_id: Uuid) {
        for (place, seat_id) in (0..).zip(&self.seat_ids) {
            let (row, x) = (place / SEATS_A_ROW, place % SEATS_A_ROW);
            let (section, row_in_section) = (row / ROWS + 1, row % ROWS + 1);
            // Each section ends with an aisle.
            let y = row + row / ROWS;
            rows.add(
                Table::Seats,
                format_args!(
                    "{seat_id}\t{venue_id}\tBlock {section}\t{row_in_section}\t{}\t{x}\t{y}",
                    x + 1
                ),
            );
        }
    }

    fn write_schedule_seats(&self, rows: &mut Rows, performance: u64, schedule_id: Uuid) {
        for (place, seat_id) in (0..).zip(&self.seat_ids) {
            let id = self.schedule_seat_id(performance, place);
            let (slot, of_slot) = (place / SEATS_APART, place % SEATS_APART);
            let (buyer, order) = (performance * BUYERS + slot / ORDERS, slot % ORDERS);
            let is_sold = of_slot < seats_of(buyer, order)
                && OrderOutcome::of(buyer, order) == OrderOutcome::Confirmed;
            let (status, version) = if is_sold { ("RESERVED", 2) } else { ("AVAILABLE", 0) };
            let price = price(place);
            rows.add(
                Table::ScheduleSeats,
                format_args!("{id}\t{schedule_id}\t{seat_id}\t{price}\t{status}\t{version}"),
            );
        }
    }

    /// Adds the rows of a buyer: account, admission, charge and two orders.
    fn write_buyer(&self, rows: &mut Rows, buyer: u64) {
        let (admitted_at, number) = (self.admitted_at(buyer), self.row_number(buyer) + 1);
        let account_id = self.id(Table::Accounts, buyer);
        let (name, hash) = (format!("visitor-{}-{}", self.nth + 1, buyer + 1), self.password_hash);
        rows.add(
            Table::Accounts,
            format_args!(
                "{account_id}\t{name}@stagedoor.example\tVisitor {number}\t{hash}\t{admitted_at}"
            ),
        );
        let program_id = self.program_id();
        let (stay_ends, done) =
            (admitted_at.plus(STAY_SECS), admitted_at.plus(SECOND_SECS + PAID_SECS));
        let expires = admitted_at.plus(SECOND_SECS + HOLD_SECS);
        rows.add(
            Table::QueueTokens,
            format_args!(
                "{}\t{program_id}\t{account_id}\t{}\tCOMPLETED\t{admitted_at}\t{admitted_at}\t{stay_ends}\t{expires}\t{done}",
                self.id(Table::QueueTokens, buyer),
                buyer + 1,
            ),
        );
        let wallet_id = self.id(Table::Wallets, buyer);
        let first_entry = self.row_number(buyer * ENTRIES_MAX);
        let mut wallet = WalletRows { wallet_id, first_entry, version: 0, balance: 0 };
        Self::write_entry(
            rows,
            &mut wallet,
            ("CHARGE", CHARGED),
            self.id(Table::HouseEntries, buyer),
            admitted_at,
        );
        for order in 0..ORDERS {
            self.write_order(rows, &mut wallet, buyer, order);
        }
        let WalletRows { version, balance, .. } = wallet;
        rows.add(Table::Wallets, format_args!("{wallet_id}\t{account_id}\t{balance}\t{version}"));
    }

    fn write_order(&self, rows: &mut Rows, wallet: &mut WalletRows, buyer: u64, order: u64) {
        let (outcome, performance) = (OrderOutcome::of(buyer, order), buyer / BUYERS);
        let made = self.admitted_at(buyer).plus(if order == 0 { FIRST_SECS } else { SECOND_SECS });
        let (paid, settled) = (made.plus(PAID_SECS), made.plus(outcome.settled_after_secs()));
        let nth = buyer * ORDERS + order;
        let id_of = |table| id(table, made, self.row_number(nth));
        let (reservation_id, payment_id) = (id_of(Table::Reservations), id_of(Table::Payments));
        let account_id = self.id(Table::Accounts, buyer);
        let schedule_id = self.id(Table::Schedules, performance);
        let confirmed = match outcome {
            OrderOutcome::Confirmed | OrderOutcome::Refunded => paid.to_string(),
            OrderOutcome::Cancelled | OrderOutcome::Expired => NULL.to_owned(),
        };
        let total: i64 = places_of(buyer, order).map(price).sum();
        rows.add(
            Table::Reservations,
            format_args!(
                "{reservation_id}\t{account_id}\t{}\t{}\t{}\t{total}\t{}\t{HOLD_SECS}\t{}\t100\t{PLACES_MAX}\t{confirmed}\t{settled}\t{}\t{made}",
                schedule_id,
                self.program_id(),
                outcome.as_ref(),
                made.plus(HOLD_SECS),
                self.starts(performance).plus(-DAY_SECS),
                if outcome == OrderOutcome::Refunded { 2 } else { 1 },
            ),
        );
        self.write_items(rows, buyer, order, (reservation_id, made));
        let Some((status, version)) = outcome.payment() else { return };
        rows.add(
            Table::Payments,
            format_args!(
                "{payment_id}\t{reservation_id}\t{account_id}\t{total}\t{status}\t{version}\t{paid}"
            ),
        );
        Self::write_entry(rows, wallet, ("PAYMENT", -total), payment_id, paid);
        if outcome == OrderOutcome::Refunded {
            Self::write_entry(rows, wallet, ("REFUND", total), payment_id, settled);
        }
    }

    /// Adds the items of an order, and their tickets if it was paid.
    fn write_items(
        &self,
        rows: &mut Rows,
        buyer: u64,
        order: u64,
        (reservation_id, made): (Uuid, At),
    ) {
        let (outcome, performance) = (OrderOutcome::of(buyer, order), buyer / BUYERS);
        let account_id = self.id(Table::Accounts, buyer);
        let schedule_id = self.id(Table::Schedules, performance);
        let live = if outcome == OrderOutcome::Confirmed { 't' } else { 'f' };
        let paid = made.plus(PAID_SECS);
        for place in places_of(buyer, order) {
            let nth_item = self.row_number(performance * SEATS + place);
            let item_id = id(Table::ReservationItems, made, nth_item);
            let (seat, price) = (self.schedule_seat_id(performance, place), price(place));
            rows.add(
                Table::ReservationItems,
                format_args!("{item_id}\t{reservation_id}\t{schedule_id}\t{seat}\t{price}\t{live}"),
            );
            if let Some(status) = outcome.ticket_status() {
                let (ticket_id, code) = (id(Table::Tickets, paid, nth_item), code(nth_item));
                rows.add(
                    Table::Tickets,
                    format_args!(
                        "{ticket_id}\t{item_id}\t1\t1\t{account_id}\t{code}\t{status}\t{paid}"
                    ),
                );
            }
        }
    }

    /// Adds a movement of points as the next entry of the wallet's history.
    fn write_entry(
        rows: &mut Rows,
        wallet: &mut WalletRows,
        (kind, amount): (&str, i64),
        reference_id: Uuid,
        at: At,
    ) {
        wallet.version += 1;
        wallet.balance += amount;
        let WalletRows { wallet_id, first_entry, version, balance } = wallet;
        let entry_id = id(Table::PointTransactions, at, *first_entry + version.unsigned_abs());
        rows.add(
            Table::PointTransactions,
            format_args!(
                "{entry_id}\t{wallet_id}\t{version}\t{kind}\t{amount}\t{balance}\t{reference_id}\t{at}"
            ),
        );
        rows.add(Table::HouseEntries, format_args!("{wallet_id}\t{version}\t{}\t{at}", -amount));
    }

    fn opens(&self) -> At {
        At(self.midnight_ms).plus(-DAY_SECS * SALE_DAYS)
    }

    /// Returns when the nth of all buyers was admitted: one after the other, from the opening of
    /// the sale on.
    fn admitted_at(&self, buyer: u64) -> At {
        let buyers = i64::try_from(self.performances * BUYERS).unwrap_or(i64::MAX);
        let buyer = i64::try_from(buyer).unwrap_or(i64::MAX);
        At(self.opens().0 + (DAY_SECS * SALE_DAYS - QUIET_SECS) * 1_000 * buyer / buyers)
    }

    fn starts(&self, performance: u64) -> At {
        At(self.midnight_ms).plus(day_of(performance) * DAY_SECS + CURTAIN_SECS)
    }

    fn program_id(&self) -> Uuid {
        self.id(Table::Programs, 0)
    }

    /// Returns the number of this program's nth row among the rows of all programs.
    fn row_number(&self, nth: u64) -> u64 {
        self.nth * ROWS_A_PROGRAM + nth
    }

    fn id(&self, table: Table, nth: u64) -> Uuid {
        id(table, self.opens(), self.row_number(nth))
    }

    fn schedule_seat_id(&self, performance: u64, place: u64) -> i64 {
        let nth = usize::try_from(performance * SEATS + place).unwrap_or(usize::MAX);
        self.schedule_seat_ids.get(nth).copied().unwrap_or_default()
    }
}

/// Returns the day of the nth performance, in days from today.
fn day_of(performance: u64) -> i64 {
    i64::try_from(performance).unwrap_or(i64::MAX) + 2
}

/// Returns the places of the seats of an order.
fn places_of(buyer: u64, order: u64) -> Range<u64> {
    let first = (buyer % BUYERS * ORDERS + order) * SEATS_APART;
    first..first + seats_of(buyer, order)
}
