//! Progress of a rehearsal, for display while it runs.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::history::{History, Step};

/// Progress of a rehearsal, in numbers of shoppers and requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Number of shoppers in the rehearsal.
    pub people: usize,
    /// Shoppers who joined the queue.
    pub joined: usize,
    /// Shoppers who held something.
    pub held: usize,
    /// Shoppers who paid.
    pub paid: usize,
    /// Shoppers who have finished.
    pub finished: usize,
    /// Requests recorded so far.
    pub requests: usize,
}

/// Counter of a history's new events.
#[derive(Debug, Default)]
pub(crate) struct Counter(Progress);

impl Counter {
    /// Counts the history's events since the last call; returns the totals.
    pub(crate) fn count(&mut self, history: &History, people: usize, finished: usize) -> Progress {
        let Progress { mut joined, mut held, mut paid, requests, .. } = self.0;
        let requests = history.each_since(requests, |event| {
            let count = match event.step {
                Step::Join => &mut joined,
                Step::Hold => &mut held,
                Step::Pay => &mut paid,
                _ => return,
            };
            *count += usize::from(event.is_ok());
        });
        self.0 = Progress { people, joined, held, paid, finished, requests };
        self.0
    }
}

/// Progress bar on a terminal; without a terminal nothing is drawn.
#[derive(Debug)]
pub struct Bar(ProgressBar);

impl Bar {
    /// Creates a bar on standard error.
    pub fn on_stderr(people: usize) -> Self {
        let people = u64::try_from(people).unwrap_or(u64::MAX);
        let bar = ProgressBar::with_draw_target(Some(people), ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template("{elapsed:>4} {bar:30} {pos}/{len} finished, {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Draws the current progress.
    pub fn show(&self, now: Progress) {
        self.0.set_position(u64::try_from(now.finished).unwrap_or(u64::MAX));
        let Progress { joined, held, paid, requests, .. } = now;
        self.0
            .set_message(format!("{joined} joined, {held} held, {paid} paid; {requests} requests"));
        if now.finished == now.people {
            self.0.set_message(format!("{paid} paid; {requests} requests; checking"));
        }
    }

    /// Removes the bar.
    pub fn end(&self) {
        self.0.finish_and_clear();
    }
}
