//! Page of a settlement, and its files.

pub mod query;

use std::collections::BTreeMap;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use strum::VariantArray as _;
use uuid::Uuid;

use self::query::SettlementQuery;
use super::{
    model::{Dimension, Period, SettledGroup, SettledRow, SettledSums},
    money::{
        add_up,
        model::PeriodMoney,
        pages::{MoneyDocument, ShownMoney},
    },
    settle,
    store::{self, Behind, SettledLine},
};
use crate::{
    accounts::AdminAccount,
    admin::programs::pages::edition_of,
    app::{App, StaleRead},
    catalog::{Program, ProgramId},
    office::model::TaxRate,
    receipts::model::SaleChannel,
    text::{
        prices::Money,
        times::{self, rfc3339_in},
    },
    web::{
        error::PageError,
        files::download::{CHUNK_ROWS, csv, json_lines},
        page::{View, json},
    },
};

/// Rows of one table; the others are added up in one.
const ROWS_MAX: usize = 400;

/// Row of a table, with what its sums are shown as.
struct ShownRow {
    label: String,
    sums: SettledSums,
}

/// Table of one dimension.
struct Table {
    dimension: Dimension,
    rows: Vec<ShownRow>,
}

/// Tables of one currency.
struct Settled {
    currency: Option<String>,
    total: SettledSums,
    tables: Vec<Table>,
}

#[derive(Template)]
#[template(path = "admin/settlement.html")]
struct SettlementPage {
    v: View,
    program: Option<Program>,
    period: Period,
    settled: Vec<Settled>,
    /// Money of a period across shows; `None` for one show.
    money: Option<ShownMoney>,
}

impl SettlementPage {
    /// Returns an amount as people read it.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from templates")]
    fn amount(&self, settled: &Settled, amount: &i64) -> String {
        let currency = settled.currency.as_ref().map(|code| code.parse());
        match currency {
            Some(Ok(currency)) => Money { minor: *amount, currency }.to_string(),
            _ => self.v.number(amount),
        }
    }

    /// Returns the query of the files.
    fn query(&self) -> String {
        let show = self.program.as_ref().map(|show| format!("&program_id={}", show.id));
        format!("first={}&last={}{}", self.period.first, self.period.last, show.unwrap_or_default())
    }
}

/// Row of a settlement, for programs.
#[derive(Debug, Serialize, JsonSchema)]
struct SettledRowDocument {
    /// Currency in whose smallest unit the sums are; null where points were not sold for money: sums are in points.
    currency: Option<String>,
    dimension: Dimension,
    /// Id, name, word, channel or day; null for the total, and for places without a price type or code.
    key: Option<String>,
    /// Title of a show, or beginning of a performance.
    name: Option<String>,
    #[serde(flatten)]
    sums: SettledSums,
}

/// Settlement of a show, or of a period across shows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettlementDocument {
    first: NaiveDate,
    last: NaiveDate,
    /// Time zone of the days.
    time_zone: String,
    program_id: Option<ProgramId>,
    rows: Vec<SettledRowDocument>,
    /// Money of the period; null for one show.
    money: Option<MoneyDocument>,
}

/// `GET /admin/settlement`
pub async fn show_settlement(
    app: Data<App>,
    me: AdminAccount,
    query: Query<SettlementQuery>,
) -> Result<HttpResponse, PageError> {
    let today = app.now().with_timezone(&times::home()).date_naive();
    let (program_id, period) = query.parse(today)?;
    let program = match program_id {
        Some(id) => Some(edition_of(&app, id).await?),
        None => None,
    };
    let settled = settle(&app, program_id, period).await?;
    let mut money = None;
    if program_id.is_none() {
        let totals = settled.iter().filter(|(group, _)| group.dimension == Dimension::Total);
        let booked = totals.map(|(_, row)| row.sums.net_points).sum();
        money = Some(PeriodMoney::of(add_up(&app, period).await?, booked));
    }
    if me.view.format.is_for_programs() {
        let rows = settled.into_iter().map(|(group, row)| SettledRowDocument {
            currency: group.currency,
            dimension: group.dimension,
            key: group.key,
            name: row.name,
            sums: row.sums,
        });
        let (first, last) = (period.first, period.last);
        let time_zone = period.zone.name().to_owned();
        let (rows, money) = (rows.collect(), money.map(MoneyDocument::from));
        let document = SettlementDocument { first, last, time_zone, program_id, rows, money };
        return Ok(json(StatusCode::OK, &document));
    }
    let settled = tables_of(&me.view, settled, program.is_some());
    let money = money.map(|money| ShownMoney::of(&me.view, &money));
    let page = SettlementPage { v: me.view, program, period, settled, money };
    Ok(page.v.html(StatusCode::OK, &page))
}

