/** `browser_dialog`: answers a dialog that a page waits for. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { browse, NotDone, pageSources } from './browse.ts';
import type { OpenTabs } from './browser-session.ts';
import { judgeAct, judgeInput } from './judge-browsing.ts';

const parameters = z.object({
  action: z.enum(['accept', 'dismiss']),
  prompt_text: z.string().optional(),
  dialog_id: z.string().optional().describe('Default: the oldest'),
});

const settleMs = 2000;

export const browserDialogTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_dialog',
  toolset: 'browser',
  description: 'Answer a dialog of the page (pending_dialogs).',
  parameters,
  traits: { quotesOthers: true },
  display: { emoji: '💬', preview: ({ action }) => action },
  available: ({ state: { browser } }) => browser?.endpoint !== undefined,
  judge({ action, prompt_text: text }, services) {
    return text === undefined
      ? judgeAct(`answers a dialog: ${action}`, services)
      : judgeInput(`answers a dialog with: ${text}`, text, services);
  },
  sources: (_, services) => pageSources(services),
  parallel: 'never',
  execute: async (args, context) => await browse(context, async (open) => await respond(open, args)),
});

async function respond(
  { dialogs, tabs, tab, signal }: OpenTabs,
  { action, prompt_text, dialog_id }: z.infer<typeof parameters>,
): Promise<object> {
  const dialog = await dialogs.answer(action === 'accept', prompt_text, dialog_id);
  if (dialog === undefined) {
    throw new NotDone(
      dialog_id === undefined ? 'No dialog waits for an answer.' : `No dialog ${dialog_id} waits for an answer.`,
    );
  }
  // It may be followed by the next one.
  const over = new AbortController();
  const settled = (tabs.current ?? tab).settling.wait(settleMs, AbortSignal.any([signal, over.signal]));
  await Promise.race([settled, dialogs.waits(AbortSignal.any([signal, over.signal]))]);
  over.abort();
  return { action, dialog };
}
