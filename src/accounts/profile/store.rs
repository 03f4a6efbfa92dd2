//! SQL of the owner's changes of an account.

use crate::{
    accounts::{error::AccountError, mail_choices::MailChoices, model::AccountId, name::Name},
    infra::postgres::{Connection, Pool, violated_constraint},
    text::i18n::Locale,
};

/// Account as its owner sees it.
#[derive(Clone, Debug)]
pub struct AccountDetails {
    /// Address, folded.
    pub email: String,
    /// Name.
    pub name: String,
    /// Whether the owner confirmed the address.
    pub is_confirmed: bool,
    /// Whether the account has a second factor.
    pub has_second_factor: bool,
    /// Number of its API keys that were not revoked.
    pub n_keys: i64,
    /// Mails that it wants.
    pub mails: MailChoices,
}

/// Returns an account; `None` if it does not exist.
pub(crate) async fn find(db: &Pool, id: AccountId) -> Result<Option<AccountDetails>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select email, name, email_confirmed_at is not null as "is_confirmed!",
            exists (select from second_factors f where f.account_id = accounts.id)
                as "has_second_factor!",
            (select count(*) from api_keys k
             where k.made_by = accounts.id and k.revoked_at is null) as "n_keys!",
            mail_locale, mails_transfers, mails_turn, mails_letters
        from accounts
        where id = $1
        "#,
        id as _,
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| AccountDetails {
        email: row.email,
        name: row.name,
        is_confirmed: row.is_confirmed,
        has_second_factor: row.has_second_factor,
        n_keys: row.n_keys,
        mails: MailChoices {
            locale: row.mail_locale.as_deref().and_then(Locale::parse),
            transfers: row.mails_transfers,
            turn: row.mails_turn,
            letters: row.mails_letters,
        },
    }))
}

/// Sets an account's name; returns whether the account is there.
pub(crate) async fn write_name(db: &Pool, id: AccountId, name: &Name) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        "update accounts set name = $2 where id = $1 and deleted_at is null",
        id as _,
        name.as_str(),
    )
    .execute(db)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Sets an account's address, which is confirmed.
pub(crate) async fn write_email(
    tx: &mut Connection,
    id: AccountId,
    email: &str,
) -> Result<(), AccountError> {
    sqlx::query!(
        "update accounts set email = $2, email_confirmed_at = clock_timestamp() where id = $1",
        id as _,
        email,
    )
    .execute(tx)
    .await
    .map_err(|error| match violated_constraint(&error) {
        Some("accounts_email_key") => AccountError::EmailTaken,
        _ => AccountError::Database(error),
    })?;
    Ok(())
}
