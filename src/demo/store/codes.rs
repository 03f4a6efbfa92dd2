//! SQL of the codes of the demo data.

use crate::infra::postgres::Connection;

/// Gives every program a code that takes ten percent off, and programs whose sale opens later a code with
/// which people come in before.
pub(crate) async fn insert_codes(tx: &mut Connection) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with gates as (
            insert into access_gates (id, program_id, opens_at, capacity)
            select gen_random_uuid(), id, now(), 20
            from programs p
            where on_sale_at > now()
                and not exists (select from queue_draws where program_id = p.id)
            returning id, program_id
        )
        insert into sale_codes (id, program_id, word, is_access, uses_max, gate_id)
        select gen_random_uuid(), program_id, 'EARLY', true, 1000, id from gates
        "#,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        r#"
        insert into sale_codes (id, program_id, word, percent, uses_per_account_max)
        select gen_random_uuid(), id, 'WELCOME', 10, 1 from programs
        "#,
    )
    .execute(tx)
    .await?;
    Ok(())
}
