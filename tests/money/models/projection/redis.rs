//! Redis as the model has it: the keys of one queue, and the scripts that change them.

use super::{ACCOUNTS, Position, Positions, Without};

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Memory {
    waiting: [Option<u8>; ACCOUNTS],
    inside: [bool; ACCOUNTS],
    /// Whether a rebuild has filled this memory.
    pub(super) is_complete: bool,
    /// Every number up to this one was written; 0 while the queue is not complete.
    pub(super) counted_to: u8,
    /// Name of the rebuild that is running.
    pub(super) nonce: Option<u8>,
    /// Numbers that this memory has ever had, a bit for each: what Redis itself does not know.
    pub(super) was_written: u32,
}

/// Batch of positions, as `write.lua` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Batch {
    /// Accounts whose positions are written, a bit for each.
    pub(super) accounts: u8,
    pub(super) positions: Positions,
    pub(super) nonce: Option<u8>,
    /// Range of numbers of which the batch has every account that waits: above the first, up to the
    /// second.
    pub(super) covered: (u8, u8),
    pub(super) is_repair: bool,
}

/// Answer to a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) is_complete: bool,
    pub(super) counted_to: u8,
    /// Accounts that were refused their number.
    pub(super) refused: u8,
}

impl Memory {
    pub(super) fn of_an_empty_queue() -> Self {
        Self { is_complete: true, ..Self::default() }
    }

    /// Whether an account is where `position` has it, and nowhere else.
    pub(super) fn has(&self, account: usize, position: Position) -> bool {
        let seen = (self.waiting[account], self.inside[account]);
        seen == (position.number(), position == Position::Inside)
    }

    /// `write.lua`; `None` if the rebuild of the batch was overtaken.
    pub(super) fn write(&mut self, batch: &Batch, without: Without) -> Option<Written> {
        if batch.nonce.is_some() && self.nonce != batch.nonce && without != Without::Nonce {
            return None;
        }
        let counted_to = if self.is_complete { self.counted_to } else { 0 };
        let mut refused = 0;
        for account in (0..ACCOUNTS).filter(|account| batch.accounts & (1 << account) != 0) {
            let position = batch.positions[account];
            if let Position::Waiting(number) = position {
                let is_current =
                    batch.is_repair || number > counted_to || self.waiting[account] == Some(number);
                if !is_current {
                    refused |= 1 << account;
                    continue;
                }
                self.was_written |= 1 << number;
            }
            self.waiting[account] = position.number();
            self.inside[account] = position == Position::Inside;
        }
        if !self.is_complete {
            return Some(Written { is_complete: false, counted_to: 0, refused: 0 });
        }
        let (after, to) = batch.covered;
        let is_next = after <= counted_to || without == Without::Order;
        if is_next && to > counted_to {
            self.counted_to = to;
        }
        Some(Written { is_complete: true, counted_to: self.counted_to, refused })
    }

    /// `begin.lua`: empties the memory for the rebuild `nonce`; false if it is not to be rebuilt.
    pub(super) fn begin(&mut self, nonce: u8) -> bool {
        let is_needed = !self.is_complete && self.nonce.is_none();
        if is_needed {
            *self = Self { nonce: Some(nonce), ..Self::default() };
        }
        is_needed
    }

    /// `finish.lua`: declares the memory complete; false if the rebuild was overtaken.
    pub(super) fn finish(&mut self, nonce: u8, counted_to: u8, without: Without) -> bool {
        let is_ours = self.nonce == Some(nonce) || without == Without::Nonce;
        if is_ours {
            (self.is_complete, self.counted_to, self.nonce) = (true, counted_to, None);
        }
        is_ours
    }
}
