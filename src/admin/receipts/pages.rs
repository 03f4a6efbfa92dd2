//! List of all receipts, their files, and the CSV file.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    accounts::AdminAccount,
    app::{App, StaleRead},
    infra::postgres::page::PAGE_ROWS,
    receipts::{
        model::ReceiptNumber,
        pages::{ReceiptsDocument, cut, pdf_of_any},
        store::receipts::{self as store, ListedReceipt, ReceiptsOf},
    },
    text::times::{home, rfc3339_in},
    web::{
        error::PageError,
        files::download::{CHUNK_ROWS, csv},
        page::{View, json},
    },
};

/// Query of the list of receipts.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AllReceiptsQuery {
    /// Number of the last receipt of the page before: the receipts below it are listed.
    before: Option<i64>,
}

#[derive(Template)]
#[template(path = "admin/receipts.html")]
struct AllReceiptsPage {
    v: View,
    receipts: Vec<ListedReceipt>,
    next: Option<ReceiptNumber>,
}

impl AllReceiptsPage {
    fn title(&self, receipt: &ListedReceipt) -> String {
        receipt.title(self.v.locale)
    }

    fn amount(&self, receipt: &ListedReceipt) -> String {
        receipt.amount(self.v.locale)
    }
}

/// `GET /admin/receipts`
pub async fn list_all_receipts(
    app: Data<App>,
    me: AdminAccount,
    query: Query<AllReceiptsQuery>,
) -> Result<HttpResponse, PageError> {
    let before = query.before.unwrap_or(i64::MAX);
    let mut receipts = store::list(&app.db, ReceiptsOf::All, before, PAGE_ROWS + 1).await?;
    let next = cut(&mut receipts);
    if me.view.format.is_for_programs() {
        return Ok(json(StatusCode::OK, &ReceiptsDocument::new(&receipts, next)));
    }
    let page = AllReceiptsPage { v: me.view, receipts, next };
    Ok(page.v.html(StatusCode::OK, &page))
}

/// `GET /admin/receipts/{number}.pdf`
pub async fn show_any_receipt_pdf(
    app: Data<App>,
    me: AdminAccount,
    number: Path<ReceiptNumber>,
) -> Result<HttpResponse, PageError> {
    pdf_of_any(&app.db, *number, me.view.locale).await
}

/// Columns of the file.
const COLUMNS: &[&str] = &[
    "number",
    "issued_at",
    "at",
    "kind",
    "reservation_id",
    "account_id",
    "title",
    "buyer",
    "points",
    "amount_minor",
    "currency",
    "tax_rate_percent",
    "tax_minor",
    "replaces",
    "replaced_by",
];

/// `GET /admin/receipts.csv`
pub async fn download_receipts(app: Data<App>, _: AdminAccount) -> Result<HttpResponse, PageError> {
    csv("receipts", COLUMNS.iter().copied(), move |before: Option<i64>| {
        let app = app.clone();
        async move {
            let before = before.unwrap_or(i64::MAX);
            let read =
                |db| async move { store::list(&db, ReceiptsOf::All, before, CHUNK_ROWS).await };
            let receipts = app.read_stale(StaleRead::Downloads, read).await?;
            Ok(receipts.iter().map(|receipt| (receipt.number.0, cells_of(receipt))).collect())
        }
    })
    .await
}

fn cells_of(receipt: &ListedReceipt) -> Vec<String> {
    fn written(value: Option<impl ToString>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    vec![
        receipt.number.to_string(),
        rfc3339_in(receipt.issued_at, home()),
        rfc3339_in(receipt.at, home()),
        receipt.kind.as_ref().to_owned(),
        receipt.reservation_id.to_string(),
        receipt.account_id.to_string(),
        receipt.title.clone(),
        receipt.buyer.clone(),
        receipt.points.to_string(),
        written(receipt.amount_minor()),
        receipt.currency.clone().unwrap_or_default(),
        receipt.rate(),
        written(receipt.tax_minor),
        written(receipt.replaces),
        written(receipt.replaced_by),
    ]
}
