/** Connects to one server, over whatever it is reached by, and speaks the protocol with it. The only file that needs its SDK. */
import {
  type AuthProvider,
  Client,
  deserializeMessage,
  type FetchLike,
  InsufficientScopeError,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { Variables } from '../config/variables.ts';
import type { OwnProcesses } from '../environments/local/own-processes.ts';
import { startTalking } from '../environments/local/talking-program.ts';
import type { Network } from '../lib/connections.ts';
import type { Log } from '../lib/log.ts';
import { timerMs } from '../lib/timer-limit.ts';
import { errorText } from './error-text.ts';
import { fetchFor, refusePages } from './http-fetch.ts';
import { loginNeededIn } from './login-needed.ts';
import { refuseMalware } from './malware.ts';
import type { HttpReach, ServerSettings, StdioReach } from './settings.ts';
import { startOf } from './stdio-environment.ts';
import { ServerLines } from './server-lines.ts';
import { StdioTransport } from './stdio-transport.ts';

/** How we are known to a server: what goes with each request, and what to do when that is not taken. */
export interface ServerAuth extends AuthProvider {
  /** The server wants a login with more rights; `scope` says which. What is returned is thrown. */
  needsMore?(scope: string | undefined): Promise<Error>;
}

/** What connections need of the process they are in. */
export interface ConnectPorts {
  readonly homePath: string;
  /** Where processes of servers start that have no `cwd`. */
  readonly cwd: string;
  readonly variables: Variables;
  readonly network: Network;
  /** Watches over the processes of servers, and ends them when we die. */
  readonly processes: OwnProcesses;
  readonly version: string;
  readonly osvEndpoint?: string;
  readonly log: Log;
  /** Told that the process of a server starts. Must not throw. */
  onStart(server: string): void;
  /** Told what a server writes to its error output. Must not throw. */
  onComplaint(server: string, text: string): void;
  /** The login to a server with `auth: oauth`. Its methods throw `LoginNeeded` where only a person can help. */
  authProvider(name: string, reach: HttpReach): Promise<ServerAuth>;
}

/** What a server may ask of us, and tells. Absent: it is told that we do not do that. */
export interface ServerWishes {
  readonly sample?: (params: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>;
  readonly elicit?: (params: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>;
  /** Its list of tools is another one now. Must not throw. */
  readonly onToolsChanged: () => void;
}

export interface Connection {
  readonly capabilities: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
  /** Rejects with the server's error, after `timeoutMs`, and when the connection ends or `signal` aborts. */
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Resolves when it has ended, for whatever reason. Never rejects. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Rejects when the server does not answer in `settings.connectMs`, and when it cannot be started or reached. */
export async function connect(
  settings: Pick<ServerSettings, 'name' | 'reach' | 'connectMs'>,
  ports: ConnectPorts,
  wishes: ServerWishes,
  signal: AbortSignal,
): Promise<Connection> {
  const deadline = AbortSignal.timeout(settings.connectMs);
  const within = AbortSignal.any([signal, deadline]);
  const { reach } = settings;
  const auth =
    reach.kind === 'stdio' || reach.oauth === undefined ? undefined : await ports.authProvider(settings.name, reach);
  // Without a login the server is not asked at all.
  await auth?.token();
  const transport =
    reach.kind === 'stdio'
      ? await stdioTransport(settings.name, reach, ports, within)
      : await httpTransport(settings.name, reach, { ports, auth }, within);
  const client = new Client({ name: 'hermes-agent', version: ports.version }, { capabilities: capabilitiesOf(wishes) });
  answerWishes(client, wishes, ports.log.named(settings.name));
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  Object.assign(client, {
    onclose: end,
    onerror: (error: Error) => ports.log.debug(`${settings.name}: ${errorText(error)}`),
  });
  const giveUp = (): void => void transport.close().catch(() => undefined);
  within.addEventListener('abort', giveUp, { once: true });
  try {
    within.throwIfAborted();
    await client.connect(transport, { timeout: settings.connectMs });
  } catch (error) {
    await transport.close().catch(() => undefined);
    const needed = await loginNeeded(error, auth);
    if (needed !== undefined) throw needed;
    throw deadline.aborted
      ? new Error(`no answer within ${settings.connectMs / 1000} s${said(transport)}`)
      : new Error(`${errorText(error)}${said(transport)}${wishOf(error, auth)}`, { cause: error });
  } finally {
    within.removeEventListener('abort', giveUp);
  }
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  return {
    // Servers that offer tools and forget to say so are common.
    capabilities: {
      tools: tools !== undefined || (resources === undefined && prompts === undefined),
      resources: resources !== undefined,
      prompts: prompts !== undefined,
    },
    async request(method, params, limits) {
      const options = { signal: limits.signal, timeout: timerMs(limits.timeoutMs) };
      try {
        return await client.request({ method, params: { ...params } }, anyParams, options);
      } catch (error) {
        throw (await loginNeeded(error, auth)) ?? error;
      }
    },
    ended,
    close: () => client.close(),
  };
}

/** The session that the server gave is not known to it any more: a new one is to be begun. */
export function isLostSession(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

/** What only a person can mend, told as that. */
async function loginNeeded(error: unknown, auth: ServerAuth | undefined): Promise<Error | undefined> {
  if (error instanceof InsufficientScopeError) return await auth?.needsMore?.(error.requiredScope);
  return loginNeededIn(error);
}

/** A server that lets nobody in without a login, where its entry has none. */
function wishOf(error: unknown, auth: ServerAuth | undefined): string {
  const isAsked = auth === undefined && error instanceof SdkHttpError && error.status === 401;
  return isAsked ? '; it asks for a login: set auth: oauth in its entry, or the headers that it wants' : '';
}

function said(transport: Transport): string {
  const complaints = transport instanceof StdioTransport ? transport.complaints() : '';
  return complaints === '' ? '' : `; it wrote: ${complaints.slice(-300)}`;
}

async function stdioTransport(
  name: string,
  reach: StdioReach,
  ports: ConnectPorts,
  signal: AbortSignal,
): Promise<Transport> {
  const { homePath, variables, processes, log, osvEndpoint: endpoint, network } = ports;
  const { program, env } = startOf(name, reach, homePath, variables);
  if (endpoint !== undefined) await refuseMalware(name, reach, { endpoint, network, log }, signal);
  return new StdioTransport({
    start: async () => {
      ports.onStart(name);
      return await startTalking([program, ...reach.args], {
        cwd: reach.cwd ?? ports.cwd,
        env,
        processes,
        onComplaint: (text) => ports.onComplaint(name, text),
      });
    },
    parse: deserializeMessage,
    onJunk: (line) => log.debug(`${name} wrote a line that is no message: ${line.slice(0, 200)}`),
  });
}

async function httpTransport(
  name: string,
  reach: HttpReach,
  { ports, auth }: { readonly ports: ConnectPorts; readonly auth: ServerAuth | undefined },
  signal: AbortSignal,
): Promise<Transport> {
  const fetch: FetchLike = fetchFor(name, reach, ports.network);
  if (reach.kind === 'http' && reach.looksFirst) await refusePages(name, reach, fetch, signal);
  const options = {
    fetch,
    requestInit: { headers: { ...reach.headers } },
    ...(auth === undefined ? {} : { authProvider: auth }),
  };
  const address = new URL(reach.url);
  return reach.kind === 'sse'
    ? new SSEClientTransport(address, options)
    : new StreamableHTTPClientTransport(address, options);
}

function capabilitiesOf({ sample, elicit }: ServerWishes) {
  return {
    ...(sample === undefined ? {} : { sampling: { tools: {} } }),
    ...(elicit === undefined ? {} : { elicitation: { form: {} } }),
  };
}

const anyParams = z.looseObject({});

function answerWishes(client: Client, { sample, elicit, onToolsChanged }: ServerWishes, log: Log): void {
  const any = { params: anyParams };
  if (sample !== undefined) {
    client.setRequestHandler('sampling/createMessage', any, (params, { mcpReq }) => sample(params, mcpReq.signal));
  }
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', any, (params, { mcpReq }) => elicit(params, mcpReq.signal));
  }
  client.setNotificationHandler('notifications/tools/list_changed', any, () => onToolsChanged());
  const lines = new ServerLines(log);
  client.setNotificationHandler('notifications/message', any, ({ level, data }) => lines.write(level, data));
  // Nobody is told of changed prompts and resources: they are asked for when they are wanted.
}
