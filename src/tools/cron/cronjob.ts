/** The `cronjob` tool: makes, shows and changes scheduled jobs. */
import { defineTool } from '../../agent/define-tool.ts';
import { harmless, learnedChange } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { type CronArgs, parameters } from './parameters.ts';

export const cronjobTool = defineTool<ToolServices, typeof parameters>({
  name: 'cronjob',
  toolset: 'cronjob',
  description:
    'Schedule prompts. Each runs at its time in a new conversation, and its answer is delivered. The prompt must say all that is needed; nobody can be asked then.',
  parameters,
  display: {
    emoji: '⏰',
    preview: ({ action, name, job_id: id, schedule }) => [action, name ?? id, schedule].filter(Boolean).join(' '),
  },
  available: ({ knowledge }) => knowledge.jobs !== undefined,
  judge(args) {
    if (args.action === 'list') return harmless;
    // What a stranger's text asks for would run for ever, with nobody looking.
    return { shown: shown(args), findings: [learnedChange('makes or changes scheduled jobs')] };
  },
  sources: () => [{ from: 'tool', name: 'cronjob' }],
  refusal: (message) => ({ success: false, error: message }),
  parallel: 'never',
  async execute(args, { services: { knowledge } }) {
    const { runCronjob } = await import('./run-cronjob.ts');
    return await runCronjob(args, knowledge.jobs);
  },
});

function shown(args: CronArgs): string {
  return Object.entries(args)
    .flatMap(([key, value]) =>
      value === undefined ? [] : [`${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
    )
    .join('\n');
}
