//! Edits of a performance's price types.

use crate::{
    admin::{error::AdminError, schedules::ScheduleEdit},
    app::App,
    audit::model::Act,
    catalog::{
        PriceTypeId, ScheduleId,
        price_types::{self, PriceTypeDetails, PriceTypes},
    },
};

/// Change of the price types of a performance by an administrator.
#[derive(Clone, Debug)]
pub(crate) enum PriceTypeChange {
    /// Makes one.
    Create(PriceTypeDetails),
    /// Replaces the terms of one; held places keep the terms on which they were held.
    Replace(PriceTypeId, PriceTypeDetails),
    /// Withdraws one: nothing more is held at its price.
    Withdraw(PriceTypeId),
    /// Adds the price types of another performance of the program.
    CopyFrom(ScheduleId),
}

/// Changes the price types of a performance.
pub(crate) async fn change(
    app: &App,
    edit: ScheduleEdit,
    change: &PriceTypeChange,
) -> Result<PriceTypes, AdminError> {
    let ScheduleEdit { id, version, .. } = edit;
    let work = edit.commit(app, Act::PriceTypesSet, async |tx| match change {
        PriceTypeChange::Create(details) => price_types::create(tx, id, version, details).await,
        PriceTypeChange::Replace(type_id, details) => {
            price_types::replace(tx, id, version, *type_id, details).await
        }
        PriceTypeChange::Withdraw(type_id) => {
            price_types::withdraw(tx, id, version, *type_id).await
        }
        PriceTypeChange::CopyFrom(from) => price_types::copy(tx, id, version, *from).await,
    });
    work.await
}
