//! Price types as administrators make them.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{Answer, Concert, Office, Person, acts, read_all, read_one};

struct Desk {
    office: Office,
    admin: Person,
    concert: Concert,
}

impl Desk {
    async fn open(db: &PgPool) -> Self {
        let office = Office::open_with(db.clone(), 1, &[]).await;
        let concert = Concert::usual(db).await;
        let admin = office.employ("admin", "ADMIN").await;
        Self { office, admin, concert }
    }

    fn path(&self) -> String {
        format!("/admin/schedules/{}/price-types", self.concert.schedule_id)
    }

    async fn send(&self, path: &str, mut fields: Value) -> Answer {
        let shown = self.admin.get(&self.path()).await.json();
        fields["version"] = shown["schedule"]["version"].clone();
        self.admin.post_json(&format!("{}{path}", self.path()), &fields).await
    }
}

#[sqlx::test]
async fn what_a_type_cannot_be_is_said_of_its_field(db: PgPool) {
    let desk = Desk::open(&db).await;
    let cases = [
        ("name", json!({ "name": "", "percent": 50 })),
        ("name", json!({ "name": "n".repeat(41), "percent": 50 })),
        ("note", json!({ "name": "Child", "percent": 50, "note": "n".repeat(121) })),
        ("cost", json!({ "name": "Child" })),
        ("cost", json!({ "name": "Child", "percent": 0 })),
        ("cost", json!({ "name": "Child", "percent": 101 })),
        ("cost", json!({ "name": "Child", "percent": -1 })),
        ("cost", json!({ "name": "Child", "cost": "price", "price": 0 })),
        ("cost", json!({ "name": "Child", "price": -5 })),
        ("cost", json!({ "name": "Child", "price": 1_000_000_001 })),
        ("cost", json!({ "name": "Child", "percent": 5, "price": 5 })),
        ("cost", json!({ "name": "Child", "cost": "gift" })),
        ("kinds", json!({ "name": "Child", "percent": 50, "kinds": "THRONE" })),
        ("kinds", json!({ "name": "Child", "percent": 50, "kinds": ["STANDARD", "STANDARD"] })),
        ("sections", json!({ "name": "Child", "percent": 50, "sections": "n".repeat(101) })),
        ("per_order_max", json!({ "name": "Child", "percent": 50, "per_order_max": 0 })),
        ("per_order_max", json!({ "name": "Child", "percent": 50, "per_order_max": 1_001 })),
        ("beside", json!({ "name": "Child", "percent": 50, "beside": "NOBODY" })),
        ("beside", json!({ "name": "Child", "percent": 50, "per_beside_max": 1 })),
        (
            "per_beside_max",
            json!({ "name": "Child", "percent": 50, "beside": "ORDINARY", "per_beside_max": "x" }),
        ),
    ];
    for (field, fields) in cases {
        let refused = desk.send("", fields.clone()).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{fields}");
        assert!(refused.json()["fields"][field].is_string(), "{fields}: {}", refused.body);
    }
    let no_version = json!({ "name": "Child", "percent": 50 });
    assert_eq!(desk.admin.post_json(&desk.path(), &no_version).await.status, 422);
    let count: i64 = read_one(&db, "select count(*) from price_types").await;
    assert_eq!(count, 0);
    desk.office.close().await;
}

