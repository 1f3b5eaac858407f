/** `hermes -z` and `hermes chat -Q -q`: one prompt in, one answer out. */
import type { TurnResult } from '../../agent/events.ts';
import { UserError } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import { describeHolder } from '../../worker/lease-words.ts';
import type { Worker, WorkerEvent } from '../../worker/worker.ts';

/** Runs the turn, Ctrl+C interrupts it; events go to `onEvent`. Throws `UserError` when the prompt gets no turn. */
export async function runTurnToEnd(
  worker: Worker,
  prompt: string,
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
    await Promise.race([promise, worker.submit({ content: prompt })]);
    return await promise;
  } finally {
    end();
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
  }
}

/** 0 = answered, 1 = not, or not the whole answer; 130 = interrupted, as shells count Ctrl+C. */
export function exitCodeOf(result: TurnResult): number {
  switch (result.ended) {
    case 'completed':
    case 'budget':
      return 0;
    case 'partial':
    case 'failed':
      return 1;
    case 'interrupted':
      return 130;
  }
}

/** Only the answer on stdout; what is wrong with it, or why there is none, is one line on stderr. Returns the exit code. */
export async function printAnswer(io: Io, worker: Worker, prompt: string): Promise<number> {
  const result = await runTurnToEnd(worker, prompt);
  if (result.ended === 'interrupted') return exitCodeOf(result);
  if (result.ended === 'failed') throw new UserError(result.error);
  if (result.finalResponse === null) throw new UserError('error' in result ? result.error : 'There is no answer.');
  io.stdout.write(`${result.finalResponse}\n`);
  if (result.ended === 'partial') io.stderr.write(`hermes: ${result.error}\n`);
  return exitCodeOf(result);
}

/** The answer, a blank line, and the session's id. */
export async function printAnswerAndSession(io: Io, worker: Worker, prompt: string): Promise<number> {
  const code = await printAnswer(io, worker, prompt);
  io.stdout.write(`\nsession_id: ${worker.session.id}\n`);
  return code;
}
