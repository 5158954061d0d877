//! The broker, the clients, the clock and the history of Lockstep. Knows no browser, no wall
//! clock and no I/O: time, randomness and input are handed to it.

pub mod agenda;
pub mod allocate;
pub mod bench;
pub mod broker;
pub mod check;
pub mod client;
pub mod command;
pub mod connection;
pub mod deeds;
pub mod delay;
pub mod event;
pub mod explain;
pub mod fact;
pub mod grpc;
pub mod guarantee;
pub mod hash;
pub mod ids;
pub mod log;
pub mod message;
pub mod model;
pub mod name_server;
pub mod net;
pub mod pop;
pub mod process;
pub mod producer;
pub mod proxy;
pub mod retry;
pub mod rng;
pub mod routing;
pub mod scenario;
pub mod search;
pub mod session;
pub mod shared;
pub mod view;
pub mod world;
