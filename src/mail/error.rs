//! Errors of writing a mail.

/// Reason why a mail cannot be written, as a sentence for administrators.
#[derive(Debug, thiserror::Error)]
pub enum ComposeError {
    /// A newer version of the program wrote it.
    #[error("this version of the program does not know what it tells")]
    UnknownMessage,
    /// What it tells of does not exist any more.
    #[error("what it tells of does not exist any more")]
    Gone,
    /// A template failed to render.
    #[error("it cannot be rendered: {0}")]
    Template(#[from] askama::Error),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}
