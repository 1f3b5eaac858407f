/** Looks at the page as `browser_vision` was asked to. */
import * as z from 'zod';
import { failure, type ToolContext, type ToolOutcome } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { ToolServices } from '../services.ts';
import { browse } from './browse.ts';
import type { OpenTabs } from './browser-command.ts';
import { NotDone } from './not-done.ts';
import { type Screenshot, takeScreenshot } from './screenshot.ts';

export interface Look {
  readonly question: string;
  /** Numbers what can be used. */
  readonly annotate: boolean;
}

export async function look(args: Look, context: ToolContext<ToolServices>): Promise<ToolOutcome> {
  let taken: Screenshot | undefined;
  const picture = async (open: OpenTabs): Promise<object> => {
    if (open.dialogs.pending.length > 0) throw new NotDone('The page waits for the answer to its dialog.');
    taken = await takeScreenshot(open, args);
    return { screenshot_path: taken.path, ...(taken.marks === undefined ? {} : { annotations: taken.marks }) };
  };
  const outcome = await browse(context, picture, { picture: true });
  return taken === undefined ? outcome : await lookAtPage(outcome, { ...taken, question: args.question }, context);
}

export interface TakenPicture {
  readonly path: string;
  readonly bytes: Buffer;
  readonly question: string;
}

/** Adds what is seen on a picture of the page to what was told of it. */
export async function lookAtPage(
  outcome: ToolOutcome,
  { path, bytes, question }: TakenPicture,
  { services, signal }: ToolContext<ToolServices>,
): Promise<ToolOutcome> {
  if (outcome.isError || typeof outcome.content !== 'string') return outcome;
  try {
    const { lookAt } = await import('../vision/look-at.ts');
    const seen = await lookAt({ bytes, name: 'the page', question }, services, signal);
    if (seen.kind === 'shown') return { ...outcome, content: [{ type: 'text', text: outcome.content }, seen.part] };
    const said = { ...z.looseObject({}).parse(JSON.parse(outcome.content)), analysis: services.redact(seen.text) };
    return { ...outcome, content: JSON.stringify(said) };
  } catch (error) {
    signal.throwIfAborted();
    const told = { success: false, error: services.redact(errorMessage(error)), screenshot_path: path };
    return { ...failure(told), ...(outcome.sources === undefined ? {} : { sources: outcome.sources }) };
  }
}
