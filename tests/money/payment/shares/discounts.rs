//! Shares of a reservation with a code: together they cost its total.

use super::*;

/// Three seats of which a code takes 100 points off, which no three parts of whole points are equal to.
async fn with_discount(db: &PgPool) -> Party {
    let party = Party::with(db, Hold { refund_percent: 50, ..Hold::default() }, 3, 2).await;
    let code = "insert into sale_codes (id, program_id, word, amount, uses)
                select gen_random_uuid(), program_id, 'HUNDRED', 100, 1
                from reservations where id = $1";
    run_sql_with(db, code, party.id).await;
    let used = "update reservations set sale_code_id = (select id from sale_codes), discount = 100,
                    total = total - 100 where id = $1";
    run_sql_with(db, used, party.id).await;
    party
}

#[sqlx::test]
async fn the_discount_is_divided_and_each_has_back_what_each_paid(db: PgPool) {
    let party = with_discount(&db).await;
    let shown = party.shown().await;
    let prices: Vec<i64> = shown["left"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| place["price"].as_i64().unwrap())
        .collect();
    assert_eq!(
        (prices.iter().sum::<i64>(), &shown["rest"]),
        (149_900, &json!(149_900)),
        "{prices:?}"
    );
    assert!(prices.iter().all(|price| (49_966..=49_967).contains(price)), "{prices:?}");
    let paths = party.share_each(2).await;
    let mut paid = 0;
    for (friend, path) in party.friends.iter().zip(&paths) {
        let link = friend.get(path).await.json();
        assert_eq!(link["places"][0]["price"], link["amount"], "{link}");
        let share = pay_share(friend, path).await;
        assert_eq!(share.status, 201, "{}", share.body);
        assert_eq!(share.json()["amount"], link["amount"]);
        paid += link["amount"].as_i64().unwrap();
    }
    let rest = party.pay_rest().await;
    assert_eq!(rest.json()["status"], "PAID", "{}", rest.body);
    paid += rest.json()["amount"].as_i64().unwrap();
    assert_eq!(paid, 149_900);
    party.office.verify().await;

    let admin = party.office.employ("boss", "ADMIN").await;
    let form = [("share", "all"), ("reason", "kindness")];
    let answer = admin.post(&format!("/admin/reservations/{}/refund", party.id), &form).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    for friend in &party.friends {
        assert_eq!(balance(&db, friend.account_id).await, 100_000);
    }
    let uses = "select uses from sale_codes";
    assert_eq!(read_all::<i32>(&db, uses).await, [0], "the use is given back");
    party.office.close().await;
}
