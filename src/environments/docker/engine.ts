/** The command line of docker or podman: found, asked, and told apart when it fails. */
import type { Variables } from '../../config/variables.ts';
import { UserError } from '../../lib/errors.ts';
import { searchPath } from '../local/find-shell.ts';
import { type HostEnd, HostLostError, type HostRun } from '../remote/host.ts';
import { holdClient, runClient } from '../remote/run-client.ts';

export interface Engine {
  /** Full path of the program. */
  readonly program: string;
  /** Of the program itself: it needs HOME, PATH and where its daemon is. */
  readonly env: Variables;
}

export interface Answer {
  readonly exitCode: number;
  readonly output: string;
  readonly complaint: string;
}

const macLocations = [
  '/usr/local/bin/docker',
  '/opt/homebrew/bin/docker',
  '/Applications/Docker.app/Contents/Resources/bin/docker',
];
const versionLimitMs = 5000;
const maxOutputBytes = 1_000_000;

/**
 * @param asked `HERMES_DOCKER_BINARY`, or `docker`: then also `podman` will do
 * @throws UserError when there is none, or none that answers
 */
export async function findEngine(asked: string, env: Variables, signal: AbortSignal): Promise<Engine> {
  const names =
    asked === 'docker' ? ['docker', 'podman', ...(process.platform === 'darwin' ? macLocations : [])] : [asked];
  const found = names.flatMap((name) => searchPath(name, env['PATH']) ?? []);
  let said = '';
  for (const program of new Set(found)) {
    const engine = { program, env };
    const answer = await ask(engine, ['version'], signal, versionLimitMs).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return { exitCode: 1, output: '', complaint: `${program} does not answer` };
    });
    if (answer.exitCode === 0) return engine;
    said ||= answer.complaint;
  }
  if (found.length === 0) {
    throw new UserError(`No container engine was found: ${names.slice(0, 2).join(' and ')} are not on PATH.`, {
      hint: 'Install docker or podman, name the program in HERMES_DOCKER_BINARY, or choose another terminal.backend.',
    });
  }
  throw new UserError(`The container engine does not work: ${lastLine(said)}`, {
    hint: 'Start its daemon, and check that you may use it: docker version',
  });
}

/** Runs one command of the engine to its end. Never rejects for its exit code. */
export async function ask(
  engine: Engine,
  args: readonly string[],
  signal: AbortSignal,
  timeoutMs = 30_000,
): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const { exitCode, complaint } = await runClient([engine.program, ...args], engine.env, {
    input: new Uint8Array(),
    timeoutMs,
    signal,
    onOutput(bytes) {
      size += bytes.length;
      if (size <= maxOutputBytes) chunks.push(bytes);
    },
  });
  return { exitCode, complaint, output: Buffer.concat(chunks).toString('utf8').trim() };
}

/** Carries a command into a container. Throws when the engine was not looked for yet, and rejects as `runClient` does. */
export async function runInside(
  { engine, name }: { readonly engine: Engine | undefined; readonly name: string },
  args: readonly string[],
  run: HostRun,
): Promise<HostEnd> {
  if (engine === undefined) throw new HostLostError(`${name} was not opened.`);
  return await runClient([engine.program, ...args], engine.env, run);
}

/** As `RemoteHost.hold`. */
export function holdInside(engine: Engine | undefined, args: readonly string[], input: Uint8Array): () => void {
  if (engine === undefined) return () => undefined;
  return holdClient([engine.program, ...args], engine.env, input);
}

/** What a failed command of the engine said last. */
export function lastLine(complaint: string): string {
  return (
    complaint
      .split('\n')
      .findLast((line) => line.trim() !== '')
      ?.trim() ?? 'it gave no reason'
  );
}
