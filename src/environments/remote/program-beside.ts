/** One program beside the shell of another host: its files are brought over, and its requests come back through files there. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../lib/errors.ts';
import type { PreparedProgram, ProgramEnd, ProgramRun } from '../environment.ts';
import type { RemotePlace } from './remote-place.ts';
import type { StoppedRun } from './run-until-stopped.ts';
import { type Ground, noDirectory, quote, workScript } from './script-text.ts';

export interface BesidePlace {
  readonly place: RemotePlace;
  readonly ground: Ground;
  /** Names the run, and marks its processes. */
  readonly run: string;
  /** What every program gets. */
  readonly provided: Readonly<Record<string, string>>;
  /** Names of the variables that commands have there. */
  variables(signal: AbortSignal): Promise<readonly string[]>;
  /** Runs the program until it ends or is stopped. */
  start(program: {
    readonly argv: readonly string[];
    readonly cwd: string;
    readonly variables: Readonly<Record<string, string>>;
    readonly onBytes: (bytes: Buffer, ended: boolean) => void;
  }): Promise<StoppedRun>;
}

/** Ours, by which its processes are found. */
const marks = /^HERMES_(?:PLACE|RUN)$/;
const graceMs = 1000;
/** Of one request. */
const maxRequestBytes = 12 * 1024 * 1024;

export async function programBeside(run: ProgramRun, there: BesidePlace): Promise<ProgramEnd> {
  const { place, ground } = there;
  const staging = await mkdtemp(join(tmpdir(), 'hermes_sandbox_'));
  const folder = `${ground.directory}/beside-${there.run}`;
  try {
    const given = await run.prepare(staging, { sockets: false });
    const prepared = movedTo(folder, staging, given);
    await place.work(await unpackText(staging, folder), { signal: run.signal });
    const relay = given.answer === undefined ? undefined : new Relay(place, folder, given.answer);
    try {
      const end = await ranThere(run, prepared, there);
      return { ...end, withheld: () => [] };
    } finally {
      relay?.stop();
      await place.endProcesses({ mark: `HERMES_RUN=${there.run}`, graceMs });
    }
  } finally {
    await rm(staging, { recursive: true, force: true, maxRetries: 3 });
    // The relay ends when its folder is gone.
    if (!place.closed.aborted) await place.work(`rm -rf -- ${quote(folder)}`).catch(() => undefined);
  }
}

async function ranThere(
  run: ProgramRun,
  { argv, cwd, variables }: PreparedProgram,
  there: BesidePlace,
): Promise<Omit<ProgramEnd, 'withheld'>> {
  if (run.signal.aborted) return { exitCode: 130, ended: 'interrupt' };
  const names = await there.variables(run.signal);
  const given = { ...there.provided, ...variables };
  const dropped = names.filter((name) => !run.keeps(name) && !marks.test(name) && !(name in given));
  const { outcome, stopped } = await there.start({
    argv: ['env', ...dropped.flatMap((name) => ['-u', name]), ...argv],
    cwd,
    variables: given,
    onBytes: (bytes, ended) => (ended ? run.onErrors(bytes) : run.onOutput(bytes)),
  });
  if (stopped === 'timeout') return { exitCode: 124, ended: 'timeout' };
  if (stopped === 'interrupt') return { exitCode: 130, ended: 'interrupt' };
  if (outcome?.begun?.status === noDirectory) {
    throw new UserError(`Cannot start in ${cwd}: there is no such directory.`);
  }
  return { exitCode: outcome?.ended?.status ?? outcome?.end?.exitCode ?? 1, ended: 'exit' };
}

/** Where paths name the staging folder, they name the folder over there. */
function movedTo(folder: string, staging: string, { argv, cwd, variables }: PreparedProgram): PreparedProgram {
  const moved = (text: string): string => text.replaceAll(staging, folder);
  return {
    argv: argv.map(moved),
    cwd: moved(cwd),
    variables: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, moved(value)])),
  };
}

/** Shell text that makes the folder over there with all that is in the one here. */
async function unpackText(staging: string, folder: string): Promise<string> {
  const entries = await readdir(staging, { recursive: true, withFileTypes: true });
  const lines = [`umask 077; mkdir -p -- ${quote(`${folder}/calls`)} || exit 1`];
  for (const entry of entries) {
    const from = join(entry.parentPath, entry.name);
    const to = posix.join(folder, from.slice(staging.length));
    if (entry.isDirectory()) lines.push(`mkdir -p -- ${quote(to)} || exit 1`);
    if (!entry.isFile()) continue;
    const encoded = (await readFile(from)).toString('base64');
    lines.push(`base64 -d >${quote(to)} <<'END' || exit 1\n${encoded.replaceAll(/.{1,4000}/g, '$&\n')}END`);
  }
  return lines.join('\n');
}

/** Brings the requests of a program over, and its replies back. A request is a file `req-<id>`, its reply `res-<id>`. */
class Relay {
  readonly #place: RemotePlace;
  readonly #calls: string;
  readonly #answer: (line: string) => Promise<string>;
  readonly #over = new AbortController();
  #rest = '';
  #work: Promise<void> = Promise.resolve();

  constructor(place: RemotePlace, folder: string, answer: (line: string) => Promise<string>) {
    this.#place = place;
    this.#calls = `${folder}/calls`;
    this.#answer = answer;
    void this.#listen();
  }

  stop(): void {
    this.#over.abort();
  }

  async #listen(): Promise<void> {
    const signal = AbortSignal.any([this.#over.signal, this.#place.closed]);
    while (!signal.aborted) {
      const listening = this.#place.call({
        script: (secret) => workScript(secret, listenText(this.#calls)),
        timeoutMs: relayLimitMs,
        signal,
        onBytes: (bytes) => this.#take(bytes),
      });
      const isOver = await listening.then(
        () => true,
        () => false,
      );
      if (isOver) return;
      // What was asked for during a loss is still there.
      await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #take(bytes: Buffer): void {
    const text = this.#rest + bytes.toString('latin1');
    const lines = text.split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, maxRequestBytes);
    for (const line of lines) {
      const [, id, encoded] = /^([\w.-]{1,80}) ([A-Za-z0-9+/=]*)$/.exec(line) ?? [];
      if (id === undefined || encoded === undefined) continue;
      this.#work = this.#work.then(() => this.#reply(id, Buffer.from(encoded, 'base64').toString('utf8')));
    }
  }

  async #reply(id: string, request: string): Promise<void> {
    if (this.#over.signal.aborted) return;
    const reply = await this.#answer(request.replace(/\n$/, ''));
    const target = `${this.#calls}/res-${id}`;
    // Whoever waits for a reply that cannot be brought waits until its own deadline.
    await this.#place
      .work(`cat >${quote(`${target}.part`)} && mv -f -- ${quote(`${target}.part`)} ${quote(target)}`, {
        stdin: Buffer.from(reply),
        signal: this.#over.signal,
      })
      .catch(() => undefined);
  }
}

const relayLimitMs = 24 * 60 * 60 * 1000;
const retryMs = 500;

/** Prints each request once, as `<id> <base64>`, until the folder is gone. */
function listenText(calls: string): string {
  return `cd -- ${quote(calls)} || exit 0; shopt -s nullglob
while [ -d ${quote(calls)} ]; do
  for f in req-*; do
    b=$(base64 <"$f" | tr -d '\\n') && rm -f -- "$f" && builtin printf '%s %s\\n' "\${f#req-}" "$b" >&187
  done
  sleep 0.05 || sleep 1
done`;
}
