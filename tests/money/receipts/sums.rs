//! Random operations of a few people, after which the settlement, the ledger and the provider's list say the same to the
//! last unit. `STORM_SEED` repeats a run.

use std::env;

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{for_money, numbers, say_seller};
use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, StripeStandIn, admit_projected,
    agree_on, hold,
    ledger::violations,
    read_all, read_one, read_one_with, run_sql_with,
    stripe::{EventOptions, order_points},
    until,
};

/// Operations of one run, behind the first ones.
const STEPS: usize = 60;
/// Minor units of a point.
const MINOR: i64 = 3;

/// Office with people who do something at random.
struct Crowd {
    stripe: StripeStandIn,
    office: Office,
    db: PgPool,
    people: Vec<Person>,
    concert: Concert,
    random: StdRng,
    /// Buyers of tickets that were sold on.
    n_fans: usize,
    /// How often each operation was carried out.
    done: [usize; N_OPERATIONS],
    /// Codes of the refusals, each with its operation.
    refused: Vec<(usize, String)>,
}

const N_OPERATIONS: usize = 9;

impl Crowd {
    async fn open(db: &PgPool, seed: u64) -> Self {
        let (stripe, office, ada) = for_money(db, "EUR", "3").await;
        say_seller(db, 1_900).await;
        let mut people = vec![ada];
        for name in ["bob", "cleo"] {
            people.push(office.sign_in(name).await);
        }
        let options = ConcertOptions {
            seats: 300,
            seat_price: 1_999,
            zone_price: 333,
            places_per_account_max: 1_000,
            ..ConcertOptions::default()
        };
        let concert = Concert::with(db, options).await;
        let codes = "insert into sale_codes (id, program_id, word, amount, uses)
            values (gen_random_uuid(), $1, 'GIFT', 1001, 0)";
        run_sql_with(db, codes, concert.program_id).await;
        let fee = "update programs set return_fee_percent = 7 where id = $1";
        run_sql_with(db, fee, concert.program_id).await;
        let (random, done) = (StdRng::seed_from_u64(seed), [0; N_OPERATIONS]);
        let crowd = Self {
            stripe,
            office,
            db: db.clone(),
            people,
            concert,
            random,
            n_fans: 0,
            done,
            refused: Vec::new(),
        };
        for person in crowd.people.clone() {
            for _ in 0..4 {
                crowd.charge(&person, 5_000).await;
            }
        }
        crowd
    }

    fn person(&mut self) -> Person {
        let nth = self.random.random_range(0..self.people.len());
        self.people[nth].clone()
    }

