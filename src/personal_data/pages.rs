//! Download of one's own data.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
    web::Data,
};

use crate::{
    accounts::CurrentAccount,
    app::App,
    personal_data,
    web::{
        error::{NotFound, PageError},
        limits::Limits,
        page::json,
    },
};

/// `GET /account/data.json`
pub async fn download_data(
    app: Data<App>,
    limits: Data<Limits>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    limits.personal_data.count(&me.account_id.0)?;
    let document = personal_data::find(&app.db, me.account_id).await?.ok_or(NotFound)?;
    let mut answer = json(StatusCode::OK, &document);
    let attachment = header::HeaderValue::from_static("attachment; filename=\"stagedoor.json\"");
    answer.headers_mut().insert(header::CONTENT_DISPOSITION, attachment);
    Ok(answer)
}
