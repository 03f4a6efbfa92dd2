//! Statistics from which the server plans.

use super::pool::Pool;

/// Analyzes the tables that were found empty, or nearly, and have grown since; connections then
/// plan anew. The server counts new rows about a second after they were committed.
pub async fn analyze_outgrown(db: &Pool) -> Result<(), sqlx::Error> {
    let analyzed =
        sqlx::query_scalar!(r#"select analyze_outgrown() as "n!""#).fetch_one(db).await?;
    if analyzed > 0 {
        tracing::info!(tables = analyzed, "analyzed tables that have grown since they were empty");
    }
    Ok(())
}
