/** What tools get in these tests: a real local environment and registry, in a directory of their own. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { headless } from '../../../src/agent/human.ts';
import type { Tool, ToolContext } from '../../../src/agent/tool.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import { createLocalEnvironment } from '../../../src/environments/local/local-environment.ts';
import { createProcessRegistry } from '../../../src/environments/process-registry.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ReadLedger } from '../../../src/tools/file/read-ledger.ts';
import type { ToolServices, ToolSettings } from '../../../src/tools/services.ts';
import { processTool } from '../../../src/tools/terminal/process.ts';
import { terminalTool } from '../../../src/tools/terminal/terminal.ts';
import { TodoList } from '../../../src/tools/todo/todo-list.ts';

/** JSON as a model reads it: each test says by its assertions what it expects where. */
// oxlint-disable-next-line typescript/no-explicit-any
type Result = Record<string, any>;

export interface Bench {
  readonly directory: string;
  readonly services: ToolServices;
  /** Live output that was sent to the surface. */
  readonly shown: string[];
  readonly terminal: (args: JsonObject, signal?: AbortSignal) => Promise<Result>;
  readonly process: (args: JsonObject, signal?: AbortSignal) => Promise<Result>;
}

export function makeBench(
  t: TestContext,
  options: { settings?: Partial<ToolSettings>; environment?: (real: Environment) => Environment } = {},
): Bench {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-test-')));
  const real = createLocalEnvironment({
    cwd: directory,
    env: { HOME: directory, PATH: process.env['PATH'], LANG: 'C.UTF-8' },
    sessionId: 's',
    homePath: directory,
  });
  t.after(async () => {
    await real.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const redact = (text: string): string => text.replaceAll('hunter2', '***');
  const environment = options.environment?.(real) ?? real;
  const services: ToolServices = {
    environment,
    files: real.files,
    mayRead: () => true,
    processes: createProcessRegistry({ homePath: directory, redact }),
    readLedger: new ReadLedger(),
    todos: new TodoList(),
    settings: {
      terminalTimeoutSeconds: 20,
      maxOutputChars: 50_000,
      maxReadLines: 2000,
      maxLineLength: 2000,
      maxReadChars: 100_000,
      fileStateGuard: true,
      ...options.settings,
    },
    redact,
    maskValues: () => undefined,
  };
  const shown: string[] = [];
  const call = async (tool: Tool<ToolServices>, args: JsonObject, signal?: AbortSignal): Promise<Result> => {
    const prepared = tool.prepare(args);
    if ('problem' in prepared) return { problem: prepared.problem };
    const context: ToolContext<ToolServices> = {
      signal: signal ?? new AbortController().signal,
      sessionId: 's',
      taskId: 'task',
      callId: 'call',
      human: headless,
      progress: (text) => void shown.push(text),
      services,
    };
    return JSON.parse(JSON.stringify(await prepared.execute(context)));
  };
  return {
    directory,
    services,
    shown,
    terminal: (args, signal) => call(terminalTool, args, signal),
    process: (args, signal) => call(processTool, args, signal),
  };
}
