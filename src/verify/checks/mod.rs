//! Table of the invariants, with the statements that check them.
//!
//! Each statement has a file of its own here. It reads whole tables and returns the rows that break
//! its invariant, at most `$1` of them. None writes.

use std::fmt;

use super::repeated_reads::{READS, list_lasting};
use crate::infra::postgres::Connection;

/// Upper bound of reported failures of one check; one more only says that there are more.
pub const FAILURES_MAX: usize = 50;
/// Row limit of a statement: one more than is reported, to detect that there are more.
const ROWS_MAX: i64 = 51;

/// Makes [`Invariant`] and the functions that run its checks. A row is `CODE Name`, then the files
/// that are read in one snapshot, then after `late` the files that list rows that should have ended.
macro_rules! invariants {
    ($(
        $(#[$doc:meta])*
        $code:ident $name:ident $([$($file:literal),+])? $(late [$($late_file:literal),+])?;
    )+) => {
        /// Condition that must hold at every moment; docs/INVARIANTS.md explains each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Invariant {
            $($(#[$doc])* $name,)+
        }

        /// Number of invariants.
        pub(super) const INVARIANTS: usize = [$(stringify!($code)),+].len();

        impl fmt::Display for Invariant {
            /// Writes the code, as in reports and in docs/INVARIANTS.md.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$name => stringify!($code),)+
                })
            }
        }

        /// Lists the rows that break an invariant in the snapshot of `tx`.
        pub(super) async fn list_broken(
            tx: &mut Connection,
        ) -> Result<Vec<Violation>, sqlx::Error> {
            let mut violations = Vec::new();
            $($($(
                let check = sqlx::query_file_as!(CheckFailure, $file, ROWS_MAX);
                let failures = check.fetch_all(&mut *tx).await?;
                violations.extend(Violation::list(Invariant::$name, failures));
            )+)?)+
            Ok(violations)
        }

        /// Lists the rows that should have ended and are there at each of several reads. Workers end
        /// the oldest first, so a backlog that shrinks shows other rows at each read.
        pub(super) async fn list_late(
            db: &mut Connection,
        ) -> Result<Vec<Violation>, sqlx::Error> {
            let mut violations = Vec::new();
            $($($(
                let failures = list_lasting(READS, async || {
                    sqlx::query_file_as!(CheckFailure, $late_file, ROWS_MAX)
                        .fetch_all(&mut *db)
                        .await
                });
                violations.extend(Violation::list(Invariant::$name, failures.await?));
            )+)?)+
            Ok(violations)
        }
    };
}

