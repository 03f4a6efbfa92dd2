//! Connections that fall silent: nothing is closed, and no answer comes.

mod database;
mod read_only;
mod redis;
mod sentinels;
mod standby;
