//! Load tests that others published of systems like this one, in the same shape.

use std::time::Duration;

use crate::{
    Bench, Failure,
    at_once::Together,
    even::{drive_evenly, ms_at},
    expect,
    http::Connection,
    load::{Errand, field, hold},
    stage::count,
};

/// One such test.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) what: &'static str,
    /// What they reported, and where.
    pub(crate) theirs: &'static str,
    pub(crate) ours: String,
}

/// Requests for places of one area: a hundred a second for a minute.
const PLACES: u64 = 6_000;
const PLACES_PERIOD: Duration = Duration::from_millis(10);
/// Points of each of the charges at once.
const POINTS: u64 = 1_000;
const HUNDRED: usize = 100;

impl Bench {
    /// All of them.
    pub(crate) async fn others(&mut self) -> Result<Vec<Shape>, Failure> {
        Ok(vec![
            self.places_of_one_area().await?,
            self.pollers().await?,
            self.joins_at_once(1_000, "1,000 people join one line at once", "joined at once, without a figure").await?,
            self.joins_at_once(
                HUNDRED,
                "100 people join one line at once",
                "36 numbers of 100 before the repair, 100 after it (report of a concert reservation server)",
            )
            .await?,
            self.charges_at_once().await?,
            self.one_seat_at_once().await?,
            self.one_payment_at_once().await?,
        ])
    }

    async fn places_of_one_area(&mut self) -> Result<Shape, Failure> {
        let stage = self.stage_with_passes(PLACES).await?;
        let errand = Errand::HoldPlace(stage.clone());
        let even = drive_evenly(self.server.address, &errand, PLACES_PERIOD, PLACES).await?;
        expect("places", even.tally.done, stage.count_reservations("HELD")?)?;
        stage.strike()?;
        let percent = f64::from(u32::try_from(even.tally.refused)?)
            / f64::from(u32::try_from(PLACES)?)
            * 100.0;
        Ok(Shape {
            what: "100 orders a second for a minute, each for a place of one area",
            theirs: "95.59 % failed, p95 about 18 s, with log-ins and four places an order, of few places \
                     (github.com/Santiago-kwp/LunchGO, docs/kwp-reservation-concurrency-test-implementation.md)",
            ours: format!(
                "{} held, {percent:.2} % refused, p95 {:.1} ms, the slowest {:.0} ms",
                even.tally.done,
                ms_at(&even.took, 0.95),
                ms_at(&even.took, 1.0),
            ),
        })
    }

    async fn joins_at_once(
        &mut self,
        n: usize,
        what: &'static str,
        theirs: &'static str,
    ) -> Result<Shape, Failure> {
        let stage = self.stage(true, 0)?;
        let errand = Errand::Join(stage.clone());
        let together = Together::send(self.server.address, &errand, n).await?;
        let program_id = stage.program_id();
        let of_program = format!("from queue_tokens where program_id = '{program_id}'");
        let numbers = count(&format!("select count(distinct queue_number) {of_program}"))?;
        let last = count(&format!("select coalesce(max(queue_number), 0) {of_program}"))?;
        expect("numbers", together.bodies.len().try_into()?, numbers)?;
        stage.strike()?;
        let told = together.told()?;
        Ok(Shape { what, theirs, ours: format!("{told}: {numbers} numbers, the last is {last}") })
    }

    async fn charges_at_once(&self) -> Result<Shape, Failure> {
        let wallet = "wallets where account_id = bench.id(0, 1)";
        let balance = format!("select balance from {wallet}");
        let entries = format!("select version from {wallet}");
        let before = (count(&balance)?, count(&entries)?);
        let together = Together::send(self.server.address, &Errand::ChargeOne, HUNDRED).await?;
        let (points, rows) = (count(&balance)? - before.0, count(&entries)? - before.1);
        expect("points", together.count(201).saturating_mul(POINTS), points)?;
        let told = together.told()?;
        Ok(Shape {
            what: "100 charges of 1,000 points of one wallet at once",
            theirs: "48,000 points before the repair, 100,000 after it (the same report)",
            ours: format!("{told}: {points} points in {rows} entries"),
        })
    }

    async fn one_seat_at_once(&mut self) -> Result<Shape, Failure> {
        let stage = self.stage_with_passes(HUNDRED.try_into()?).await?;
        let together =
            Together::send(self.server.address, &Errand::HoldOne(stage.clone()), HUNDRED).await?;
        expect("seats", 1, stage.count_reservations("HELD")?)?;
        stage.strike()?;
        Ok(Shape {
            what: "100 people order one seat at once",
            theirs: "one held, all others refused clearly (the same report)",
            ours: together.told()?,
        })
    }

    async fn one_payment_at_once(&mut self) -> Result<Shape, Failure> {
        let stage = self.stage_with_passes(1).await?;
        let mut connection = Connection::open(self.server.address).await?;
        let held = hold(&mut connection, &stage, 1, 1).await?;
        let id = field(&held.body, "reservation_id").ok_or(held.body)?;
        let errand = Errand::PayOne(format!("/reservations/{id}/payment"));
        let together = Together::send(self.server.address, &errand, HUNDRED).await?;
        expect("payments", together.bodies.len().try_into()?, 1)?;
        expect("payments", 1, stage.count_reservations("CONFIRMED")?)?;
        stage.strike()?;
        Ok(Shape {
            what: "100 payments of one reservation at once",
            theirs: "one paid, all others 409 and none 500 (the same report)",
            ours: together.told()?,
        })
    }
}
