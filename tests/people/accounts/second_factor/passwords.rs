//! The password that a second factor asks for: a stranger at an open session sets, changes and
//! removes none.

use std::time::Duration;

use sqlx::PgPool;

use super::{ELSEWHERE, PASSWORD, Signed, administrator, confirm, offer, told};
use crate::support::{Office, run_sql};

const PATH: &str = "/account/second-factor";
/// As if the password had been given long ago.
const LONG_AGO: &str = "update sessions set confirmed_at = now() - interval '11 minutes'";

#[sqlx::test]
async fn an_open_session_sets_up_none_without_the_password(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &ELSEWHERE).await;
    let Signed { person, .. } = administrator(&office, "boss").await;
    let (sealed, app) = offer(&person).await;
    run_sql(&db, LONG_AGO).await;
    let refused = person.get(PATH).await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "confirmation-required"));
    let set = confirm(&person, &sealed, &app.code(Duration::ZERO)).await;
    assert_eq!(set.code(), "confirmation-required");
    assert!(told(&db).await.is_empty());

    let next = format!("{PATH}?next=%2Fadmin");
    let sent = person.visit(&next).await;
    let detour = "/account/confirmation?next=%2Faccount%2Fsecond-factor%3Fnext%3D%252Fadmin";
    assert_eq!(sent.location(), detour);
    assert!(person.visit(detour).await.has(&format!("[name=next][value='{next}']")));
    let given = [("password", PASSWORD), ("next", next.as_str())];
    assert_eq!(person.submit("/account/confirmation", &given).await.location(), next);
    assert!(person.visit(&next).await.has("[name=sealed]"));
    assert_eq!(confirm(&person, &sealed, &app.code(Duration::ZERO)).await.status, 201);
    assert_eq!(told(&db).await, ["set"]);
    office.close().await;
}

#[sqlx::test]
async fn nor_does_it_change_or_remove_one(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &ELSEWHERE).await;
    let Signed { person, .. } = administrator(&office, "boss").await;
    let (sealed, app) = offer(&person).await;
    assert_eq!(confirm(&person, &sealed, &app.code(Duration::ZERO)).await.status, 201);
    // The code was given just now, and the password was not.
    run_sql(&db, LONG_AGO).await;
    assert_eq!(person.visit(PATH).await.status, 200, "it is only shown");
    for change in ["recovery-codes", "removal"] {
        let path = format!("{PATH}/{change}");
        assert_eq!(person.post(&path, &()).await.code(), "confirmation-required", "{change}");
        let given = person.post("/account/confirmation", &[("password", PASSWORD)]).await;
        assert_eq!(given.status, 200);
        let changed = person.post(&path, &()).await;
        assert!([200, 201].contains(&changed.status), "{change}: {}", changed.body);
        run_sql(&db, LONG_AGO).await;
    }
    assert_eq!(told(&db).await, ["set", "codes-renewed", "removed"]);
    office.close().await;
}
