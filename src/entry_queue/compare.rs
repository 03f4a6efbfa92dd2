//! Whether Redis has everybody where Postgres has them.

use std::collections::HashMap;

use super::{line::Line, mirror::MirrorError, model::QueueNumber, store::line as lines};
use crate::{accounts::AccountId, app::App, catalog::ProgramId};

/// Places compared at once.
const PAGE: i64 = 1_000;

/// One program's line, compared page by page: first those inside, then the line in order.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    app: &'a App,
    program_id: ProgramId,
    next: Next,
}

#[derive(Debug)]
enum Next {
    Inside,
    WaitingBehind(QueueNumber),
    Nothing,
}

impl<'a> Comparison<'a> {
    pub(super) fn of(app: &'a App, program_id: ProgramId) -> Self {
        Self { app, program_id, next: Next::Inside }
    }

    /// Who of the next page is elsewhere; `None` behind the last page. Both sides move
    /// while they are read, so whoever is named here may be right again by now.
    pub(super) async fn next_page(&mut self) -> Result<Option<Vec<AccountId>>, MirrorError> {
        match self.next {
            Next::Inside => {
                self.next = Next::WaitingBehind(QueueNumber(0));
                self.compare_inside().await.map(Some)
            }
            Next::WaitingBehind(after) => self.compare_waiting(after).await.map(Some),
            Next::Nothing => Ok(None),
        }
    }

    async fn compare_inside(&self) -> Result<Vec<AccountId>, MirrorError> {
        let seen = Line::of(&self.app.redis, self.program_id).inside().await?;
        let right = lines::list_inside(&self.app.db, self.program_id).await?;
        Ok(right.symmetric_difference(&seen).copied().collect())
    }

    async fn compare_waiting(&mut self, after: QueueNumber) -> Result<Vec<AccountId>, MirrorError> {
        let page = lines::list_waiting(&self.app.db, self.program_id, after, PAGE).await?;
        let is_full = i64::try_from(page.len()).is_ok_and(|n| n == PAGE);
        let last = page.last().filter(|_| is_full).map(|(_, number)| *number);
        // Behind the last page nobody should stand at all.
        let up_to = last.unwrap_or(QueueNumber(i64::MAX));
        self.next = last.map_or(Next::Nothing, Next::WaitingBehind);

        let line = Line::of(&self.app.redis, self.program_id);
        let seen: HashMap<AccountId, QueueNumber> =
            line.waiting_between(after, up_to).await?.into_iter().collect();
        let right: HashMap<AccountId, QueueNumber> = page.into_iter().collect();
        let lost = right.iter().filter(|(id, number)| seen.get(id) != Some(number));
        let ghosts = seen.iter().filter(|(id, _)| !right.contains_key(id));
        Ok(lost.chain(ghosts).map(|(id, _)| *id).collect())
    }
}

/// Who of `program_id` is elsewhere in Redis than in Postgres, a thousand of them at
/// least if there are so many: for `verify`, which asks more than once.
pub async fn list_misplaced(
    app: &App,
    program_id: ProgramId,
) -> Result<Vec<AccountId>, MirrorError> {
    const ENOUGH: usize = 1_000;
    let mut comparison = Comparison::of(app, program_id);
    let mut misplaced = Vec::new();
    while let Some(page) = comparison.next_page().await? {
        misplaced.extend(page);
        if misplaced.len() >= ENOUGH {
            break;
        }
    }
    Ok(misplaced)
}
