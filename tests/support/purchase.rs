//! Fixtures of paid reservations, for tests of what comes after a purchase.

use sqlx::PgPool;
use uuid::Uuid;

use super::{Concert, Hold, Person};

/// Paid reservation with the codes of its tickets.
#[derive(Clone, Debug)]
pub struct Purchase {
    pub reservation_id: Uuid,
    pub codes: Vec<String>,
}

impl Purchase {
    /// Charges `person`'s wallet, writes `hold` and pays for it.
    pub async fn make(db: &PgPool, concert: &Concert, person: &Person, hold: Hold<'_>) -> Self {
        let reservation_id = hold.write(db, concert, person.account_id).await;
        let charged = person.post("/wallet/charges", &[("amount", 1_000_000)]).await;
        assert_eq!(charged.status, 201, "{}", charged.body);
        let path = format!("/reservations/{reservation_id}/payment");
        let paid = person.post(&path, &()).await;
        assert_eq!(paid.status, 201, "{}", paid.body);
        let codes = paid.json()["tickets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|code| code.as_str().unwrap().to_owned())
            .collect();
        Self { reservation_id, codes }
    }
}
