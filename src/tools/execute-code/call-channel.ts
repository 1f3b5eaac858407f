/** The private way from a script to the tools: a socket in a folder of its own, one JSON object a line, each with a token. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { isJsonObject, nestsTooDeep, parseJson } from '../../lib/json.ts';
import type { CallableTools } from '../../agent/tool.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import { allowedArguments, callableTools } from './script-tools.ts';

export interface ChannelOptions {
  readonly tools: CallableTools;
  readonly maxCalls: number;
  /** Told of each call before it is made. */
  readonly called: (tool: string, args: Readonly<Record<string, unknown>>) => void;
}

const request = z.object({
  tool: z.string(),
  args: z.custom<unknown>().optional(),
  token: z.string(),
});

/** Of one request, which may carry a whole file. */
const maxLineBytes = 8 * 1024 * 1024;
const maxConnections = 16;
/** What every system has room for (macOS: 104, Linux: 108, with the end). */
const maxPathBytes = 103;

export class CallChannel {
  readonly token = randomBytes(32).toString('hex');
  readonly #options: ChannelOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #closed = new AbortController();
  readonly #working = new Set<Promise<void>>();
  #made = 0;
  #sources: readonly Source[] = [];

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#serve(socket));
    this.#server.maxConnections = maxConnections;
  }

  /** Calls that reached a tool. */
  get made(): number {
    return this.#made;
  }

  /** Where the text came from that was given to the script. */
  get sources(): readonly Source[] {
    return this.#sources;
  }

  /** Returns the path of its socket in a folder that is nobody else's. */
  async open(folder: string): Promise<string> {
    const path = join(folder, `hermes_rpc_${randomBytes(6).toString('hex')}.sock`);
    if (Buffer.byteLength(path) > maxPathBytes) {
      throw new UserError(
        `The folder for temporary files has too long a name for a socket (${path}). Set TMPDIR to a shorter one.`,
      );
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(path, resolve);
    });
    await chmod(path, 0o600);
    return path;
  }

  /** The reply to one request, where there is no socket. Never rejects. */
  async answer(line: string): Promise<string> {
    const work = this.#answer(line).catch(() => ({ reply: refusal('The call failed.') }));
    const settled = work.then(() => undefined);
    this.#working.add(settled);
    try {
      return (await work).reply;
    } finally {
      this.#working.delete(settled);
    }
  }

  /** Ends the call that runs, and waits until it has ended. */
  async close(): Promise<void> {
    this.#closed.abort();
    if (this.#server.listening) this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#working);
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    // Whoever hangs up needs no answer.
    socket.on('error', () => undefined);
    const work = this.#answerLines(socket)
      .catch(() => undefined)
      .finally(() => {
        this.#sockets.delete(socket);
        this.#working.delete(work);
        socket.destroy();
      });
    this.#working.add(work);
  }

  /** One request after the other: nothing is read while one is answered. */
  async #answerLines(socket: Socket): Promise<void> {
    let pieces: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of socket) {
      let rest: Buffer = chunk;
      for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
        const line = Buffer.concat([...pieces, rest.subarray(0, end)]).toString('utf8');
        rest = rest.subarray(end + 1);
        [pieces, bytes] = [[], 0];
        const { reply, goesOn } = await this.#answer(line);
        if (this.#closed.signal.aborted) return;
        await send(socket, `${reply}\n`);
        if (!goesOn) return;
      }
      pieces.push(rest);
      bytes += rest.length;
      if (bytes <= maxLineBytes) continue;
      await send(socket, `${refusal(`A request may have ${maxLineBytes} bytes.`)}\n`);
      return;
    }
  }

  async #answer(line: string): Promise<{ readonly reply: string; readonly goesOn: boolean }> {
    const { tools, maxCalls, called } = this.#options;
    const parsed = request.safeParse(nestsTooDeep(line) ? undefined : parseJson(line));
    if (!parsed.success) {
      return { reply: refusal('A request is one line of JSON with tool, args and token.'), goesOn: false };
    }
    const { tool, args = {}, token } = parsed.data;
    if (!sameText(token, this.token)) return { reply: refusal('The token of the request is wrong.'), goesOn: false };
    const known = callableTools(tools.names).map(({ name }) => name);
    if (!known.includes(tool)) {
      const available = known.length === 0 ? 'none' : known.join(', ');
      return { reply: refusal(`Tool '${tool}' is not available in scripts. Available: ${available}`), goesOn: true };
    }
    if (!isJsonObject(args)) return { reply: refusal('args must be an object.'), goesOn: true };
    if (this.#made >= maxCalls) {
      const message = `Tool call limit reached (${maxCalls}). Print what you have, and go on in another script.`;
      return { reply: refusal(message), goesOn: true };
    }
    this.#made += 1;
    const allowed = allowedArguments(tool, args);
    called(tool, allowed);
    const { text, sources } = await tools.call(tool, allowed, this.#closed.signal);
    this.#sources = mergeSources(this.#sources, sources);
    return { reply: onOneLine(text), goesOn: true };
  }
}

function refusal(error: string): string {
  return JSON.stringify({ error });
}

/** JSON as it is; anything else, such as JSON with words behind it, as a JSON string. */
function onOneLine(text: string): string {
  const isJson = parseJson(text) !== undefined;
  return isJson && !text.includes('\n') ? text : JSON.stringify(text);
}

function send(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => socket.write(text, (error) => (error ? reject(error) : resolve())));
}

function sameText(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
