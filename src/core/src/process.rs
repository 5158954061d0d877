//! Consumer processes of both stacks share one space of ids.

use std::rc::Rc;

use crate::client::{Client, Status};
use crate::grpc::GrpcClient;
use crate::ids::{ClientId, GroupId};

/// A consumer process.
#[derive(Clone, Debug, Hash)]
pub enum Process {
    /// A classic push consumer.
    Classic(Rc<Client>),
    /// A gRPC consumer.
    Grpc(Rc<GrpcClient>),
}

impl Process {
    /// Its id.
    pub fn id(&self) -> ClientId {
        match self {
            Self::Classic(client) => client.id,
            Self::Grpc(client) => client.id,
        }
    }

    /// Its consumer group.
    pub fn group(&self) -> GroupId {
        match self {
            Self::Classic(client) => client.group,
            Self::Grpc(client) => client.group,
        }
    }

    /// Whether it runs.
    pub fn status(&self) -> Status {
        match self {
            Self::Classic(client) => client.status,
            Self::Grpc(client) => client.status,
        }
    }

    /// The classic consumer.
    pub fn classic(&self) -> Option<&Client> {
        match self {
            Self::Classic(client) => Some(client),
            Self::Grpc(_) => None,
        }
    }

    /// The classic consumer, to change it.
    pub fn classic_mut(&mut self) -> Option<&mut Client> {
        match self {
            Self::Classic(client) => Some(Rc::make_mut(client)),
            Self::Grpc(_) => None,
        }
    }

    /// The gRPC consumer.
    pub fn grpc(&self) -> Option<&GrpcClient> {
        match self {
            Self::Classic(_) => None,
            Self::Grpc(client) => Some(client),
        }
    }

    /// The gRPC consumer, to change it.
    pub fn grpc_mut(&mut self) -> Option<&mut GrpcClient> {
        match self {
            Self::Classic(_) => None,
            Self::Grpc(client) => Some(Rc::make_mut(client)),
        }
    }
}
