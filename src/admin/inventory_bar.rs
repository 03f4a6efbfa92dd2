//! Bars of what is sold, held and free of a section, drawn by `templates/admin/inventory_bar.html`.

/// Length of a bar, in units of its drawing.
const LENGTH: i64 = 1_000;

/// Bar of one section: its sold part comes first, then its held one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InventoryBar {
    /// Width of the sold part.
    pub(crate) sold: i64,
    /// Width of the held part.
    pub(crate) held: i64,
}

impl InventoryBar {
    /// Returns the bar of so many seats or places; an empty one where there are none.
    pub(crate) fn of(sold: i64, held: i64, free: i64) -> Self {
        let whole = (sold + held + free).max(1);
        Self { sold: sold * LENGTH / whole, held: held * LENGTH / whole }
    }
}
