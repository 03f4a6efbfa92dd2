//! Page between the log-in and the queue, where a visitor who had to log in first joins.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use askama::Template;

use super::{program::AtProgram, way_in::WayIn};
use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::{Listings, Program, SaleState},
    entry_queue::{access_gates::has_open_gate, paths::program_path},
    web::{
        error::PageError,
        middleware::csrf::is_from_here,
        page::{View, see_other},
    },
};

#[derive(Template)]
#[template(path = "entry_queue/new_token.html")]
struct NewTokenPage<'a> {
    v: &'a View,
    program: &'a Program,
    way_in: WayIn,
    /// Whether the script joins at once. A link from another site joins no account.
    is_from_here: bool,
}

/// `GET /programs/{slug}/queue/new`
pub async fn new_token(
    app: Data<App>,
    listings: Data<Listings>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let is_coming = matches!(program.sale_state(app.now()), SaleState::Coming { .. });
    if is_coming && program.draw.is_none() && !has_open_gate(&app, &program, me.account_id).await? {
        // The program's page says when it opens.
        return Ok(see_other(&program_path(&program.slug)));
    }
    let schedules = listings.schedules(&app, program.id).await?;
    let v = &me.view;
    let way_in = WayIn::before_draw(&program, &schedules);
    let page = NewTokenPage { v, program: &program, way_in, is_from_here: is_from_here(&request) };
    Ok(v.html(StatusCode::OK, &page))
}