    /// Picks one of the rows that `sql` lists of a person.
    async fn pick<T>(&mut self, sql: &'static str, account_id: Uuid) -> Option<T>
    where
        T: for<'r> sqlx::Decode<'r, sqlx::Postgres>
            + sqlx::Type<sqlx::Postgres>
            + Clone
            + Send
            + Unpin,
    {
        let rows: Vec<T> =
            sqlx::query_scalar(sql).bind(account_id).fetch_all(&self.db).await.unwrap();
        let nth = self.random.random_range(0..rows.len().max(1));
        rows.get(nth).cloned()
    }

    /// Carries an operation out for one of the people, if there is anything of its kind to do.
    async fn step(&mut self, operation: usize) {
        let person = self.person();
        let answer = match operation {
            0 => {
                let points = self.random.random_range(1_000..9_000);
                Some(self.charge(&person, points).await)
            }
            1 | 2 => self.buy(&person, operation == 1).await,
            3 => self.give_back(&person).await,
            4 => self.cancel(&person).await,
            5 => self.sell_on(&person).await,
            6 => {
                let points = self.random.random_range(1..3_000);
                Some(person.post("/wallet/payouts", &[("points", points)]).await)
            }
            7 => self.refund_at_provider(&person).await,
            // What a bank withdraws is mostly owed, and who owes buys nothing more.
            _ if self.done[8] < 3 => self.dispute(&person).await,
            _ => None,
        };
        let Some(answer) = answer else { return };
        assert!(answer.status < 500, "{operation}: {}", answer.body);
        match answer.status < 300 {
            true => self.done[operation] += 1,
            false => self.refused.push((operation, answer.code())),
        }
    }

    async fn charge(&self, person: &Person, points: i64) -> Answer {
        let (_, id) = order_points(person, points).await;
        let session = self.stripe.change(&id, "paid").await;
        self.stripe.completed(&session).await.deliver(person).await
    }

    async fn buy(&mut self, person: &Person, with_code: bool) -> Option<Answer> {
        let free = "select id from schedule_seats where status = 'AVAILABLE'
            and not exists (select from ticket_returns where schedule_seat_id = schedule_seats.id and status = 'OPEN')
            and $1::uuid is not null order by id limit 3";
        let seats: Vec<i64> =
            sqlx::query_scalar(free).bind(person.account_id).fetch_all(&self.db).await.unwrap();
        let n_seats = self.random.random_range(1..=3).min(seats.len());
        let places = self.random.random_range(0..2);
        let hold = Hold { seat_ids: &seats[..n_seats], places, ..Hold::default() };
        let id = hold.write(&self.db, &self.concert, person.account_id).await;
        if with_code {
            let reduced = "with code as (update sale_codes set uses = uses + 1 returning id)
                update reservations set sale_code_id = (select id from code), discount = 1001,
                    total = total - 1001 where id = $1";
            run_sql_with(&self.db, reduced, id).await;
        }
        Some(self.pay(person, id).await)
    }

    /// Pays what was held, by random refund terms; gives it up if it cannot be paid.
    async fn pay(&mut self, person: &Person, id: Uuid) -> Answer {
        let percent = self.random.random_range(50..=100);
        agree_on(&self.db, id, percent, 11).await;
        let name = ["", "Ada Ltd", "Bob & Co"][self.random.random_range(0..3)];
        let path = format!("/reservations/{id}");
        let paid = person.post(&format!("{path}/payment"), &[("buyer", name)]).await;
        if paid.status != 201 {
            let given_up = person.post(&format!("{path}/cancellation"), &()).await;
            assert_eq!(given_up.status, 200, "{} {}", paid.body, given_up.body);
        }
        paid
    }

    async fn give_back(&mut self, person: &Person) -> Option<Answer> {
        let code: String = self.pick(TICKETS, person.account_id).await?;
        let form = json!({ "request_key": Uuid::now_v7() });
        Some(person.post_json(&format!("/tickets/{code}/refund"), &form).await)
    }

    async fn cancel(&mut self, person: &Person) -> Option<Answer> {
        let own = "select id from reservations where account_id = $1 and status = 'CONFIRMED' order by id";
        let id: Uuid = self.pick(own, person.account_id).await?;
        let to = ["wallet", "card"][self.random.random_range(0..2)];
        Some(person.post(&format!("/reservations/{id}/cancellation"), &[("refunds", to)]).await)
    }

    /// Puts a ticket on return, which another person buys.
    async fn sell_on(&mut self, person: &Person) -> Option<Answer> {
        let code: String = self.pick(TICKETS, person.account_id).await?;
        let form = json!({ "request_key": Uuid::now_v7() });
        let put = person.post_json(&format!("/tickets/{code}/returns"), &form).await;
        if put.status != 201 {
            return Some(put);
        }
        let seat =
            "select schedule_seat_id from ticket_returns where seller_id = $1 and status = 'OPEN'";
        let seat: Option<i64> = read_one_with(&self.db, seat, person.account_id).await;
        let buyer = self.office.sign_in(&format!("fan {}", self.n_fans)).await;
        self.n_fans += 1;
        self.charge(&buyer, 3_000).await;
        admit_projected(&self.office, &self.concert, std::slice::from_ref(&buyer)).await;
        let held = hold(&buyer, &self.concert, &[seat?]).await;
        assert_eq!(held.status, 201, "{}", held.body);
        let id = held.json()["reservation_id"].as_str().unwrap().parse().unwrap();
        Some(self.pay(&buyer, id).await)
    }
}

/// Tickets of a person that may leave it.
const TICKETS: &str =
    "select code from tickets where account_id = $1 and status = 'VALID' order by id";

impl Crowd {
    /// Picks a purchase of a person of which money is left, as the payment, its amount and what is left of it.
    async fn payment(&mut self, person: &Person) -> Option<(Value, Vec<Value>, i64)> {
        let settled = "select payment_ref from charges where account_id = $1 and status = 'SETTLED' order by id";
        let payment = Value::from(self.pick::<String>(settled, person.account_id).await?);
        // A payout that is under way may be at the provider already, or not.
        until("the payouts", async || {
            read_one(&self.db, "select count(*) = 0 from payouts where status in ('OPEN', 'SENT')")
                .await
        })
        .await;
        let sessions = self.stripe.sessions().await;
        let session = sessions.iter().find(|session| session["payment_intent"] == payment).unwrap();
        let refunds: Vec<Value> = self.stripe.refunds().await;
        let refunds: Vec<Value> =
            refunds.into_iter().filter(|refund| refund["payment_intent"] == payment).collect();
        let left = session["amount_total"].as_i64().unwrap() - sum(&refunds, "amount");
        (left > 0).then_some((payment, refunds, left))
    }

