/** The one internal message format, shaped like OpenAI chat messages. Wire formats exist only inside `protocols/`. */
import type { JsonValue } from '../lib/json.ts';

/** Where a piece of content came from. Stored with the message, never sent to a model. */
export type Origin = 'user' | 'agent' | 'tool' | 'page' | 'foreign';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly origin?: Origin;
}

export interface ImagePart {
  readonly type: 'image_url';
  /** A `data:` URL or an http(s) URL. */
  readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' };
  readonly origin?: Origin;
}

export type ContentPart = TextPart | ImagePart;
export type Content = string | readonly ContentPart[];

/** One function call of an assistant message. `arguments` is the raw JSON text as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  /** Opaque provider data that must be replayed with the call (Gemini thought signatures). */
  readonly extra_content?: JsonValue;
}

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: Content;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  /** Visible text; stored with inline thinking tags as the model wrote them. Null when there is none. */
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  /** Joined reasoning text, for display and storage. */
  readonly reasoning?: string;
  /** Reasoning in the field a provider wants replayed. */
  readonly reasoning_content?: string;
  readonly reasoning_details?: JsonValue;
  readonly codex_reasoning_items?: JsonValue;
  readonly codex_message_items?: JsonValue;
  readonly finish_reason?: string;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly tool_name?: string;
  readonly content: Content;
}

/** What a history holds; the system prompt is added at send time only. */
export type HistoryMessage = UserMessage | AssistantMessage | ToolMessage;
export type Message = SystemMessage | HistoryMessage;

/** The plain text of a content value; images are left out. */
export function textOf(content: Content | null): string {
  if (content === null) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
