/** The file tools over a real directory, with the guard, the ledger and the masking that a session has. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Tool, ToolOutcome } from '../../../src/agent/tool.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import { createLocalEnvironment } from '../../../src/environments/local/local-environment.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../src/lib/json.ts';
import { textOf } from '../../../src/llm/message.ts';
import { patchTool } from '../../../src/tools/file/patch.ts';
import { readFileTool } from '../../../src/tools/file/read-file.ts';
import { searchFilesTool } from '../../../src/tools/file/search-files.ts';
import { writeFileTool } from '../../../src/tools/file/write-file.ts';
import type { ToolServices } from '../../../src/tools/services.ts';
import { runTool, servicesOver } from '../support.ts';

/** What a tool answered, as the model would see it. */
export type Answer = Readonly<Record<string, unknown>> & { readonly text: string; readonly outcome: ToolOutcome };

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
  readonly services?: Parameters<typeof servicesOver>[2];
  /** False: as on a machine that has no ripgrep. */
  readonly ripgrep?: boolean;
  /** What the machine does otherwise. */
  readonly otherwise?: (local: Environment) => Partial<Environment>;
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
  const otherwise: Partial<Environment> = {
    ...(options.ripgrep === false ? { findProgram: () => Promise.resolve(undefined) } : {}),
    ...options.otherwise?.(local),
  };
  const environment: Environment = new Proxy(local, {
    get(target, key) {
      const value: unknown = Reflect.get(otherwise, key) ?? Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const services = servicesOver(environment, { homePath, root: homePath, userHome }, options.services);
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
  const outcome = await runTool(tool, args, services);
  const text = textOf(outcome.content);
  const value: JsonValue | undefined = parseJson(text.split('\n\n')[0] ?? '') ?? parseJson(text);
  return { ...(isJsonObject(value) ? value : {}), text, outcome };
}

/** The text that an answer has under a key. */
export function said(answer: Answer | undefined, key: string): string {
  const value = answer?.[key];
  return typeof value === 'string' ? value : JSON.stringify(value);
}
