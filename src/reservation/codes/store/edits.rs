//! SQL of codes as administrators make and see them.

use uuid::Uuid;

use crate::{
    catalog::ProgramId,
    entry_queue::AccessGateId,
    infra::{
        ids::new_id,
        postgres::{Connection, Pool},
    },
    reservation::codes::model::{CodeWord, NewCode, SaleCode, SaleCodeId},
};

/// Locks the performances of a program, so that no zone of theirs is added or renamed while a code
/// that may mean it is made.
pub(in crate::reservation::codes) async fn lock_schedules(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select id from schedules where program_id = $1 order by id for share",
        program_id as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(())
}

/// Inserts a code for each of `words`, all with the same terms and the same access gate. Returns
/// the ids of the new codes; a word that a live code has is left out.
pub(in crate::reservation::codes) async fn insert(
    tx: &mut Connection,
    program_id: ProgramId,
    words: &[CodeWord],
    new: &NewCode,
    gate_id: Option<AccessGateId>,
) -> Result<Vec<SaleCodeId>, sqlx::Error> {
    let ids: Vec<SaleCodeId> = words.iter().map(|_| SaleCodeId(new_id())).collect();
    sqlx::query_scalar!(
        r#"
        insert into sale_codes (id, program_id, word, percent, amount, valid_from, valid_until,
            uses_max, uses_per_account_max, schedule_id, section, is_access, gate_id, places_max, places)
        select id, $1, word, $2, $3, $4, $5, $6, $7, $8, $9, $12, $13, $14,
            case when $14::integer is not null then 0 end
        from unnest($10::uuid[], $11::text[]) as w (id, word)
        on conflict (program_id, word) where withdrawn_at is null do nothing
        returning id as "id: SaleCodeId"
        "#,
        program_id as _,
        new.percent,
        new.amount as _,
        new.valid_from,
        new.valid_until,
        new.uses_max,
        new.uses_per_account_max,
        new.schedule_id as _,
        new.section,
        ids as _,
        words as _,
        new.is_access,
        gate_id as _,
        new.places_max,
    )
    .fetch_all(tx)
    .await
}

/// Counts the places that live reservations have with a locked code, without those held while on return.
pub(in crate::reservation::codes) async fn count_places(
    tx: &mut Connection,
    id: SaleCodeId,
) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select coalesce(sum(i.quantity), 0)::integer as "places!"
        from (select id from reservations
              where sale_code_id = $1 and status in ('HELD', 'CONFIRMED') offset 0) r
        cross join lateral (
            select quantity from reservation_items
            where reservation_id = r.id and return_id is null and not was_on_return offset 0
        ) i
        "#,
        id as _,
    )
    .fetch_one(tx)
    .await
}

/// Sets the limits of a locked code on live reservations and on their places, and the number of
/// these places.
pub(in crate::reservation::codes) async fn update_limits(
    tx: &mut Connection,
    id: SaleCodeId,
    uses_max: Option<i32>,
    (places_max, places): (Option<i32>, Option<i32>),
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update sale_codes set uses_max = $2, places_max = $3, places = $4 where id = $1",
        id as _,
        uses_max,
        places_max,
        places,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Withdraws a locked code.
pub(in crate::reservation::codes) async fn update_withdrawn(
    tx: &mut Connection,
    id: SaleCodeId,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update sale_codes set withdrawn_at = clock_timestamp() where id = $1", id as _,)
        .execute(tx)
        .await?;
    Ok(())
}

/// Lists at most `rows_max` codes of a program after `after`, newest first.
pub async fn list(
    db: &Pool,
    program_id: ProgramId,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<SaleCode>, sqlx::Error> {
    sqlx::query_as!(
        SaleCode,
        r#"
        select id as "id: _", word as "word: _", is_access, percent,
            amount as "amount: _", valid_from, valid_until, uses_max, places_max, uses_per_account_max,
            schedule_id as "schedule_id: _", section, zones_of_code(id) as "zones!: _",
            gate_id as "gate_id: _", uses, places, withdrawn_at, created_at
        from sale_codes
        where program_id = $1 and id < $2
        order by id desc
        limit $3
        "#,
        program_id as _,
        after.unwrap_or(Uuid::max()),
        rows_max,
    )
    .fetch_all(db)
    .await
}
