/** What `hermes curator …` does and prints. */
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { type Curator, createCurator, type RunOptions } from '../../curator/curator.ts';
import { reportLines } from '../../curator/report.ts';
import type { CliContext } from '../command.ts';
import { confirm } from '../sessions/confirm.ts';
import { curatorSettings } from '../../runtime/learning/curator-settings.ts';

export async function showStatus(context: CliContext): Promise<void> {
  const { config } = await context.config();
  const curator = await open(context);
  const { lastRunAt, paused, runCount, lastSummary } = curator.state();
  const { local, candidates } = curator.skills();
  const { enabled, interval_hours: hours, stale_after_days: stale, archive_after_days: old } = config.curator;
  const oldest = candidates.toSorted((a, b) => b.idleDays - a.idleDays).slice(0, 10);
  const pinned = local.filter((skill) => skill.pinned).map(({ name }) => name);
  say(context, [
    `Curator:  ${enabled ? (paused ? 'paused' : 'on') : 'off (curator.enabled)'}`,
    `Last run: ${lastRunAt === undefined ? 'never' : lastRunAt.toISOString()}${lastSummary === '' ? '' : ` (${lastSummary})`}`,
    `Runs:     ${runCount}; every ${hours} hours; stale after ${stale} days, archived after ${old}`,
    `Skills:   ${local.length}, of which ${candidates.length} may grow old and ${curator.archived().length} more are archived`,
    ...(pinned.length === 0 ? [] : [`Pinned:   ${pinned.join(', ')}`]),
    ...(oldest.length === 0 ? [] : ['', 'Longest unused:']),
    ...oldest.map(({ name, state, idleDays }) => `  ${name}  ${Math.floor(idleDays)} days  ${state}`),
  ]);
}

export async function runNow(context: CliContext, options: { dryRun?: true; consolidate?: true }): Promise<void> {
  const { config } = await context.config();
  const curator = await open(context);
  const merging = (options.consolidate === true || config.curator.consolidate) && options.dryRun !== true;
  const run: RunOptions = { dryRun: options.dryRun === true, signal: new AbortController().signal };
  if (!merging) {
    await runAndSay(context, curator, run);
    return;
  }
  const { openConsolidation } = await import('../../runtime/learning/open-consolidation.ts');
  const consolidation = await openConsolidation(
    {
      home: context.home,
      env: context.env,
      config: await context.config(),
      cwd: context.home.path,
      onWarning: (line) => context.io.stderr.write(`${escapeForDisplay(line)}\n`),
    },
    curator,
  );
  try {
    await runAndSay(context, curator, { ...run, consolidate: consolidation.consolidate });
  } finally {
    await consolidation.close();
  }
}

export async function takeSnapshot(context: CliContext, reason: string): Promise<void> {
  const { id, bytes } = await (await open(context)).backup(reason);
  say(context, [`Snapshot ${id} taken (${Math.ceil(bytes / 1024)} KB).`]);
}

export async function goBack(context: CliContext, options: { list?: true; id?: string; yes?: true }): Promise<void> {
  const curator = await open(context);
  const backups = curator.backups();
  if (options.list === true) {
    const lines = backups.map(({ id, reason, bytes }) => `${id}  ${Math.ceil(bytes / 1024)} KB  ${reason}`);
    say(context, lines.length === 0 ? ['There are no snapshots.'] : lines);
    return;
  }
  const wanted = options.id ?? backups[0]?.id;
  const question = `Put the skills back to snapshot ${wanted ?? '(none)'}?`;
  if (wanted !== undefined && options.yes !== true && !(await confirm(context.io, escapeForDisplay(question)))) {
    say(context, ['Cancelled.']);
    return;
  }
  const { restored, saved } = await curator.rollBack(wanted);
  say(context, [`The skills are back at ${restored.id}. What was there is snapshot ${saved.id}.`]);
}

export async function setPaused(context: CliContext, paused: boolean): Promise<void> {
  await (await open(context)).setPaused(paused);
  say(context, [paused ? 'The curator is paused.' : 'The curator runs again.']);
}

export async function setPinned(context: CliContext, name: string, pinned: boolean): Promise<void> {
  await (await open(context)).setPinned(name, pinned);
  say(context, [pinned ? `'${name}' is pinned: it stays.` : `'${name}' is not pinned any more.`]);
}

export async function archive(context: CliContext, name: string): Promise<void> {
  await (await open(context)).archive(name);
  say(context, [`'${name}' is in the archive. Back with: hermes curator restore ${name}`]);
}

export async function restore(context: CliContext, name: string): Promise<void> {
  const place = await (await open(context)).restore(name);
  say(context, [`'${name}' is back at skills/${place}.`]);
}

export async function listArchived(context: CliContext): Promise<void> {
  const names = (await open(context)).archived();
  say(context, names.length === 0 ? ['The archive is empty.'] : names);
}

export async function prune(context: CliContext, options: { days: number; yes?: true; dryRun?: true }): Promise<void> {
  const curator = await open(context);
  const old = curator
    .skills()
    .candidates.filter(({ origin, idleDays }) => origin === 'agent' && idleDays >= options.days);
  if (old.length === 0) {
    say(context, [`No skill of the agent's own was unused for ${options.days} days.`]);
    return;
  }
  say(
    context,
    old.map(({ name, idleDays }) => `  ${name}  ${Math.floor(idleDays)} days`),
  );
  if (options.dryRun === true) return;
  if (options.yes !== true && !(await confirm(context.io, `Archive ${old.length} skill(s)?`))) {
    say(context, ['Cancelled.']);
    return;
  }
  await runAndSay(context, curator, {
    ages: { staleAfterDays: 0, archiveAfterDays: options.days, pruneBuiltins: false },
    reason: `prune --days ${options.days}`,
    signal: new AbortController().signal,
  });
}

async function open(context: CliContext): Promise<Curator> {
  const { config } = await context.config();
  return createCurator({ homePath: context.home.path, settings: curatorSettings(config), now: () => new Date() });
}

async function runAndSay(context: CliContext, curator: Curator, options: RunOptions): Promise<void> {
  const report = await curator.run(options);
  say(context, [...reportLines(report), ...(report.folder === undefined ? [] : ['', `Report: ${report.folder}`])]);
  if (report.failed.length > 0 || report.merges?.error !== undefined) {
    throw new UserError('The run was not completed; see above.');
  }
}

/** Names come from folders and from a model: nothing in them may move the terminal. */
function say({ io }: CliContext, lines: readonly string[]): void {
  io.stdout.write(`${lines.map((line) => escapeForDisplay(line)).join('\n')}\n`);
}
