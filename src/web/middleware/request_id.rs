//! Id of a request.

use uuid::Uuid;

/// Id of a request, kept in its extensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestId(pub Uuid);
