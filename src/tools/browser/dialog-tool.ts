/** `browser_dialog`: answers a dialog that a page waits for. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { judgeAct, judgeInput } from './judge-browsing.ts';
import { pageSources } from './page-sources.ts';

const parameters = z.object({
  action: z.enum(['accept', 'dismiss']),
  prompt_text: z.string().optional(),
  dialog_id: z.string().optional().describe('Default: the oldest'),
});

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
  execute: async (args, context) => await (await import('./acting.ts')).answerDialog(context, args),
});
