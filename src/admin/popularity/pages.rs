//! Rankings with their figures, and the fastest sell-outs, as pages and as JSON.

use actix_web::{
    HttpResponse,
    web::{Data, Query},
};
use askama::Template;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    accounts::AdminAccount,
    app::{App, StaleRead},
    catalog::{
        ProgramStatus, ScheduleId,
        popularity::{
            self, Ranked, RankedBy,
            pages::query::{AskedRanking, RankingQuery},
            store::listed::{self, Figures, SellOut},
        },
    },
    infra::postgres::page::{After, PAGE_ROWS, Page},
    text::i18n::Phrase,
    web::{
        error::{NotFound, PageError},
        form::Mistakes,
        page::View,
    },
};

/// Line of a ranking.
#[derive(Debug, Serialize, JsonSchema)]
struct Line {
    /// Rank; `None` for one that the ranking does not list.
    rank: Option<i64>,
    #[serde(flatten)]
    figures: Figures,
}

#[derive(Template)]
#[template(path = "admin/popularity.html")]
struct PopularityPage {
    v: View,
    asked: AskedRanking,
    slug: String,
    lines: Vec<Line>,
    /// Program that was searched for.
    found: Option<Line>,
    next: Option<u32>,
}

impl Line {
    /// Returns the rank as text; a dash for one that the ranking does not list.
    fn rank_text(&self) -> String {
        self.rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string())
    }
}

/// Ranking with its figures.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PopularityDocument<'a> {
    of: Ranked,
    by: RankedBy,
    from: NaiveDate,
    to: NaiveDate,
    ranked: &'a [Line],
    /// Number of all that are ranked.
    all: i64,
    /// The one that was looked for.
    found: Option<&'a Line>,
    next_page: Option<u32>,
}

/// `GET /admin/popularity`
pub async fn show_popularity(
    app: Data<App>,
    me: AdminAccount,
    query: Query<RankingQuery>,
) -> Result<HttpResponse, PageError> {
    let asked = query.parse(&app)?;
    let totals = popularity::rank(&app, asked.ranking, asked.top).await?;
    let ids: Vec<Uuid> = totals.ranked.iter().map(|ranked| ranked.id).collect();
    let mut figures = figures_of(&app, asked.ranking, &ids).await?;
    let lines: Vec<Line> = totals
        .ranked
        .iter()
        .filter_map(|ranked| {
            let place = figures.iter().position(|figures| figures.id == ranked.id)?;
            Some(Line { rank: Some(ranked.rank), figures: figures.swap_remove(place) })
        })
        .collect();
    let found = match query.slug.text() {
        "" => None,
        slug => Some(find_one(&app, asked, slug).await?),
    };
    let next = asked.next_page(totals.n_all);
    let span = asked.ranking.span;
    let slug = query.slug.text().to_owned();
    let page = PopularityPage { v: me.view, asked, slug, lines, found, next };
    let document = PopularityDocument {
        of: asked.ranking.subject,
        by: asked.ranking.measure,
        from: span.from(),
        to: span.to,
        ranked: &page.lines,
        all: totals.n_all,
        found: page.found.as_ref(),
        next_page: next,
    };
    Ok(page.v.show(&page, &document))
}

async fn figures_of(
    app: &App,
    ranking: popularity::Ranking,
    ids: &[Uuid],
) -> Result<Vec<Figures>, sqlx::Error> {
    let read = |db| async move { listed::list_figures(&db, ranking, ids).await };
    app.read_stale(StaleRead::SalesFigures, read).await
}

/// Returns the program with `slug` with its figures and its rank.
async fn find_one(app: &App, asked: AskedRanking, slug: &str) -> Result<Line, PageError> {
    let ranking = popularity::Ranking { subject: Ranked::Programs, ..asked.ranking };
    let sought = listed::find_program(&app.db, slug).await?;
    let sought = sought.ok_or_else(|| Mistakes::one("slug", "popularity-refusal-unknown"))?;
    if sought.status == ProgramStatus::Draft {
        return Err(Mistakes::one("slug", "popularity-refusal-draft").into());
    }
    let mut figures = figures_of(app, ranking, &[sought.id.0]).await?;
    let figures = figures.pop().ok_or(NotFound)?;
    let rank = popularity::rank_of(app, ranking, sought.id.0).await?;
    Ok(Line { rank, figures })
}

#[derive(Template)]
#[template(path = "admin/sell_outs.html")]
struct SellOutsPage {
    v: View,
    sell_outs: Page<SellOut>,
}

impl SellOutsPage {
    /// Returns how long a performance took to sell out, in words.
    fn took(&self, sell_out: &SellOut) -> Phrase {
        let (secs, mins) = (sell_out.took_secs % 60, sell_out.took_secs / 60);
        match mins {
            0 => self.v.t("popularity-took-secs").word("secs", secs),
            1..60 => self.v.t("popularity-took-mins").word("minutes", mins).word("secs", secs),
            _ => {
                let text = self.v.t("date-hours-minutes");
                text.word("hours", self.v.number(mins / 60)).word("minutes", mins % 60)
            }
        }
    }
}

/// Page of performances that were sold out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SellOutsDocument<'a> {
    sell_outs: &'a [SellOut],
    next: Option<Uuid>,
}

/// `GET /admin/popularity/sell-outs`
pub async fn show_sell_outs(
    app: Data<App>,
    me: AdminAccount,
    query: Query<After>,
) -> Result<HttpResponse, PageError> {
    let after = query.after.map(ScheduleId);
    let read = |db| async move { listed::list_sell_outs(&db, after, PAGE_ROWS + 1).await };
    let found = app.read_stale(StaleRead::SalesFigures, read).await?;
    let sell_outs = Page::cut(found, |sell_out| sell_out.schedule_id.0);
    let page = SellOutsPage { v: me.view, sell_outs };
    let (sell_outs, next) = (&page.sell_outs.rows, page.sell_outs.next);
    let document = SellOutsDocument { sell_outs, next };
    Ok(page.v.show(&page, &document))
}
