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

use super::error::{CrossSite, PageError};
use crate::app::App;

const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// Lets reads and same-site writes pass; refuses others with [`CrossSite`].
pub(crate) async fn refuse_cross_site(
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
pub(crate) fn is_from_here(request: &HttpRequest) -> bool {
    header(request, SEC_FETCH_SITE) == Some("same-origin")
}

fn is_cross_site(request: &HttpRequest) -> bool {
    if let Some(site) = header(request, SEC_FETCH_SITE) {
        return !matches!(site, "same-origin" | "none");
    }
    header(request, ORIGIN.as_str()).is_some_and(|origin| !is_ours(request, origin))
}

fn header<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

fn is_ours(request: &HttpRequest, origin: &str) -> bool {
    let Ok(origin) = Url::parse(origin) else { return false };
    let public = request.app_data::<web::Data<App>>().and_then(|app| app.config.public_url.clone());
    if let Some(public) = public {
        return public.origin() == origin.origin();
    }
    let ours = Url::parse(&format!("http://{}", request.connection_info().host()));
    ours.is_ok_and(|ours| ours.origin() == origin.origin())
}
