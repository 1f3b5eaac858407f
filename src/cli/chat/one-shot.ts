/** `hermes -z` and `hermes chat -Q -q`: one prompt in, one answer out. */
import type { Session } from '../../runtime/runtime.ts';
import type { AgentEvent, TurnResult } from '../../agent/events.ts';
import { UserError } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import { expandTyped } from './expand-typed.ts';

/** Runs the turn, Ctrl+C interrupts it; events go to `onEvent`. */
export async function runTurnToEnd(
  session: Session,
  prompt: string,
  onEvent: (event: AgentEvent) => void = () => undefined,
): Promise<TurnResult> {
  let presses = 0;
  const stopped = new AbortController();
  const onInterrupt = (): void => {
    presses += 1;
    if (presses > 1) process.exit(130);
    stopped.abort();
    session.agent.interrupt();
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onInterrupt);
  try {
    const { content, warnings } = await expandTyped(session, prompt, stopped.signal);
    for (const message of warnings) onEvent({ type: 'status', kind: 'warning', message });
    if (content === undefined) throw new UserError(warnings[0] ?? 'the message was not sent');
    const turn = session.agent.run(content);
    for (;;) {
      const next = await turn.next();
      if (next.done === true) return next.value;
      onEvent(next.value);
    }
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
  }
}

/** Only the answer on stdout; a failure is one line on stderr and an empty stdout. Returns the exit code. */
export async function printAnswer(io: Io, session: Session, prompt: string): Promise<number> {
  const result = await runTurnToEnd(session, prompt);
  if (result.interrupted) return 130;
  if (result.finalResponse === null) throw new UserError(result.error ?? 'the model gave no answer');
  io.stdout.write(`${result.finalResponse}\n`);
  return result.failed ? 1 : 0;
}

/** The answer, a blank line, and the session's id. */
export async function printAnswerAndSession(io: Io, session: Session, prompt: string): Promise<number> {
  const code = await printAnswer(io, session, prompt);
  io.stdout.write(`\nsession_id: ${session.id}\n`);
  return code;
}
