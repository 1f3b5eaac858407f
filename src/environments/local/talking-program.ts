/** A program that is talked to over its input and output, such as a language server. */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { RollingOutput } from '../rolling-output.ts';
import type { OwnProcesses } from './own-processes.ts';
import { killTree } from './process-tree.ts';
import { exitStatus } from './shell-session.ts';
import { unrefStream } from './supervisor.ts';

export interface TalkingProgram {
  readonly input: Writable;
  /** To be read, or the program waits. */
  readonly output: Readable;
  /** Resolves once, with the exit code (128 + n after signal n). */
  readonly exited: Promise<number>;
  /** The end of its error output. */
  complaints(): string;
  /** Ends it with everything it started. */
  end(): Promise<void>;
}

export interface TalkingOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What watches over it, also when we die. */
  readonly processes: OwnProcesses;
  /** Told what it writes to its error output, piece by piece. Must not throw. */
  readonly onComplaint?: (text: string) => void;
}

const maxComplaintChars = 4000;
const graceMs = 500;

/** Starts it in a process group of its own. It does not keep our process alive. Rejects when it cannot be started. */
export async function startTalking(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, processes, onComplaint }: TalkingOptions,
): Promise<TalkingProgram> {
  const { variable, mark } = processes.nextMark();
  const child = spawn(program, args, {
    cwd,
    env: { ...env, ...variable },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const complaints = new RollingOutput(maxComplaintChars);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints.push(text);
    onComplaint?.(text);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    // A program that goes away breaks its pipes; its exit says all there is to know.
    stream.on('error', () => undefined);
    unrefStream(stream);
  }
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(exitStatus(code, signal)));
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', reject);
  });
  child.unref();
  processes.watch(pid);
  void exited.then(() => processes.forget(pid));
  return {
    input: child.stdin,
    output: child.stdout,
    exited,
    complaints: () => complaints.tail().trim(),
    end: () => killTree({ leaders: [pid], mark, graceMs }),
  };
}
