//! Columns of a plan, as its statements take them.

use crate::catalog::venues::plan::SeatPlan;

/// Returns sections, rows and numbers of the seats of `plan`.
pub(super) fn names(plan: &SeatPlan) -> (Vec<String>, Vec<String>, Vec<i32>) {
    let mut names = (Vec::new(), Vec::new(), Vec::new());
    for seat in plan.seats() {
        names.0.push(seat.section.clone());
        names.1.push(seat.row.clone());
        names.2.push(seat.number);
    }
    names
}

/// Returns the kind of each seat of `plan`, and the number of the wheelchair place that it belongs
/// to.
pub(super) fn kinds(plan: &SeatPlan) -> (Vec<String>, Vec<Option<i32>>) {
    let kinds = plan.seats().iter().map(|seat| (seat.kind.as_ref().to_owned(), seat.companion_of));
    kinds.unzip()
}

/// Returns the price category of each seat of `plan`.
pub(super) fn categories(plan: &SeatPlan) -> Vec<Option<String>> {
    plan.seats().iter().map(|seat| seat.category.clone()).collect()
}
