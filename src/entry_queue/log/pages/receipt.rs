//! Receipt of the signed-in account's latest join, to read, copy, download and scan.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
    web::Data,
};
use askama::Template;

use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::Program,
    entry_queue::{
        log::receipt::{find_receipt, model::Receipt},
        pages::program::AtProgram,
        paths::queue_path,
    },
    web::{
        error::{Internal, PageError},
        files::qr_code,
        page::{View, json},
    },
};

#[derive(Template)]
#[template(path = "entry_queue/receipt.html")]
struct ReceiptPage<'a> {
    v: &'a View,
    program: &'a Program,
    receipt: &'a Receipt,
}

impl ReceiptPage<'_> {
    fn queue_path(&self) -> String {
        queue_path(&self.program.slug)
    }
}

/// `GET /programs/{slug}/queue/receipt`
pub async fn show_receipt(
    app: Data<App>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
) -> Result<HttpResponse, PageError> {
    let receipt = find_receipt(&app, &program, me.account_id).await?;
    Ok(me.view.show(&ReceiptPage { v: &me.view, program: &program, receipt: &receipt }, &receipt))
}

/// `GET /programs/{slug}/queue/receipt.json`
pub async fn download_receipt(
    app: Data<App>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
) -> Result<HttpResponse, PageError> {
    let receipt = find_receipt(&app, &program, me.account_id).await?;
    let mut answer = json(StatusCode::OK, &receipt);
    let attachment = header::HeaderValue::from_static("attachment; filename=\"receipt.json\"");
    answer.headers_mut().insert(header::CONTENT_DISPOSITION, attachment);
    Ok(answer)
}

/// `GET /programs/{slug}/queue/receipt.svg`
pub async fn show_qr_code(
    app: Data<App>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
) -> Result<HttpResponse, PageError> {
    let receipt = find_receipt(&app, &program, me.account_id).await?;
    // On a screen nothing is covered, and fewer dots are read more easily.
    let drawing = qr_code::draw(&receipt.receipt, qr_code::Repair::Least).ok_or(Internal)?;
    Ok(qr_code::answer(drawing))
}
