/** Scheduled jobs on the terminal. */
import { lastBeat } from '../../automation/cron/heartbeat.ts';
import type { Execution } from '../../cron/executions.ts';
import type { Job } from '../../cron/job.ts';
import { repeatWords, scheduleWords, stateWords } from '../../cron/job-words.ts';
import { runningGateway } from '../../gateway/process/running-gateway.ts';
import { escapeForDisplay } from '../../safety/display.ts';

const plain = (text: string): string => escapeForDisplay(text, { singleLine: true });

export function jobLines(job: Job): readonly string[] {
  const fields: readonly (readonly [string, string | null | undefined])[] = [
    ['Name', job.name],
    ['Schedule', scheduleWords(job)],
    ['Repeat', repeatWords(job)],
    ['Next run', job.next_run_at],
    ['Deliver', job.deliver],
    ['Skills', job.skills.join(', ')],
    ['Script', job.script],
    ['Mode', job.no_agent ? 'no agent: what the script prints is delivered' : null],
    ['Model', [job.provider, job.model].filter((part) => part != null).join(' ')],
    ['Folder', job.workdir],
    ['Last run', lastRun(job)],
    ['Delivery', job.last_delivery_error],
  ];
  return fields.flatMap(([label, value]) =>
    value == null || value === '' ? [] : [`    ${`${label}:`.padEnd(10)} ${plain(value)}`],
  );
}

export function listLines(jobs: readonly Job[]): readonly string[] {
  return jobs.flatMap((job) => [`  ${job.id} [${plain(stateWords(job))}]`, ...jobLines(job), '']);
}

export function runLines(rows: readonly Execution[]): readonly string[] {
  return rows.flatMap(({ id, status, job_id: job, source, claimed_at: at, error }) => [
    `${plain(id)}  ${status.padEnd(9)}  job=${plain(job)}  source=${plain(source)}  ${plain(at)}`,
    ...(error === null ? [] : [`    ${plain(error)}`]),
  ]);
}

const stalledMs = 200_000;

/** Whether somebody runs jobs here, in one line. */
export function schedulerLine(homePath: string): { readonly runs: boolean; readonly line: string } {
  if (runningGateway(homePath) === undefined) {
    return { runs: false, line: 'The gateway does not run, so jobs are not run. Start it: hermes gateway run' };
  }
  const beat = lastBeat(homePath);
  if (beat === undefined || Date.now() - beat > stalledMs) {
    const since =
      beat === undefined ? 'has not looked for jobs yet' : `looked for jobs last at ${new Date(beat).toISOString()}`;
    return { runs: false, line: `The gateway runs, but ${since}. When that stays so: hermes gateway restart` };
  }
  return { runs: true, line: 'The gateway runs, and looks for jobs every minute.' };
}

function lastRun({ last_run_at: at, last_status: status, last_error: error }: Job): string | undefined {
  if (at == null) return undefined;
  return [at, status ?? '', error ?? ''].filter((part) => part !== '').join('  ');
}
