/** `hermes cron`: jobs that the agent does by itself, at their time. */
import { Command } from 'commander';
import { findJob, type JobDesk } from '../../cron/job-desk.ts';
import type { Job } from '../../cron/job.ts';
import { shownJobs } from '../../cron/job-words.ts';
import { UserError } from '../../lib/errors.ts';
import { openJobDesk } from '../../runtime/open-job-desk.ts';
import { acceptHooksText } from '../chat/options.ts';
import type { CliContext } from '../command.ts';
import { jobLines, listLines, runLines, schedulerLine } from '../cron/show.ts';
import { addJobOptions, type EditOptions, inputOf, type JobOptions, skillsAfter } from '../cron/job-options.ts';

export function build(context: CliContext): Command {
  const command = new Command('cron').description('Jobs that the agent does by itself, at their time.');
  command.option('--accept-hooks', acceptHooksText);
  addLooking(command, context);
  addMaking(command, context);
  addChanging(command, context);
  addRunning(command, context);
  return command;
}

function addLooking(command: Command, context: CliContext): void {
  const { io, home } = context;
  const print = (line: string): boolean => io.stdout.write(`${line}\n`);
  command
    .command('list')
    .description('the jobs that are still to run')
    .option('--all', 'those that are paused or done too')
    .action(async ({ all }: { readonly all?: true }) => {
      const jobs = shownJobs((await deskOf(context)).store.list(), all === true);
      if (jobs.length === 0) print('There are no scheduled jobs. Make one: hermes cron create "every 2h" "<prompt>"');
      for (const line of listLines(jobs)) print(line);
      tellOfScheduler(context, jobs.length > 0);
    });
  command
    .command('status')
    .description('whether somebody runs the jobs')
    .action(async () => {
      const jobs = shownJobs((await deskOf(context)).store.list(), false);
      const next = jobs
        .flatMap(({ next_run_at: at }) => at ?? [])
        .sort()
        .at(0);
      print(schedulerLine(home.path).line);
      print(`${jobs.length} active job(s)${next === undefined ? '' : `; next run: ${next}`}`);
    });
  command
    .command('runs')
    .alias('history')
    .description('how the last runs ended')
    .argument('[job]', 'its id, or its name')
    .option('--limit <count>', 'so many at most', '20')
    .action(async (reference: string | undefined, { limit }: { readonly limit: string }) => {
      const { store } = await deskOf(context);
      const jobId = reference === undefined ? undefined : findJob(store.list(), reference).id;
      const { Executions } = await import('../../cron/executions.ts');
      const ledger = new Executions(home.path);
      try {
        const rows = ledger.list({ jobId, limit: countOf(limit) });
        if (rows.length === 0) print('No job has run yet.');
        for (const line of runLines(rows)) print(line);
      } finally {
        ledger.close();
      }
    });
}

function addMaking(command: Command, context: CliContext): void {
  const { io } = context;
  const print = (line: string): boolean => io.stdout.write(`${line}\n`);
  addJobOptions(command.command('create').alias('add'))
    .description('make a job')
    .argument('<schedule>', '30m (once), every 2h, every day at 09:00, "0 9 * * 1-5", 2026-12-24T18:00')
    .argument('[prompt]', 'what the agent is asked')
    .action(async (schedule: string, prompt: string | undefined, options: JobOptions) => {
      const desk = await deskOf(context);
      const job = await desk.create(
        { ...inputOf(options), schedule, ...(prompt === undefined ? {} : { prompt }) },
        undefined,
      );
      print(`Created job: ${job.id}`);
      for (const line of jobLines(job)) print(line);
      tellOfScheduler(context, true);
    });
  // Named before `--no-agent`, so that neither stands when none was said.
  addJobOptions(command.command('edit').option('--agent', 'the agent is asked again'))
    .description('change a job')
    .argument('<job>', 'its id, or its name')
    .option('--schedule <when>', 'when it runs')
    .option('--prompt <text>', 'what the agent is asked')
    .option('--add-skill <name>', 'one more skill; can be repeated', collect)
    .option('--remove-skill <name>', 'a skill less; can be repeated', collect)
    .option('--clear-skills', 'no skills')
    .action(async (reference: string, options: EditOptions) => {
      const desk = await deskOf(context);
      const found = findJob(desk.store.list(), reference);
      const { schedule, prompt } = options;
      const job = await desk.update(found.id, {
        ...inputOf(options),
        ...(schedule === undefined ? {} : { schedule }),
        ...(prompt === undefined ? {} : { prompt }),
        ...skillsAfter(found.skills, options),
      });
      print(`Updated job: ${job.id}`);
      for (const line of jobLines(job)) print(line);
    });
}

function addChanging(command: Command, context: CliContext): void {
  const { io } = context;
  const print = (line: string): boolean => io.stdout.write(`${line}\n`);
  for (const [verb, done, change] of changes) {
    command
      .command(verb)
      .description(`${verb} a job`)
      .argument('<job>', 'its id, or its name')
      .action(async (reference: string) => {
        const desk = await deskOf(context);
        const job = await change(desk, findJob(desk.store.list(), reference).id);
        print(`${done} job: ${job.name} (${job.id})`);
        if (verb === 'resume') print(`  Next run: ${job.next_run_at ?? ''}`);
      });
  }
  command.commands.find((each) => each.name() === 'remove')?.aliases(['rm', 'delete']);
}

function addRunning(command: Command, context: CliContext): void {
  const { io } = context;
  const print = (line: string): boolean => io.stdout.write(`${line}\n`);
  command
    .command('run')
    .description('run a job now, in this process, and wait for it')
    .argument('<job>', 'its id, or its name')
    .option('--accept-hooks', acceptHooksText)
    .action(async (reference: string) => {
      const { withScheduler } = await import('../cron/run-here.ts');
      const run = await withScheduler(context, async (scheduler) => {
        const job = findJob(scheduler.store.list(), reference);
        print(`Running: ${job.name} (${job.id})`);
        return await scheduler.runNow(job.id);
      });
      if (run.as === 'skipped') throw new UserError('Not run: it runs already, is paused, or is done.');
      if (!run.outcome.ok) throw new UserError(`The run failed: ${run.outcome.error}`);
      print('Ran now: succeeded.');
    });
  command
    .command('tick')
    .description('run what is due now, and end')
    .option('--accept-hooks', acceptHooksText)
    .action(async () => {
      const { withScheduler } = await import('../cron/run-here.ts');
      print(String(await withScheduler(context, (scheduler) => scheduler.tick())));
    });
}

const changes: readonly (readonly [string, string, (desk: JobDesk, id: string) => Promise<Job>])[] = [
  ['pause', 'Paused', (desk, id) => desk.pause(id, undefined)],
  ['resume', 'Resumed', (desk, id) => desk.resume(id)],
  ['remove', 'Removed', (desk, id) => desk.remove(id)],
];

async function deskOf({ home, config, env, log }: CliContext): Promise<JobDesk> {
  return openJobDesk({ home, config: await config(), env, log });
}

function tellOfScheduler({ io, home }: CliContext, matters: boolean): void {
  const { runs, line } = schedulerLine(home.path);
  if (matters && !runs) io.stderr.write(`${line}\n`);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return Math.min(count, 1000);
  throw new UserError(`--limit takes a number from 1, not '${text}'.`, { exitCode: 2 });
}
