//! Shares and the people in them: deleted accounts, notices to a person, and rehearsals.

use super::*;

async fn delete(person: &Person, points: i64) -> Answer {
    person.post("/account/deletion", &[("points", points)]).await
}

#[sqlx::test]
async fn an_account_in_a_share_is_not_deleted_until_the_share_or_the_show_is_over(db: PgPool) {
    let party = Party::new(&db, 2, 0).await;
    let bob = party.office.sign_in("bob").await;
    charge(&bob, 60_000).await;
    let path = party.share_each(1).await.remove(0);
    assert_eq!(pay_share(&bob, &path).await.status, 201);
    let kept = delete(&bob, 60_000).await;
    assert_eq!(kept.status, 409, "{}", kept.body);
    assert_eq!(kept.json()["obstacles"][0]["kind"], "share-paid", "{}", kept.body);
    assert_eq!(party.pay_rest().await.json()["status"], "PAID");
    let kept = delete(&bob, 10_000).await;
    assert_eq!(kept.status, 409, "{}", kept.body);
    assert_eq!(kept.json()["obstacles"][0]["kind"], "ticket-shared", "{}", kept.body);

    // After the show nothing keeps it. A refund that comes then is given up.
    let sql = "update schedules set starts_at = now() - interval '1 hour' where id = $1";
    run_sql_with(&db, sql, party.concert.schedule_id).await;
    let deleted = delete(&bob, 10_000).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    let admin = party.office.employ("boss", "ADMIN").await;
    let form = [("share", "all"), ("reason", "kindness")];
    let answer = admin.post(&format!("/admin/reservations/{}/refund", party.id), &form).await;
    assert!(answer.status < 400, "{}", answer.body);
    assert_eq!(balance(&db, bob.account_id).await, 0);
    assert_eq!(entries(&db, bob.account_id, "FORFEIT").await, 2);
    assert_eq!(balance(&db, party.ada.account_id).await, 1_000_000);
    party.office.close().await;
}

#[sqlx::test]
async fn a_person_is_told_of_the_shares_that_were_paid_and_made(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let path = party.share_each(1).await.remove(0);
    assert_eq!(pay_share(&party.friends[0], &path).await.status, 201);
    let paid = party.friends[0].get("/account/data.json").await.json();
    assert_eq!(paid["shares_paid"]["rows"][0]["holder"], "ada", "{paid}");
    assert_eq!(paid["shares_paid"]["rows"][0]["amount"], PRICE);
    let made = party.ada.get("/account/data.json").await.json();
    assert_eq!(made["shares_made"]["rows"][0]["status"], "WITHHELD", "{made}");
    assert!(!made.to_string().contains(path.strip_prefix("/shares/").unwrap()));
    party.office.close().await;
}

#[sqlx::test]
async fn a_locked_account_is_let_pay_no_share_and_keeps_the_one_it_has_paid(db: PgPool) {
    let party = Party::new(&db, 3, 1).await;
    let paths = party.share_each(2).await;
    let bob = &party.friends[0];
    assert_eq!(pay_share(bob, &paths[0]).await.status, 201);
    let admin = party.office.employ("boss", "ADMIN").await;
    let path = format!("/admin/people/{}/lock", bob.account_id);
    let locked = admin.post(&path, &[("reason", "a doubt")]).await;
    assert!(locked.status < 400, "{}", locked.body);
    assert_eq!(pay_share(bob, &paths[1]).await.status, 401);
    let shares = party.shown().await["shares"].clone();
    assert_eq!(party.take_back(&shares[1]["share_id"]).await.status, 200);
    assert_eq!(party.pay_rest().await.json()["status"], "PAID");
    assert_eq!(tickets_of(&db, bob.account_id).await, 1);
    party.office.close().await;
}
