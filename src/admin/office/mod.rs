//! Settings of the office as administrators edit them.
//!
//! Each function is one transaction with its act in the audit log, and carries the version of the settings
//! that it was made of. This instance shows the change at once, the others within some seconds.
//!
//! # Concurrency
//!
//! Two edits race for the row; the loser gets [`AdminError::ChangedMeanwhile`].

pub mod pages;

use super::error::AdminError;
use crate::{
    accounts::AccountId,
    admin::edits::commit_edit,
    app::App,
    audit::model::{Act, AuditEntry, Subject},
    catalog::{CatalogError, Edited},
    infra::postgres::Connection,
    office::{
        logo::Logo,
        model::{OfficeSettings, OfficeTexts},
        store,
    },
};

/// Id of the settings in the audit log: there is one row of them.
const SUBJECT_ID: &str = "office";

/// Replaces the texts of edition `version`.
pub async fn update(
    app: &App,
    by: AccountId,
    version: i64,
    texts: &OfficeTexts,
) -> Result<OfficeSettings, AdminError> {
    edit(
        app,
        by,
        Act::OfficeEdited,
        version,
        async |_: &mut Connection, settings: &mut OfficeSettings| {
            settings.texts = texts.clone();
            Ok(())
        },
    )
    .await
}

/// Replaces the logo of edition `version`; `None` removes it.
pub(crate) async fn replace_logo(
    app: &App,
    by: AccountId,
    version: i64,
    logo: Option<&Logo>,
) -> Result<OfficeSettings, AdminError> {
    let act = if logo.is_some() { Act::LogoReplaced } else { Act::LogoRemoved };
    edit(app, by, act, version, async |tx: &mut Connection, settings: &mut OfficeSettings| {
        if let Some(logo) = logo {
            store::insert_logo(tx, logo).await?;
        }
        settings.logo = logo.map(|logo| logo.version.clone());
        Ok(())
    })
    .await
}

/// Edits edition `version`, and lets this instance show it.
async fn edit(
    app: &App,
    by: AccountId,
    act: Act,
    version: i64,
    work: impl AsyncFn(&mut Connection, &mut OfficeSettings) -> Result<(), sqlx::Error>,
) -> Result<OfficeSettings, AdminError> {
    let entry = AuditEntry::new(by, act, Subject::Office, SUBJECT_ID);
    let edited = commit_edit(app, &entry, version, async |tx: &mut Connection| {
        let before = store::lock(tx).await?;
        if before.version != version {
            return Err(CatalogError::Stale);
        }
        let mut after = OfficeSettings { version: version + 1, ..before.clone() };
        work(tx, &mut after).await?;
        store::update(tx, &after).await?;
        store::delete_other_logos(tx, after.logo.as_deref()).await?;
        Ok::<_, CatalogError>(Edited { before, after })
    });
    let edited = edited.await?;
    if let Err(error) = app.office.refresh(&app.db).await {
        tracing::warn!(%error, "the settings of the office are read again by the worker");
    }
    Ok(edited)
}
