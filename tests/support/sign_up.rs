//! People who sign up, and the links that are mailed to them.

use sqlx::PgPool;
use uuid::Uuid;

use super::{Office, Person, read_one_with};

/// Password with which [`sign_up`] makes an account.
pub const PASSWORD: &str = "correct otter lantern";

/// Person who signed up.
#[derive(Debug)]
pub struct Signed {
    pub person: Person,
    pub email: String,
}

/// Signs up over HTTP.
pub async fn sign_up(office: &Office, name: &str) -> Signed {
    let email = format!("{name}-{}@example.com", Uuid::now_v7().simple());
    let mut person = office.stranger();
    let form = [("email", email.as_str()), ("name", "Somebody"), ("password", PASSWORD)];
    let signed = person.post("/signup", &form).await;
    assert_eq!(signed.status, 201, "{}", signed.body);
    person.account_id = signed.json()["account_id"].as_str().unwrap().parse().unwrap();
    Signed { person, email }
}

/// Returns the token of the last link in a mail of the kind.
pub async fn secret_of(db: &PgPool, kind: &str) -> String {
    let last = "select secret from outbox where kind = $1 order by position desc limit 1";
    read_one_with(db, last, kind).await
}
