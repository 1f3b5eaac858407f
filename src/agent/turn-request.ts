/** The request of one step: the stable prompt first, then what is sent each time, then the history. */
import type { HistoryMessage, Message } from '../llm/message.ts';
import type { ModelRequest, ModelRoute, ReasoningEffort, ToolSchema } from '../llm/protocol.ts';
import type { ConversationLog } from './conversation-log.ts';
import { requestHistory } from './history.ts';
import { withoutOldPictures } from './without-old-pictures.ts';
import { withoutPictures } from './without-pictures.ts';

/** What is sent with each request and never stored. */
export interface EphemeralLayers {
  /** Appended to the system prompt; may be empty. */
  readonly system: string;
  /** Put before the history. */
  readonly prefill: readonly Message[];
}

/** What every request of a conversation carries besides its messages. */
export interface RequestParts {
  /** Built once a session and kept byte for byte. */
  systemPrompt(): Promise<string>;
  /** Asked for each request. */
  ephemeral(): EphemeralLayers;
  effortFor(model: string): ReasoningEffort | undefined;
  /** Life of the cached prefix where providers want it marked; absent = no marks. */
  readonly cacheTtl: ModelRequest['cacheTtl'];
  /** Asks for the faster, dearer tier. */
  readonly priority: boolean;
  /** Pictures are sent to models too that are known not to see. */
  readonly showsBlind?: boolean;
  /** The conversation whose cache the requests share; default: the log's own session. */
  readonly cacheKey?: string;
}

export interface Added {
  readonly tools: readonly ToolSchema[];
  /** Of how many results of a tool the pictures are sent; undefined: of all. */
  readonly keptPictures: (tool: string) => number | undefined;
  readonly note?: string | undefined;
  /** The history with what stands behind the user's words in requests alone. */
  readonly withContext: (history: readonly HistoryMessage[]) => readonly HistoryMessage[];
}

/** `note` stands behind the history, for this request only. */
export async function turnRequest(
  log: ConversationLog,
  parts: RequestParts,
  route: ModelRoute,
  { tools, note, withContext, keptPictures }: Added,
): Promise<Omit<ModelRequest, 'stream'>> {
  const said = withContext(log.messages);
  const history = note === undefined ? said : [...said, noteMessage(note)];
  const isBlind = route.vision === false && parts.showsBlind !== true;
  const seen = isBlind ? withoutPictures(history) : withoutOldPictures(history, keptPictures);
  const systemPrompt = await log.systemPrompt(() => parts.systemPrompt());
  const effort = parts.effortFor(route.model);
  return {
    model: route.model,
    messages: withSystemPrompt(systemPrompt, requestHistory(seen), parts.ephemeral()),
    tools,
    sessionId: parts.cacheKey ?? log.sessionId,
    ...(route.maxTokens === undefined ? {} : { maxTokens: route.maxTokens }),
    ...(route.temperature === undefined ? {} : { temperature: route.temperature }),
    ...(route.extraBody === undefined ? {} : { extraBody: route.extraBody }),
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    ...(parts.cacheTtl === undefined ? {} : { cacheTtl: parts.cacheTtl }),
    ...(parts.priority ? { priority: true } : {}),
  };
}

function noteMessage(content: string): HistoryMessage {
  return { role: 'user', content, kind: 'note' };
}

function withSystemPrompt(
  systemPrompt: string,
  history: readonly HistoryMessage[],
  ephemeral: EphemeralLayers,
): Message[] {
  const content = [systemPrompt, ephemeral.system].filter((text) => text !== '').join('\n\n');
  const system: Message[] = content === '' ? [] : [{ role: 'system', content }];
  return [...system, ...ephemeral.prefill, ...history];
}
