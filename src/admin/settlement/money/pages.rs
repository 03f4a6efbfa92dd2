//! Money of a period for programs: in the document of a settlement, and as files by day.

use actix_web::{
    HttpResponse,
    web::{Data, Query},
};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    add_up,
    model::{MoneyGroup, MoneySums, PeriodMoney, PointsEquation},
};
use crate::{
    accounts::AdminAccount,
    admin::settlement::{model::Period, pages::query::SettlementQuery},
    app::App,
    wallet::charges::payouts::model::shown,
    web::{
        error::PageError,
        files::download::{csv, json_lines},
        form::{Field, Mistakes},
        page::View,
    },
};

/// Money as the page shows it.
pub(in crate::admin::settlement) struct ShownMoney {
    /// Terms of the equation in points, with the locale keys of their names.
    pub terms: Vec<(&'static str, String)>,
    /// Change of the points that people have: what the terms add up to.
    pub wallets: String,
    /// Points that the settlement does not have yet; `None` if it has all.
    pub unbooked: Option<String>,
    /// What came less what went back, by currency.
    pub received: Vec<(String, String)>,
    pub rows: Vec<ShownMoneyRow>,
}

/// Row of the table.
pub(in crate::admin::settlement) struct ShownMoneyRow {
    pub text_key: &'static str,
    pub n_entries: String,
    pub points: String,
    pub amount: String,
    /// What of the amount the provider has not confirmed; `None` if it has all of it.
    pub under_way: Option<String>,
}

impl ShownMoney {
    /// Writes the money of a period; terms that are seldom are left out where they are zero.
    pub(in crate::admin::settlement) fn of(v: &View, money: &PeriodMoney) -> Self {
        let points = &money.equation;
        let terms = [
            ("admin-money-charged", points.charged, true),
            ("admin-money-sold", -points.sold, true),
            ("admin-money-adjusted", points.adjusted, false),
            ("admin-money-forfeited", points.forfeited, false),
            ("admin-money-between", points.between, false),
        ];
        let terms = terms.into_iter().filter(|(_, points, is_always)| *is_always || *points != 0);
        let received = money.by_currency().into_iter();
        Self {
            terms: terms.map(|(key, points, _)| (key, signed(v, points))).collect(),
            wallets: signed(v, points.wallets),
            unbooked: (points.unbooked != 0).then(|| signed(v, points.unbooked)),
            received: received
                .map(|(currency, minor)| (currency.to_owned(), shown(minor, currency)))
                .collect(),
            rows: money
                .rows
                .iter()
                .map(|(group, sums)| ShownMoneyRow::of(v, group, sums))
                .collect(),
        }
    }
}

impl ShownMoneyRow {
    fn of(v: &View, group: &MoneyGroup, sums: &MoneySums) -> Self {
        let currency = group.currency.as_deref();
        let amount = |minor| currency.map(|currency| shown(minor, currency));
        Self {
            text_key: group.kind.text_key(),
            n_entries: v.number(sums.n_entries),
            points: signed(v, sums.points),
            amount: amount(sums.minor).unwrap_or_default(),
            under_way: amount(sums.under_way_minor).filter(|_| sums.under_way_minor != 0),
        }
    }
}

/// Returns points with their sign.
fn signed(v: &View, points: i64) -> String {
    match points {
        1.. => format!("+{}", v.number(points)),
        _ => v.number(points).replace('-', "\u{2212}"),
    }
}

/// Row of money: entries of one kind and currency.
#[derive(Debug, Serialize, JsonSchema)]
struct MoneyRowDocument {
    /// Kind of the entries, as in the history of a wallet; `UNCLAIMED` is money that came for a deleted account and gave no
    /// points, `UNCLAIMED_RETURNED` such money that went back.
    kind: String,
    /// Null where no money moved.
    currency: Option<String>,
    entries: i64,
    /// Points that came into wallets; negative where points left.
    points: i64,
    /// Money that came to the house, in the smallest unit of the currency; negative for what it sent back or lost.
    amount_minor: i64,
    /// Part of it that the payment provider has not confirmed yet.
    under_way_minor: i64,
}

impl MoneyRowDocument {
    fn of(group: MoneyGroup, sums: &MoneySums) -> Self {
        Self {
            kind: group.kind.code(),
            currency: group.currency,
            entries: sums.n_entries,
            points: sums.points,
            amount_minor: sums.minor,
            under_way_minor: sums.under_way_minor,
        }
    }
}

/// Money of a period across shows: every entry of the ledger, and what it cost or gave back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MoneyDocument {
    rows: Vec<MoneyRowDocument>,
    /// Points: `charged - sold + adjusted + forfeited + between = wallets`.
    points: PointsEquation,
}