/// Sorts the groups into tables, one set for each currency.
fn tables_of(
    v: &View,
    settled: BTreeMap<SettledGroup, SettledRow>,
    is_of_show: bool,
) -> Vec<Settled> {
    let mut by_currency: BTreeMap<Option<String>, Settled> = BTreeMap::new();
    for (group, row) in settled {
        let currency = group.currency.clone();
        let of = by_currency.entry(currency.clone()).or_insert_with(|| Settled {
            currency,
            total: SettledSums::default(),
            tables: Dimension::VARIANTS
                .iter()
                .filter(|dimension| dimension.is_shown(is_of_show))
                .map(|dimension| Table { dimension: *dimension, rows: Vec::new() })
                .collect(),
        });
        if group.dimension == Dimension::Total {
            of.total = row.sums;
            continue;
        }
        let table = of.tables.iter_mut().find(|table| table.dimension == group.dimension);
        if let Some(table) = table {
            let label = label_of(v, &group, row.name);
            table.rows.push(ShownRow { label, sums: row.sums });
        }
    }
    let mut all: Vec<Settled> = by_currency.into_values().collect();
    all.iter_mut().flat_map(|settled| &mut settled.tables).for_each(|table| table.shorten(v));
    all
}

impl Dimension {
    /// Whether its table is shown for a show, or for a period across shows.
    fn is_shown(self, is_of_show: bool) -> bool {
        match self {
            Self::Total => false,
            Self::Show => !is_of_show,
            Self::Performance => is_of_show,
            _ => true,
        }
    }
}

impl Table {
    /// Adds up the rows behind the first ones, so that the table is bounded and still adds up.
    fn shorten(&mut self, v: &View) {
        if self.dimension != Dimension::Day {
            self.rows
                .sort_by(|a, b| b.sums.net.cmp(&a.sums.net).then_with(|| a.label.cmp(&b.label)));
        }
        let rest = self.rows.split_off(self.rows.len().min(ROWS_MAX));
        if !rest.is_empty() {
            let mut sums = SettledSums::default();
            for row in &rest {
                sums.add(&row.sums);
            }
            self.rows.push(ShownRow { label: v.t("admin-settlement-others").to_string(), sums });
        }
    }
}

/// Returns what a row is called.
fn label_of(v: &View, group: &SettledGroup, name: Option<String>) -> String {
    let key = group.key.clone().unwrap_or_default();
    match (group.dimension, &group.key) {
        (Dimension::PriceType, None) => v.t("price-type-ordinary").to_string(),
        (Dimension::Code, None) => v.t("admin-settlement-no-code").to_string(),
        (Dimension::Channel, Some(channel)) => match channel.parse::<SaleChannel>() {
            Ok(channel) => v.t(channel.text_key()).to_string(),
            Err(_) => key,
        },
        (Dimension::Performance, _) => {
            let begins =
                name.as_deref().and_then(|at| chrono::DateTime::parse_from_rfc3339(at).ok());
            begins.map_or(key, |at| at.format("%Y-%m-%d %H:%M").to_string())
        }
        _ => name.unwrap_or(key),
    }
}

/// Columns of the CSV file.
const COLUMNS: &[&str] = &[
    "at",
    "kind",
    "receipt",
    "entry_id",
    "line",
    "reservation_id",
    "program_id",
    "title",
    "schedule_id",
    "starts_at",
    "section",
    "price_type",
    "code",
    "channel",
    "places",
    "price",
    "discount",
    "fee",
    "points",
    "amount_minor",
    "currency",
    "tax_rate_percent",
    "tax_minor",
];

