//! Which of the writable queues each gRPC SDK picks as its candidate. In the open-source stack the
//! choice only decides which endpoint receives the call; the proxy maps the group again.

use super::{sip_hash24, GUAVA_SIP_K0, GUAVA_SIP_K1};

/// The SDKs, by how they map a message group to a candidate queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sdk {
    /// SipHash-2-4 under Guava's key, floor modulo of the signed value.
    Java,
    /// As Java.
    Go,
    /// As Java, but the digest is read big-endian and the modulo is unsigned.
    Node,
    /// SipHash-2-4 under the key (0, 0), unsigned modulo.
    Rust,
    /// SHA-256 as a big-endian number, modulo.
    Python,
    /// `std::hash` on an asynchronous send, round robin on a synchronous one.
    Cpp,
    /// `string.GetHashCode`, which differs from process to process.
    CSharp,
}

impl Sdk {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Java, Self::Go, Self::Node, Self::Rust, Self::Python, Self::Cpp, Self::CSharp];

    /// The candidate for a message group among `n` writable queues. `None` when the SDK leaves it to
    /// its platform (C++, C#): no number would be true.
    pub fn candidate(self, group: &str, n: u32) -> Option<u32> {
        match self {
            Self::Java | Self::Go => {
                Some(sip_floor_mod(sip_hash24(group.as_bytes(), GUAVA_SIP_K0, GUAVA_SIP_K1), n))
            }
            Self::Node => Some(node_queue(group, n)),
            Self::Rust => Some(rust_queue(group, n)),
            Self::Python => Some(python_queue(group, n)),
            Self::Cpp | Self::CSharp => None,
        }
    }
}

/// Floor modulo of a hash that is read as a signed number.
/// Source: clients java `PublishingLoadBalancer.takeMessageQueueByMessageGroup`.
pub fn sip_floor_mod(hash: u64, n: u32) -> u32 {
    (hash as i64).checked_rem_euclid(i64::from(n)).unwrap_or(0) as u32
}

/// The Node.js SDK's candidate: the digest bytes in the wrong order, unsigned modulo.
/// Source: clients nodejs `util.calculateStringSipHash24`.
pub fn node_queue(group: &str, n: u32) -> u32 {
    unsigned_mod(node_hash(group), n)
}

/// The number that the Node.js SDK takes for the hash: the true one with its bytes swapped.
pub fn node_hash(group: &str) -> u64 {
    sip_hash24(group.as_bytes(), GUAVA_SIP_K0, GUAVA_SIP_K1).swap_bytes()
}

/// The Rust SDK's candidate: SipHash-2-4 under the key (0, 0), unsigned modulo.
/// Source: clients rust `util::select_message_queue_by_message_group`.
pub fn rust_queue(group: &str, n: u32) -> u32 {
    unsigned_mod(sip_hash24(group.as_bytes(), 0, 0), n)
}

/// The Python SDK's candidate: SHA-256 as a big-endian number, modulo.
pub fn python_queue(group: &str, n: u32) -> u32 {
    let n = u64::from(n.max(1));
    let digest = hmac_sha256::Hash::hash(group.as_bytes());
    // Below 2^32 at every step, since n is.
    digest.iter().fold(0_u64, |rest, &byte| ((rest << 8) | u64::from(byte)) % n) as u32
}

fn unsigned_mod(hash: u64, n: u32) -> u32 {
    hash.checked_rem(u64::from(n)).unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_and_node_disagree() {
        assert_eq!(Sdk::Java.candidate("order-1001", 4), Some(2));
        assert_eq!(Sdk::Node.candidate("order-1001", 4), Some(0));
        assert_eq!(Sdk::Rust.candidate("order-1001", 4), Some(1));
        assert_eq!(Sdk::Cpp.candidate("order-1001", 4), None);
        assert_eq!(node_hash("foo哈哈😄2222哈哈"), 11_716_758_754_047_899_126);
    }

    #[test]
    fn a_signed_modulo_is_not_an_unsigned_one() {
        let hash = sip_hash24(b"order-1001", GUAVA_SIP_K0, GUAVA_SIP_K1);
        assert_eq!((sip_floor_mod(hash, 3), unsigned_mod(hash, 3)), (1, 2));
    }

    #[test]
    fn rust_places_with_the_zero_key() {
        assert_eq!(["group1", "another_group"].map(|group| rust_queue(group, 2)), [0, 1]);
    }

    /// SHA-256("abc") ends in ...f20015ad and starts with ba7816bf.
    #[test]
    fn python_reads_the_digest_big_endian() {
        assert_eq!(python_queue("abc", 256), 0xad);
        assert_eq!(python_queue("abc", 1 << 16), 0x15ad);
        assert_eq!(python_queue("abc", 1), 0);
        assert_eq!(python_queue("abc", 0), 0);
    }
}