    async fn tell(&self, kind: &str, object: &Value, before: Option<i64>) -> Answer {
        // A payout that is sent within ten seconds behind a total may be in it. So that the next one is not, it is told
        // late, and what follows waits for the next second.
        let at: i64 = read_one(&self.db, NOW_SECS).await;
        let happened_secs = Some(at - 9);
        let options =
            EventOptions { refunded_before: before, happened_secs, ..EventOptions::default() };
        let answer = self.stripe.sign(kind, object, options).await.deliver(&self.people[0]).await;
        until("the next second", async || read_one::<i64>(&self.db, NOW_SECS).await > at + 1).await;
        answer
    }

    /// Staff send money back in the provider's dashboard.
    async fn refund_at_provider(&mut self, person: &Person) -> Option<Answer> {
        let (payment, mut refunds, left) = self.payment(person).await?;
        let amount = self.random.random_range(1..=left);
        let before = sum(&refunds, "amount");
        let id = format!("re_{}", Uuid::now_v7().simple());
        let created: i64 = read_one(&self.db, NOW_SECS).await;
        refunds.push(json!({ "id": id, "object": "refund", "amount": amount, "currency": "eur",
            "payment_intent": payment, "status": "succeeded", "created": created, "metadata": {} }));
        self.stripe.set_money(&payment, &json!(refunds), &json!([])).await;
        let told = json!({ "payment_intent": payment, "amount_refunded": before + amount, "currency": "eur" });
        Some(self.tell("charge.refunded", &told, Some(before)).await)
    }

    /// The payer's bank withdraws what is left of a payment; it is decided for the office now and then.
    async fn dispute(&mut self, person: &Person) -> Option<Answer> {
        let (payment, refunds, left) = self.payment(person).await?;
        let is_won = self.random.random_bool(0.5);
        let created: i64 = read_one(&self.db, NOW_SECS).await;
        let id = format!("dp_{}", Uuid::now_v7().simple());
        let of = |status: &str| {
            json!({ "id": id, "object": "dispute", "payment_intent": payment, "amount": left,
            "currency": "eur", "status": status, "created": created })
        };
        self.stripe.set_money(&payment, &json!(refunds), &json!([of("needs_response")])).await;
        let answer = self.tell("charge.dispute.created", &of("needs_response"), None).await;
        if !is_won {
            return Some(answer);
        }
        self.stripe.set_money(&payment, &json!(refunds), &json!([of("won")])).await;
        Some(self.tell("charge.dispute.closed", &of("won"), None).await)
    }

    /// Returns the money that the provider has of all payments: paid, less sent back, less lost in disputes.
    async fn at_provider(&self) -> i64 {
        let sessions = self.stripe.sessions().await;
        let paid = sessions.iter().filter(|session| session["payment_status"] == "paid");
        let paid: Vec<Value> = paid.cloned().collect();
        let sent = self.stripe.refunds().await;
        let disputed = "select coalesce(sum(amount_minor), 0)::bigint from charge_reversals r where cause = 'DISPUTE'
            and not exists (select from charge_reversals w where w.cause_ref = r.cause_ref and w.cause = 'DISPUTE_WON')";
        sum(&paid, "amount_total")
            - sum(&sent, "amount")
            - read_one::<i64>(&self.db, disputed).await
    }

