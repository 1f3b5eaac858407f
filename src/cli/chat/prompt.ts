/** The one question to answer, from flags and from what was piped in. */
import { UserError } from '../../lib/errors.ts';
import type { Content } from '../../llm/message.ts';
import type { CliContext } from '../command.ts';
import type { ChatOptions } from './options.ts';
import { readInputBeside, readPipedText } from './stdin.ts';

export interface Prompt {
  readonly content: Content;
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
  if (options.image === undefined) return { content: asked.text, form: asked.form };
  const { readImage } = await import('./image.ts');
  return { content: [{ type: 'text', text: asked.text }, readImage(options.image)], form: asked.form };
}

async function readText(
  { io }: Pick<CliContext, 'io'>,
  options: ChatOptions,
): Promise<{ readonly text: string; readonly form: Prompt['form'] } | undefined> {
  if (options.oneshot !== undefined) {
    if (options.oneshot === '-') return { text: await readPipedText(io), form: 'oneshot' };
    const piped = await readInputBeside(io);
    const text = piped.trim() === '' ? options.oneshot : `${options.oneshot}\n\n${piped}`;
    return { text, form: 'oneshot' };
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
