//! Demo accounts that are printed after the demo data is loaded.

/// Demo account to print.
#[derive(Clone, Copy, Debug)]
pub struct LogIn {
    /// E-mail address of the account.
    pub email: &'static str,
    /// Name the pages show.
    pub name: &'static str,
    /// Role, as the database writes it.
    pub role: &'static str,
    /// Purpose of the account, printed with it.
    pub purpose: &'static str,
    /// Points in its wallet.
    pub points: i64,
}
