//! Refusal of cross-site writes.
//!
//! Browsers send the origin of a request: `Sec-Fetch-Site`, or at least `Origin`. A client that
//! sends neither is no browser that another site could make send its cookies, and passes.

use actix_web::{
    Error, HttpRequest,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::header::ORIGIN,
    middleware::Next,
    web,
};
use url::Url;

use crate::{
    app::App,
    web::{
        client,
        error::{CrossSite, PageError},
    },
};

const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// Lets reads and same-site writes pass; refuses others with [`CrossSite`].
pub async fn refuse_cross_site(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    if !request.method().is_safe() && is_cross_site(request.request()) {
        let refused = request.error_response(PageError::from(CrossSite));
        return Ok(refused.map_into_right_body());
    }
    Ok(next.call(request).await?.map_into_left_body())
}

/// Whether a browser says that one of our own pages led to `request`, redirects included.
pub fn is_from_here(request: &HttpRequest) -> bool {
    values(request, SEC_FETCH_SITE).eq([Some("same-origin")])
}

fn is_cross_site(request: &HttpRequest) -> bool {
    let mut sites = values(request, SEC_FETCH_SITE).peekable();
    if sites.peek().is_some() {
        return !sites.all(|site| matches!(site, Some("same-origin" | "none")));
    }
    let mut origins = values(request, ORIGIN.as_str());
    origins.any(|origin| origin.is_none_or(|origin| !is_ours(request, origin)))
}

/// Returns the values of a header; `None` for one that cannot be read, which is no word of ours.
fn values<'a>(request: &'a HttpRequest, name: &'a str) -> impl Iterator<Item = Option<&'a str>> {
    request.headers().get_all(name).map(|value| value.to_str().ok())
}

fn is_ours(request: &HttpRequest, origin: &str) -> bool {
    let Ok(origin) = Url::parse(origin) else { return false };
    let public = request.app_data::<web::Data<App>>().and_then(|app| app.config.public_url.clone());
    if let Some(public) = public {
        return public.origin() == origin.origin();
    }
    let ours = Url::parse(&format!("http://{}", client::host(request)));
    ours.is_ok_and(|ours| ours.origin() == origin.origin())
}
