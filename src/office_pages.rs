//! Pages and files that show the settings of the office: imprint, terms, privacy, logo, colours, manifests.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, HeaderValue},
    web::{Bytes, Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{
    accounts::Visitor,
    app::App,
    office::{
        colour::{Colour, stylesheet},
        model::{LogoSize, OfficeSettings},
    },
    text::markdown::PageText,
    web::{
        error::{NotFound, PageError},
        files::{
            assets,
            versioned_file::{FOR_EVER, NOT_KEPT, versioned_file},
        },
        page::View,
    },
};

/// The manifest is read when the office is put on a home screen, and now and then after that.
const FOR_AN_HOUR: &str = "public, max-age=3600";
/// Ground of light pages: `--paper` of `tokens.css`.
const PAPER: &str = "#f5f7f5";

#[derive(Template)]
#[template(path = "office/legal.html")]
struct LegalPage<'a> {
    v: &'a View,
    title: String,
    text: PageText<'a>,
}

/// Text that the law asks for.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LegalDocument<'a> {
    /// Markdown.
    text: &'a str,
}

/// `GET /imprint`
pub(crate) async fn show_imprint(visitor: Visitor) -> Result<HttpResponse, PageError> {
    legal_page(&visitor.view, "/imprint")
}

/// `GET /terms`
pub(crate) async fn show_terms(visitor: Visitor) -> Result<HttpResponse, PageError> {
    legal_page(&visitor.view, "/terms")
}

/// `GET /privacy`
pub(crate) async fn show_privacy(visitor: Visitor) -> Result<HttpResponse, PageError> {
    legal_page(&visitor.view, "/privacy")
}

fn legal_page(v: &View, path: &str) -> Result<HttpResponse, PageError> {
    let legal = v.office.legal_texts().find(|legal| legal.path == path).ok_or(NotFound)?;
    let title = v.t(legal.title_key()).to_string();
    let page = LegalPage { v, title, text: PageText(legal.text) };
    Ok(v.show(&page, &LegalDocument { text: legal.text }))
}

/// `GET /office/{version}/{size}.png`: the logo. Another version than this instance knows is a newer one
/// or, on a page that was made before an edit, an older one, which gets the present logo; that must not be
/// kept under the old name.
pub(crate) async fn show_logo(
    app: Data<App>,
    request: HttpRequest,
    path: Path<(String, String)>,
) -> Result<HttpResponse, PageError> {
    let (version, size) = &*path;
    let size: LogoSize = size.parse().map_err(|_unknown| NotFound)?;
    let mut logo = app.office.logo();
    if logo.as_ref().is_none_or(|logo| logo.version != *version) {
        app.office.refresh(&app.db).await?;
        logo = app.office.logo();
    }
    let logo = logo.ok_or(NotFound)?;
    let cache_control = if logo.version == *version { FOR_EVER } else { NOT_KEPT };
    let etag = format!("{}-{}", logo.version, size.as_ref());
    let file = Bytes::copy_from_slice(logo.file(size));
    Ok(versioned_file(&request, etag, cache_control, "image/png", file))
}

/// `GET /office/{colour}.css`: the shades of a colour, whether or not it is that of the office.
pub(crate) async fn show_style(path: Path<String>) -> Result<HttpResponse, PageError> {
    let colour = Colour::parse(&format!("#{path}")).ok_or(NotFound)?;
    Ok(HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, FOR_EVER))
        .body(stylesheet(colour)))
}

/// Page that stands on a home screen as an application of its own.
#[derive(Clone, Copy, Debug)]
struct HomeScreenApp<'a> {
    name: &'a str,
    short_name: &'a str,
    /// Path of the page, which tells one application from another.
    path: &'static str,
}

/// `GET /manifest.webmanifest`: what a home screen shows of the office.
pub(crate) async fn show_manifest(v: View) -> HttpResponse {
    let name = v.office.name();
    manifest(&v.office, HomeScreenApp { name, short_name: name, path: "/" })
}

/// `GET /door.webmanifest`: what a home screen shows of the door, in the language of the request.
pub(crate) async fn show_door_manifest(v: View) -> HttpResponse {
    let short_name = v.t("door-title").to_string();
    let name = v.t("layout-title").word("page", &short_name).to_string();
    let door = HomeScreenApp { name: &name, short_name: &short_name, path: "/door" };
    let mut response = manifest(&v.office, door);
    let vary = HeaderValue::from_static("Accept-Language, Cookie");
    response.headers_mut().insert(header::VARY, vary);
    response
}

fn manifest(settings: &OfficeSettings, screen_app: HomeScreenApp<'_>) -> HttpResponse {
    let own = json!({ "src": assets::href("img/favicon.svg"), "sizes": "any", "type": "image/svg+xml", "purpose": "any" });
    let logo = settings.logo_path(LogoSize::Large);
    let logo = logo.map(|src| json!({ "src": src, "type": "image/png", "purpose": "any" }));
    let document = json!({
        "name": screen_app.name,
        "short_name": screen_app.short_name,
        "id": screen_app.path,
        "start_url": screen_app.path,
        "scope": "/",
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": settings.accent(),
        "icons": [logo.unwrap_or(own)],
    });
    HttpResponse::Ok()
        .content_type("application/manifest+json")
        .insert_header((header::CACHE_CONTROL, FOR_AN_HOUR))
        .body(document.to_string())
}
