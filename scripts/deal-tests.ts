/** Which process runs which test files, so that all end at about the same time. */

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

/** The files of each of `parts` processes, in the order in which they were given. Each goes to whoever has least to do. */
export function dealTests(files: readonly string[], parts: number): readonly (readonly string[])[] {
  const hands = Array.from({ length: parts }, () => ({ load: 0, files: new Set<string>() }));
  const weigh = (file: string): number => seconds[/(?:^|\/)test\/(.*)$/.exec(file)?.[1] ?? ''] ?? usual;
  for (const file of files.toSorted((one, other) => weigh(other) - weigh(one))) {
    const lightest = hands.reduce((best, hand) => (hand.load < best.load ? hand : best));
    lightest.load += weigh(file);
    lightest.files.add(file);
  }
  return hands.map((hand) => files.filter((file) => hand.files.has(file)));
}
