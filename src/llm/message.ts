/** The one internal message format, shaped like OpenAI chat messages. Wire formats exist only inside `protocols/`. */
import type { JsonValue } from '../lib/json.ts';
import type { Source } from './source.ts';

/**
 * What a user message is: `said` by the person; `steer`, said while a turn ran; `note`, of this program to the model;
 * `summary` of messages that are gone; `recap` of state that a compaction must not lose; `bridge` between a summary and
 * a kept message of the same role.
 */
export type UserKind = 'said' | 'steer' | 'note' | 'summary' | 'recap' | 'bridge';
/**
 * What an assistant message is: the model's `answer`; `interrupted`, the part of one that was there when it was broken
 * off; a `note` of this program in the place of an answer; a `summary` or a `bridge` as with user messages.
 */
export type AssistantKind = 'answer' | 'interrupted' | 'note' | 'summary' | 'bridge';
/** What a tool message is: the `result` of a call, or `unknown`: nobody knows what became of it. */
export type ToolKind = 'result' | 'unknown';
export type MessageKind = UserKind | AssistantKind | ToolKind;

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ImagePart {
  readonly type: 'image_url';
  /** A `data:` URL or an http(s) URL. */
  readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' };
}

/** Only asked about beside conversations, of models that take videos; no history holds one. */
export interface VideoPart {
  readonly type: 'video_url';
  /** A `data:` URL. */
  readonly video_url: { readonly url: string };
}

export type ContentPart = TextPart | ImagePart | VideoPart;
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
  /** Absent = `said`. */
  readonly kind?: UserKind;
  /** A provider refused it, or it fits no window: kept and shown, and left out of requests. */
  readonly setAside?: true;
  /** What models are sent in place of a text, where the original added to it; sent again byte for byte. */
  readonly sent?: string;
  /** The id that a chat platform gave it. */
  readonly platformMessageId?: string;
  /** It was overheard in a chat and began no turn. */
  readonly observed?: true;
  /** Absent = the user. */
  readonly sources?: readonly Source[];
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
  /** Absent = `answer`. */
  readonly kind?: AssistantKind;
  /** Absent = the agent. */
  readonly sources?: readonly Source[];
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly tool_name?: string;
  readonly content: Content;
  /** Absent = `result`. */
  readonly kind?: ToolKind;
  /** The call certainly had no effect: it was refused, or stopped before it began. */
  readonly effect?: 'none';
  /** Absent = unknown. */
  readonly sources?: readonly Source[];
}

/** What a history holds; the system prompt is added at send time only. */
export type HistoryMessage = UserMessage | AssistantMessage | ToolMessage;
export type Message = SystemMessage | HistoryMessage;

const usualKinds = { user: 'said', assistant: 'answer', tool: 'result' } as const;

export function kindOf({ kind, role }: HistoryMessage): MessageKind {
  return kind ?? usualKinds[role];
}

/** What a person said and the model was asked: neither a note of this program nor a message that was set aside. */
export function isSaid(message: HistoryMessage): message is UserMessage {
  return message.role === 'user' && kindOf(message) === 'said' && message.setAside !== true;
}

/** Words of the model, also where it was broken off; not a note of this program. */
export function isAnswer(message: HistoryMessage): message is AssistantMessage {
  return message.role === 'assistant' && ['answer', 'interrupted'].includes(kindOf(message));
}

/** Where the text of a message came from; what says nothing of it is the user's, the agent's, or unknown. */
export function sourcesOf(message: HistoryMessage): readonly Source[] {
  if (message.sources !== undefined) return message.sources;
  if (message.role === 'user') return [{ from: 'user' }];
  if (message.role === 'assistant') return [{ from: 'agent' }];
  return [{ from: 'unknown', ...(message.tool_name === undefined ? {} : { name: message.tool_name }) }];
}

/** The plain text of a content value; images are left out. */
export function textOf(content: Content | null): string {
  if (content === null) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
