//! Rules that only a run shows, with the numbers of the reference.

mod brokers;
mod faults;
mod groups;
mod offsets;
mod orderly;
mod play;
mod reset;
mod retention;
mod transactions;
