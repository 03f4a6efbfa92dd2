//! What the mails about an edit say.

use chrono::{DateTime, Utc};

use crate::{
    catalog::{ScheduleSeatId, ZoneId},
    outbox::SoldChange,
    text::translated::Translated,
};

/// Start of a performance as people were told it, and the zone of the clock on which it was shown.
#[derive(Clone, Copy, Debug)]
pub(in crate::admin) struct ShownStart<'a> {
    pub(in crate::admin) at: DateTime<Utc>,
    pub(in crate::admin) zone: &'a str,
}

/// Content of the mails about an edit, beside another start.
#[derive(Clone, Debug, Default)]
pub(in crate::admin) struct Told {
    /// Parts of what was sold that change; none: only the start does.
    pub(in crate::admin) changes: Vec<SoldChange>,
    /// Zone whose places they concern; `None`: every place.
    pub(in crate::admin) zone_id: Option<ZoneId>,
    /// Seats of the performance that they concern; `None`: as the zone says.
    pub(in crate::admin) seat_ids: Option<Vec<ScheduleSeatId>>,
    /// Words of the office, as plain text; none: without.
    pub(in crate::admin) words: Translated<String>,
    /// Whether the changes mean another place in the town or in the hall, so that everything may be given back.
    pub(in crate::admin) is_elsewhere: bool,
}

impl Told {
    /// Returns the zone and the seats whose places it concerns; `None` twice: every place.
    pub(super) fn places(&self) -> (Option<ZoneId>, Option<&[ScheduleSeatId]>) {
        (self.zone_id, self.seat_ids.as_deref())
    }
}
