/** Which test files run together in one process, and in which order, so that all processes end at about the same time. */

/**
 * The slowest, in seconds on a busy machine, as `--times` shows them; nothing breaks where a figure is wrong or a file is
 * gone. All others count as `usual`.
 */
const seconds: Readonly<Record<string, number>> = {
  'obedience/headless.test.ts': 27,
  'gateway/process/run.test.ts': 26,
  'scripts/build.test.ts': 25,
  'tools/execute-code/execute-code.test.ts': 24,
  'cli/failures.test.ts': 23,
  'environments/local-conformance.test.ts': 22,
  'cli/one-shot.test.ts': 20,
  'cli/interactive/chat.test.ts': 19,
  'tools/browser/life.test.ts': 17,
  'runtime/side-share.test.ts': 16,
  'runtime/sources.test.ts': 15,
  'tools/execute-code/guarded-scripts.test.ts': 14,
  'agent/compaction-room.test.ts': 13,
  'runtime/compaction.test.ts': 12,
  'environments/output.test.ts': 11,
  'gateway/process/profiles.test.ts': 10,
  'gateway/acceptance.test.ts': 10,
  'commands/rollback.test.ts': 10,
  'speech/spoken-text.test.ts': 10,
  'cli/fallback-insights-memory.test.ts': 10,
  'cli/outside.test.ts': 9,
  'http/webhooks/door.test.ts': 9,
  'scripts/test-runner.test.ts': 9,
  'tools/terminal/terminal.test.ts': 9,
  'cli/interactive/ways-out.test.ts': 8,
  'cli/interactive/display-settings.test.ts': 8,
  'cli/gateway-setup.test.ts': 8,
  'cli/model-wizard.test.ts': 8,
  'checkpoints/checkpoints.test.ts': 8,
  'cli/references-and-skills.test.ts': 8,
  'cli/setup-walk.test.ts': 8,
  'agent/lasting.test.ts': 8,
  'cli/plugin-install.test.ts': 8,
  'providers/side-models.test.ts': 8,
  'cli/interactive/drafts.test.ts': 8,
  'cli/interactive/skins-and-reload.test.ts': 8,
  'runtime/delegation/remote.test.ts': 8,
  'environments/local-kill.test.ts': 8,
  'cli/interactive/picker.test.ts': 8,
  'mcp/life.test.ts': 8,
  'cli/setup-sections.test.ts': 8,
  'coding/lsp/installing.test.ts': 8,
  'cli/interactive/completion.test.ts': 8,
  'cli/interactive/plain.test.ts': 8,
  'commands/settings.test.ts': 7,
  'cli/small-commands.test.ts': 7,
  'gateway/process/outside.test.ts': 7,
  'cli/kill.test.ts': 7,
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
