//! Tests of the checkers with which the fault suite reads its histories: each bad history is found.

#[path = "../faults/history/line.rs"]
mod line;
#[path = "../faults/history/seats.rs"]
mod seats;
#[path = "../faults/history/wallets.rs"]
mod wallets;