/// Line of the files, for programs.
#[derive(Debug, Serialize)]
struct LineDocument {
    at: String,
    kind: String,
    receipt: Option<i64>,
    entry_id: Uuid,
    line: i32,
    reservation_id: Uuid,
    program_id: Uuid,
    title: String,
    schedule_id: Uuid,
    starts_at: String,
    section: String,
    price_type: Option<String>,
    code: Option<String>,
    channel: String,
    places: i32,
    price: i64,
    discount: i64,
    fee: i64,
    points: i64,
    amount_minor: Option<i64>,
    currency: Option<String>,
    tax_rate_percent: Option<String>,
    tax_minor: Option<i64>,
}

impl From<SettledLine> for LineDocument {
    fn from(line: SettledLine) -> Self {
        let points = line.price + line.fee;
        Self {
            at: rfc3339_in(line.at, times::home()),
            kind: line.kind.as_ref().to_owned(),
            receipt: line.receipt,
            entry_id: line.id,
            line: line.line,
            reservation_id: line.reservation_id,
            program_id: line.program_id,
            title: line.title,
            schedule_id: line.schedule_id,
            starts_at: rfc3339_in(line.starts_at, times::zone(&line.time_zone)),
            section: line.section,
            price_type: line.price_type,
            code: line.code,
            channel: line.channel,
            places: line.places,
            price: line.price,
            discount: line.discount,
            fee: line.fee,
            points,
            amount_minor: line.point_minor.map(|minor| points.saturating_mul(minor.into())),
            currency: line.currency,
            tax_rate_percent: line.tax_rate_bp.map(|rate| TaxRate(rate).number()),
            tax_minor: line.tax_minor,
        }
    }
}

impl LineDocument {
    fn cells(self) -> Vec<String> {
        fn written(value: Option<impl ToString>) -> String {
            value.map(|value| value.to_string()).unwrap_or_default()
        }
        vec![
            self.at,
            self.kind,
            written(self.receipt),
            self.entry_id.to_string(),
            self.line.to_string(),
            self.reservation_id.to_string(),
            self.program_id.to_string(),
            self.title,
            self.schedule_id.to_string(),
            self.starts_at,
            self.section,
            written(self.price_type),
            written(self.code),
            self.channel,
            self.places.to_string(),
            self.price.to_string(),
            self.discount.to_string(),
            self.fee.to_string(),
            self.points.to_string(),
            written(self.amount_minor),
            written(self.currency),
            written(self.tax_rate_percent),
            written(self.tax_minor),
        ]
    }
}

/// Reads the lines behind an entry.
async fn lines_behind(
    app: App,
    of: (Option<ProgramId>, Period),
    behind: Option<Behind>,
) -> Result<Vec<(Behind, LineDocument)>, sqlx::Error> {
    let span = of.1.whole();
    let behind = behind.unwrap_or((span.from, Uuid::nil()));
    let read = |db| async move { store::list(&db, of.0, &span, behind, CHUNK_ROWS).await };
    let lines = app.read_stale(StaleRead::Downloads, read).await?;
    Ok(lines.into_iter().map(|line| ((line.at, line.id), line.into())).collect())
}

/// `GET /admin/settlement.csv`
pub async fn download_settlement(
    app: Data<App>,
    _: AdminAccount,
    query: Query<SettlementQuery>,
) -> Result<HttpResponse, PageError> {
    let (of, name) = query.parse_file(&app)?;
    csv(&name, COLUMNS.iter().copied(), move |behind| {
        let lines = lines_behind(App::clone(&app), of, behind);
        async move { Ok(lines.await?.into_iter().map(|(key, line)| (key, line.cells())).collect()) }
    })
    .await
}

/// `GET /admin/settlement.jsonl`
pub async fn stream_settlement(
    app: Data<App>,
    _: AdminAccount,
    query: Query<SettlementQuery>,
) -> Result<HttpResponse, PageError> {
    let (of, name) = query.parse_file(&app)?;
    json_lines(&name, move |behind| lines_behind(App::clone(&app), of, behind)).await
}
