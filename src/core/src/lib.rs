//! The broker, the clients, the clock and the history of Lockstep. Knows no browser, no wall
//! clock and no I/O: time, randomness and input are handed to it.

pub mod allocate;
pub mod command;
pub mod delay;
pub mod fact;
pub mod ids;
pub mod model;
pub mod retry;
pub mod routing;
