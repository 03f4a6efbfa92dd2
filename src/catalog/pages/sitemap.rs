//! Pages for search engines: which pages there are, and which are not to be crawled.

use actix_web::{
    HttpResponse,
    http::header::{self, ContentType},
    web::Data,
};
use askama::Template;

use crate::{
    app::App,
    catalog::{cache::Listings, model::Listing},
    web::error::{Internal, PageError},
};

#[derive(Template)]
#[template(path = "catalog/sitemap.xml")]
struct SitemapPage<'a> {
    site_url: &'a str,
    programs: &'a [Listing],
}

/// `GET /sitemap.xml`: the home page, and the programs that it lists.
pub async fn show_sitemap(
    app: Data<App>,
    listings: Data<Listings>,
) -> Result<HttpResponse, PageError> {
    let programs = listings.programs(&app).await?;
    let page = SitemapPage { site_url: &app.config.site_url(), programs: &programs };
    let text = page.render().map_err(|error| {
        tracing::error!(%error, "the sitemap was not rendered");
        Internal
    })?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/xml; charset=utf-8"))
        .body(text))
}

/// `GET /robots.txt`: search engines keep to the home page and the programs. The other pages are
/// personal, or cost requests that people in line need.
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn show_robots(app: Data<App>) -> HttpResponse {
    let rules = format!(
        "User-agent: *\nDisallow: /\nAllow: /$\nAllow: /programs/\nAllow: /static/\nAllow: /posters/\n\
         Disallow: /programs/*/\n\nSitemap: {}/sitemap.xml\n",
        app.config.site_url()
    );
    HttpResponse::Ok().insert_header(ContentType::plaintext()).body(rules)
}
