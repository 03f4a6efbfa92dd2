//! Estimated wait, from the measured speed of the queue; and how good the estimates were.
//!
//! The speed is the number of admitted tokens that ended in the last minutes, or since the queue
//! began if that is later. Where the program has no capacity limit it is the number of admissions
//! instead. While no token has ended the speed is unknown and no wait is shown: the first fill says
//! nothing about how long stays last. No wait is shown while the queue is paused either, and
//! measurements from before a change of the gate's rules do not count.
//!
//! The measured time is the shortest that is precise enough: a change of speed is noticed within a
//! minute or two where many go through. A place also moves up when an account before it leaves, or is
//! passed over because it is silent: both are measured, and expected to go on.

mod comparison;
mod speed;
mod store;

use std::{sync::Arc, time::Duration};

use moka::future::Cache;

pub use self::comparison::{Accuracy, accuracy_of, compare_estimates};
pub(crate) use self::speed::{MovingQueue, Wait, measure};
pub use self::speed::{Speed, measure_freed};
use crate::{
    app::App,
    catalog::{Program, ProgramId},
    infra::postgres::shared_read,
};

/// Age at which a measured speed is read again.
const MEASURED_EVERY: Duration = Duration::from_secs(5);
const PROGRAMS_MAX: u64 = 1_000;

/// Measured speeds by program, cached by one instance.
#[derive(Clone, Debug)]
pub(crate) struct Measures(Cache<ProgramId, Measure>);

/// Measured waits of a queue.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    pub(crate) speed: Speed,
    pub accuracy: Accuracy,
}

impl Default for Measures {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(PROGRAMS_MAX).time_to_live(MEASURED_EVERY).build())
    }
}

impl Measures {
    /// Returns the measured waits of `program`, at most [`MEASURED_EVERY`] old.
    pub(crate) async fn of(
        &self,
        app: &App,
        program: &Program,
    ) -> Result<Measure, Arc<sqlx::Error>> {
        let measuring = async {
            let queue = MovingQueue {
                program_id: program.id,
                on_sale_at: program.on_sale_at,
                queue_capacity: program.queue_capacity,
            };
            let speed = measure(app, queue).await?;
            Ok(Measure { speed, accuracy: accuracy_of(app, program.id).await? })
        };
        self.0.try_get_with(program.id, shared_read(measuring)).await
    }
}
