/** A real browser, pages on this machine, and the tools that use them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import type { Policy } from '../../../src/agent/policy.ts';
import type { ToolOutcome } from '../../../src/agent/tool.ts';
import type { Human } from '../../../src/agent/human.ts';
import { createLocalEnvironment } from '../../../src/environments/local/local-environment.ts';
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';
import { noLog } from '../../../src/lib/log.ts';
import type { Source } from '../../../src/llm/source.ts';
import type { BrowserBackend } from '../../../src/tools/browser/backend.ts';
import type { BrowserSessionOptions } from '../../../src/tools/browser/browser-session-options.ts';
import { BrowserSession } from '../../../src/tools/browser/browser-session.ts';
import { BrowserSlots } from '../../../src/tools/browser/browser-slots.ts';
import { findChromium } from '../../../src/tools/browser/find-chromium.ts';
import { LocalChromium, type LocalChromiumOptions } from '../../../src/tools/browser/local-chromium.ts';
import { NetworkRules } from '../../../src/tools/browser/network-rules.ts';
import { toolCatalogue } from '../../../src/tools/catalogue.ts';
import type { ToolServices } from '../../../src/tools/services.ts';
import { jsonOf, runTool, servicesOver, type Settings } from '../support.ts';

export const chromium = findChromium({ searched: process.env['PATH'] ?? '', userHome: homedir() });

/** For tests that need one. */
export const skip = chromium === undefined ? 'there is no Chromium on this machine' : false;

export interface Browsing {
  readonly services: ToolServices;
  readonly session: BrowserSession;
  readonly homePath: string;
  /** Where text came from that is in the conversation; tests set it. */
  entered: readonly Source[];
  /** What the model reads, and whose words it is. */
  call(tool: string, args?: JsonObject, options?: CallOptions): Promise<JsonObject>;
  outcomeOf(tool: string, args?: JsonObject): Promise<ToolOutcome>;
  close(): Promise<void>;
}

interface CallOptions {
  readonly policy?: Policy;
  readonly human?: Human;
  readonly signal?: AbortSignal;
}

export interface BrowsingOptions extends Partial<Omit<BrowserSessionOptions<BrowserSession>, 'rules'>> {
  readonly allowPrivate?: boolean;
  /** Why the owner does not want a page shown. */
  readonly blocked?: (url: URL) => string | undefined;
  readonly settings?: Settings;
  readonly changes?: Partial<ToolServices>;
}

export function localBackend(options: Partial<LocalChromiumOptions> = {}): BrowserBackend {
  const { PATH = '', HOME = homedir() } = process.env;
  // Pages of tests are served by this very process.
  const ownPorts = () => Promise.resolve(new Set<number>());
  const usual = { executable: chromium ?? '', env: { PATH, HOME }, proxies: {}, headed: false, ownPorts };
  return new LocalChromium({ ...usual, ...options });
}

/** One session over one home. */
export function browsing({ allowPrivate, blocked, settings, changes, ...options }: BrowsingOptions = {}): Browsing {
  const homePath = mkdtempSync(join(tmpdir(), 'hermes-test-browser-'));
  const environment = createLocalEnvironment({ cwd: homePath, homePath, env: {}, sessionId: 'test' });
  const paths = { homePath, root: homePath, userHome: homePath };
  const session = new BrowserSession({
    isThere: () => true,
    backend: () => Promise.resolve(localBackend()),
    rules: () => Promise.resolve(new NetworkRules(allowPrivate, blocked)),
    dialogs: { policy: 'must_respond', timeoutSeconds: 300 },
    idleSeconds: 600,
    commandSeconds: 60,
    homePath,
    slots: new BrowserSlots(),
    log: noLog,
    within: (_, work) => work(),
    ...options,
  });
  const services = servicesOver(environment, paths, { ...changes, ...(settings === undefined ? {} : { settings }) });
  const own = { ...services, state: { ...services.state, browser: session } };
  const run = async (name: string, args: JsonObject, call: CallOptions = {}) => {
    const tool = await toolCatalogue.find((entry) => entry.name === name)?.load();
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return await runTool(tool, args, own, call);
  };
  const made: Browsing = {
    services: own,
    session,
    homePath,
    entered: [],
    call: async (name, args = {}, call = {}) => jsonOf(await run(name, args, call)),
    outcomeOf: (name, args = {}) => run(name, args),
    async close() {
      await session.close();
      await environment.close();
      rmSync(homePath, { recursive: true, force: true });
    },
  };
  own.state.hosts.entered = () => made.entered;
  return made;
}

export interface Pages {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** Addresses that were asked for, with what was sent there. */
  readonly requests: string[];
  close(): void;
}

/** Answers with the page of that path, or what a listener makes of it. */
export async function servePages(pages: Readonly<Record<string, string | RequestListener>>): Promise<Pages> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.on('error', () => {});
    const page = pages[URL.parse(request.url ?? '', 'http://x')?.pathname ?? ''];
    if (typeof page === 'function') return page(request, response);
    if (page === undefined) return response.writeHead(404).end('not here');
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The name by which a snapshot means a thing, such as `button "Go"`. */
export function refOf(snapshot: JsonValue | undefined, thing: string): string {
  const line = text(snapshot)
    .split('\n')
    .find((text) => text.includes(thing));
  const ref = /@(?:f\d+)?e\d+/.exec(line ?? '')?.[0];
  if (ref === undefined) throw new Error(`no ${thing} in:\n${text(snapshot)}`);
  return ref;
}

export function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
