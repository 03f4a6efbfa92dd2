//! HTTP pages of a queue's log: its checkpoint and tiles for programs, and a page for people.

pub mod checkpoint;
pub mod receipt;
mod tile;
mod witness;

use actix_web::{HttpResponse, web::Data};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use self::witness::{WitnessedDocument, confirmed_phrase, fault_phrase, witnessed_of};
use super::{
    entry::JoinEntry,
    growth::find_or_begin,
    moves::{Move, MoveKind},
    signer::LogSigner,
    store::{
        LogId, StoredLog, moves,
        tokens::{self, LoggedToken},
    },
    witnesses::model::{WitnessFault, WitnessedLog},
};
use crate::{
    accounts::Visitor,
    app::App,
    catalog::{PastAnnouncement, Program, list_announcements},
    entry_queue::{model::QueueNumber, pages::program::AtProgram},
    text::i18n::Phrase,
    web::{
        error::{NotFound, PageError},
        page::View,
    },
};

pub use tile::{show_move_tile, show_tile};

/// Entries of each log that the page shows.
const NEWEST: i64 = 20;

#[derive(Template)]
#[template(path = "entry_queue/log.html")]
struct LogPage<'a> {
    v: &'a View,
    program: &'a Program,
    log: &'a StoredLog,
    /// Since when one of the logs adds nothing; `None` while both grow.
    rests_since: Option<DateTime<Utc>>,
    newest: &'a [JoinEntry],
    moves: &'a [Move],
    /// What the office said to the line, newest first.
    announcements: &'a [PastAnnouncement],
    /// Confirmations of the joins by witnesses; empty without a witness.
    witnessed: &'a [WitnessedLog],
    moves_witnessed: &'a [WitnessedLog],
}

impl LogPage<'_> {
    fn time(&self, moment: &DateTime<Utc>) -> String {
        self.v.moment(moment, &self.program.time_zone)
    }

    fn confirmed(&self, made: &WitnessedLog) -> Phrase {
        confirmed_phrase(self.v, made, &self.program.time_zone)
    }

    fn fault(&self, made: &WitnessedLog) -> Option<Phrase> {
        fault_phrase(self.v, made, &self.program.time_zone)
    }

    /// Whether a witness confirmed some of the joins.
    fn is_cosigned(&self) -> bool {
        self.witnessed.iter().any(|made| made.cosigned_at.is_some())
    }

    fn tone(&self, made: &WitnessedLog) -> &'static str {
        let is_alarming = made.fault.is_some_and(WitnessFault::is_alarming);
        if is_alarming { "refusal" } else { "time" }
    }

    fn move_text(&self, entry: &Move) -> Phrase {
        let kind: &str = entry.kind.into();
        self.v.text(format!("public-log-move-{kind}"))
    }

    /// Returns the reason of staff, the rules, the hashes of what was announced, or the published data of a draw;
    /// empty for other moves.
    fn detail(&self, entry: &Move) -> String {
        let detail = entry.detail.as_deref().unwrap_or_default();
        match serde_json::from_str(detail) {
            Ok(Value::String(reason)) => reason,
            Ok(rules) if entry.kind == MoveKind::Rules => self.rules(&rules),
            Ok(Value::Object(published)) if entry.kind == MoveKind::Announced => {
                hashes_of_words(&published)
            }
            Ok(Value::Object(published)) if entry.kind == MoveKind::TimeGiven => {
                self.given(&published)
            }
            Ok(Value::Object(published)) => bytes_of_draw(&published).unwrap_or_default(),
            _ => String::new(),
        }
    }

    /// Returns how much time was given, and why if staff gave it.
    fn given(&self, published: &Map<String, Value>) -> String {
        let secs = published.get("secs").and_then(Value::as_f64).unwrap_or_default();
        let secs = format!("{secs:.0}");
        let given = self.v.t("public-log-given").word("secs", secs).to_string();
        match published.get("reason").and_then(Value::as_str) {
            Some(reason) => format!("{given} · {reason}"),
            None => given,
        }
    }

    fn rules(&self, rules: &Value) -> String {
        let limit = |name: &str, key| {
            let count = rules.get(name).filter(|count| count.is_number())?;
            Some(self.v.t(key).word("people", count.to_string()))
        };
        let capacity = limit("capacity", "public-log-rules-capacity");
        let rate = limit("per_second", "public-log-rules-rate");
        let free =
            (capacity.is_none() && rate.is_none()).then(|| self.v.t("public-log-rules-free"));
        let is_paused = rules.get("paused") == Some(&Value::Bool(true));
        let paused = is_paused.then(|| self.v.t("public-log-rules-paused"));
        let said = [capacity, rate, free, paused].into_iter().flatten();
        said.map(|phrase| phrase.to_string()).collect::<Vec<_>>().join(" · ")
    }
}

/// Returns the bytes in hex that a step of a draw fixed: the seed's hash, the list's head or the seed.
fn bytes_of_draw(published: &Map<String, Value>) -> Option<String> {
    let fixed = ["commitment", "head", "seed"].iter().find_map(|name| published.get(*name));
    fixed.and_then(Value::as_str).map(str::to_owned)
}

