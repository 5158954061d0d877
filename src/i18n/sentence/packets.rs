//! Kinds of packets.

use lockstep_core::event::PacketKind;

use super::Speaker;

crate::catalogue! {
    /// What can be lost on its way.
    PacketText;
    plain {
        any = "of any kind", "任意类型";
        send = "send", "发送";
        send_answer = "answer to a send", "发送的应答";
        pull = "pull", "拉取";
        pull_answer = "answer to a pull", "拉取的应答";
        lock = "lock request", "加锁";
        lock_answer = "answer to a lock request", "加锁的应答";
        unlock = "unlock", "解锁";
        offsets = "offset update", "位点提交";
        query = "query", "查询";
        query_answer = "answer to a query", "查询的应答";
        send_back = "send-back", "退回消息";
        send_back_answer = "answer to a send-back", "退回消息的应答";
        heartbeat = "heartbeat", "心跳";
        unregister = "farewell", "注销";
        notification = "notification", "通知";
        end_transaction = "end of a transaction", "结束事务";
        check_transaction = "check of a transaction", "事务回查";
        reset = "reset", "重置";
        receive = "receive", "接收";
        receive_answer = "answer to a receive", "接收的应答";
        ack = "acknowledgement", "确认";
        ack_answer = "answer to an acknowledgement", "确认的应答";
        settings = "settings", "客户端配置";
        settings_answer = "answer about settings", "客户端配置的应答";
        other = "another kind", "其他";
    }
    with {}
}

impl Speaker<'_> {
    /// A kind of packet.
    pub(super) fn packet(&self, kind: PacketKind) -> &'static str {
        let text = PacketText(self.locale);
        match kind {
            PacketKind::Any => text.any(),
            PacketKind::Send => text.send(),
            PacketKind::SendAnswer => text.send_answer(),
            PacketKind::Pull => text.pull(),
            PacketKind::PullAnswer => text.pull_answer(),
            PacketKind::Lock => text.lock(),
            PacketKind::LockAnswer => text.lock_answer(),
            PacketKind::Unlock => text.unlock(),
            PacketKind::Offsets => text.offsets(),
            PacketKind::Query => text.query(),
            PacketKind::QueryAnswer => text.query_answer(),
            PacketKind::SendBack => text.send_back(),
            PacketKind::SendBackAnswer => text.send_back_answer(),
            PacketKind::Heartbeat => text.heartbeat(),
            PacketKind::Unregister => text.unregister(),
            PacketKind::Notification => text.notification(),
            PacketKind::EndTransaction => text.end_transaction(),
            PacketKind::CheckTransaction => text.check_transaction(),
            PacketKind::Reset => text.reset(),
            PacketKind::Receive => text.receive(),
            PacketKind::ReceiveAnswer => text.receive_answer(),
            PacketKind::Ack => text.ack(),
            PacketKind::AckAnswer => text.ack_answer(),
            PacketKind::Settings => text.settings(),
            PacketKind::SettingsAnswer => text.settings_answer(),
            PacketKind::Other => text.other(),
        }
    }
}
