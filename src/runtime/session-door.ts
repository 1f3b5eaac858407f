/** What code of the owner may do with a session, beside its model. */
import type { Conversation } from '../agent/conversation.ts';
import type { ConversationDoor } from '../agent/conversation-door.ts';
import type { SideModels } from '../llm/side-task.ts';
import type { ToolServices } from '../tools/services.ts';

export function sessionDoor(agent: () => Conversation<ToolServices>, models: SideModels): ConversationDoor {
  return {
    get sessionId() {
      return agent().sessionId;
    },
    callTool: (call) => agent().callTool(call),
    models,
  };
}
