//! Reads that may be some seconds old: this list is the whole of them, and no other read goes to a standby.

use super::App;
use crate::infra::postgres::Pool;

/// Read whose answer decides nothing, and that does not follow a change to show its effect.
///
/// Never one of these: personal data (reservations, tickets, wallets, places in a queue), seat maps and their
/// changes, prices before a purchase, sessions, and data that a page is edited from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum StaleRead {
    /// Programs on the home page and in the sitemap.
    Listings,
    /// Upcoming performances of a program, and how much is free of each, on its page and on the waiting page.
    Performances,
    /// Rankings and ranks by bookings, while Redis does not have them, and what they show of programs.
    Rankings,
    /// Files of posters. Their addresses name a version that never changes; one that the standby lacks is sought
    /// at the primary.
    Posters,
    /// Sales of a program, settlements, popularity with its figures, sell-outs, and what the live page of a sale counts by section, on
    /// the admin pages.
    SalesFigures,
    /// Files of sales, settlements, receipts and attendees, which are of a moment anyway.
    Downloads,
}

impl App {
    /// Reads from the standby while it is fresh, else from the primary.
    pub async fn read_stale<T, F>(
        &self,
        which: StaleRead,
        read: impl Fn(Pool) -> F,
    ) -> Result<T, sqlx::Error>
    where
        F: Future<Output = Result<T, sqlx::Error>>,
    {
        self.stale_reads.read(which.into(), read).await
    }

    /// Works as [`read_stale`](Self::read_stale), and asks the primary too for what the standby does not have.
    pub async fn find_stale<T, F>(
        &self,
        which: StaleRead,
        find: impl Fn(Pool) -> F,
    ) -> Result<Option<T>, sqlx::Error>
    where
        F: Future<Output = Result<Option<T>, sqlx::Error>>,
    {
        self.stale_reads.find(which.into(), find).await
    }
}
