//! Seats: holding them, and paying for them.

use crate::{
    Bench, CROWD, Failure, expect,
    figure::{Figure, Target},
    load::Errand,
    stage::{Stage, pgbench},
};

impl Bench {
    pub(crate) async fn holds(&mut self) -> Result<Figure, Failure> {
        let figure = Figure {
            name: "holds of one seat",
            limit: "pgbench, the same statements",
            crowd: CROWD,
            target: Target::Ratio(0.5),
            runs: Vec::new(),
        };
        self.sales(figure, &["hold.sql"], "HELD", Errand::Hold).await
    }

    pub(crate) async fn purchases(&mut self) -> Result<Figure, Failure> {
        let figure = Figure {
            name: "purchases (hold and pay)",
            limit: "pgbench, one by one as 0.1.0",
            crowd: CROWD,
            target: Target::Ratio(3.0),
            runs: Vec::new(),
        };
        self.sales(figure, &["hold.sql", "pay.sql"], "CONFIRMED", Errand::Purchase).await
    }

    /// Runs that leave reservations with `status` behind.
    async fn sales(
        &mut self,
        mut figure: Figure,
        scripts: &[&str],
        status: &str,
        errand: fn(Stage) -> Errand,
    ) -> Result<Figure, Failure> {
        for nth in 0..=self.pace.runs {
            let alone = self.stage(false, self.seats())?;
            let limit = pgbench(scripts, &alone.variables(self.pace.turns), self.pace.secs)?;
            expect("sales of pgbench", limit.done, alone.count_reservations(status)?)?;
            alone.strike()?;

            let stage = self.stage_with_passes(self.seats()).await?;
            let run =
                self.measure(Some(limit), &errand(stage.clone()), CROWD, self.seats()).await?;
            expect("sales", run.service.done, stage.count_reservations(status)?)?;
            stage.strike()?;
            figure.keep(nth, run)?;
        }
        Ok(figure)
    }
}
