//! SQL of rankings, for while Redis has none.

use chrono::NaiveDate;
use uuid::Uuid;

use crate::{
    catalog::popularity::model::{Ranked, RankedBy, RankedId, Ranking, RankingPage, Span, TopN},
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
pub async fn list(db: &Pool, ranking: Ranking, top: TopN) -> Result<RankingPage, sqlx::Error> {
    let found = sqlx::query!(
        r#"
        select count(*) as "n_all!",
            (array_agg(id order by score desc, id desc))[$4 + 1 : $4 + $5] as ids,
            (array_agg(place order by score desc, id desc))[$4 + 1 : $4 + $5] as ranks
        from (
            select id, score, rank() over (order by score desc) as place
            from (
                select case when $2 then program_id else schedule_id end as id,
                    sum(case when $3 then revenue else bookings end)::bigint as score
                from unnest($1::date[]) as spanned (day)
                cross join lateral (
                    select * from daily_sales where day = spanned.day offset 0
                ) sold
                group by 1
            ) summed
            where score > 0
        ) ranked
        "#,
        &ranking.span.days(),
        ranking.subject.is_programs(),
        ranking.measure.is_revenue(),
        i32::try_from(top.offset).unwrap_or(i32::MAX),
        i32::try_from(top.rows_max).unwrap_or(i32::MAX),
    )
    .fetch_one(db)
    .await?;
    let (ids, ranks) = (found.ids.unwrap_or_default(), found.ranks.unwrap_or_default());
    let ranked = ids.into_iter().zip(ranks).map(|(id, rank)| RankedId { id, rank });
    Ok(RankingPage { ranked: ranked.collect(), n_all: found.n_all })
}

/// Returns the rank of one program or performance; `None` if the ranking does not list it.
pub async fn find(db: &Pool, ranking: Ranking, id: Uuid) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select place as "rank!"
        from (
            select id, rank() over (order by score desc) as place
            from (
                select case when $2 then program_id else schedule_id end as id,
                    sum(case when $3 then revenue else bookings end)::bigint as score
                from unnest($1::date[]) as spanned (day)
                cross join lateral (
                    select * from daily_sales where day = spanned.day offset 0
                ) sold
                group by 1
            ) summed
            where score > 0
        ) ranked
        where id = $4
        "#,
        &ranking.span.days(),
        ranking.subject.is_programs(),
        ranking.measure.is_revenue(),
        id,
    )
    .fetch_optional(db)
    .await
}
