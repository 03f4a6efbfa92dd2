//! The line: joining it, and asking for one's place.

use crate::{
    Bench, CROWD, Failure, OPENING, PEOPLE,
    bare_line::BareLine,
    expect,
    figure::{Figure, Target},
    load::{Errand, LET_IN},
    stage::{Stage, pgbench},
};

/// A stage in whose line so many wait.
pub(crate) struct FullLine {
    stage: Stage,
    waiting: u64,
}

impl Bench {
    pub(crate) async fn line(&mut self) -> Result<Vec<Figure>, Failure> {
        let (joins, line) = self.joins().await?;
        Ok([vec![joins], self.polls(&line).await?].concat())
    }

    async fn joins(&mut self) -> Result<(Figure, FullLine), Failure> {
        let mut figure = Figure {
            name: "joins",
            limit: "pgbench, one join a transaction on the locked row",
            crowd: OPENING,
            target: Target::Ratio(4.0),
            runs: Vec::new(),
        };
        let mut line = None;
        // The first run of each figure only warms up.
        for nth in 0..=self.pace.runs {
            let alone = self.stage(false, 0)?;
            let limit = pgbench(&["join.sql"], &alone.variables(0), self.pace.secs)?;
            expect("joins of pgbench", limit.done, alone.count_joined()?)?;
            alone.strike()?;

            let stage = self.stage(true, 0)?;
            let errand = Errand::Join(stage.clone());
            let run = self.measure(Some(limit), &errand, OPENING, PEOPLE).await?;
            expect("joins", run.service.done, stage.count_joined()?)?;
            if nth == self.pace.runs {
                let waiting = run.service.done.saturating_sub(LET_IN);
                line = Some(FullLine { stage, waiting });
            } else {
                stage.strike()?;
            }
            figure.keep(nth, run)?;
        }
        Ok((figure, line.ok_or("nobody joined")?))
    }

    /// A poll's own share: what Redis answers when nothing stands before it.
    async fn polls_beside_redis(&mut self, line: &FullLine) -> Result<Figure, Failure> {
        let mut figure = Figure {
            name: "state polls, beside Redis alone",
            limit: "redis-benchmark, the script of a poll",
            crowd: CROWD,
            target: Target::None,
            runs: Vec::new(),
        };
        let bare = BareLine::form(line.waiting).await?;
        let errand = Errand::PollAgain(line.stage.clone());
        for nth in 0..=self.pace.runs {
            let limit = bare.ask(self.pace.secs)?;
            figure.keep(nth, self.measure(Some(limit), &errand, CROWD, PEOPLE).await?)?;
        }
        bare.strike().await?;
        Ok(figure)
    }

    async fn polls(&mut self, line: &FullLine) -> Result<Vec<Figure>, Failure> {
        let each = |name, target, errand| (name, target, errand);
        let mut figures = Vec::new();
        for (name, target, errand) in [
            each("state polls", Target::Ratio(0.3), Errand::PollAgain(line.stage.clone())),
            each(
                "state polls, each by somebody not seen for a while",
                Target::None,
                Errand::PollInTurn(line.stage.clone(), line.waiting),
            ),
        ] {
            let limit = "a bare handler of the same server (/healthz)";
            let mut figure = Figure { name, limit, crowd: CROWD, target, runs: Vec::new() };
            for nth in 0..=self.pace.runs {
                let limit = self.drive(&Errand::Health, CROWD, PEOPLE).await?;
                figure.keep(nth, self.measure(Some(limit), &errand, CROWD, PEOPLE).await?)?;
            }
            figures.push(figure);
        }
        figures.push(self.polls_beside_redis(line).await?);
        line.stage.strike()?;
        Ok(figures)
    }
}
