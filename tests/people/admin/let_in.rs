//! Letting one person in, past the queue and beyond the capacity.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, acts, count, email_of, read_all, storm, until,
};

async fn concert(db: &PgPool) -> Concert {
    let options = ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() };
    Concert::with(db, options).await
}

fn queue_path_of(concert: &Concert) -> String {
    format!("/programs/{}/queue", concert.slug)
}

async fn let_in(admin: &Person, concert: &Concert, who: &str) -> Answer {
    let path = format!("/admin/programs/{}/queue/admissions", concert.program_id);
    admin.post(&path, &[("who", who), ("reason", "came by the side door")]).await
}

async fn status(person: &Person, concert: &Concert) -> Value {
    person.get(&queue_path_of(concert)).await.json()["status"].clone()
}

/// Waits until a person is inside.
async fn until_inside(person: &Person, concert: &Concert) {
    until("they are let in", async || status(person, concert).await == "ACTIVE").await;
}

async fn set(db: &PgPool, statement: &'static str, id: Uuid) {
    assert_eq!(sqlx::query(statement).bind(id).execute(db).await.unwrap().rows_affected(), 1);
}

/// The house is fuller by as many as staff let in, and the gate admits none until there is room
/// again.
#[sqlx::test]
async fn staff_exceed_the_capacity_by_those_they_name_and_the_gate_does_not(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = concert(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(5, "Line").await;
    for person in &people {
        assert_eq!(person.post(&queue_path_of(&concert), &()).await.status, 201);
    }
    // Parked, by a pause, or at the end of the queue: a place is a place.
    set(
        &db,
        "update queue_tokens set parked_at = now() where account_id = $1",
        people[3].account_id,
    )
    .await;
    set(&db, "update programs set queue_paused_at = now() where id = $1", concert.program_id).await;
    for who in ["4", "5"] {
        let done = let_in(&admin, &concert, who).await;
        assert_eq!((done.status, done.json()["queue_number"].to_string().as_str()), (200, who));
    }
    set(&db, "update programs set queue_paused_at = null where id = $1", concert.program_id).await;
    let told: Vec<(i64, i32, i32, bool, bool)> = sqlx::query_as(
        "select queue_number, inside_after, capacity_then, let_in_by = $1, parked_at is null
         from queue_tokens where let_in_by is not null order by queue_number",
    )
    .bind(admin.account_id)
    .fetch_all(&db)
    .await
    .unwrap();
    assert_eq!(told, [(4, 2, 1, true, true), (5, 3, 1, true, true)]);
    let logged: Vec<(Uuid, String, String, Value)> =
        sqlx::query_as("select account_id, subject_id, reason, after from audit_log order by id")
            .fetch_all(&db)
            .await
            .unwrap();
    for (nth, entry) in logged.iter().enumerate() {
        let after = json!({ "program": concert.slug, "queue_number": 4 + nth });
        assert_eq!((entry.0, &entry.3), (admin.account_id, &after));
        assert_eq!(entry.1, people[3 + nth].account_id.to_string());
        assert_eq!(entry.2, "came by the side door");
    }
    assert_eq!(acts(&db).await, ["let-in", "let-in"]);

    // Three inside where one may be: after two ways out the gate stays closed, after the third it
    // opens.
    for gone in [&people[0], &people[4]] {
        assert_eq!(gone.delete(&queue_path_of(&concert)).await.status, 204);
        stagedoor::entry_queue::admit_everywhere(&office.app).await.unwrap();
        assert_eq!(status(&people[1], &concert).await, "WAITING");
    }
    assert_eq!(people[3].delete(&queue_path_of(&concert)).await.status, 204);
    until_inside(&people[1], &concert).await;
    office.verify().await;
    office.close().await;
}

/// An account that has no place in this queue, or is inside, is refused; nothing is logged of it.
#[sqlx::test]
async fn only_who_waits_in_this_queue_is_let_in(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (here, there) = (concert(&db).await, concert(&db).await);
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(4, "Line").await;
    for (person, concert) in [(0, &here), (1, &here), (2, &here), (0, &there), (3, &there)] {
        assert_eq!(people[person].post(&queue_path_of(concert), &()).await.status, 201);
    }
    assert_eq!(people[2].delete(&queue_path_of(&here)).await.status, 204);
    until_inside(&people[0], &here).await;
    let email = async |person: &Person| email_of(&db, person.account_id).await;
    let elsewhere = email(&people[3]).await;
    for (who, why) in [
        ("1", "is inside"),
        ("3", "has left"),
        (elsewhere.as_str(), "waits elsewhere"),
        ("9", "never came"),
    ] {
        let refused = let_in(&admin, &here, who).await;
        assert_eq!(refused.status, 422, "{why}: {}", refused.body);
        assert!(refused.json()["fields"].to_string().contains("who"), "{}", refused.body);
    }
    // After the sale no person goes in, not even by staff; the queue is on its way out.
    set(&db, "update programs set off_sale_at = now() where id = $1", there.program_id).await;
    let late = let_in(&admin, &there, &elsewhere).await;
    assert!([410, 422].contains(&late.status), "{}", late.body);
    assert_ne!(status(&people[3], &there).await, "ACTIVE");
    assert_eq!(acts(&db).await, Vec::<String>::new());

    // A capital letter more or less is the same address.
    let shouted = email(&people[1]).await.to_uppercase();
    assert_eq!(let_in(&admin, &here, &shouted).await.status, 200);
    assert_eq!(status(&people[1], &here).await, "ACTIVE");
    office.verify().await;
    office.close().await;
}

/// Two admins at once, each person many times, while the gate moves: each is let in once.
#[sqlx::test]
async fn whom_two_admins_let_in_at_once_goes_in_once(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[("TEST_ADMISSION_PERIOD_MS", "20")]).await;
    let concert = concert(&db).await;
    let admins = [office.employ("one", "ADMIN").await, office.employ("two", "ADMIN").await];
    let people = office.crowd(6, "Line").await;
    for person in &people {
        assert_eq!(person.post(&queue_path_of(&concert), &()).await.status, 201);
    }
    let orders = (0..40).map(|nth| {
        let admin = office.moved(&admins[nth % 2], nth / 2);
        let (concert, who) = (concert.clone(), (3 + nth / 2 % 4).to_string());
        async move { let_in(&admin, &concert, &who).await }
    });
    let answers = storm(orders).await;
    assert_eq!(count(&answers, 200, ""), 4, "{answers:?}");
    assert_eq!(count(&answers, 422, "") + count(&answers, 404, "no-token"), 36, "{answers:?}");
    assert_eq!(acts(&db).await, ["let-in"; 4]);
    let inside: Vec<i64> =
        read_all(&db, "select queue_number from queue_tokens where status = 'ACTIVE' order by 1")
            .await;
    assert_eq!(inside, [1, 3, 4, 5, 6], "the gate let nobody else in");
    office.verify().await;
    office.close().await;
}
