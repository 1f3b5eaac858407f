/** Sends one text to a chat: in parts that the platform takes, with patience where that helps, and never a part twice. */
import { errorMessage } from '../../lib/errors.ts';
import { maskKeys } from '../../lib/secrets.ts';
import type { ChatAddress, PlatformAdapter } from '../platform/adapter.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { PlatformFacts } from '../platform/platform.ts';
import type { NotSent, SendResult } from '../platform/send-result.ts';
import { measure } from '../text/length.ts';
import { type SplitOptions, splitText } from '../text/split.ts';

export interface TextToSend {
  readonly to: ChatAddress;
  /** Markdown. */
  readonly text: string;
  readonly replyTo?: string;
  readonly notify?: boolean;
  readonly linkPreviews?: boolean;
  /** Names the text; each part gets its own. */
  readonly key: string;
  /** Parts that have arrived already. */
  readonly partsSent?: number;
  /** Stands before the first part that is sent; where the two are too long for one message, `shortMark` does. */
  readonly mark?: string;
}

export interface SendTextOptions {
  readonly adapter: PlatformAdapter;
  readonly facts: Pick<PlatformFacts, 'maxMessageLength' | 'lengthUnit'>;
  readonly replyToMode: 'off' | 'first' | 'all';
  readonly clock: AdapterClock;
  readonly signal: AbortSignal;
  /** Each part that arrived, counted from the first, as soon as it has; not for the last one. */
  onPart?(count: number): Promise<void>;
}

const retries = 2;
const longestWaitMs = 60_000;
const longestError = 300;

/** The result is that of the last part, or of the first that did not arrive: nothing is sent behind a gap. */
export async function sendText(message: TextToSend, options: SendTextOptions): Promise<SendResult> {
  const { maxMessageLength, lengthUnit } = options.facts;
  let parts = splitText(message.text, cutRules(options.facts));
  let last: SendResult = { ok: true, messageId: null };
  let smaller = false;
  const begin = message.partsSent ?? 0;
  for (let index = begin; index < parts.length; index += 1) {
    last = await sendPart(message, parts[index] ?? '', index, options, index === begin ? message.mark : undefined);
    if (!last.ok && last.kind === 'too_long' && index === 0 && maxMessageLength > 200) {
      // The markup made it longer than the text: smaller pieces, as long as nothing has been sent.
      parts = splitText(message.text, { limit: Math.floor(maxMessageLength * 0.6), unit: lengthUnit });
      smaller = true;
      last = await sendPart(message, parts[0] ?? '', 0, options, message.mark);
    }
    if (!last.ok) return last;
    // Who goes on after a restart cuts as usual: a number of smaller parts would lead to another place in the text.
    if (index + 1 < parts.length && !smaller) await options.onPart?.(index + 1);
  }
  return last;
}

async function sendPart(
  message: TextToSend,
  text: string,
  index: number,
  options: SendTextOptions,
  mark?: string,
): Promise<SendResult> {
  const quotes = options.replyToMode === 'all' || (options.replyToMode === 'first' && index === 0);
  const base = {
    to: message.to,
    text: mark === undefined ? text : marked(text, mark, options.facts),
    ...(message.notify === undefined ? {} : { notify: message.notify }),
    ...(message.linkPreviews === undefined ? {} : { linkPreviews: message.linkPreviews }),
    idempotencyKey: `${message.key}.${index}`,
  };
  const quoted = quotes && message.replyTo !== undefined ? { ...base, replyTo: message.replyTo } : base;
  const send = (outgoing: Parameters<PlatformAdapter['send']>[0]) =>
    patiently(() => options.adapter.send(outgoing, options.signal), options);
  const result = await send(quoted);
  if (result.ok || result.mayHaveArrived === true) return result;
  // The quoted message may be gone; then the answer stands for itself.
  if (result.kind === 'not_found' && 'replyTo' in quoted) return await send(base);
  if (result.kind === 'bad_format') return await send({ ...quoted, plain: true });
  return result;
}

/** What may be a repeat says so in the same message: one beside it could be lost, or be read without it. */
export function marked(text: string, mark: string, { maxMessageLength, lengthUnit }: SendTextOptions['facts']): string {
  const whole = `${mark}\n\n${text}`;
  const fits = maxMessageLength <= 0 || measure(whole, lengthUnit) <= maxMessageLength;
  return fits ? whole : `${shortMark}${text}`;
}

/** How a text is cut: in every part there is room for a short mark, as parts must stay as they were cut. */
export function cutRules({ maxMessageLength, lengthUnit }: SendTextOptions['facts']): SplitOptions {
  const room = maxMessageLength > leastWithRoom ? measure(shortMark, lengthUnit) : 0;
  return { limit: maxMessageLength - room, unit: lengthUnit };
}

const shortMark = '♻️ (repeat?) ';
const leastWithRoom = 100;

/** Tries what may pass a second and a third time, and waits as long as the platform asks, up to a minute. */
export async function patiently(
  attempt: () => Promise<SendResult>,
  { clock, signal }: Pick<SendTextOptions, 'clock' | 'signal'>,
): Promise<SendResult> {
  for (let tried = 1; ; tried += 1) {
    const result = await caught(attempt);
    if (result.ok || !mayPass(result) || tried > retries || signal.aborted) return result;
    const wait = result.retryAfterMs ?? 2000 * 2 ** (tried - 1) + clock.random() * 1000;
    if (wait > longestWaitMs) return result;
    try {
      await clock.sleep(wait, signal);
    } catch {
      return result;
    }
  }
}

/** An adapter that throws breaks its contract; nothing is known of what it was sending then. */
async function caught(attempt: () => Promise<SendResult>): Promise<SendResult> {
  try {
    return await attempt();
  } catch (thrown) {
    const [error = ''] = maskKeys(errorMessage(thrown)).split('\n', 1);
    return { ok: false, kind: 'unknown', error: error.slice(0, longestError), mayHaveArrived: true };
  }
}

function mayPass({ kind, mayHaveArrived }: NotSent): boolean {
  return (kind === 'transient' || kind === 'rate_limited') && mayHaveArrived !== true;
}
