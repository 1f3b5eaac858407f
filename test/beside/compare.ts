/** Runs a scenario in a place of its own and tells what can be compared of it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import type { Program, Ran } from './programs.ts';
import type { Compared, Scenario } from './scenario.ts';

export const compared = ['roles', 'keys', 'exit'] as const satisfies readonly Compared[];

export interface Outcome {
  /** The roles of each request, one line a request. */
  readonly roles: readonly string[];
  /** The keys of each tool result of the last request; `text` for one that is no JSON object. */
  readonly keys: readonly string[];
  readonly exit: number;
  readonly ran: Ran;
}

export async function play(program: Program, scenario: Scenario): Promise<Outcome> {
  const place = mkdtempSync(join(tmpdir(), 'hermes-beside-'));
  await using server = await startModelServer({ respond: () => ({ text: 'done' }), title: 'A title' });
  try {
    const home = join(place, '.hermes');
    const cwd = join(place, 'work');
    const settings = ['model:', '  provider: custom', `  base_url: ${server.url}`, '  default: fake-model'];
    // The probe starts a handful of interpreters; what it finds goes into the prompt, which is not compared.
    settings.push('  api_key: test', '  context_length: 200000', 'agent:', '  environment_probe: false');
    settings.push(...(scenario.agentSettings ?? []));
    writeAll(home, { ...scenario.home, 'config.yaml': `${settings.join('\n')}\n` });
    writeAll(cwd, scenario.files ?? {});
    server.enqueue(...scenario.steps);
    const args = scenario.args ?? ['-z', 'do it', '--yolo'];
    const ran = await program.run({ args, home, cwd, ...(scenario.env === undefined ? {} : { env: scenario.env }) });
    const { requests } = server;
    return {
      roles: requests.map(rolesOf),
      keys: resultKeys(requests.at(-1)),
      exit: ran.exit,
      ran,
    };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** For the message of a failed comparison. */
export function describeRun(who: string, { exit, stdout, stderr }: Ran): string {
  return `${who}: exit ${exit}\n${stdout.slice(-1000)}\n${stderr.slice(-1000)}\n`;
}

function rolesOf({ body }: RecordedRequest): string {
  return body.messages.map(({ role }) => role).join(' ');
}

function resultKeys(request: RecordedRequest | undefined): string[] {
  const results = request?.body.messages.filter(({ role }) => role === 'tool') ?? [];
  return results.map(({ content }) => {
    if (typeof content !== 'string') return 'no text';
    try {
      const value: unknown = JSON.parse(content);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'text';
      return Object.keys(value).sort().join(' ');
    } catch {
      // What is not JSON is a text for the model.
      return 'text';
    }
  });
}

function writeAll(dir: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(dir, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
}
