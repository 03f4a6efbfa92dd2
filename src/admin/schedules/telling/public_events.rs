//! Events about performances of published programs.

use serde_json::{Value, json};

use super::store;
use crate::{
    catalog::ScheduleId,
    events::{self, EventKind, NewEvent},
    infra::postgres::Connection,
};

/// Writes an event about a performance with the `members` of its own, if the program is published.
pub(super) async fn write(
    tx: &mut Connection,
    id: ScheduleId,
    kind: EventKind,
    members: Value,
) -> Result<(), sqlx::Error> {
    let Some((program_id, slug)) = store::find_published(tx, id).await? else { return Ok(()) };
    let mut payload = json!({ "schedule_id": id, "program_id": program_id, "slug": slug });
    if let (Some(payload), Value::Object(members)) = (payload.as_object_mut(), members) {
        payload.extend(members);
    }
    events::write(tx, &NewEvent { kind, subject_id: id.0, payload }).await
}
