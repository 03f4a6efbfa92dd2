//! Pages of a person's receipts, their files, and the form that makes one for another name.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    model::ReceiptNumber,
    pdf::{self, ReceiptSheet},
    replacement,
    shown::{ListedReceiptDocument, ReceiptDocument, ShownReceipt},
    store::receipts::{self as store, ListedReceipt, ReceiptsOf},
};
use crate::{
    accounts::{
        AccountId, CurrentAccount,
        receipt_name::{self, ReceiptName},
    },
    app::App,
    infra::postgres::{Pool, page::PAGE_ROWS},
    reservation::ReservationId,
    text::i18n::Locale,
    tickets::pdf as tickets_pdf,
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field, FormRefusal, Mistakes},
        page::{View, json},
    },
};

/// Query of a list of receipts.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReceiptsQuery {
    /// Number of the last receipt of the page before.
    before: Option<i64>,
    /// Order whose receipts are listed; without it all are.
    reservation_id: Option<ReservationId>,
}

#[derive(Template)]
#[template(path = "receipts/index.html")]
struct ReceiptListPage<'a> {
    v: &'a View,
    receipts: &'a [ListedReceipt],
    next: Option<ReceiptNumber>,
    reservation_id: Option<ReservationId>,
    /// Name for the receipts of payments to come.
    buyer: Field,
    refusal: FormRefusal,
}

impl ReceiptListPage<'_> {
    fn title(&self, receipt: &ListedReceipt) -> String {
        receipt.title(self.v.locale)
    }

    fn amount(&self, receipt: &ListedReceipt) -> String {
        receipt.amount(self.v.locale)
    }
}

/// Page of receipts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReceiptsDocument {
    receipts: Vec<ListedReceiptDocument>,
    /// `before` of the next page; null at the end.
    next: Option<ReceiptNumber>,
}

impl ReceiptsDocument {
    /// Makes the document of a page of receipts.
    pub fn new(receipts: &[ListedReceipt], next: Option<ReceiptNumber>) -> Self {
        Self { receipts: receipts.iter().map(ListedReceiptDocument::from).collect(), next }
    }
}

/// Cuts a list of one more receipt than a page has; returns the number to go on below.
pub fn cut(receipts: &mut Vec<ListedReceipt>) -> Option<ReceiptNumber> {
    let rows_max = usize::try_from(PAGE_ROWS).unwrap_or(usize::MAX);
    let has_more = receipts.len() > rows_max;
    receipts.truncate(rows_max);
    receipts.last().map(|last| last.number).filter(|_| has_more)
}

/// Handles `GET /receipts`.
pub async fn list_receipts(
    app: Data<App>,
    me: CurrentAccount,
    query: Query<ReceiptsQuery>,
) -> Result<HttpResponse, PageError> {
    list_page(&app, &me, *query, None, FormRefusal::default()).await
}

/// Answers with the receipts of the account; a `refusal` is shown with the name that was typed, and sets the status.
async fn list_page(
    app: &App,
    me: &CurrentAccount,
    query: ReceiptsQuery,
    typed: Option<Field>,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let of = match query.reservation_id {
        Some(id) => ReceiptsOf::Order(me.account_id, id),
        None => ReceiptsOf::Account(me.account_id),
    };
    let before = query.before.unwrap_or(i64::MAX);
    let mut receipts = store::list(&app.db, of, before, PAGE_ROWS + 1).await?;
    let next = cut(&mut receipts);
    let v = &me.view;
    if v.format.is_for_programs() {
        return Ok(json(StatusCode::OK, &ReceiptsDocument::new(&receipts, next)));
    }
    let buyer = match typed {
        Some(typed) => typed,
        None => Field::of(receipt_name::find(&app.db, me.account_id).await?.as_str()),
    };
    let (status, reservation_id) = (refusal.status(), query.reservation_id);
    let page = ReceiptListPage { v, receipts: &receipts, next, reservation_id, buyer, refusal };
    Ok(v.html(status, &page))
}

/// Name or company on receipts of payments to come.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReceiptNameDocument {
    /// Empty: none.
    buyer: String,
}

/// Handles `POST /receipts/name`.
pub async fn update_name(
    app: Data<App>,
    me: CurrentAccount,
    Body(form): Body<BuyerForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let name = form.parse()?;
        receipt_name::keep(&app.db, me.account_id, &name).await?;
        Ok(name)
    }
    .await;
    match me.view.or_refusal(outcome)? {
        Ok(name) => {
            let document = ReceiptNameDocument { buyer: name.as_str().to_owned() };
            let answer = me.view.done(StatusCode::OK, &document, "/receipts#name");
            Ok(with_message(answer, "flash-receipt-name"))
        }
        Err(refusal) => {
            list_page(&app, &me, ReceiptsQuery::default(), Some(form.buyer), refusal).await
        }
    }
}

