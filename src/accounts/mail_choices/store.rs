//! SQL of the mails that an account wants.

use super::model::MailChoices;
use crate::{
    accounts::model::AccountId,
    infra::postgres::{Connection, Pool},
    outbox::MailTopic,
    text::i18n::Locale,
};

/// Sets the mails that an account wants.
pub(crate) async fn write(
    db: &Pool,
    id: AccountId,
    choices: MailChoices,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update accounts set mail_locale = $2, mails_transfers = $3, mails_turn = $4, mails_letters = $5
        where id = $1 and deleted_at is null
        "#,
        id as _,
        choices.locale.map(Locale::tag),
        choices.transfers,
        choices.turn,
        choices.letters,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns whether an account wants the mails of `topic`; `None` if it does not exist, or was deleted.
pub(crate) async fn find_wanted(
    db: &Pool,
    id: AccountId,
    topic: MailTopic,
) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select case $2::text
            when 'TRANSFERS' then mails_transfers
            when 'TURN' then mails_turn
            else mails_letters
        end as "is!"
        from accounts
        where id = $1 and deleted_at is null
        "#,
        id as _,
        topic as _,
    )
    .fetch_optional(db)
    .await
}

/// Turns the mails about an account's turn on.
pub async fn write_turn_wanted(tx: &mut Connection, id: AccountId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update accounts set mails_turn = true
        where id = $1 and not mails_turn and deleted_at is null
        "#,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Declines the mails of `topic` for an account; false if it does not exist, or was deleted.
pub(crate) async fn write_declined(
    db: &Pool,
    id: AccountId,
    topic: MailTopic,
) -> Result<bool, sqlx::Error> {
    let declined = sqlx::query!(
        r#"
        update accounts
        set mails_transfers = mails_transfers and $2::text <> 'TRANSFERS',
            mails_turn = mails_turn and $2::text <> 'TURN',
            mails_letters = mails_letters and $2::text <> 'LETTERS'
        where id = $1 and deleted_at is null
        "#,
        id as _,
        topic as _,
    )
    .execute(db)
    .await?;
    Ok(declined.rows_affected() > 0)
}
