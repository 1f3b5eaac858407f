/** Servers of the configuration, as fakes, and a conversation that calls them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { headless, type Human } from '../../src/agent/human.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../src/agent/tool.ts';
import { parseSection } from '../../src/config/parse-config.ts';
import type { Config } from '../../src/config/schema.ts';
import type { Log } from '../../src/lib/log.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { McpSession } from '../../src/mcp/callers.ts';
import type { McpOptions } from '../../src/mcp/options.ts';
import { McpServers } from '../../src/mcp/servers.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import type { FakeServer } from '../fakes/mcp-server.ts';

const script = join(import.meta.dirname, '../fakes/mcp-server.ts');

/** The entry of a fake server. */
export function fakeEntry(fake: FakeServer, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { command: process.execPath, args: [script, JSON.stringify(fake)], ...more };
}

export function entriesOf(written: Record<string, unknown>): Config['mcp_servers'] {
  return parseSection('mcp_servers', written as JsonObject).value as Config['mcp_servers'];
}

export interface OpenedServers {
  readonly servers: McpServers;
  readonly homePath: string;
  readonly logged: readonly string[];
  /** The tools as a conversation has them now. */
  tools(): readonly Tool<unknown>[];
  names(): readonly string[];
  call(name: string, args?: JsonObject, context?: Partial<ToolContext<unknown>>): Promise<ToolOutcome>;
  /** What the model reads, parsed. */
  ask(name: string, args?: JsonObject, context?: Partial<ToolContext<unknown>>): Promise<Record<string, unknown>>;
}

export interface OpenOptions extends Partial<McpOptions> {
  readonly session?: McpSession;
  readonly taken?: ReadonlySet<string>;
  /** Default: waits until all servers are connected or given up. */
  readonly ready?: boolean;
}

export async function openServers(
  t: TestContext,
  entries: Record<string, unknown>,
  { session = { redact: (text) => text }, taken = new Set(), ready = true, ...options }: OpenOptions = {},
): Promise<OpenedServers> {
  const { home } = temporaryHome(t);
  const logged: string[] = [];
  const servers = new McpServers({ ...optionsFor(home.path, logged), ...options }, entriesOf(entries));
  t.after(() => servers.close());
  const offered = servers.toolsFor({
    session,
    wants: () => true,
    taken,
    onTaken: (name, server) => void logged.push(`taken: ${name} of ${server}`),
  });
  if (ready) await servers.ready(new AbortController().signal);
  const call: OpenedServers['call'] = async (name, args = {}, context = {}) => {
    const tool = offered.list().find((one) => one.name === name);
    assert.ok(tool !== undefined, `${name} is not offered`);
    const prepared = tool.prepare(args);
    assert.ok(!('problem' in prepared));
    return await prepared.execute(contextWith(context));
  };
  return {
    servers,
    homePath: options.homePath ?? home.path,
    logged,
    tools: () => offered.list(),
    names: () => offered.list().map(({ name }) => name),
    call,
    async ask(name, args, context) {
      const { content } = await call(name, args, context);
      assert.equal(typeof content, 'string');
      return JSON.parse(content as string) as Record<string, unknown>;
    },
  };
}

export function optionsFor(homePath: string, logged: string[]): McpOptions {
  return {
    homePath,
    cwd: homePath,
    variables: { PATH: process.env['PATH'], HOME: process.env['HOME'], SECRET_KEY: 'sesame' },
    network: {},
    log: logInto(logged),
    version: '0',
    discoveryMs: 60_000,
  };
}

export function contextWith(more: Partial<ToolContext<unknown>>): ToolContext<unknown> {
  return {
    signal: new AbortController().signal,
    abandoned: new AbortController().signal,
    sessionId: 'session',
    taskId: 'session',
    callId: 'call',
    human: headless,
    staged: false,
    maxResultChars: 100_000,
    progress: () => undefined,
    services: {},
    ...more,
  };
}

export function personWho(answers: Partial<Human>): Human {
  return { ...headless, present: true, ...answers };
}

/** Waits until it is so; the test's own deadline ends it. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(10);
}

/** False for a process that is gone, and for one that only waits to be buried. */
export function lives(pid: number): boolean {
  return existsSync(`/proc/${pid}/exe`);
}

function logInto(lines: string[]): Log {
  const write = (message: string, error?: unknown): void =>
    void lines.push(error instanceof Error ? `${message}: ${error.message}` : message);
  const log: Log = {
    debug: write,
    info: write,
    warning: write,
    error: write,
    named: () => log,
    forSession: () => log,
  };
  return log;
}
