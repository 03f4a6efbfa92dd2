//! The end of a request whose sender's points are taken back.

use super::{
    model::{LockedTransfer, TransferStatus},
    store, telling,
};
use crate::{infra::postgres::Connection, wallet::error::WalletError};

/// Ends a locked, open request of a debtor, whose points the caller releases, and writes the mails to
/// both sides; a lapsed request ends by itself. The receiver of one that has not started gets no mail.
pub(in crate::wallet) async fn end_for_debt(
    tx: &mut Connection,
    transfer: &LockedTransfer,
) -> Result<(), WalletError> {
    let (status, by_office) = match transfer.is_lapsed {
        true => (TransferStatus::Expired, false),
        false => (TransferStatus::Cancelled, true),
    };
    if !store::write_transfer_status(tx, transfer, status, by_office).await? {
        return Err(WalletError::StaleVersion);
    }
    match by_office {
        true => telling::tell_taken_back(tx, transfer).await?,
        false => telling::tell_settled(tx, transfer, status).await?,
    }
    Ok(())
}
