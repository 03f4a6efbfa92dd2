//! Early entry: a gate that opens before the sale.

use super::*;

/// The sale opens in an hour.
fn coming() -> ConcertOptions {
    ConcertOptions { opens_in_secs: 3_600, ..crowded() }
}

#[sqlx::test]
async fn whoever_has_a_code_joins_and_reserves_before_the_sale_opens(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, coming()).await;
    assert_eq!(make_gate(&office, &concert, "EARLY", (-60, 1)).await.status, 201);
    let people = office.crowd(3, "Early").await;
    let [ada, bob, eve] = people.as_slice() else { unreachable!() };
    let program = format!("/programs/{}", concert.slug);

    redeem(ada, &concert, "EARLY").await;
    assert!(ada.visit(&program).await.body.contains("Join with your code"));
    let refused = join(eve, &concert).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "sale-not-open"));
    let page = eve.visit(&program).await;
    assert!(!page.body.contains("Join with your code"));
    assert!(
        page.body.contains("an entrance of their own"),
        "nobody is let in behind others' backs"
    );
    // The step after the log-in promises a place to those only who may have one.
    let new = format!("{program}/queue/new");
    let led = eve.visit(&new).await;
    assert_eq!((led.status, led.location()), (303, program.as_str()), "{}", led.body);
    assert_eq!(ada.visit(&new).await.status, 200);

    assert_eq!(join(ada, &concert).await.status, 201);
    until_status(ada, &concert, "ACTIVE").await;
    assert_eq!(ada.get(&format!("/schedules/{}", concert.schedule_id)).await.status, 200);
    redeem(bob, &concert, "EARLY").await;
    assert_eq!(join(bob, &concert).await.json()["status"], "WAITING");
    assert!(bob.visit(&program).await.texts(".program__place")[0].contains('2'));
    let shut = order(bob, &concert, 1).await;
    assert_eq!((shut.status, shut.code().as_str()), (403, "not-admitted"));

    let held = order(ada, &concert, 0).await;
    assert_eq!(held.status, 201, "{}", held.body);
    let reservation = format!("/reservations/{}", held.json()["reservation_id"].as_str().unwrap());
    assert_eq!(ada.post("/wallet/charges", &[("amount", 100_000)]).await.status, 201);
    let paid = ada.post(&format!("{reservation}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);

    // The stay of the buyer is over, and the next person with a code comes in.
    until_status(bob, &concert, "ACTIVE").await;
    assert_eq!(bob.delete(&queue_path_of(&concert)).await.status, 204);
    let left = bob.visit(&queue_path_of(&concert)).await;
    assert!(!left.body.contains("not on sale"), "{}", left.body);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn nobody_joins_before_their_gate_opens(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, coming()).await;
    assert_eq!(make_gate(&office, &concert, "NOW", (-60, 1)).await.status, 201);
    assert_eq!(make_gate(&office, &concert, "LATER", (1_800, 1)).await.status, 201);
    let ada = office.sign_in("Ada").await;
    redeem(&ada, &concert, "LATER").await;
    let refused = join(&ada, &concert).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "sale-not-open"));
    let gate: chrono::DateTime<chrono::Utc> =
        read_one(&db, "select max(opens_at) from access_gates").await;
    assert_eq!(refused.json()["opens_at"], json!(gate), "hers, not the sale's");
    let page = ada.visit(&format!("/programs/{}", concert.slug)).await;
    assert!(page.body.contains("With your code you can join from"), "{}", page.body);
    // Of two gates the one that is open is used.
    redeem(&ada, &concert, "NOW").await;
    assert_eq!(join(&ada, &concert).await.status, 201);
    until_status(&ada, &concert, "ACTIVE").await;
    office.close().await;
}

#[sqlx::test]
async fn whoever_came_early_is_in_the_same_line_when_the_sale_opens(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, coming()).await;
    assert_eq!(make_gate(&office, &concert, "EARLY", (-60, 1)).await.status, 201);
    let people = office.crowd(3, "Early").await;
    for person in &people[..2] {
        redeem(person, &concert, "EARLY").await;
        assert_eq!(join(person, &concert).await.status, 201);
    }
    until_status(&people[0], &concert, "ACTIVE").await;
    run_sql(&db, "update programs set on_sale_at = clock_timestamp() - interval '1 second'").await;
    // The gate is full; the line lets in the first person, with a code or without.
    until_status(&people[1], &concert, "ACTIVE").await;
    let joined = crate::support::eventually("a join", async || {
        let joined = join(&people[2], &concert).await;
        if joined.status == 201 { Ok(joined) } else { Err(joined.body) }
    })
    .await;
    assert_eq!(joined.json()["queue_number"], 3);
    assert_eq!(state_of(&people[2], &concert).await["status"], "WAITING");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_gate_is_asked_for_whole_and_never_beside_a_draw(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let concert = Concert::with(&db, coming()).await;
    let path = format!("/admin/programs/{}/codes", concert.program_id);
    let opens_at = office.app.now().to_rfc3339();
    for (form, field) in [
        (json!({ "code": "CODE", "access": true }), "section"),
        (json!({ "code": "CODE", "access": true, "gate_capacity": 1 }), "gate_capacity"),
        (json!({ "code": "CODE", "access": true, "gate_opens_at": opens_at }), "gate_capacity"),
        (
            json!({ "code": "CODE", "access": true, "gate_opens_at": opens_at, "gate_capacity": 0 }),
            "gate_capacity",
        ),
        (
            json!({ "code": "CODE", "access": true, "gate_opens_at": "soon", "gate_capacity": 1 }),
            "gate_opens_at",
        ),
        (
            json!({ "code": "CODE", "percent": 5, "gate_opens_at": opens_at, "gate_capacity": 1 }),
            "gate_capacity",
        ),
    ] {
        let refused = admin.post_json(&path, &form).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{form}");
        assert!(refused.json()["fields"][field].is_string(), "{form}: {}", refused.body);
    }

    let draw = format!("/admin/programs/{}/queue/draw", concert.program_id);
    assert_eq!(make_gate(&office, &concert, "EARLY", (-60, 1)).await.status, 201);
    let refused = admin.post(&draw, &()).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "draw-not-possible"));
    let other = Concert::with(&db, coming()).await;
    let drawn = admin.post(&format!("/admin/programs/{}/queue/draw", other.program_id), &()).await;
    assert_eq!(drawn.status, 200, "{}", drawn.body);
    let refused = make_gate(&office, &other, "EARLY", (-60, 1)).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "code-gate-draw"));
    let listed = admin.visit(&path).await;
    assert!(listed.body.contains("own entrance from"), "{}", listed.body);
    office.close().await;
}
