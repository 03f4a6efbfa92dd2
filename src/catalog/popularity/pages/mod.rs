//! Public ranking of programs by bookings, without figures.

pub mod query;

use actix_web::{
    HttpResponse,
    web::{Data, Query},
};
use askama::Template;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;

use self::query::{AskedRanking, RankingQuery};
use super::{Ranked, RankedBy, Ranking, rank, store::listed};
use crate::{
    accounts::Visitor,
    app::{App, StaleRead},
    catalog::{ProgramId, posters::UploadedPoster},
    web::{error::PageError, page::View},
};

/// Program of the ranking.
#[derive(Debug, Serialize, JsonSchema)]
struct RankedProgram {
    rank: i64,
    slug: String,
    title: String,
    #[serde(skip)]
    poster_number: i32,
    #[serde(skip)]
    poster: Option<String>,
}

impl RankedProgram {
    /// Returns the poster that was uploaded; `None` without one.
    fn upload(&self) -> Option<UploadedPoster> {
        UploadedPoster::of(&self.slug, self.poster.as_deref())
    }
}

#[derive(Template)]
#[template(path = "catalog/popular.html")]
struct PopularPage<'a> {
    v: &'a View,
    asked: AskedRanking,
    ranked: Vec<RankedProgram>,
    /// Number of the next page; `None` on the last.
    next: Option<u32>,
}

/// Shows that people book.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PopularDocument<'a> {
    from: NaiveDate,
    to: NaiveDate,
    ranked: &'a [RankedProgram],
    next_page: Option<u32>,
}

/// `GET /popular`
pub async fn show_popular(
    app: Data<App>,
    query: Query<RankingQuery>,
    visitor: Visitor,
) -> Result<HttpResponse, PageError> {
    let mut asked = query.parse(&app)?;
    asked.ranking =
        Ranking { subject: Ranked::Programs, measure: RankedBy::Bookings, ..asked.ranking };
    let found = rank(&app, asked.ranking, asked.top).await?;
    let ids: Vec<ProgramId> = found.ranked.iter().map(|ranked| ProgramId(ranked.id)).collect();
    let ids = &ids;
    let read = |db| async move { listed::list_published(&db, ids).await };
    let programs = app.read_stale(StaleRead::Rankings, read).await?;
    // A program that is cancelled or a draft again keeps its rank, and is not listed.
    let ranked: Vec<RankedProgram> = found
        .ranked
        .iter()
        .filter_map(|one| {
            let program = programs.iter().find(|program| program.id.0 == one.id)?;
            Some(RankedProgram {
                rank: one.rank,
                slug: program.slug.clone(),
                title: program.title.clone(),
                poster_number: program.poster_number,
                poster: program.poster.clone(),
            })
        })
        .collect();
    let next = asked.next_page(found.n_all);
    let span = asked.ranking.span;
    let page = PopularPage { v: &visitor.view, asked, ranked, next };
    let (from, to) = (span.from(), span.to);
    let document = PopularDocument { from, to, ranked: &page.ranked, next_page: next };
    Ok(visitor.view.show(&page, &document))
}
