// Scenarios of the second consumption stack that specs open.

// A push consumer backs off from A2; another group reads the topic, and a reset of it is pending.
export const ORDERED = `title Ordered
topic orders FIFO 2 queues
series A message-group A
series B message-group order-4
group billing reads orders fifo, handles in 900ms, retry-policy customized 2s 4s
group audit reads orders orderly, handles in 200ms
producer p1
producer p2
consumer c1 in billing grpc push
consumer c2 in billing grpc push
at 3s A2 fails twice, in billing
at 3s p1 sends A1 B1 A2 B2 A3 every 100ms
at 3s p2 sends B3 A4 B4 every 200ms
at 5s reset audit in orders q0 to offset 2
run until 60s
`;

// Two SimpleConsumers by hand; the second one crashes and leaves its messages invisible.
export const SIMPLE = `title Simple
topic orders FIFO 4 queues
group billing reads orders fifo
producer p1
consumer c1 in billing simple
consumer c2 in billing simple
at 1s p1 sends A1 A2 A3 B1 B2 C1 D1 D2 D3
at 2s c1 receives max-message-num 5, invisible-duration 20s
at 3s c2 receives max-message-num 8, invisible-duration 40s
at 4s c1 acks A1
at 6s c2 crashes
at 7s c1 receives await-duration 20s
run until 60s
`;

// Retention has deleted the oldest records of both brokers, one of which is down.
export const BROKERS = `title Brokers
topic orders MIXED 2 queues
set mappedFileSizeCommitLog 1000
group billing reads orders orderly, handles in 300ms
producer p1 selects by hash
consumer c1 in billing
add broker b2
at 1s p1 sends A1..A8 B1..B8 C1..C4 every 50ms
at 3s p1 sends E1 in a transaction that stays open
at 4s disk 90% full
at 66s b2 stops
run until 3m
`;
