//! The second consumption stack in the running simulator, with the numbers of the reference.

mod grpc;
mod order;
mod send;
mod stage;
mod wake;
