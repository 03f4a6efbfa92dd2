//! Opening and closing of a sale whose first performance is at a venue with another clock.
//!
//! While a draft has no performance both are typed and shown on the office's clock, and from the first one on
//! they are shown on its venue's.

use crate::{
    accounts::api_keys::model::Actor,
    admin::{
        error::AdminError,
        questions::{KeptTime, OpeningQuestion},
    },
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::{
        self, Program, ProgramChange, ProgramDetails, ProgramId, ProgramStatus, find_program,
    },
    infra::postgres::Connection,
    text::times,
};

/// Locks a program; returns it if it is a draft without performances.
pub(super) async fn lock_without_schedules(
    tx: &mut Connection,
    id: ProgramId,
) -> Result<Option<Program>, AdminError> {
    catalog::lock_program(tx, id).await?;
    let schedules = catalog::schedules::store::list_editions(&mut *tx, Some(id), None).await?;
    if !schedules.is_empty() {
        return Ok(None);
    }
    let edition = find_program(&mut *tx, id).await?;
    Ok(edition.filter(|edition| edition.status == ProgramStatus::Draft))
}

/// Keeps the hours of the opening and the closing, or their moments, on the clock of the venue.
pub(super) async fn keep(
    tx: &mut Connection,
    by: Actor,
    program: &Program,
    venue_zone: &str,
    kept: Option<KeptTime>,
) -> Result<(), AdminError> {
    let (from, to) = (times::zone(&program.time_zone), times::zone(venue_zone));
    let ProgramDetails { on_sale_at, off_sale_at, .. } = program.details;
    if [on_sale_at, off_sale_at].into_iter().all(|at| times::is_same_hour(at, from, to)) {
        return Ok(());
    }
    match kept {
        Some(KeptTime::Moment) => Ok(()),
        None => Err(AdminError::OpeningAsked(OpeningQuestion {
            opens_at: on_sale_at,
            opens_at_if_hour_stays: times::at_same_hour(on_sale_at, from, to),
            from: from.name().to_owned(),
            to: to.name().to_owned(),
        })),
        Some(KeptTime::Hour) => {
            let details = ProgramDetails {
                on_sale_at: times::at_same_hour(on_sale_at, from, to),
                off_sale_at: times::at_same_hour(off_sale_at, from, to),
                ..program.details.clone()
            };
            let change = ProgramChange::Details(details);
            let edited = catalog::change_program(tx, program.id, program.version, &change).await?;
            let entry = AuditEntry::new(by, Act::ProgramEdited, Subject::Program, program.id);
            let entry = entry.before(&edited.before).after(&edited.after);
            audit::store::insert(tx, &entry).await?;
            Ok(())
        }
    }
}
