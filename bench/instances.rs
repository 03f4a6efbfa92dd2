//! Several instances on one database and one Redis.

use crate::{
    Bench, CROWD, Failure, expect,
    figure::{Figure, Target},
    load::Errand,
    server::Server,
};

impl Bench {
    /// Purchases at two instances, beside the same at one of them.
    pub(crate) async fn two_instances(&mut self) -> Result<Figure, Failure> {
        let mut figure = Figure {
            name: "purchases, two instances",
            limit: "one instance",
            crowd: CROWD,
            target: Target::Ratio(0.9),
            runs: Vec::new(),
        };
        let second = Server::start().await?;
        for nth in 0..=self.pace.runs {
            let stage = self.stage_with_passes(self.seats()).await?;
            let errand = Errand::Purchase(stage.clone());
            let one = self.drive(&errand, CROWD, self.seats()).await?;
            expect("purchases at one", one.done, stage.count_reservations("CONFIRMED")?)?;
            stage.strike()?;

            let stage = self.stage_with_passes(self.seats()).await?;
            let errand = Errand::Purchase(stage.clone());
            let both = [&self.server, &second];
            let run = self.measure_at(&both, Some(one), &errand, CROWD, self.seats()).await?;
            expect("purchases at two", run.service.done, stage.count_reservations("CONFIRMED")?)?;
            stage.strike()?;
            figure.keep(nth, run)?;
        }
        Ok(figure)
    }
}
