//! Mails about a section that is hidden, or shown again, to the accounts that wait for places in it: while it is hidden
//! they are offered none of them.

use serde_json::json;

use super::{public_events, store};
use crate::{
    catalog::ScheduleId,
    events::EventKind,
    infra::{ids::new_id, postgres::Connection},
    outbox::{self, Message, SharedKeys},
};

/// Writes the event and the mails about a section of a locked performance.
pub(in crate::admin) async fn tell_hidden(
    tx: &mut Connection,
    id: ScheduleId,
    section: &str,
    is_hidden: bool,
) -> Result<(), sqlx::Error> {
    let kind = if is_hidden { EventKind::SectionHidden } else { EventKind::SectionShown };
    public_events::write(tx, id, kind, json!({ "section": section })).await?;
    let accounts = store::list_waiting_in(tx, id, section).await?;
    let message =
        Message::SectionHidden { schedule_id: id.0, section: section.to_owned(), is_hidden };
    let keys = SharedKeys {
        order_key: format!("performance:{id}:"),
        dedupe_key: format!("section-hidden:{}:", new_id()),
    };
    outbox::write_to_all(tx, &accounts, &message, &keys).await.map(drop)
}
