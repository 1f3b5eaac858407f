/** `hermes -z` and `hermes chat -Q -q`: one prompt in, one answer out. */
import type { TurnInput } from '../../agent/agent.ts';
import type { TurnResult } from '../../agent/events.ts';
import { UserError } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { describeHolder } from '../../worker/lease-words.ts';
import type { Worker, WorkerEvent } from '../../worker/worker.ts';
import { terminalText } from '../render/terminal-text.ts';

/** Runs the turn; Ctrl+C, SIGTERM and a terminal that closes interrupt it. Events go to `onEvent`. Throws `UserError` when the prompt gets no turn. */
export async function runTurnToEnd(
  worker: Worker,
  prompt: TurnInput,
  onEvent: (event: WorkerEvent) => void = () => undefined,
): Promise<TurnResult> {
  let presses = 0;
  const onInterrupt = (): void => {
    presses += 1;
    if (presses > 1) process.exit(130);
    worker.interrupt();
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onInterrupt);
  // Service managers send it along with SIGTERM: it is no second wish.
  const onHangUp = (): void => worker.interrupt();
  process.on('SIGHUP', onHangUp);
  const { promise, resolve, reject } = Promise.withResolvers<TurnResult>();
  const end = worker.listen((event) => {
    onEvent(event);
    if (event.type === 'turn_finished') resolve(event.result);
    if (event.type === 'message_failed') reject(new UserError(event.error));
    if (event.type === 'held_elsewhere') {
      reject(
        new UserError(describeHolder(event.by), { hint: 'Wait until it is done there, or ask in a new session.' }),
      );
    }
  });
  try {
    await Promise.race([promise, worker.submit(prompt)]);
    return await promise;
  } finally {
    end();
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
    process.off('SIGHUP', onHangUp);
  }
}

/** 0 = answered; 1 = not, or not to its end; 130 = interrupted, as shells count Ctrl+C. */
export function exitCodeOf(result: TurnResult): number {
  switch (result.ended) {
    case 'completed':
      return 0;
    case 'budget':
    case 'partial':
    case 'failed':
      return 1;
    case 'interrupted':
      return 130;
  }
}

/**
 * Only the answer on stdout. What delays it, what nobody could approve and why it is not whole is told on stderr.
 * Returns the exit code. Throws `UserError` when there is no answer.
 */
export async function printAnswer(io: Io, worker: Worker, prompt: TurnInput): Promise<number> {
  const result = await runTurnToEnd(worker, prompt, tellOf(io));
  if (result.ended === 'interrupted') return exitCodeOf(result);
  const problem = 'error' in result ? result.error : undefined;
  if (result.ended === 'failed' || result.finalResponse === null) throw new UserError(problem ?? 'There is no answer.');
  // An answer may hold codes that steer a terminal; a file or a pipe gets it as it is.
  io.stdout.write(`${io.stdout.isTTY ? escapeForDisplay(result.finalResponse) : result.finalResponse}\n`);
  if (problem !== undefined) tell(io, problem);
  return exitCodeOf(result);
}

/** The answer on stdout; a blank line and the session's id as the last of stderr, however the turn ended. */
export async function printAnswerAndSession(io: Io, worker: Worker, prompt: TurnInput): Promise<number> {
  try {
    return await printAnswer(io, worker, prompt);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    tell(io, error.message);
    if (error.hint !== undefined) tell(io, error.hint);
    return error.exitCode;
  } finally {
    io.stderr.write(`\nsession_id: ${worker.session.id}\n`);
  }
}

/** A listener that tells on stderr what a person who waits should know. */
function tellOf(io: Pick<Io, 'stderr'>): (event: WorkerEvent) => void {
  const tellRefusal = refusalTeller(io);
  const problems = new Map<string, string>();
  return (event) => {
    if (event.type === 'tool_finished') {
      // A later call that succeeds has mended it.
      if (event.outcome === 'ok') problems.delete(event.name);
      if (event.details.problem !== undefined) problems.set(event.name, event.details.problem);
    }
    if (event.type === 'turn_finished') for (const problem of problems.values()) tell(io, problem);
    if (event.type === 'status' && event.kind !== 'notice' && event.kind !== 'compression') tell(io, event.message);
    tellRefusal(event);
  };
}

/** A listener that says once on stderr that calls are refused because nobody can approve them, and how to allow them. */
export function refusalTeller(io: Pick<Io, 'stderr'>): (event: WorkerEvent) => void {
  let told = false;
  return (event) => {
    if (told || event.type !== 'tool_finished' || event.details.nobodyToAsk !== true) return;
    told = true;
    tell(
      io,
      `a call of '${event.name}' was refused: it needs approval and nobody can be asked here; --yolo allows such calls`,
    );
  };
}

function tell(io: Pick<Io, 'stderr'>, line: string): void {
  io.stderr.write(`hermes: ${terminalText(line)}\n`);
}
