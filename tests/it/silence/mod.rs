//! Connections that fall silent: nothing is closed, and nobody answers.

mod database;
mod read_only;
mod redis;
mod sentinels;
mod standby;
