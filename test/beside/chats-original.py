"""What the original's gateway writes down of chats and reads back: one verb, answered with JSON on the last line."""

import json
import os
import pathlib
import sys

from gateway import delivery_ledger as ledger
from gateway.config import GatewayConfig, Platform
from gateway.session import SessionSource, SessionStore

verb, *args = sys.argv[1:]
answer = None

if verb == "owe":
    for number, state in enumerate(args):
        owed = ledger.compute_obligation_id("agent:main:telegram:dm:1", str(number), "answer " + state)
        ledger.record_obligation(
            obligation_id=owed, session_key="agent:main:telegram:dm:1", platform="telegram", chat_id="1",
            thread_id=None, content="answer " + state,
        )
        if state != "pending":
            ledger.mark_attempting(owed)
        if state == "failed":
            ledger.mark_failed(owed, "no answer")
        if state == "delivered":
            ledger.mark_delivered(owed)
elif verb == "sweep":
    claimed = ledger.sweep_recoverable(deliverable_platforms=set(args))
    answer = sorted([row["obligation_id"], row["content"], row["needs_marker"], row["thread_id"]] for row in claimed)
else:
    store = SessionStore(pathlib.Path(os.environ["HERMES_HOME"]) / "sessions", GatewayConfig())
    if verb == "hear":
        for chat in args:
            source = SessionSource(
                platform=Platform.TELEGRAM, chat_id=chat, chat_name="Chat " + chat, chat_type="dm", user_id=chat)
            store.get_or_create_session(source)
    if verb == "suspend":
        for key in args:
            store.suspend_session(key)
    answer = [entry.to_dict() for entry in sorted(store.list_sessions(), key=lambda entry: entry.session_key)]

print()
print(json.dumps(answer))