#[derive(Template)]
#[template(path = "receipts/show.html")]
struct SaleReceiptPage<'a> {
    v: &'a View,
    receipt: &'a ShownReceipt,
    buyer: Field,
    refusal: FormRefusal,
}

/// Handles `GET /receipts/{number}`.
pub async fn show_receipt(
    app: Data<App>,
    me: CurrentAccount,
    number: Path<ReceiptNumber>,
) -> Result<HttpResponse, PageError> {
    page(&app, &me, *number, None, FormRefusal::default()).await
}

/// Name or company that a receipt is to have.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BuyerForm {
    /// Name or company, one line of up to 200 characters; empty: none.
    buyer: Field,
}

impl BuyerForm {
    fn parse(&self) -> Result<ReceiptName, Mistakes> {
        let mut mistakes = Mistakes::default();
        let buyer = ReceiptName::parse(self.buyer.text());
        let buyer = mistakes.note("buyer", "sale-receipt-refusal-buyer", buyer);
        mistakes.or(buyer)
    }
}

/// Receipt that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NumberedDocument {
    number: ReceiptNumber,
}

/// Handles `POST /receipts/{number}/replacements`.
pub async fn create_replacement(
    app: Data<App>,
    me: CurrentAccount,
    number: Path<ReceiptNumber>,
    Body(form): Body<BuyerForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let buyer = form.parse()?;
        Ok(replacement::replace(&app, me.account_id, *number, buyer.as_str()).await?)
    }
    .await;
    match me.view.or_refusal(outcome)? {
        Ok(number) => {
            let path = format!("/receipts/{number}");
            let answer = me.view.done(StatusCode::CREATED, &NumberedDocument { number }, &path);
            Ok(with_message(answer, "flash-receipt-replaced"))
        }
        Err(refusal) => page(&app, &me, *number, Some(form.buyer), refusal).await,
    }
}

/// Answers with a receipt of the account; a `refusal` is shown with what was typed, and sets the status.
async fn page(
    app: &App,
    me: &CurrentAccount,
    number: ReceiptNumber,
    typed: Option<Field>,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let receipt = find(&app.db, number, Some(me.account_id), me.view.locale).await?;
    if me.view.format.is_for_programs() {
        return Ok(json(StatusCode::OK, &ReceiptDocument::from(&receipt)));
    }
    let buyer = typed.unwrap_or_else(|| Field::of(&receipt.row.buyer));
    let status = refusal.status();
    let page = SaleReceiptPage { v: &me.view, receipt: &receipt, buyer, refusal };
    Ok(me.view.html(status, &page))
}

/// Handles `GET /receipts/{number}.pdf`.
pub async fn show_receipt_pdf(
    app: Data<App>,
    me: CurrentAccount,
    number: Path<ReceiptNumber>,
) -> Result<HttpResponse, PageError> {
    pdf_file(&find(&app.db, *number, Some(me.account_id), me.view.locale).await?).await
}

/// Answers with the file of a receipt, of whatever account.
pub async fn pdf_of_any(
    db: &Pool,
    number: ReceiptNumber,
    locale: Locale,
) -> Result<HttpResponse, PageError> {
    pdf_file(&find(db, number, None, locale).await?).await
}

/// Finds a receipt with its lines, of one account or of any.
async fn find(
    db: &Pool,
    number: ReceiptNumber,
    account_id: Option<AccountId>,
    locale: Locale,
) -> Result<ShownReceipt, PageError> {
    let found = store::find(db, number).await?;
    let found = found.filter(|row| account_id.is_none_or(|id| id == row.account_id));
    let row = found.ok_or(NotFound)?;
    let lines = store::list_lines(db, row.entry_id).await?;
    Ok(ShownReceipt::new(row, lines, locale))
}

async fn pdf_file(receipt: &ShownReceipt) -> Result<HttpResponse, PageError> {
    let (sheet, locale) = (ReceiptSheet::of(receipt), receipt.locale);
    let file = tickets_pdf::rendered(move || pdf::render(&sheet, locale)).await?;
    let name = format!("attachment; filename=\"receipt-{}.pdf\"", receipt.row.number);
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/pdf"))
        .insert_header((header::CONTENT_DISPOSITION, name))
        .body(file))
}
