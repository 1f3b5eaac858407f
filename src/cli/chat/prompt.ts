/** The one question to answer, from flags and from what was piped in. */
import type { TurnInput } from '../../agent/agent.ts';
import { UserError } from '../../lib/errors.ts';
import type { Source } from '../../llm/source.ts';
import type { CliContext } from '../command.ts';
import type { ChatOptions } from './options.ts';
import { readInputBeside, readPipedText } from './stdin.ts';

export interface Prompt {
  readonly input: TurnInput;
  readonly form: 'oneshot' | 'quiet' | 'query';
}

/** Undefined when a person sits at a terminal. Throws `UserError` when there is nothing to ask. */
export async function readPrompt({ io }: Pick<CliContext, 'io'>, options: ChatOptions): Promise<Prompt | undefined> {
  const asked = await readText({ io }, options);
  if (asked === undefined) {
    if (options.image === undefined) return undefined;
    throw new UserError('--image goes along with a question: hermes chat --image PATH -q "…"', { exitCode: 2 });
  }
  if (asked.text.trim() === '') {
    throw new UserError('the prompt is empty', { exitCode: 2, hint: 'Usage: hermes -z "your question"' });
  }
  const { text, form, sources } = asked;
  const from = sources === undefined ? {} : { sources };
  if (options.image === undefined) return { input: { content: text, ...from }, form };
  const { readImage } = await import('../../pictures/attach.ts');
  return { input: { content: [{ type: 'text', text }, readImage(options.image)], ...from }, form };
}

interface Asked {
  readonly text: string;
  readonly form: Prompt['form'];
  /** Absent: the person. */
  readonly sources?: readonly Source[];
}

/** What is piped in beside a question is what the question is about, and may be anybody's. */
const besideQuestion: readonly Source[] = [{ from: 'user' }, { from: 'file', name: 'standard input' }];

async function readText({ io }: Pick<CliContext, 'io'>, options: ChatOptions): Promise<Asked | undefined> {
  if (options.oneshot !== undefined) {
    if (options.oneshot === '-') return { text: await readPipedText(io), form: 'oneshot' };
    const piped = await readInputBeside(io);
    if (piped.trim() === '') return { text: options.oneshot, form: 'oneshot' };
    return { text: `${options.oneshot}\n\n${piped}`, form: 'oneshot', sources: besideQuestion };
  }
  const form = options.quiet ? 'quiet' : 'query';
  if (options.query !== undefined) return { text: options.query, form };
  if (options.quiet) throw new UserError('-Q needs a question: hermes chat -Q -q "…"', { exitCode: 2 });
  if (io.stdin.isTTY && io.stdout.isTTY) return undefined;
  const piped = await readPipedText(io);
  if (piped.trim() !== '') return { text: piped, form };
  throw new UserError('there is no terminal to chat in and nothing was piped in', {
    hint: 'Ask one question with: hermes chat -q "…"  or  hermes -z "…"',
  });
}
