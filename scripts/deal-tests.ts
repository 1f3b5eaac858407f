/** Which test files run together in one process, and in which order, so that all processes end at about the same time. */

/**
 * The slowest, in seconds on a busy machine, as `--times` shows them; nothing breaks where a figure is wrong or a file is
 * gone. All others count as `usual`.
 */
const seconds: Readonly<Record<string, number>> = {
  'cli/failures.test.ts': 41,
  'cli/interactive/chat.test.ts': 38,
  'cli/fallback-insights-memory.test.ts': 23,
  'cli/one-shot.test.ts': 21,
  'cli/interactive/ways-out.test.ts': 17,
  'cli/interactive/display-settings.test.ts': 16,
  'cli/gateway-setup.test.ts': 15,
  'cli/model-wizard.test.ts': 15,
  'agent/compaction-room.test.ts': 14,
  'checkpoints/checkpoints.test.ts': 13,
  'tools/execute-code/execute-code.test.ts': 13,
  'scripts/build.test.ts': 12,
  'cli/references-and-skills.test.ts': 11,
  'cli/setup-walk.test.ts': 11,
  'agent/lasting.test.ts': 11,
  'cli/outside.test.ts': 11,
  'cli/plugin-install.test.ts': 11,
  'providers/side-models.test.ts': 11,
  'cli/interactive/drafts.test.ts': 11,
  'gateway/process/run.test.ts': 11,
  'obedience/headless.test.ts': 10,
  'runtime/sources.test.ts': 10,
  'cli/interactive/skins-and-reload.test.ts': 9,
  'runtime/side-share.test.ts': 9,
  'runtime/delegation/remote.test.ts': 9,
  'environments/local-kill.test.ts': 9,
  'cli/interactive/picker.test.ts': 8,
  'mcp/life.test.ts': 8,
  'cli/setup-sections.test.ts': 8,
  'coding/lsp/installing.test.ts': 8,
  'cli/interactive/completion.test.ts': 8,
  'tools/execute-code/guarded-scripts.test.ts': 8,
  'cli/interactive/plain.test.ts': 8,
  'runtime/compaction.test.ts': 8,
  'tools/terminal/terminal.test.ts': 8,
  'tools/browser/life.test.ts': 7,
  'commands/settings.test.ts': 7,
  'cli/small-commands.test.ts': 7,
  'gateway/process/outside.test.ts': 7,
  'cli/kill.test.ts': 7,
  'gateway/acceptance.test.ts': 7,
};
const usual = 1;
/** No batch is smaller than this part of the whole: each has to load the program. */
const smallestShare = 1 / 32;

/**
 * The files in batches for `processes` that take the next batch when they are done with one, so that all end at about the
 * same time: the slowest files come first, and batches become smaller towards the end. A process that ran everything would
 * also become big, and with its size grows what starting a program and collecting garbage cost.
 */
export function dealTests(files: readonly string[], processes: number): readonly (readonly string[])[] {
  if (processes === 1) return [files];
  const weigh = (file: string): number => seconds[/(?:^|\/)test\/(.*)$/.exec(file)?.[1] ?? ''] ?? usual;
  const whole = files.reduce((sum, file) => sum + weigh(file), 0);
  const batches: string[][] = [];
  let left = whole;
  let room = 0;
  for (const file of files.toSorted((one, other) => weigh(other) - weigh(one))) {
    if (room <= 0) {
      batches.push([]);
      room = Math.max(left / (2 * processes), whole * smallestShare);
    }
    batches.at(-1)?.push(file);
    room -= weigh(file);
    left -= weigh(file);
  }
  return batches.map((batch) => batch.toSorted());
}
