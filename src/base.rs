//! Ground of every feature, without HTTP: settings, texts, PostgreSQL, Redis, the office, points, events
//! and the outbox.

pub mod app;
pub mod config;
pub mod events;
pub mod infra;
pub mod office;
pub mod outbox;
pub mod points;
pub mod setbacks;
pub mod telemetry;
pub mod text;
