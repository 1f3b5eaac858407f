/** What tools get in these tests: a real local environment and registry, in a directory of their own. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Human } from '../../../src/agent/human.ts';
import type { Tool, ToolOutcome } from '../../../src/agent/tool.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import { createLocalEnvironment } from '../../../src/environments/local/local-environment.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { ToolServices } from '../../../src/tools/services.ts';
import { processTool } from '../../../src/tools/terminal/process.ts';
import { terminalTool } from '../../../src/tools/terminal/terminal.ts';
import { jsonOf, policyWith, runTool, servicesOver } from '../support.ts';

/** JSON as a model reads it: each test says by its assertions what it expects where. */
// oxlint-disable-next-line typescript/no-explicit-any
type Result = Record<string, any>;

export interface Bench {
  readonly directory: string;
  readonly services: ToolServices;
  /** Live output that was sent to the surface. */
  readonly shown: string[];
  /** What the calls came to, in order. */
  readonly outcomes: ToolOutcome[];
  readonly terminal: (args: JsonObject, signal?: AbortSignal) => Promise<Result>;
  readonly process: (args: JsonObject, signal?: AbortSignal) => Promise<Result>;
}

export function makeBench(
  t: TestContext,
  options: {
    services?: Parameters<typeof servicesOver>[2];
    environment?: (real: Environment) => Environment;
    human?: Human;
    /** Programs by their names, found before those of the machine. */
    programs?: Readonly<Record<string, string>>;
  } = {},
): Bench {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-test-')));
  const bin = mkdtempSync(join(tmpdir(), 'hermes-test-bin-'));
  const programs = Object.entries(options.programs ?? {});
  for (const [name, text] of programs) writeFileSync(join(bin, name), text, { mode: 0o755 });
  // A login shell begins with a path of its own.
  if (programs.length > 0) writeFileSync(join(directory, '.bash_profile'), `export PATH="${bin}:$PATH"\n`);
  const real = createLocalEnvironment({
    cwd: directory,
    env: { HOME: directory, PATH: `${bin}:${process.env['PATH']}`, LANG: 'C.UTF-8' },
    sessionId: 's',
    homePath: directory,
  });
  t.after(async () => {
    await real.close();
    for (const made of [directory, bin]) rmSync(made, { recursive: true, force: true });
  });
  const redact = (text: string): string => text.replaceAll('hunter2', '***');
  const environment = options.environment?.(real) ?? real;
  const paths = { homePath: directory, root: directory, userHome: directory };
  const services = servicesOver(environment, paths, { files: real.files, redact, ...options.services });
  const shown: string[] = [];
  const outcomes: ToolOutcome[] = [];
  const call = async (tool: Tool<ToolServices>, args: JsonObject, signal?: AbortSignal): Promise<Result> => {
    const outcome = await runTool(tool, args, services, {
      progress: (text) => void shown.push(text),
      policy: policyWith({ mode: 'off' }),
      ...(signal === undefined ? {} : { signal }),
      ...(options.human === undefined ? {} : { human: options.human }),
    });
    outcomes.push(outcome);
    return jsonOf(outcome);
  };
  return {
    directory,
    services,
    shown,
    outcomes,
    terminal: (args, signal) => call(terminalTool, args, signal),
    process: (args, signal) => call(processTool, args, signal),
  };
}
