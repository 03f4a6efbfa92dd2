//! Leased seats in a snapshot: free ones are shown as held until their lease ends.

use std::collections::HashSet;

use super::{
    super::{
        seat::MapSeat,
        store::changes::{ChangedRows, ChangedSeat},
    },
    Applied, Snapshot,
};
use crate::{
    catalog::ScheduleSeatId,
    reservation::{leased_seats::SeatLeases, model::SeatStatus},
};

impl Snapshot {
    /// Applies `rows` and `leases`; returns the rows as viewers see them.
    pub(crate) fn apply_with(
        &mut self,
        rows: ChangedRows,
        leases: &SeatLeases,
    ) -> (ChangedRows, Applied) {
        let rows = self.with_leases(rows, leases);
        let applied = self.apply(&rows);
        (rows, applied)
    }

    /// Returns `rows` as viewers see them: free, leased seats as held, and with them the seats
    /// whose leases began or ended since the last call.
    fn with_leases(&mut self, mut rows: ChangedRows, leases: &SeatLeases) -> ChangedRows {
        let told: HashSet<_> = rows.seats.iter().map(|row| row.id).collect();
        let untold = |ids: &HashSet<ScheduleSeatId>| {
            let untold = ids.difference(&told).copied();
            untold.filter_map(|id| self.seat(id)).map(as_row).collect::<Vec<_>>()
        };
        let mut begun = untold(&leases.leased);
        begun.retain(|row| row.status == SeatStatus::Available);
        let mut ended = untold(&self.leased.difference(&leases.leased).copied().collect());
        for row in &mut ended {
            row.status = SeatStatus::Available;
        }
        rows.seats.extend(begun);
        rows.seats.extend(ended);
        for row in rows.seats.iter_mut() {
            let is_leased = row.status == SeatStatus::Available && leases.leased.contains(&row.id);
            if is_leased {
                row.status = SeatStatus::Held;
                self.leased.insert(row.id);
            } else {
                self.leased.remove(&row.id);
            }
        }
        self.leased_lately = leases.leased.union(&leases.ended).copied().collect();
        rows
    }

    /// Returns `rows`, read for a viewer with an old cursor, as viewers see them: with every seat
    /// that was leased lately, because the end of a lease changes no row.
    pub(crate) fn with_late_leases(&self, mut rows: ChangedRows) -> ChangedRows {
        for row in rows.seats.iter_mut() {
            if row.status == SeatStatus::Available && self.leased.contains(&row.id) {
                row.status = SeatStatus::Held;
            }
        }
        let told: HashSet<_> = rows.seats.iter().map(|row| row.id).collect();
        let late = self.leased_lately.difference(&told).filter_map(|id| self.seat(*id));
        rows.seats.extend(late.map(as_row));
        // The added seats have the prices of this snapshot.
        rows.price_version = rows.price_version.min(self.price_version);
        rows
    }
}

/// Returns a seat as a changed row; its version is a placeholder.
fn as_row(seat: &MapSeat) -> ChangedSeat {
    let MapSeat { id, status, price, is_on_return: on_return, .. } = *seat;
    ChangedSeat { id, status, price, version: 0, on_return }
}
