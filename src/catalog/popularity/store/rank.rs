//! SQL of rankings, for while Redis has none.

use chrono::NaiveDate;
use uuid::Uuid;

use crate::{
    catalog::popularity::model::{Ranked, RankedBy, Ranking, RankingPage, Span, TopN},
    infra::postgres::Pool,
};

impl Ranked {
    fn is_programs(self) -> bool {
        self == Self::Programs
    }
}

impl RankedBy {
    fn is_revenue(self) -> bool {
        self == Self::Revenue
    }
}

impl Span {
    fn days(self) -> Vec<NaiveDate> {
        self.from().iter_days().take_while(|day| *day <= self.to).collect()
    }
}

/// Returns a page of a ranking.
pub(crate) async fn list(
    db: &Pool,
    ranking: Ranking,
    top: TopN,
) -> Result<RankingPage, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        with summed as (
            select case when $2 then program_id else schedule_id end as id,
                sum(case when $3 then revenue else bookings end)::bigint as score
            from unnest($1::date[]) as spanned (day)
            cross join lateral (
                select * from daily_sales where day = spanned.day offset 0
            ) sold
            group by 1
            having sum(case when $3 then revenue else bookings end) > 0
        )
        select n_all as "n_all!", id as "id?", score as "score?", place as "rank?"
        from (select count(*) as n_all from summed) counted
        left join lateral (
            select id, score, rank() over (order by score desc) as place
            from summed order by score desc, id desc offset $4 limit $5
        ) page on true
        order by score desc, id desc
        "#,
        &ranking.span.days(),
        ranking.subject.is_programs(),
        ranking.measure.is_revenue(),
        top.offset,
        top.rows_max,
    )
    .fetch_all(db)
    .await?;
    let (first_rank, n_all) = rows.first().map_or((1, 0), |row| (row.rank.unwrap_or(1), row.n_all));
    let members = rows.iter().filter_map(|row| Some((row.id?, row.score?)));
    Ok(RankingPage::of(members, first_rank, top.offset, n_all))
}

/// Returns the rank of one program or performance; `None` if the ranking does not list it.
pub(crate) async fn find(
    db: &Pool,
    ranking: Ranking,
    id: Uuid,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with summed as (
            select case when $2 then program_id else schedule_id end as id,
                sum(case when $3 then revenue else bookings end)::bigint as score
            from unnest($1::date[]) as spanned (day)
            cross join lateral (
                select * from daily_sales where day = spanned.day offset 0
            ) sold
            group by 1
        )
        select (select count(*) + 1 from summed others where others.score > mine.score) as "rank!"
        from summed mine
        where id = $4 and score > 0
        "#,
        &ranking.span.days(),
        ranking.subject.is_programs(),
        ranking.measure.is_revenue(),
        id,
    )
    .fetch_optional(db)
    .await
}
