/** Sends what `browser_cdp` was asked to send. */
import type { ToolOutcome } from '../../agent/tool.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ToolServices } from '../services.ts';
import { browse, type Context } from './browse.ts';
import { NotDone } from './not-done.ts';
import { sendCdp } from './raw-cdp.ts';

const maxChars = 50_000;
const maxSeconds = 300;
const docs = 'https://chromedevtools.github.io/devtools-protocol/';

export interface CdpCommand {
  readonly method: string;
  readonly params: JsonObject;
  readonly target_id?: string | undefined;
  readonly frame_id?: string | undefined;
  /** Seconds. */
  readonly timeout: number;
}

/** Opens the connection to the browser when there is none. */
export async function runCdp(context: Context, args: CdpCommand): Promise<ToolOutcome> {
  const seconds = Math.min(Math.max(args.timeout, 1), maxSeconds);
  return await browse(context, async ({ signal }) => await send(args, context.services, signal), {
    opens: true,
    seconds,
  });
}

async function send(
  { method, params, target_id, frame_id }: CdpCommand,
  { state: { browser } }: ToolServices,
  signal: AbortSignal,
): Promise<object> {
  const endpoint = browser?.endpoint;
  if (endpoint === undefined) throw new NotDone('No browser is connected.');
  const answer = await sendCdp({ endpoint, method, params, target: frame_id ?? target_id, signal }).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      throw new NotDone(`${explained(error, frame_id)} See ${docs}`);
    },
  );
  const text = JSON.stringify(answer.result);
  if (text.length > maxChars) throw new NotDone(`The result has ${text.length} characters: ask for less.`);
  return {
    method,
    result: answer.result,
    ...(target_id === undefined ? {} : { target_id }),
    ...(frame_id === undefined ? {} : { frame_id }),
    ...(answer.sessionId === undefined ? {} : { session_id: answer.sessionId }),
  };
}

function explained(error: unknown, frame: string | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  return frame !== undefined && /no target/i.test(message)
    ? 'This frame is of the same origin as its page: use target_id, and Runtime.evaluate with contextId.'
    : message.replace(/\.?$/, '.');
}
