/** Which process runs which test files, so that all end at about the same time. */

/**
 * The slowest, in seconds on a busy machine, as `--times` shows them; nothing breaks where a figure is wrong or a file is
 * gone. All others count as `usual`.
 */
const seconds: Readonly<Record<string, number>> = {
  'cli/interactive/chat.test.ts': 45,
  'docs/pages.test.ts': 45,
  'environments/local-conformance.test.ts': 35,
  'environments/remote/remote-conformance.test.ts': 30,
  'cli/arguments.test.ts': 30,
  'environments/local/sandbox/confined-commands.test.ts': 30,
  'cli/security.test.ts': 30,
  'cli/interactive/plain.test.ts': 30,
  'cli/failures.test.ts': 25,
  'cli/answers.test.ts': 25,
  'cli/interactive/ways-out.test.ts': 25,
  'cli/chat-flags.test.ts': 25,
  'cli/bad-models.test.ts': 25,
  'checkpoints/checkpoints.test.ts': 25,
  'runtime/backends/clouds.test.ts': 25,
  'tools/execute-code/execute-code.test.ts': 22,
  'runtime/long-work.test.ts': 21,
  'providers/side-models.test.ts': 21,
  'cli/one-shot.test.ts': 20,
  'cli/send.test.ts': 20,
  'cli/resume.test.ts': 20,
  'cli/fallback-insights-memory.test.ts': 20,
  'cli/owner-policy.test.ts': 20,
  'cli/gateway-setup.test.ts': 20,
  'cli/interactive/display-settings.test.ts': 20,
  'cli/auth.test.ts': 20,
  'runtime/side-share.test.ts': 18,
  'cli/remote-backend.test.ts': 18,
  'gateway/process/run.test.ts': 17,
  'cli/provider-checks.test.ts': 17,
  'scripts/build.test.ts': 16,
  'environments/daytona/daytona.test.ts': 15,
  'environments/local-kill.test.ts': 15,
  'gateway/text/formats.test.ts': 10,
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
