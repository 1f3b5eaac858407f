/** The texts that a run leaves: what chats are sent, and the document that is kept. */
import type { Job } from '../../cron/job.ts';
import { isoTime } from '../../cron/time.ts';
import type { RunOutcome } from './run-outcome.ts';

/** True for an answer that says that there is nothing to say; the word inside a sentence does not. */
export function isSilent(text: string): boolean {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const isWord = (line: string | undefined): boolean => /^(?:\[\s*silent\s*\]|silent|no[_\s]+reply)$/i.test(line ?? '');
  return isWord(lines.at(0)) || isWord(lines.at(-1)) || text.trim().toUpperCase().startsWith('[SILENT]');
}

/** As chats are sent it. */
export function wrapped(job: Pick<Job, 'id' | 'name'>, text: string): string {
  return [
    `Cronjob Response: ${job.name}`,
    `(job_id: ${job.id})`,
    '-------------',
    '',
    text,
    '',
    `To stop or change this job, tell me, or run: hermes cron pause ${job.id}`,
  ].join('\n');
}

/** One short line that names the job. */
export function failureLine(job: Pick<Job, 'name'>, error: string): string {
  return `⚠️ The scheduled job '${job.name}' failed: ${reasonOf(error)}`;
}

const mostErrorChars = 180;

function reasonOf(error: string): string {
  if (/\b429\b|rate.?limit|quota|usage limit/i.test(error)) return 'the limit of the model provider is reached.';
  if (/timed? ?out|timeout|no activity/i.test(error)) return 'it took too long.';
  if (/\b401\b|\b403\b|unauthorized|authenticat|api key/i.test(error)) return 'the model provider refused the login.';
  const line = error.replaceAll(/\s+/g, ' ').trim();
  return line.length <= mostErrorChars ? line : `${line.slice(0, mostErrorChars - 1).toWellFormed()}…`;
}

/** The document of a run, in the form of the original. */
export function documentOf(
  job: Job,
  outcome: RunOutcome,
  { at, zone }: { readonly at: number; readonly zone: string },
): string {
  const time = isoTime(at, zone).slice(0, 19).replace('T', ' ');
  const facts = [`**Job ID:** ${job.id}`, `**Run Time:** ${time}`];
  if (outcome.script !== undefined) {
    const status = outcome.script === 'ok' ? [] : [`**Status:** ${outcome.script}`];
    const body = outcome.ok ? ['---', '', outcome.text] : [outcome.error];
    return `${[`# Cron Job: ${job.name}`, '', ...facts, '**Mode:** no_agent (script)', ...status, '', ...body].join('\n')}\n`;
  }
  const head = [`# Cron Job: ${job.name}${outcome.ok ? '' : ` (${outcome.blocked === true ? 'BLOCKED' : 'FAILED'})`}`];
  const body = outcome.ok
    ? ['## Response', '', outcome.text || '(no response)']
    : ['## Error', '', '```', outcome.error, '```'];
  const schedule = `**Schedule:** ${job.schedule_display ?? job.schedule.display ?? ''}`;
  return `${[...head, '', ...facts, schedule, '', '## Prompt', '', outcome.prompt, '', ...body].join('\n')}\n`;
}
