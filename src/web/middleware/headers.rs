//! Headers of every answer: the request id, and the security headers.

use actix_web::{
    Error, HttpMessage, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{
        ConnectionType,
        header::{self, HeaderName, HeaderValue},
    },
    middleware::Next,
    web,
};
use tracing::{Instrument, field::Empty};

use super::deadline::Running;
use crate::{
    app::App,
    config::{PaymentConfig, ProviderConfig},
    infra::ids::new_id,
    web::{cookies::host_cookie, middleware::request_id::RequestId},
};

/// Header with the request's id, which is also in the logs.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Allows content of this origin only: no inline script or style, no frame, no other origin.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data:; connect-src 'self'; font-src 'self'; media-src 'self'; \
     manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/// Content security policy of an instance.
#[derive(Clone, Debug)]
pub struct ContentPolicy(HeaderValue);

impl ContentPolicy {
    /// Allows forms to lead to the pages of the payment provider too: a browser checks the redirect
    /// that answers a form.
    pub fn of(config: &PaymentConfig) -> Self {
        let policy = match &config.provider {
            ProviderConfig::Demo => None,
            ProviderConfig::Stripe(stripe) => {
                let policy = format!("{CONTENT_SECURITY_POLICY} {}", stripe.checkout_origin());
                HeaderValue::from_str(&policy).ok()
            }
        };
        Self(policy.unwrap_or_else(|| HeaderValue::from_static(CONTENT_SECURITY_POLICY)))
    }
}

/// Lets the scripts of a page compile WebAssembly, which the usual policy does not.
pub fn allow_webassembly(response: &mut HttpResponse) {
    let allowed = "script-src 'self' 'wasm-unsafe-eval'";
    let policy = CONTENT_SECURITY_POLICY.replacen("script-src 'self'", allowed, 1);
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
}

const SAFETY: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(self), microphone=(), geolocation=()"),
];
const TRANSPORT_SECURITY: &str = "max-age=31536000";

/// Gives the request its id and its span, and the answer its headers.
pub async fn add_headers(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let request_id = new_id();
    request.extensions_mut().insert(RequestId(request_id));
    let running = request.app_data::<web::Data<Running>>().cloned();
    let policy = request.app_data::<web::Data<ContentPolicy>>().map(|policy| policy.0.clone());
    let is_https = request.app_data::<web::Data<App>>().is_some_and(|app| app.config.is_https());
    // `route` is the pattern and not the address: a ticket's code is part of its address.
    let span = tracing::info_span!(
        "request", %request_id, method = %request.method(), route = Empty, account_id = Empty,
        client = Empty,
    );

    let mut response = next.call(request).instrument(span).await?;
    if running.is_some_and(|running| running.0.is_closed()) {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    let headers = response.headers_mut();
    if let Ok(request_id) = HeaderValue::from_str(&request_id.to_string()) {
        headers.insert(REQUEST_ID, request_id);
    }
    for (name, value) in SAFETY {
        // A page with a stricter rule of its own keeps it.
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        let policy = policy.unwrap_or(HeaderValue::from_static(CONTENT_SECURITY_POLICY));
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    if is_https {
        host_cookie::bind_all(headers);
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static(TRANSPORT_SECURITY),
        );
    }
    // Pages show the account that is signed in; no proxy may store them.
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}