invariants! {
    /// A wallet's balance and pending points are the sums of its changes.
    W1 WalletsSumUp ["src/verify/checks/wrong_wallet_sums.sql"];
    /// A wallet's history is a chain without a gap.
    W2 HistoryIsAChain [
        "src/verify/checks/broken_histories.sql",
        "src/verify/checks/wrong_wallet_versions.sql"
    ];
    /// Points are conserved.
    W3 PointsAreConserved ["src/verify/checks/lost_points.sql"];
    /// A transfer's entries fit its status.
    W4 TransfersMatchEntries [
        "src/verify/checks/wrong_transfer_entries.sql",
        "src/verify/checks/entries_without_transfer.sql"
    ];
    /// No transfer request stays open long after its end.
    W5 TransfersEnd late ["src/verify/checks/overdue_transfers.sql"];
    /// A charge at the payment provider is credited exactly once, when it is settled.
    C1 ChargesAreCreditedOnce [
        "src/verify/checks/wrong_charges.sql",
        "src/verify/checks/purchases_without_charge.sql",
        "src/verify/checks/living_unclaimed.sql"
    ];
    /// Points whose money was returned were taken back, are owed, or were written off by an act.
    C2 ReversalsAreBooked [
        "src/verify/checks/wrong_reversals.sql",
        "src/verify/checks/reversals_without_cause.sql",
        "src/verify/checks/wrong_debts.sql",
        "src/verify/checks/wrong_write_offs.sql"
    ];
    /// No transfer waits for points that are owed.
    C3 DebtorsOfferNothing ["src/verify/checks/pledging_debtors.sql"];
    /// Money that goes back has taken its points once, and comes from what is left of its charge.
    C4 PayoutsAreBooked [
        "src/verify/checks/wrong_payouts.sql",
        "src/verify/checks/entries_without_payout.sql"
    ];
    /// No seat is in two live items.
    S1 SeatIsLiveOnce ["src/verify/checks/double_seats.sql"];
    /// Items, reservations and seats agree on the taken places.
    S2 SeatsAgreeWithItems [
        "src/verify/checks/wrong_live_items.sql",
        "src/verify/checks/wrong_seat_statuses.sql"
    ];
    /// A hold ends at the time fixed when it was made or renewed, and later by all time that was given meanwhile.
    S3 HoldEndIsFixed [
        "src/verify/checks/wrong_hold_ends.sql",
        "src/verify/checks/wrong_given_times.sql",
        "src/verify/checks/holds_ended_at_stopped_clocks.sql"
    ]
        late ["src/verify/checks/overdue_holds.sql"];
    /// A confirmed reservation was paid in time, and its total is that of its items less the discount.
    S4 ConfirmedAddsUp [
        "src/verify/checks/late_payments.sql",
        "src/verify/checks/wrong_reservation_totals.sql"
    ];
    /// The places missing from a zone are the places of its live items.
    S5 ZonesAgreeWithItems ["src/verify/checks/wrong_zone_remainders.sql"];
    /// Companions' places are held with their wheelchair places, and seats have the kinds of the plan.
    S6 CompanionsComeWithWheelchairs [
        "src/verify/checks/lone_companions.sql",
        "src/verify/checks/wrong_seat_kinds.sql"
    ];
    /// Freed places are offered in the order of the waiting list, and only to wishes that they fit.
    S7 WishesAreServedInOrder [
        "src/verify/checks/wrong_waiting_lists.sql",
        "src/verify/checks/wrong_offers.sql",
        "src/verify/checks/passed_wishes.sql"
    ] late ["src/verify/checks/overdue_wishes.sql"];
    /// Places of a price type cost as its terms say, and orders keep to its limits.
    S8 PriceTypesAreKept [
        "src/verify/checks/wrong_typed_prices.sql",
        "src/verify/checks/wrong_typed_orders.sql"
    ];
    /// A live order keeps the rules by which it was made, after any part of it has left.
    O1 OrdersKeepTheirRules ["src/verify/checks/broken_orders.sql"];
    /// A confirmed reservation is paid exactly once.
    P1 ConfirmedIsPaidOnce [
        "src/verify/checks/wrong_payments.sql",
        "src/verify/checks/wrong_debits.sql",
        "src/verify/checks/wrong_refunds.sql"
    ];
    /// A paid reservation has one ticket for each place, with its last recipient.
    P2 PaidHasTickets ["src/verify/checks/wrong_tickets.sql"];
    /// No payment entry exists without its payment, and no ticket without its item.
    P3 NoPaymentStandsAlone [
        "src/verify/checks/entries_without_payment.sql",
        "src/verify/checks/tickets_without_item.sql"
    ];
    /// The outcome kept under a request key exists.
    P4 RequestKeysHold ["src/verify/checks/wrong_request_outcomes.sql"];
    /// Tickets change hands by accepted hand-overs only, each time with a new code.
    P5 TicketsFollowHandOvers [
        "src/verify/checks/wrong_hand_overs.sql",
        "src/verify/checks/broken_holder_histories.sql",
        "src/verify/checks/codes_used_again.sql"
    ] late ["src/verify/checks/overdue_hand_overs.sql"];
    /// Shares divide their reservation, and their points are withheld, spent or given back.
    P6 SharesAddUp [
        "src/verify/checks/wrong_shares.sql",
        "src/verify/checks/wrong_share_entries.sql",
        "src/verify/checks/entries_without_share.sql"
    ] late ["src/verify/checks/overdue_shares.sql"];
    /// A place on return is bought once, at the price that was paid, and its seller is paid then.
    P7 ReturnsAreSoldOnce [
        "src/verify/checks/wrong_returns.sql",
        "src/verify/checks/wrong_items_sold.sql",
        "src/verify/checks/wrong_sold_now.sql",
        "src/verify/checks/wrong_resales.sql"
    ] late ["src/verify/checks/overdue_returns.sql"];
    /// An exchange gives its tickets and confirms its order at once, for what the tickets are worth.
    P8 ExchangesAreWhole ["src/verify/checks/wrong_exchanges.sql"];
    /// The buyer of a place on return pays the price that its seller gets a payout for.
    O2 ReturnsKeepTheirPrice ["src/verify/checks/cheapened_returns.sql"];
    /// A code is used as often as it may be, by reservations with the discount that it gives.
    K1 CodesAreUsedWithinLimits [
        "src/verify/checks/wrong_code_uses.sql",
        "src/verify/checks/wrong_discounts.sql"
    ];
    /// Hidden places are held only by accounts to which a code has opened them.
    K2 HiddenIsHeldByTheInvited [
        "src/verify/checks/unopened_holds.sql",
        "src/verify/checks/shown_parts_of_hidden_sections.sql"
    ];
    /// Access gates admit only accounts that redeemed a code of them.
    K3 GatesAdmitTheInvited ["src/verify/checks/uninvited_at_gates.sql"];
    /// A program's queue numbers are 1..N.
    Q1 NumbersAreWhole ["src/verify/checks/wrong_queue_numbers.sql"];
    /// The queue in Redis equals the queue in PostgreSQL.
    Q2 RedisAgrees;
    /// Admissions never exceed the capacity.
    Q3 CapacityHolds [
        "src/verify/checks/admissions_over_capacity.sql",
        "src/verify/checks/crowded_moments.sql"
    ];
    /// No account waits and is admitted at the same time.
    Q4 OnePlaceEach;
    /// No queue stays incomplete in Redis while an instance is up.
    Q6 RedisIsComplete;
    /// A queue's public log agrees with its tokens.
    Q7 LogsAgreeWithTokens;
    /// The numbers of an opening draw are the drawn ones.
    Q8 DrawsAreDrawn;
    /// A refund is the agreed share or the full amount, and a wound-down program has no paid
    /// reservation with unused tickets.
    G1 RefundsAsAgreed [
        "src/verify/checks/wrong_refund_shares.sql",
        "src/verify/checks/unrefunded_reservations.sql"
    ];
    /// A hold begins during its account's admission and within its cap.
    G2 HoldsBeginInside [
        "src/verify/checks/holds_outside_admission.sql",
        "src/verify/checks/holds_over_cap.sql",
        "src/verify/checks/stays_ended_at_stopped_clocks.sql"
    ];
    /// A transfer's status is the last of its history, and was not accepted before its start.
    G3 TransfersMatchHistory [
        "src/verify/checks/wrong_transfer_histories.sql",
        "src/verify/checks/early_acceptances.sql"
    ];
    /// Every movement of points has its reference and its counter-entry in the office's books.
    G5 MovementsHaveTwoSides [
        "src/verify/checks/wrong_house_entries.sql",
        "src/verify/checks/unbalanced_books.sql",
        "src/verify/checks/adjustments_without_act.sql"
    ];
    /// A deleted account has no way in left, waits for nothing and has no points.
    A1 DeletedIsGone ["src/verify/checks/left_of_deleted_accounts.sql"];
    /// Points are given up by the deletion of an account only.
    A2 ForfeitsAreOfTheDeleted ["src/verify/checks/wrong_forfeits.sql"];
    /// Daily sales are the sums of payments, refunds and resales.
    B1 SalesAreCounted ["src/verify/checks/wrong_daily_sales.sql"];
    /// Nothing is given while the database stands still after it went back, and no number again.
    B2 NothingIsGivenTwice ["src/verify/checks/given_in_setbacks.sql"];
    /// What was paid and given back is booked as the ledger has it, and receipts are numbered without a gap.
    M3 ReceiptsAddUp [
        "src/verify/checks/wrong_sale_entries.sql",
        "src/verify/checks/wrong_receipts.sql"
    ];
    /// Names are kept in the form in which they are typed and compared.
    N1 NamesAreComposed ["src/verify/checks/uncomposed_names.sql"];
    /// A mail ends once, and keeps no secret afterwards.
    M1 MailsEndOnce ["src/verify/checks/wrong_mails.sql"];
    /// A change has one event, and every event its change.
    E1 EventsTellWhatHappened ["src/verify/checks/wrong_events.sql"];
    /// A delivery ends once, and after earlier deliveries of the same subject and endpoint.
    E2 EventsInOrder ["src/verify/checks/wrong_deliveries.sql"]
        late ["src/verify/checks/overdue_deliveries.sql"];
    /// Every lock ends by itself.
    L1 LocksEnd;
    /// No transaction of an instance stays idle.
    D1 NoIdleTransaction ["src/verify/checks/idle_transactions.sql"];
}

/// Row that breaks an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CheckFailure {
    /// Kind and id of the row.
    pub(super) subject: String,
    /// Fault of the row, as the end of a sentence.
    pub(super) sentence: String,
}

/// Invariant that does not hold, with the row that breaks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The invariant that is broken.
    pub invariant: Invariant,
    /// Kind and id of the row that breaks it.
    pub subject: String,
    /// Fault of the row, as the end of a sentence.
    pub sentence: String,
}

impl Violation {
    /// Lists the violations of one check: at most [`FAILURES_MAX`], and one that says that there
    /// are more.
    pub(super) fn list(
        invariant: Invariant,
        failures: Vec<CheckFailure>,
    ) -> impl Iterator<Item = Self> {
        let more = (failures.len() > FAILURES_MAX).then(|| CheckFailure {
            subject: "more".to_owned(),
            sentence: format!("only the first {FAILURES_MAX} are listed"),
        });
        failures.into_iter().take(FAILURES_MAX).chain(more).map(move |failure| Self {
            invariant,
            subject: failure.subject,
            sentence: failure.sentence,
        })
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.invariant, self.subject, self.sentence)
    }
}
