/** One question to a session of its own: opened, asked, printed in the form that was asked for, and closed. */
import { UserError } from '../../lib/errors.ts';
import type { Content } from '../../llm/message.ts';
import { folderOf } from '../../runtime/new-session.ts';
import type { Program } from '../../runtime/program.ts';
import type { Session } from '../../runtime/session.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import type { CliContext } from '../command.ts';
import type { Prompt } from './prompt.ts';
import type { UsageFile } from './usage-file.ts';

export interface Question {
  readonly prompt: Prompt;
  readonly spec: Omit<SessionSpec, 'human'>;
  readonly usage: UsageFile | undefined;
}

/** Returns the exit code. */
export async function answerOnce(context: CliContext, program: Program, question: Question): Promise<number> {
  const { headless } = await import('../../agent/human.ts');
  const { openWorker } = await import('../../worker/open-worker.ts');
  const { MemoryWorkQueue } = await import('../../worker/memory-work-queue.ts');
  const { expandTyped } = await import('./expand-typed.ts');
  const { printAnswer, printAnswerAndSession } = await import('./one-shot.ts');
  const { prompt, spec, usage } = question;
  const warn = (line: string): void => void context.io.stderr.write(`${line}\n`);
  const worker = await openWorker(
    program,
    { ...spec, human: headless, notify: ({ line }) => warn(line) },
    { queue: new MemoryWorkQueue(), prepare: expandTyped },
  );
  const { session } = worker;
  for (const line of session.warnings) warn(line);
  try {
    await usage?.begin(session);
    if (usage !== undefined) worker.listen((event) => event.type === 'turn_finished' && usage.end(event.result));
    refuseUnseen(prompt.input.content, session);
    if (prompt.form === 'oneshot') return await printAnswer(context.io, worker, prompt.input);
    if (prompt.form === 'quiet') return await printAnswerAndSession(context.io, worker, prompt.input);
    const { showTurn } = await import('./show-turn.ts');
    const { cwd } = folderOf(process.cwd(), spec);
    return await showTurn(context, worker, { prompt: prompt.input, cwd }, await context.config());
  } finally {
    await worker.close();
    await usage?.settle();
    await session.close('cli_close');
  }
}

/** Nobody would look at it: neither a model that is not known to be blind, nor one that describes. */
function refuseUnseen(content: Content, { agent, prompt }: Session): void {
  if (typeof content === 'string' || prompt.seesPictures) return;
  throw new UserError(`${agent.route.model} cannot see pictures, and no other model is set up to describe them.`, {
    hint: 'Choose one that can with -m, name one as auxiliary.vision, or set model.supports_vision: true if this one can.',
  });
}
