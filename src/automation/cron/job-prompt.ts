/** What the agent of a job is asked: its prompt, with what its script and other jobs brought. */
import type { Job } from '../../cron/job.ts';
import { latestOutput } from '../../cron/outputs.ts';
import { injectionClasses, scanCronPrompt } from '../../safety/cron-prompt.ts';
import { scanForInjection } from '../../safety/injection.ts';
import type { Source } from '../../llm/source.ts';
import type { ScriptRun } from './job-script.ts';

export interface JobPrompt {
  /** For the agent. */
  readonly text: string;
  readonly sources: readonly Source[];
  /** The class of what must not be in it; nobody is asked then. */
  readonly threat: string | undefined;
}

const hint =
  'You run as a scheduled job; nobody reads along or can answer questions. Your last message is delivered to the user by itself: do not try to send it. When there is nothing new to report, answer exactly [SILENT] and nothing else.';

const mostContextChars = 8000;

/** `skillText`: skills in order, with a notice of those that are missing; empty when there are none. */
export function jobPrompt(
  job: Job,
  parts: { readonly homePath: string; readonly script: ScriptRun | undefined; readonly skillText: string },
): JobPrompt {
  const injected = [...contexts(job, parts.homePath), ...scriptPart(job, parts.script)];
  const brought = [parts.skillText, ...injected.map(({ text }) => text)]
    .map(withoutHidden)
    .filter((text) => text !== '');
  const text = [`[${hint}]`, ...brought, job.prompt].filter((part) => part.trim() !== '').join('\n\n');
  return {
    text,
    sources: [{ from: 'user' }, ...injected.map(({ source }) => source)],
    threat: scanCronPrompt(job.prompt) ?? injectedThreat(brought),
  };
}

interface Injected {
  readonly text: string;
  readonly source: Source;
}

function contexts({ context_from: ids }: Job, homePath: string): Injected[] {
  return (ids ?? []).flatMap((jobId) => {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(jobId)) return [];
    const output = latestOutput({ homePath, jobId });
    if (output === undefined) return [];
    const cut =
      output.length <= mostContextChars ? output : `${output.slice(0, mostContextChars).toWellFormed()}\n[cut]`;
    // What another run made of pages and mails is in it.
    const source: Source = { from: 'unknown', name: `the output of job ${jobId}` };
    return [{ text: `## Output of job ${jobId}\n\n${cut}`, source }];
  });
}

function scriptPart({ script: name }: Job, run: ScriptRun | undefined): Injected[] {
  if (run === undefined || name == null) return [];
  const source: Source = { from: 'program', name };
  if (!run.ok) return [{ text: `## The script ${name} failed\n\n${run.error}`, source }];
  return run.text === '' ? [] : [{ text: `## Output of the script ${name}\n\n${run.text}`, source }];
}

/** Of data, only orders count: a page about `rm` is no attack. */
function injectedThreat(texts: readonly string[]): string | undefined {
  return texts.flatMap((text) => scanForInjection(text)).find(({ rule }) => injectionClasses.includes(rule))?.rule;
}

/** A person would not see these characters, a model would read them. */
function withoutHidden(text: string): string {
  return text.replaceAll(/[\u200B\u2060-\u2064\u2066-\u2069\uFEFF\u202A-\u202E]/g, '');
}
