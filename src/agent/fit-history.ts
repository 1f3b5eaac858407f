/** Keeps a turn inside the window of its model: shortens the history, or sets one message aside that fits no window. */
import type { UserMessage } from '../llm/message.ts';
import { ModelError } from '../llm/model-error.ts';
import type { ToolSchema } from '../llm/protocol.ts';
import { weighMessage } from '../llm/estimate.ts';
import { compactionLine } from './context/compaction-line.ts';
import type { ContextEngine, ContextRequest } from './context/engine.ts';
import type { ConversationLog } from './conversation-log.ts';
import type { AgentEvent } from './events.ts';
import { pairCalls } from './history.ts';
import type { RouteLadder } from './route-ladder.ts';

/** What fitting needs of a turn. */
export interface Fitting {
  readonly log: ConversationLog;
  readonly contextEngine: ContextEngine;
  readonly models: { readonly ladder: RouteLadder; readonly request: { systemPrompt(): Promise<string> } };
  readonly signal: AbortSignal;
}

/** Asks the context engine and goes on with what it made of the history; false when it is too long all the same. */
export async function* fitHistory(
  turn: Fitting,
  tools: readonly ToolSchema[],
  refusal?: ModelError,
): AsyncGenerator<AgentEvent, boolean> {
  const request = await contextRequest(turn, tools, refusal);
  try {
    const fit = await turn.contextEngine.fit(request, turn.signal);
    for (const message of fit.notices) yield { type: 'status', kind: 'warning', message };
    if (fit.compaction === undefined) return fit.fits;
    if (!(yield* turn.log.compact(fit.history, fit.compaction.tokensAfter))) return refusal === undefined;
    yield { type: 'status', kind: 'compression', message: compactionLine(fit.compaction) };
    return fit.fits;
  } finally {
    await request.compactions?.release();
  }
}

/**
 * The history is put in order first where it would otherwise be shortened with holes: a call whose outcome nobody knows
 * must stay unknown in every later form.
 */
export async function contextRequest(
  { log, models }: Pick<Fitting, 'log' | 'models'>,
  tools: readonly ToolSchema[],
  refusal?: ModelError,
): Promise<ContextRequest> {
  const { contextLength, provider, model, baseUrl } = models.ladder.current;
  const lastPromptTokens = log.tokens.last_prompt_tokens;
  const systemPrompt = await log.systemPrompt(() => models.request.systemPrompt());
  return {
    history: log.messages,
    repaired: () => pairCalls(log.messages),
    sessionId: log.sessionId,
    systemPromptChars: systemPrompt.length,
    tools,
    overflow: refusal !== undefined,
    provider,
    model,
    baseUrl,
    ...(log.compactions === undefined ? {} : { compactions: log.compactions }),
    ...(refusal === undefined ? {} : { refusal: refusal.message }),
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(lastPromptTokens === 0 ? {} : { lastPromptTokens }),
  };
}

/** A message that a provider refused must not have every later one refused with it. */
const longSession = { messages: 80, tokens: 50_000 };
const largeMessageTokens = 8000;
const staysUnsent = 'it stays in the conversation and is not sent again.';

/**
 * Sets the turn's own message aside when it cannot be sent: too large for the window, refused by a content filter, or
 * refused in a long conversation. Returns the words for the user, or nothing when the message stays.
 */
export async function setAsideUnsendable(turn: Fitting, error: unknown): Promise<string | undefined> {
  const last = turn.log.messages.at(-1);
  if (!(error instanceof ModelError) || last?.role !== 'user' || !isInput(last)) return undefined;
  if (error.kind === 'filtered') {
    await turn.log.setAsideLast();
    return `${error.message.replace(/\.$/, '')}. Your message was set aside: ${staysUnsent} Put it in other words, or choose another model.`;
  }
  const tokens = weighMessage(last);
  const isTooLong = error.kind === 'context_overflow' || error.kind === 'payload_too_large';
  const fitsNowhere = isTooLong && (tokens >= largeMessageTokens || turn.log.messages.length === 1);
  // Some providers say no more than 400, and that is then taken for one that is too long.
  const isRefused = error.kind === 'bad_request' || (isTooLong && error.status === 400);
  if (!fitsNowhere && !(isRefused && (tokens > largeMessageTokens || isLong(turn.log)))) return undefined;
  await turn.log.setAsideLast();
  const count = tokens.toLocaleString('en-US');
  const why = fitsNowhere ? `Your message (about ${count} tokens) does not fit the model's window` : error.message;
  return `${why}. It was set aside: ${staysUnsent} Send it shorter, or as a file with @file:path.`;
}

/** Not what a compaction has put at the end. */
function isInput({ kind }: UserMessage): boolean {
  return kind !== 'summary' && kind !== 'recap' && kind !== 'bridge';
}

function isLong(log: ConversationLog): boolean {
  return log.messages.length > longSession.messages || log.tokens.last_prompt_tokens > longSession.tokens;
}
