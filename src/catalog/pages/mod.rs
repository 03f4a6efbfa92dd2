//! Home page, and the pages for search engines.

mod notes;
pub mod picture;
pub mod sitemap;

use actix_web::{HttpResponse, web::Data};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    cache::{Listings, Popular},
    model::Listing,
};
use crate::{
    accounts::Visitor,
    app::App,
    points::Points,
    web::{error::PageError, page::View},
};

#[derive(Template)]
#[template(path = "catalog/home.html")]
struct HomePage<'a> {
    v: &'a View,
    on_sale: Vec<&'a Listing>,
    coming: Vec<&'a Listing>,
    popular: &'a Popular,
}

/// Programs of the start page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HomeDocument<'a> {
    on_sale: Vec<ListedProgram<'a>>,
    coming: Vec<ListedProgram<'a>>,
    popular: Vec<ListedProgram<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListedProgram<'a> {
    slug: &'a str,
    title: &'a str,
    starts_at: DateTime<Utc>,
    price_from: Option<Points>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opens_at: Option<DateTime<Utc>>,
}

impl<'a> ListedProgram<'a> {
    fn of(listing: &'a Listing, opens_at: Option<DateTime<Utc>>) -> Self {
        Self {
            slug: &listing.slug,
            title: &listing.title,
            starts_at: listing.starts_at,
            price_from: listing.price_from,
            opens_at,
        }
    }
}

/// `GET /`
pub async fn show_home(
    app: Data<App>,
    listings: Data<Listings>,
    visitor: Visitor,
) -> Result<HttpResponse, PageError> {
    let (programs, popular) = tokio::try_join!(listings.programs(&app), listings.popular(&app))?;
    let now = app.now();
    let (on_sale, mut coming): (Vec<_>, Vec<_>) =
        programs.iter().partition(|listing| listing.opens_at <= now);
    coming.reverse();
    let document = HomeDocument {
        on_sale: on_sale.iter().map(|listing| ListedProgram::of(listing, None)).collect(),
        coming: coming
            .iter()
            .map(|listing| ListedProgram::of(listing, Some(listing.opens_at)))
            .collect(),
        popular: popular.listings.iter().map(|listing| ListedProgram::of(listing, None)).collect(),
    };
    let page = HomePage { v: &visitor.view, on_sale, coming, popular: &popular };
    Ok(visitor.view.show(&page, &document))
}
