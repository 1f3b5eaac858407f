/** What follows a run: its document is kept, and its result goes where the job wants it. */
import { createHash } from 'node:crypto';
import type { CronSettings } from '../../config/cron.ts';
import type { Job } from '../../cron/job.ts';
import { saveOutput } from '../../cron/outputs.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { JobAddress, JobChats } from './job-chats.ts';
import { documentOf, failureLine, isSilent, wrapped } from './result-text.ts';
import type { RunOutcome } from './run-outcome.ts';
import { targetsOf } from './targets.ts';

export interface FinishedRun {
  readonly job: Job;
  readonly outcome: RunOutcome;
  /** Id of the attempt. */
  readonly execution: string;
  /** False for a run of which there is nothing to keep. */
  readonly isKept: boolean;
  readonly place: { readonly homePath: string; readonly at: number; readonly zone: string };
  readonly settings: Pick<CronSettings, 'keepOutputs' | 'wraps'>;
  readonly chats: JobChats;
  readonly log: Log;
}

const sendMs = 60_000;

/** Why the result did not reach everybody, in one line; undefined when it did, or was for nobody. Never throws. */
export async function finishRun(run: FinishedRun): Promise<string | undefined> {
  if (run.isKept) keep(run);
  const text = textFor(run);
  if (text === undefined) return undefined;
  const { to, problems } = targetsOf(run.job, run.chats);
  const sent = await Promise.all(to.map((address) => send(run, address, text)));
  const errors = [...problems, ...sent.filter((error) => error !== undefined)];
  if (errors.length === 0) return undefined;
  run.log.warning(`the result of '${run.job.name}' was not delivered: ${errors.join('; ')}`);
  return errors.join('; ');
}

/** A disk that is full keeps nobody from being told. */
function keep({ job, outcome, place, settings, log }: FinishedRun): void {
  try {
    const text = documentOf(job, outcome, place);
    saveOutput({ homePath: place.homePath, jobId: job.id }, text, { ...place, keep: settings.keepOutputs });
  } catch (error) {
    log.error(`the result of '${job.name}' could not be kept`, error);
  }
}

function textFor({ job, outcome, settings }: FinishedRun): string | undefined {
  if (!outcome.ok) return outcome.quiet === true ? undefined : failureLine(job, outcome.error);
  if (outcome.text === '' || isSilent(outcome.text)) return undefined;
  return settings.wraps ? wrapped(job, outcome.text) : outcome.text;
}

async function send({ job, execution, chats }: FinishedRun, to: JobAddress, text: string): Promise<string | undefined> {
  const name = `${execution}|${to.platform}|${to.chatId}|${to.threadId ?? ''}`;
  const id = createHash('sha256').update(`cron|${name}`).digest('hex').slice(0, 24);
  try {
    await chats.send(to, { id, jobId: job.id, text, signal: AbortSignal.timeout(sendMs) });
    return undefined;
  } catch (error) {
    return `${to.platform}:${to.chatId}: ${errorMessage(error)}`;
  }
}
