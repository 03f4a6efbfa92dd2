//! SQL of the settings of the office.

use sqlx::PgExecutor;

use super::{
    logo::Logo,
    model::{OfficeSettings, OfficeTexts},
};
use crate::infra::postgres::{Connection, Pool};

/// Row of the settings.
struct SettingsRow {
    version: i64,
    name: String,
    email: String,
    phone: String,
    colour: String,
    imprint: String,
    terms: String,
    privacy: String,
    seller: String,
    seller_address: String,
    tax_number: String,
    tax_rate_bp: Option<i32>,
    logo_version: Option<String>,
}

impl From<SettingsRow> for OfficeSettings {
    fn from(row: SettingsRow) -> Self {
        let texts = OfficeTexts {
            name: row.name,
            email: row.email,
            phone: row.phone,
            colour: row.colour,
            imprint: row.imprint,
            terms: row.terms,
            privacy: row.privacy,
            seller: row.seller,
            seller_address: row.seller_address,
            tax_number: row.tax_number,
            tax_rate_bp: row.tax_rate_bp,
        };
        Self { version: row.version, texts, logo: row.logo_version }
    }
}

/// Finds the settings if their version is higher than `known`.
pub async fn find_newer(
    db: impl PgExecutor<'_>,
    known: i64,
) -> Result<Option<OfficeSettings>, sqlx::Error> {
    let row = sqlx::query_as!(
        SettingsRow,
        "select version, name, email, phone, colour, imprint, terms, privacy, seller, seller_address, tax_number,
                tax_rate_bp, logo_version
         from office_settings where version > $1",
        known,
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(Into::into))
}

/// Locks the settings and returns them.
pub async fn lock(tx: &mut Connection) -> Result<OfficeSettings, sqlx::Error> {
    let row = sqlx::query_as!(
        SettingsRow,
        "select version, name, email, phone, colour, imprint, terms, privacy, seller, seller_address, tax_number,
                tax_rate_bp, logo_version
         from office_settings for no key update",
    )
    .fetch_one(tx)
    .await?;
    Ok(row.into())
}

/// Writes the settings, which [`lock`] has locked.
pub async fn update(tx: &mut Connection, settings: &OfficeSettings) -> Result<(), sqlx::Error> {
    let OfficeSettings { version, texts, logo } = settings;
    sqlx::query!(
        "update office_settings
         set version = $1, name = $2, email = $3, phone = $4, colour = $5, imprint = $6, terms = $7,
             privacy = $8, logo_version = $9, seller = $10, seller_address = $11, tax_number = $12,
             tax_rate_bp = $13",
        *version,
        texts.name,
        texts.email,
        texts.phone,
        texts.colour,
        texts.imprint,
        texts.terms,
        texts.privacy,
        logo.as_deref(),
        texts.seller,
        texts.seller_address,
        texts.tax_number,
        texts.tax_rate_bp,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Keeps a logo; one that is kept already stays as it is.
pub async fn insert_logo(tx: &mut Connection, logo: &Logo) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into office_logos (version, small, large) values ($1, $2, $3)
         on conflict on constraint office_logos_pkey do nothing",
        logo.version,
        logo.small,
        logo.large,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes all logos but the one with the version `kept`.
pub async fn delete_other_logos(
    tx: &mut Connection,
    kept: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from office_logos where version is distinct from $1", kept)
        .execute(tx)
        .await?;
    Ok(())
}

/// Finds a logo.
pub(crate) async fn find_logo(db: &Pool, version: &str) -> Result<Option<Logo>, sqlx::Error> {
    sqlx::query_as!(
        Logo,
        "select version, small, large from office_logos where version = $1",
        version,
    )
    .fetch_optional(db)
    .await
}
