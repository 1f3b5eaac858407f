/** The file tools over a real directory, with the guard, the ledger and the masking that a session has. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { headless } from '../../../src/agent/human.ts';
import type { Tool } from '../../../src/agent/tool.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import { createLocalEnvironment } from '../../../src/environments/local/local-environment.ts';
import { createProcessRegistry } from '../../../src/environments/process-registry.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../src/lib/json.ts';
import { createPathGuard } from '../../../src/safety/paths.ts';
import { createRedactor } from '../../../src/safety/redact.ts';
import { patchTool } from '../../../src/tools/file/patch.ts';
import { readFileTool } from '../../../src/tools/file/read-file.ts';
import { ReadLedger } from '../../../src/tools/file/read-ledger.ts';
import { searchFilesTool } from '../../../src/tools/file/search-files.ts';
import { writeFileTool } from '../../../src/tools/file/write-file.ts';
import { createGuardedFiles } from '../../../src/tools/policy/guarded-files.ts';
import type { ToolServices, ToolSettings } from '../../../src/tools/services.ts';
import { TodoList } from '../../../src/tools/todo/todo-list.ts';

/** What a tool answered, as the model would see it. */
export type Answer = JsonObject & { readonly text: string };

export interface Workplace {
  /** Where relative paths start. */
  readonly directory: string;
  readonly userHome: string;
  readonly services: ToolServices;
  put(name: string, content: string | Uint8Array): string;
  get(name: string): string;
  read(args: JsonObject): Promise<Answer>;
  write(args: JsonObject): Promise<Answer>;
  patch(args: JsonObject): Promise<Answer>;
  search(args: JsonObject): Promise<Answer>;
}

export interface WorkplaceOptions {
  readonly settings?: Partial<ToolSettings>;
  /** False: as on a machine that has no ripgrep. */
  readonly ripgrep?: boolean;
}

export function openWorkplace(t: TestContext, options: WorkplaceOptions = {}): Workplace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-files-')));
  const directory = join(base, 'work');
  const userHome = join(base, 'home');
  const homePath = join(userHome, '.hermes');
  for (const path of [directory, homePath]) mkdirSync(path, { recursive: true });
  const local = createLocalEnvironment({
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: userHome },
    sessionId: 'test',
    homePath,
  });
  t.after(async () => {
    await local.close();
    rmSync(base, { recursive: true, force: true });
  });
  const environment: Environment =
    options.ripgrep === false
      ? new Proxy(local, {
          get(target, key) {
            if (key === 'findProgram') return () => Promise.resolve(undefined);
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        })
      : local;
  const guard = createPathGuard({ homePath, root: homePath, userHome });
  const redact = createRedactor({ enabled: true });
  const services: ToolServices = {
    environment,
    files: createGuardedFiles(local.files, guard),
    mayRead: (path) => guard.denyRead(path) === undefined,
    processes: createProcessRegistry({ homePath, redact }),
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
  const call = (tool: Tool<ToolServices>) => (args: JsonObject) => callTool(tool, args, services);
  return {
    directory,
    userHome,
    services,
    put(name, content) {
      const path = name.startsWith('/') ? name : join(directory, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    get: (name) => readFileSync(join(directory, name), 'utf8'),
    read: call(readFileTool),
    write: call(writeFileTool),
    patch: call(patchTool),
    search: call(searchFilesTool),
  };
}

/** Runs a call as the turn loop does. */
export async function callTool(tool: Tool<ToolServices>, args: JsonObject, services: ToolServices): Promise<Answer> {
  const prepared = tool.prepare(args);
  if ('problem' in prepared) throw new Error(prepared.problem);
  const result: unknown = await prepared.execute({
    signal: new AbortController().signal,
    sessionId: 'test',
    taskId: 'test',
    callId: 'call_1',
    human: headless,
    progress: () => undefined,
    services,
  });
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const value: JsonValue | undefined = parseJson(text.split('\n\n')[0] ?? '') ?? parseJson(text);
  return { ...(isJsonObject(value) ? value : {}), text };
}

/** The text that an answer has under a key. */
export function said(answer: Answer | undefined, key: string): string {
  const value = answer?.[key];
  return typeof value === 'string' ? value : JSON.stringify(value);
}
