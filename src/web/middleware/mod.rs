//! Middleware: what stands around every handler, from outside in.
//!
//! [`unread`] ends connections with an unread body, [`headers`] gives the request its id
//! ([`request_id`]) and the answer its security headers, [`rendering`] renders a failure as a page or a problem
//! document, [`encoding`] refuses compressed bodies, [`csrf`] refuses cross-site writes, and [`deadline`] bounds
//! the time of a request, and lets a change finish when its client disconnects. [`measure`] counts requests and
//! their times.

pub mod csrf;
pub mod deadline;
pub mod encoding;
pub mod headers;
pub mod measure;
pub mod rendering;
pub mod request_id;
pub mod unread;
