//! Points: charging many wallets, and one.

use crate::{
    Bench, CROWD, Failure, HANDS, PEOPLE,
    figure::{Figure, Target},
    load::Errand,
    stage::{pgbench, pgbench_of},
};

impl Bench {
    pub(crate) async fn charges(&mut self) -> Result<Vec<Figure>, Failure> {
        let mut distinct = Figure {
            name: "charges, distinct wallets",
            limit: "pgbench, one by one as 0.1.0",
            crowd: CROWD,
            target: Target::Ratio(3.0),
            runs: Vec::new(),
        };
        let people = [("people", PEOPLE.to_string())];
        for nth in 0..=self.pace.runs {
            let limit = pgbench(&["charge.sql"], &people, self.pace.secs)?;
            let errand = Errand::Charge(PEOPLE);
            distinct.keep(nth, self.measure(Some(limit), &errand, CROWD, PEOPLE).await?)?;
        }
        let mut one = Figure {
            name: "charges, one wallet",
            limit: "pgbench -c 16, one row's update a transaction",
            crowd: HANDS,
            target: Target::Ratio(3.0),
            runs: Vec::new(),
        };
        for nth in 0..=self.pace.runs {
            let limit = pgbench_of(HANDS, &["counter.sql"], &[], self.pace.secs)?;
            one.keep(nth, self.measure(Some(limit), &Errand::ChargeOne, HANDS, PEOPLE).await?)?;
        }
        Ok(vec![distinct, one])
    }
}
