//! Addresses that answers of accounts point to.

pub(crate) const PATH: &str = "/account/confirmation";

/// Returns the confirmation page's address, which leads on to `next`.
pub(crate) fn href(next: &str) -> String {
    let query =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
    format!("{PATH}?{query}")
}
