/** `browser_vision`: looks at the page as a picture. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { failure, type ToolContext, type ToolOutcome } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { browse, NotDone, pageSources } from './browse.ts';
import type { Screenshot } from './screenshot.ts';

const parameters = z.object({
  question: z.string(),
  annotate: z.boolean().default(false).describe('Number what can be used'),
});

type Args = z.infer<typeof parameters>;

export const browserVisionTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_vision',
  toolset: 'browser',
  description: 'Look at a screenshot of the page.',
  parameters,
  traits: { quotesOthers: true, idempotent: true },
  display: { emoji: '👁️', preview: ({ question }) => question.slice(0, 80) },
  available: ({ state: { browser, vision } }) =>
    browser?.isThere === true && vision !== undefined && (vision.isNative || vision.canDescribe),
  judge: () => harmless,
  sources: (_, services) => pageSources(services),
  parallel: 'never',
  execute: async (args, context) => await look(args, context),
});

async function look(args: Args, context: ToolContext<ToolServices>): Promise<ToolOutcome> {
  const { services, signal } = context;
  let taken: Screenshot | undefined;
  const outcome = await browse(context, async (open) => {
    if (open.dialogs.pending.length > 0) throw new NotDone('The page waits for the answer to its dialog.');
    const { takeScreenshot } = await import('./screenshot.ts');
    taken = await takeScreenshot(open, args);
    return { screenshot_path: taken.path, ...(taken.marks === undefined ? {} : { annotations: taken.marks }) };
  });
  if (taken === undefined || outcome.isError || typeof outcome.content !== 'string') return outcome;
  try {
    const { lookAt } = await import('../vision/look-at.ts');
    const seen = await lookAt({ bytes: taken.bytes, name: 'the page', question: args.question }, services, signal);
    if (seen.kind === 'shown') return { ...outcome, content: [{ type: 'text', text: outcome.content }, seen.part] };
    const said = { ...z.looseObject({}).parse(JSON.parse(outcome.content)), analysis: services.redact(seen.text) };
    return { ...outcome, content: JSON.stringify(said) };
  } catch (error) {
    signal.throwIfAborted();
    const told = { success: false, error: services.redact(errorMessage(error)), screenshot_path: taken.path };
    return { ...failure(told), ...(outcome.sources === undefined ? {} : { sources: outcome.sources }) };
  }
}
