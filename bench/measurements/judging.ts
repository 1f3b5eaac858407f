/** What it costs to judge a command before it runs: each once, as a session meets it, in a process of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everydayClasses } from '../../test/safety/corpora/everyday.ts';
import { bundle } from '../parts/bundle.ts';
import type { Measurement } from '../parts/measurement.ts';
import { median, quantile } from '../parts/statistics.ts';

const processes = 5;

export const judging: Measurement = {
  name: 'judging',
  async measure() {
    const dir = mkdtempSync(join(tmpdir(), 'hermes-bench-judging-'));
    try {
      const file = join(dir, 'commands.json');
      const commands = everydayClasses.flatMap((entry) => entry.commands);
      writeFileSync(file, JSON.stringify(commands));
      using built = await bundle('./src/safety/commands/judge.ts');
      const script = scriptFor(built.address, file);
      await built.run(script);
      const times: number[] = [];
      for (let round = 0; round < processes; round += 1) times.push(...((await built.run(script)) as number[]));
      const detail = `${commands.length} everyday commands, each once in ${processes} processes`;
      return [
        { what: 'judging a command, median', value: median(times), unit: 'ms', mark: 1, detail },
        { what: 'judging a command, p95', value: quantile(times, 0.95), unit: 'ms', mark: 1, detail },
      ];
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

function scriptFor(judge: string, file: string): string {
  const paths = {
    userHome: '/home/ann',
    homePath: '/home/ann/.hermes',
    root: '/home/ann/.hermes',
    cwd: '/home/ann/work',
    workspace: '/home/ann/work',
  };
  return `
    import { readFileSync } from 'node:fs';
    const { judgeCommand } = await import(${JSON.stringify(judge)});
    const paths = ${JSON.stringify(paths)};
    const times = JSON.parse(readFileSync(${JSON.stringify(file)}, 'utf8')).map((command) => {
      const startedAt = performance.now();
      judgeCommand(command, paths);
      return performance.now() - startedAt;
    });
    console.log(JSON.stringify(times));`;
}