/// Returns the hash in hex of the words of each language that the office used.
fn hashes_of_words(published: &Map<String, Value>) -> String {
    let hashes = published.get("sha256").and_then(Value::as_object).into_iter().flatten();
    let said = hashes.filter_map(|(tag, hash)| Some(format!("{tag} {}", hash.as_str()?)));
    said.collect::<Vec<_>>().join(" · ")
}

/// Public log of a program, or a part of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LogDocument<'a> {
    verifier_key: &'a str,
    /// Key of all logs of this office, for witnesses; `None` if the log's secret changed.
    office_key: Option<String>,
    size: i64,
    checkpoint: Option<&'a str>,
    /// Since when the log adds nothing, because its database went back to an earlier state; `None` while it grows.
    rests_since: Option<DateTime<Utc>>,
    witnesses: Vec<WitnessedDocument<'a>>,
    newest: Vec<EntryDocument>,
    moves: MovesDocument<'a>,
    /// What the office said to the line, newest first; the moves have the SHA-256 of the words.
    announcements: &'a [PastAnnouncement],
}

#[derive(Debug, Serialize, JsonSchema)]
struct MovesDocument<'a> {
    verifier_key: &'a str,
    size: i64,
    checkpoint: Option<&'a str>,
    rests_since: Option<DateTime<Utc>>,
    witnesses: Vec<WitnessedDocument<'a>>,
    newest: Vec<MoveDocument<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MoveDocument<'a> {
    kind: &'static str,
    queue_number: Option<QueueNumber>,
    moved_at: DateTime<Utc>,
    detail: Option<&'a str>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EntryDocument {
    queue_number: QueueNumber,
    joined_at: DateTime<Utc>,
    leaf_hash: String,
}

/// `GET /programs/{slug}/log`
pub async fn show_log(
    app: Data<App>,
    AtProgram { program, me: visitor }: AtProgram<Visitor>,
) -> Result<HttpResponse, PageError> {
    let log = find_or_begin(&app, LogId::joins(program.id)).await?.ok_or(NotFound)?;
    let after = (log.size - NEWEST).max(0);
    let tokens = tokens::list_tokens(&app.db, program.id, after, log.size - after).await?;
    let newest: Vec<JoinEntry> = tokens.iter().rev().filter_map(LoggedToken::entry).collect();
    let move_log = find_or_begin(&app, LogId::moves(program.id)).await?.ok_or(NotFound)?;
    let first = (move_log.size - NEWEST).max(0);
    let mut moves =
        moves::list_published(&app.db, program.id, first, move_log.size - first).await?;
    moves.reverse();
    let announcements = list_announcements(&app.db, program.id, NEWEST).await?;
    let announcements = announcements.as_slice();
    let witnessed = witnessed_of(&app, LogId::joins(program.id)).await?;
    let moves_witnessed = witnessed_of(&app, LogId::moves(program.id)).await?;
    let document = LogDocument {
        verifier_key: &log.verifier_key,
        office_key: office_key(&app, &log),
        size: log.size,
        checkpoint: log.checkpoint.as_deref(),
        rests_since: log.rests_since,
        witnesses: witnessed.iter().map(WitnessedDocument::of).collect(),
        newest: newest.iter().map(EntryDocument::of).collect(),
        moves: MovesDocument {
            verifier_key: &move_log.verifier_key,
            size: move_log.size,
            checkpoint: move_log.checkpoint.as_deref(),
            rests_since: move_log.rests_since,
            witnesses: moves_witnessed.iter().map(WitnessedDocument::of).collect(),
            newest: moves.iter().map(MoveDocument::of).collect(),
        },
        announcements,
    };
    let (v, newest, moves) = (&visitor.view, newest.as_slice(), moves.as_slice());
    let (witnessed, moves_witnessed) = (&witnessed[..], &moves_witnessed[..]);
    let (program, log) = (&program, &log);
    let rests_since = log.rests_since.or(move_log.rests_since);
    let page = LogPage {
        v,
        program,
        log,
        rests_since,
        newest,
        moves,
        announcements,
        witnessed,
        moves_witnessed,
    };
    Ok(visitor.view.show(&page, &document))
}

impl EntryDocument {
    fn of(entry: &JoinEntry) -> Self {
        let leaf_hash = entry.hash().to_string();
        Self { queue_number: entry.number, joined_at: entry.joined_at, leaf_hash }
    }
}

impl<'a> MoveDocument<'a> {
    fn of(entry: &'a Move) -> Self {
        let (queue_number, moved_at) = (entry.number, entry.moved_at);
        Self { kind: entry.kind.into(), queue_number, moved_at, detail: entry.detail.as_deref() }
    }
}

/// Returns the key that checks all logs whose names begin as this one's does: the first part of their
/// names, with the public key that they share.
fn office_key(app: &App, log: &StoredLog) -> Option<String> {
    let key = app.log_secret.signer();
    let office = LogSigner::of(&log.verifier_key, key)?.origin().split('/').next()?;
    Some(key.verifier_key(office))
}
