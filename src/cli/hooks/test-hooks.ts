/** `hermes hooks test`: runs hooks with made-up data, whether they were allowed or not: the person asks for it. */
import { readFileSync } from 'node:fs';
import { hookPoints } from '../../agent/hooks.ts';
import { matches } from '../../plugins/shell-hooks/read-hooks.ts';
import { type HookRun, runShellHook } from '../../plugins/shell-hooks/run-hook.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import type { CliContext } from '../command.ts';
import { terminalText } from '../render/terminal-text.ts';
import { configuredHooks } from './configured-hooks.ts';
import { madeUpPayload } from './made-up.ts';

export interface TestOptions {
  readonly forTool?: string;
  readonly payloadFile?: string;
}

const maxShown = 400;

export async function testHooks(
  context: CliContext,
  event: string,
  { forTool, payloadFile }: TestOptions,
): Promise<void> {
  const point = hookPoints.find((known) => known === event);
  if (point === undefined) {
    throw new UserError(`'${event}' is no event of hooks here.`, { exitCode: 2, hint: hookPoints.join(', ') });
  }
  const payload = {
    ...madeUpPayload(point),
    ...(forTool === undefined ? {} : { tool_name: forTool }),
    ...(payloadFile === undefined ? {} : readPayload(payloadFile)),
  };
  const { hooks, place } = await configuredHooks(context);
  const wanted = hooks.filter((hook) => hook.point === point && (forTool === undefined || matches(hook, forTool)));
  const print = (line: string): boolean => context.io.stdout.write(`${line}\n`);
  if (wanted.length === 0)
    return void print(`No shell hook is configured for ${point}${forTool === undefined ? '' : ` and ${forTool}`}.`);
  const { signal } = new AbortController();
  for (const hook of wanted) {
    print(`→ ${hook.command}`);
    try {
      for (const line of runLines(await runShellHook(hook, payload, place, signal))) print(`    ${line}`);
    } catch (error) {
      context.exitCode = 1;
      print(`    ✗ ${errorMessage(error)}`);
    }
  }
}

function runLines({ code, seconds, stdout, stderr, said }: HookRun): readonly string[] {
  return [
    `exit=${code ?? 'killed'}  elapsed=${seconds.toFixed(2)}s`,
    ...shown('stdout', stdout),
    ...shown('stderr', stderr),
    said === undefined ? 'it says nothing that counts' : `it says: ${JSON.stringify(said)}`,
  ];
}

function shown(name: string, text: string): readonly string[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const cut = trimmed.length <= maxShown ? trimmed : `${trimmed.slice(0, maxShown - 3).toWellFormed()}...`;
  return [`${name}: ${terminalText(cut)}`];
}

function readPayload(path: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`${path} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
  const data = parseJson(text);
  if (!isJsonObject(data)) throw new UserError(`${path} must hold one JSON object.`);
  return data;
}
