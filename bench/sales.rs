//! Seats: holding them, and paying for them.

use crate::{
    Bench, CROWD, Failure, expect,
    figure::{Figure, Target},
    load::Errand,
    stage::{Stage, fill_tpcb, pgbench, pgbench_tpcb},
    tally::Tally,
};

/// What sales are compared with.
enum Beside {
    /// These scripts, one by one, which leave as many sales behind as they count.
    Scripts(&'static [&'static str]),
    /// PostgreSQL's own TPC-B.
    TpcB,
}

impl Bench {
    pub(crate) async fn holds(&mut self) -> Result<Figure, Failure> {
        let figure = Figure {
            name: "holds of one seat",
            limit: "pgbench, one by one as 0.1.0",
            crowd: CROWD,
            target: Target::Ratio(3.0),
            runs: Vec::new(),
        };
        self.sales(figure, Beside::Scripts(&["hold.sql"]), "HELD", Errand::Hold).await
    }

    pub(crate) async fn purchases(&mut self) -> Result<Figure, Failure> {
        let figure = Figure {
            name: "purchases (hold and pay)",
            limit: "pgbench, one by one as 0.1.0",
            crowd: CROWD,
            target: Target::Ratio(3.0),
            runs: Vec::new(),
        };
        let scripts = Beside::Scripts(&["hold.sql", "pay.sql"]);
        self.sales(figure, scripts, "CONFIRMED", Errand::Purchase).await
    }

    pub(crate) async fn purchases_beside_tpcb(&mut self) -> Result<Figure, Failure> {
        let figure = Figure {
            name: "purchases, beside TPC-B",
            limit: "pgbench -b tpcb-like, scale 10",
            crowd: CROWD,
            target: Target::Ratio(0.7),
            runs: Vec::new(),
        };
        fill_tpcb()?;
        self.sales(figure, Beside::TpcB, "CONFIRMED", Errand::Purchase).await
    }

    /// Runs that leave reservations with `status` behind.
    async fn sales(
        &mut self,
        mut figure: Figure,
        beside: Beside,
        status: &str,
        errand: fn(Stage) -> Errand,
    ) -> Result<Figure, Failure> {
        for nth in 0..=self.pace.runs {
            let limit = match &beside {
                Beside::Scripts(scripts) => self.sales_of_pgbench(scripts, status)?,
                Beside::TpcB => pgbench_tpcb(self.pace.secs)?,
            };
            let stage = self.stage_with_passes(self.seats()).await?;
            let run =
                self.measure(Some(limit), &errand(stage.clone()), CROWD, self.seats()).await?;
            expect("sales", run.service.done, stage.count_reservations(status)?)?;
            stage.strike()?;
            figure.keep(nth, run)?;
        }
        Ok(figure)
    }

    /// Sales of pgbench, on a stage of their own.
    fn sales_of_pgbench(&mut self, scripts: &[&str], status: &str) -> Result<Tally, Failure> {
        let alone = self.stage(false, self.seats())?;
        let done = pgbench(scripts, &alone.variables(self.pace.turns), self.pace.secs)?;
        expect("sales of pgbench", done.done, alone.count_reservations(status)?)?;
        alone.strike()?;
        Ok(done)
    }
}