    /// Compares all sides once everything is booked and sent.
    async fn expect_equal(&self) {
        let (db, admin) = (&self.db, self.office.employ("admin", "ADMIN").await);
        until("all is booked and sent", async || read_one(db, SETTLED).await).await;
        let all = admin.get("/admin/settlement").await.json();
        let money = &all["money"];
        let ledger: i64 = read_one(
            db,
            "select coalesce(-sum(amount), 0)::bigint from point_transactions
            where kind in ('PAYMENT', 'REFUND', 'RESALE')",
        )
        .await;
        for dimension in ["total"].iter().chain(&super::settlement::DIMENSIONS) {
            let sum = |name| super::settlement::sum_of(&all, dimension, name);
            assert_eq!(
                (sum("net"), sum("net_points")),
                (ledger * MINOR, ledger),
                "{dimension}: {all}"
            );
        }
        let discounts = "select coalesce(sum(discount), 0)::bigint from reservations where confirmed_at is not null";
        let taken_off = super::settlement::sum_of(&all, "total", "taken_off");
        assert_eq!(taken_off, read_one::<i64>(db, discounts).await * MINOR, "{all}");
        let wallets: i64 =
            read_one(db, "select coalesce(sum(balance), 0)::bigint from wallets").await;
        let points =
            |name: &str| money["points"][name].as_i64().unwrap_or_else(|| panic!("{money}"));
        assert_eq!(
            (points("sold"), points("wallets"), points("unbooked")),
            (ledger, wallets, 0),
            "{money}"
        );
        let parts = points("charged") - points("sold") + points("adjusted") + points("forfeited");
        assert_eq!(parts + points("between"), wallets, "{money}");
        let rows = money["rows"].as_array().unwrap();
        let kinds: Vec<String> =
            read_all(db, "select distinct kind from point_transactions order by kind").await;
        for kind in kinds {
            let entries =
                "select coalesce(sum(amount), 0)::bigint from point_transactions where kind = $1";
            let own: Vec<Value> = rows.iter().filter(|row| row["kind"] == *kind).cloned().collect();
            assert_eq!(
                sum(&own, "points"),
                read_one_with::<i64>(db, entries, kind.clone()).await,
                "{kind}: {money}"
            );
        }
        assert_eq!(sum(rows, "amount_minor"), self.at_provider().await, "{money}");
        let lines = admin.get("/admin/settlement/money.jsonl").await;
        let lines: Vec<Value> =
            lines.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for name in ["entries", "points", "amount_minor"] {
            assert_eq!(sum(&lines, name), sum(rows, name), "{name}");
        }
        let file = admin.get("/admin/settlement/money.csv").await;
        assert_eq!(file.records().len(), lines.len() + 1, "{}", file.body);
        let compared = admin.post("/admin/reconciliation", &()).await.json();
        assert_eq!(
            (&compared["differences"], &compared["is_whole"]),
            (&json!([]), &json!(true)),
            "{compared}"
        );
        let both = &compared["sums"]["EUR"];
        assert_eq!(both["their_paid"], both["our_paid"], "{compared}");
        assert_eq!(both["their_returned"], both["our_returned"], "{compared}");
        let numbers = numbers(db).await;
        assert_eq!(numbers, (1..).take(numbers.len()).collect::<Vec<i64>>());
        assert!(!numbers.is_empty());
        assert_eq!(violations(&self.office).await, Vec::<String>::new());
    }
}

/// Time of the database, in seconds since the epoch.
const NOW_SECS: &str = "select extract(epoch from clock_timestamp())::bigint";
/// Whether each entry of a sale is booked, and no payout is under way.
const SETTLED: &str = "select not exists (select from payouts where status in ('OPEN', 'SENT'))
    and not exists (
        select from point_transactions p
        where kind in ('PAYMENT', 'REFUND', 'RESALE') and not exists (
            select from sale_entries s where s.reference_id = p.reference_id
                and case s.kind when 'TICKET_REFUND' then 'RESALE' else s.kind end = p.kind
        )
    )";

fn sum(rows: &[Value], name: &str) -> i64 {
    rows.iter().map(|row| row[name].as_i64().unwrap_or_else(|| panic!("{name} of {row}"))).sum()
}

#[expect(clippy::print_stdout, reason = "a run that fails is repeated with its seed")]
#[sqlx::test]
async fn whatever_people_do_the_settlement_the_ledger_and_the_provider_say_the_same(db: PgPool) {
    let seed = env::var("STORM_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| rand::rng().random());
    println!("STORM_SEED={seed}");
    let mut crowd = Crowd::open(&db, seed).await;
    // Purchases first, so that there is something to give back; then each thing once, and then whatever comes.
    for operation in [1, 2, 1, 2, 1].into_iter().chain(0..N_OPERATIONS) {
        crowd.step(operation).await;
    }
    for _ in 0..STEPS {
        let operation = crowd.random.random_range(0..N_OPERATIONS);
        crowd.step(operation).await;
    }
    println!("carried out: {:?}, refused: {:?}", crowd.done, crowd.refused);
    crowd.expect_equal().await;
    crowd.office.close().await;
}
