//! The queue: joining it, and asking for one's place.

use crate::{
    Bench, CROWD, Failure, OPENING, PEOPLE,
    bare_queue::BareQueue,
    expect,
    figure::{Figure, Target},
    load::{Errand, LET_IN},
    stage::{Stage, pgbench},
};

/// A stage in whose queue so many wait.
pub(crate) struct FullQueue {
    stage: Stage,
    waiting: u64,
}

impl Bench {
    pub(crate) async fn queue(&mut self) -> Result<Vec<Figure>, Failure> {
        let (joins, queue) = self.joins().await?;
        Ok([vec![joins], self.polls(&queue).await?].concat())
    }

    async fn joins(&mut self) -> Result<(Figure, FullQueue), Failure> {
        let mut figure = Figure {
            name: "joins",
            limit: "pgbench, one join a transaction on the locked row",
            crowd: OPENING,
            target: Target::Ratio(6.0),
            runs: Vec::new(),
        };
        let mut queue = None;
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
                queue = Some(FullQueue { stage, waiting });
            } else {
                stage.strike()?;
            }
            figure.keep(nth, run)?;
        }
        Ok((figure, queue.ok_or("nobody joined")?))
    }

    /// A poll's own share: what Redis answers when nothing stands before it.
    async fn polls_beside_redis(&mut self, queue: &FullQueue) -> Result<Figure, Failure> {
        let mut figure = Figure {
            name: "state polls, beside Redis alone",
            limit: "redis-benchmark, the script of a poll",
            crowd: CROWD,
            target: Target::None,
            runs: Vec::new(),
        };
        let bare = BareQueue::form(queue.waiting).await?;
        let errand = Errand::PollAgain(queue.stage.clone());
        for nth in 0..=self.pace.runs {
            let limit = bare.ask(self.pace.secs)?;
            figure.keep(nth, self.measure(Some(limit), &errand, CROWD, PEOPLE).await?)?;
        }
        bare.strike().await?;
        Ok(figure)
    }

    async fn polls(&mut self, queue: &FullQueue) -> Result<Vec<Figure>, Failure> {
        let each = |name, target, errand| (name, target, errand);
        let mut figures = Vec::new();
        for (name, target, errand) in [
            each("state polls", Target::Ratio(0.7), Errand::PollAgain(queue.stage.clone())),
            each(
                "state polls, each by somebody not seen for a while",
                Target::None,
                Errand::PollInTurn(queue.stage.clone(), queue.waiting),
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
        figures.push(self.polls_beside_redis(queue).await?);
        queue.stage.strike()?;
        Ok(figures)
    }
}
