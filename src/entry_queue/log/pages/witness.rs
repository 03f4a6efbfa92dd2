//! Witnesses of a log on its pages.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    app::App,
    entry_queue::log::{
        store::LogId,
        witnesses::{
            model::{WitnessFault, WitnessedLog},
            store::list_witnessed,
        },
    },
    text::i18n::Phrase,
    web::page::View,
};

/// Returns the confirmations of a log by the configured witnesses, in their configured order.
pub(super) async fn witnessed_of(app: &App, log: LogId) -> Result<Vec<WitnessedLog>, sqlx::Error> {
    let witnesses = app.config.witnesses.iter().map(|witness| witness.key.text().to_owned());
    let witnesses: Vec<String> = witnesses.collect();
    if witnesses.is_empty() {
        return Ok(Vec::new());
    }
    let found = list_witnessed(&app.db, log, &witnesses).await?;
    let of = |witness: String| {
        let found = found.iter().find(|made| made.witness == witness).cloned();
        found.unwrap_or_else(|| WitnessedLog::none(witness))
    };
    Ok(witnesses.into_iter().map(of).collect())
}

/// Confirmation of one witness, as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WitnessedDocument<'a> {
    witness: &'a str,
    verifier_key: &'a str,
    size: i64,
    cosigned_at: Option<DateTime<Utc>>,
    fault: Option<&'static str>,
    failing_since: Option<DateTime<Utc>>,
}

impl<'a> WitnessedDocument<'a> {
    pub(super) fn of(made: &'a WitnessedLog) -> Self {
        Self {
            witness: made.name(),
            verifier_key: &made.witness,
            size: made.size,
            cosigned_at: made.cosigned_at,
            fault: made.fault.map(WitnessFault::name),
            failing_since: made.failing_since,
        }
    }
}

/// Says up to which number a witness confirmed.
pub(super) fn confirmed_phrase(v: &View, made: &WitnessedLog, time_zone: &str) -> Phrase {
    match &made.cosigned_at {
        Some(moment) => v
            .t("public-log-witness-confirmed")
            .number("count", made.size)
            .word("time", v.moment(moment, time_zone)),
        None => v.t("public-log-witness-nothing"),
    }
}

/// Says since when a witness does not confirm, and why; `None` while it does.
pub(super) fn fault_phrase(v: &View, made: &WitnessedLog, time_zone: &str) -> Option<Phrase> {
    let (fault, since) = made.fault.zip(made.failing_since.as_ref())?;
    let text = v.text(format!("public-log-witness-{}", fault.name()));
    Some(text.word("time", v.moment(since, time_zone)))
}