impl From<PeriodMoney> for MoneyDocument {
    fn from(money: PeriodMoney) -> Self {
        let rows = money.rows.into_iter();
        let rows = rows.map(|(group, sums)| MoneyRowDocument::of(group, &sums)).collect();
        Self { rows, points: money.equation }
    }
}

/// Line of the files: money of one day.
#[derive(Debug, Serialize, JsonSchema)]
struct MoneyLineDocument {
    day: NaiveDate,
    #[serde(flatten)]
    row: MoneyRowDocument,
}

/// Columns of the CSV file.
const COLUMNS: &[&str] =
    &["day", "kind", "currency", "entries", "points", "amount_minor", "under_way_minor"];

impl MoneyLineDocument {
    fn cells(self) -> Vec<String> {
        let row = self.row;
        vec![
            self.day.to_string(),
            row.kind,
            row.currency.unwrap_or_default(),
            row.entries.to_string(),
            row.points.to_string(),
            row.amount_minor.to_string(),
            row.under_way_minor.to_string(),
        ]
    }
}

/// Reads the lines of a file at once; behind them there are none.
async fn lines(
    app: App,
    period: Period,
    behind: Option<()>,
) -> Result<Vec<((), MoneyLineDocument)>, sqlx::Error> {
    if behind.is_some() {
        return Ok(Vec::new());
    }
    let by_day = add_up(&app, period).await?.into_iter();
    let lines = by_day.map(|((day, group), sums)| {
        let row = MoneyRowDocument::of(group, &sums);
        ((), MoneyLineDocument { day, row })
    });
    Ok(lines.collect())
}

/// Query of a file of money.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MoneyQuery {
    /// First day, `YYYY-MM-DD`; empty: the first of this month.
    first: Field,
    /// Last day, `YYYY-MM-DD`, at most 366 days with the first; empty: today.
    last: Field,
}

impl MoneyQuery {
    /// Parses the query; returns the period with the name of the file.
    fn parse(&self, app: &App) -> Result<(Period, String), Mistakes> {
        let days = SettlementQuery::of_period(self.first.clone(), self.last.clone());
        let ((_, period), name) = days.parse_file(app)?;
        Ok((period, format!("{name}-money")))
    }
}

/// `GET /admin/settlement/money.csv`
pub async fn download_money(
    app: Data<App>,
    _: AdminAccount,
    query: Query<MoneyQuery>,
) -> Result<HttpResponse, PageError> {
    let (period, name) = query.parse(&app)?;
    csv(&name, COLUMNS.iter().copied(), move |behind| {
        let lines = lines(App::clone(&app), period, behind);
        async move { Ok(lines.await?.into_iter().map(|(key, line)| (key, line.cells())).collect()) }
    })
    .await
}

/// `GET /admin/settlement/money.jsonl`
pub async fn stream_money(
    app: Data<App>,
    _: AdminAccount,
    query: Query<MoneyQuery>,
) -> Result<HttpResponse, PageError> {
    let (period, name) = query.parse(&app)?;
    let read = move |behind| lines(App::clone(&app), period, behind);
    json_lines(&name, read).await
}
