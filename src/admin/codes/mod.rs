//! Codes of a program as administrators make, limit and withdraw them.
//!
//! # Invariants
//!
//! * The terms of a code never change: for other terms it is withdrawn and a new one is made.
//! * No limit becomes smaller than the present uses and places.

pub mod pages;

use serde_json::json;

use super::error::AdminError;
use crate::{
    accounts::AccountId,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::ProgramId,
    infra::postgres::{Connection, retry_stale},
    reservation::codes::{
        self,
        model::{CodeLimits, CodeWord, NewCode, SaleCodeId},
    },
};

/// Makes a code for each of `words`, all on the same terms.
pub async fn make(
    app: &App,
    by: AccountId,
    program_id: ProgramId,
    words: &[CodeWord],
    new: &NewCode,
) -> Result<(), AdminError> {
    let work = async |tx: &mut Connection| {
        codes::make(tx, program_id, words, new).await?;
        // Of many random words the audit log keeps only the number: the words would say no more.
        let word = if let [word] = words { Some(word) } else { None };
        let after = json!({ "code": word, "number": words.len(), "terms": new });
        let entry = AuditEntry::new(by, Act::CodesMade, Subject::Program, program_id);
        Ok::<_, AdminError>(((), entry.after(&after)))
    };
    retry_stale(|_| audit::perform(app, &work)).await
}

/// Sets how many live reservations may have a code, and how many places these may have.
pub async fn limit(
    app: &App,
    by: AccountId,
    program_id: ProgramId,
    id: SaleCodeId,
    limits: CodeLimits,
) -> Result<(), AdminError> {
    let work = async |tx: &mut Connection| {
        let (before, after) = codes::limit(tx, program_id, id, limits).await?;
        let entry = AuditEntry::new(by, Act::CodeLimited, Subject::Program, program_id);
        Ok::<_, AdminError>(((), entry.before(&before).after(&after)))
    };
    retry_stale(|_| audit::perform(app, &work)).await
}

/// Withdraws a code.
pub async fn withdraw(
    app: &App,
    by: AccountId,
    program_id: ProgramId,
    id: SaleCodeId,
) -> Result<(), AdminError> {
    let work = async |tx: &mut Connection| {
        let withdrawn = codes::withdraw(tx, program_id, id).await?;
        let entry = AuditEntry::new(by, Act::CodeWithdrawn, Subject::Program, program_id);
        Ok::<_, AdminError>(((), entry.before(&withdrawn)))
    };
    retry_stale(|_| audit::perform(app, &work)).await
}
