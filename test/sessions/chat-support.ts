/** Messages and replies of chats for tests. */
import type { NewChatMessage, NewReply } from '../../src/sessions/chat-inbox.ts';
import type { ChatRoutes, RouteEntry } from '../../src/sessions/chat-routes.ts';

export function chatMessage(eventId: string, changes: Partial<NewChatMessage> = {}): NewChatMessage {
  const sessionKey = 'agent:main:telegram:dm:1';
  return { platform: 'telegram', eventId, sessionKey, event: `{"text":"${eventId}"}`, receivedAt: 1, ...changes };
}

export function reply(id: string, changes: Partial<NewReply> = {}): NewReply {
  return {
    id,
    sessionKey: 'agent:main:telegram:dm:1',
    platform: 'telegram',
    chatId: '1',
    threadId: null,
    content: `answer ${id}`,
    details: `{"to":"${id}"}`,
    ...changes,
  };
}

export const origin = {
  platform: 'telegram',
  chat_id: '1',
  chat_name: 'Ann',
  chat_type: 'dm',
  user_id: 'u1',
  user_name: 'ann',
  thread_id: null,
  chat_topic: null,
};

/** An entry that says something in every field. */
export function route(changes: Partial<RouteEntry> = {}): RouteEntry {
  return {
    session_key: 'agent:main:telegram:dm:1',
    session_id: 's1',
    created_at: '2026-07-20T10:00:00.123456',
    updated_at: '2026-07-20T11:00:00',
    display_name: 'Ann',
    platform: 'telegram',
    chat_type: 'dm',
    input_tokens: 1,
    output_tokens: 2,
    cache_read_tokens: 3,
    cache_write_tokens: 4,
    total_tokens: 10,
    last_prompt_tokens: 5,
    estimated_cost_usd: 0.25,
    cost_status: 'estimated',
    expiry_finalized: false,
    suspended: true,
    resume_pending: true,
    resume_reason: 'restart_timeout',
    last_resume_marked_at: '2026-07-20T11:00:00',
    is_fresh_reset: true,
    was_auto_reset: true,
    auto_reset_reason: 'idle',
    reset_had_activity: true,
    origin,
    ...changes,
  };
}

/** The index as a gateway finds it when it starts. */
export async function loadRoutes(routes: ChatRoutes): Promise<Map<string, RouteEntry>> {
  await routes.putRight();
  return await allRoutes(routes);
}

/** By session key. */
export async function allRoutes(routes: Pick<ChatRoutes, 'each'>): Promise<Map<string, RouteEntry>> {
  const found = new Map<string, RouteEntry>();
  for await (const entry of routes.each()) found.set(entry.session_key, entry);
  return found;
}
