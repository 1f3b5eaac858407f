/** What follows a run: its document is kept, and its result goes where the job wants it. */
import { createHash } from 'node:crypto';
import type { CronSettings } from '../../config/cron.ts';
import type { Job } from '../../cron/job.ts';
import { saveOutput } from '../../cron/outputs.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { ContinuedResult, JobAddress, JobChats } from './job-chats.ts';
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
  readonly settings: Pick<CronSettings, 'keepOutputs' | 'wraps' | 'continues'>;
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

function textFor({ job, outcome }: FinishedRun): string | undefined {
  if (!outcome.ok) return outcome.quiet === true ? undefined : failureLine(job, outcome.error);
  return outcome.text === '' || isSilent(outcome.text) ? undefined : outcome.text;
}

async function send(run: FinishedRun, to: JobAddress, bare: string): Promise<string | undefined> {
  const { job, outcome, execution, chats, settings } = run;
  const text = outcome.ok && settings.wraps ? wrapped(job, bare) : bare;
  const continued = continuedIn(run, to, bare);
  const name = `${execution}|${to.platform}|${to.chatId}|${to.threadId ?? ''}`;
  const id = createHash('sha256').update(`cron|${name}`).digest('hex').slice(0, 24);
  try {
    await chats.send(to, { id, jobId: job.id, text, signal: AbortSignal.timeout(sendMs), ...continued });
    return undefined;
  } catch (error) {
    return `${to.platform}:${to.chatId}: ${errorMessage(error)}`;
  }
}

/** Only the chat that a job was made in goes on with its result: the others never spoke of it. */
function continuedIn(
  { job, outcome, settings }: FinishedRun,
  to: JobAddress,
  text: string,
): { readonly continued?: ContinuedResult } {
  const { origin, name } = job;
  const isWanted = job.attach_to_session ?? settings.continues;
  if (!isWanted || origin == null || origin.platform !== to.platform || origin.chat_id !== to.chatId) return {};
  if ((origin.thread_id ?? null) !== to.threadId) return {};
  const { sources = [{ from: 'agent' as const }] } = outcome;
  return { continued: { name, text, sources, userId: origin.user_id ?? null } };
}