#[sqlx::test]
async fn a_type_is_made_edited_and_withdrawn_on_its_page(db: PgPool) {
    let desk = Desk::open(&db).await;
    let form = [
        ("version", "0"),
        ("name", "Companion"),
        ("note", "For whoever comes with a wheelchair user"),
        ("cost", "free"),
        ("percent", ""),
        ("price", ""),
        ("per_order_max", ""),
        ("beside", "WHEELCHAIR"),
        ("per_beside_max", "1"),
        ("kinds", "STANDARD"),
        ("kinds", "COMPANION"),
    ];
    let made = desk.admin.submit(&desk.path(), &form).await;
    assert_eq!((made.status, made.location()), (303, desk.path().as_str()), "{}", made.body);
    let page = desk.admin.visit(&desk.path()).await;
    assert!(page.texts("h2").contains(&"Companion Free".to_owned()), "{:?}", page.texts("h2"));
    let words = page.texts(".admin__section p").join(" ");
    assert!(words.contains("Only in: Standard seats, Companion seat."), "{words}");
    assert!(words.contains("At most 1 for each wheelchair place."), "{words}");
    assert!(page.has("input[name='kinds'][value='COMPANION'][checked]"));
    assert!(page.has("input[name='cost'][value='free'][checked]"));

    let id: Uuid = read_one(&db, "select id from price_types").await;
    let edit = [("version", "1"), ("name", "Helper"), ("percent", "10"), ("cost", "percent")];
    let edited = desk.admin.submit(&format!("{}/{id}", desk.path()), &edit).await;
    assert_eq!(edited.status, 303, "{}", edited.body);
    // The page that a form came from is old now; what was typed stays.
    let stale = desk.admin.submit(&format!("{}/{id}", desk.path()), &edit).await;
    assert_eq!(stale.status, 409, "{}", stale.body);
    let again = [("version", "2"), ("name", "Helper"), ("percent", "20"), ("cost", "percent")];
    let taken = desk.admin.submit(&desk.path(), &again).await;
    assert_eq!(taken.status, 409, "{}", taken.body);
    assert!(taken.body.contains("The performance has a ticket type of this name."));
    assert!(taken.has("#name-new[value='Helper']"));
    let old = format!("{}/{id}/withdrawal", desk.path());
    assert_eq!(desk.admin.submit(&old, &[("version", "2")]).await.status, 404);
    let id: Uuid = read_one(&db, "select id from price_types where withdrawn_at is null").await;
    let gone = format!("{}/{id}/withdrawal", desk.path());
    assert_eq!(desk.admin.submit(&gone, &[("version", "2")]).await.status, 303);
    let names: Vec<String> =
        read_all(&db, "select name from price_types where withdrawn_at is not null order by 1")
            .await;
    assert_eq!(names, ["Companion", "Helper"]);
    assert_eq!(acts(&db).await, ["price-types-set"; 3]);
    desk.office.close().await;
}

#[sqlx::test]
async fn types_are_taken_over_from_another_performance_of_the_program(db: PgPool) {
    let desk = Desk::open(&db).await;
    let other = desk.concert.another_date(&db, 1).await.schedule_id;
    let stranger = Concert::usual(&db).await;
    for (schedule_id, name) in
        [(other, "Child"), (other, "Student"), (stranger.schedule_id, "Stranger")]
    {
        let path = format!("/admin/schedules/{schedule_id}/price-types");
        let version = desk.admin.get(&path).await.json()["schedule"]["version"].clone();
        let fields = json!({ "version": version, "name": name, "percent": 50 });
        assert_eq!(desk.admin.post_json(&path, &fields).await.status, 200);
    }
    assert_eq!(desk.send("", json!({ "name": "Child", "percent": 40 })).await.status, 200);
    let copied = desk.send("/copies", json!({ "from": other })).await;
    assert_eq!(copied.status, 200, "{}", copied.body);
    let strange = desk.send("/copies", json!({ "from": stranger.schedule_id })).await;
    assert_eq!(strange.status, 200, "{}", strange.body);
    let types = desk.admin.get(&desk.path()).await.json()["price_types"].clone();
    let costs: Vec<_> =
        types.as_array().unwrap().iter().map(|each| (&each["name"], &each["percent"])).collect();
    assert_eq!(costs, [(&json!("Child"), &json!(40)), (&json!("Student"), &json!(50))]);
    assert_eq!(desk.send("/copies", json!({ "from": "x" })).await.status, 422);
    desk.office.close().await;
}

#[sqlx::test]
async fn a_performance_has_twenty_types_at_most(db: PgPool) {
    let desk = Desk::open(&db).await;
    for nth in 0..20 {
        let made = desk.send("", json!({ "name": format!("Type {nth}"), "percent": 50 })).await;
        assert_eq!(made.status, 200, "{}", made.body);
    }
    let refused = desk.send("", json!({ "name": "One more", "percent": 50 })).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "too-many-price-types"));
    assert!(!desk.admin.visit(&desk.path()).await.has("#name-new"));
    desk.office.close().await;
}
