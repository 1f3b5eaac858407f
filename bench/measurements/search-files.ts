/** What `search_files` takes in 100,000 files, beside ripgrep itself with the same question. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalEnvironment } from '../../src/environments/local/local-environment.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { textOf } from '../../src/llm/message.ts';
import { searchFilesTool } from '../../src/tools/file/search-files.ts';
import { runTool, servicesOver } from '../../test/tools/support.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';
import { runOnce } from '../parts/processes.ts';
import { inMs, median } from '../parts/statistics.ts';

const folders = 1000;
const filesEach = 100;
/** Counted ones: what a busy moment spoils is left behind by the median of pairs that ran right after each other. */
const rounds = 3;

interface Question {
  readonly what: string;
  readonly args: JsonObject;
  readonly ripgrep: readonly string[];
}

const questions: readonly Question[] = [
  {
    what: 'a word in 100 files',
    args: { pattern: 'needle' },
    ripgrep: ['--line-number', '--no-heading', '--with-filename', 'needle'],
  },
  {
    what: 'a word in 10,000 files',
    args: { pattern: 'tenth' },
    ripgrep: ['--line-number', '--no-heading', '--with-filename', 'tenth'],
  },
  {
    what: 'count of a word in 10,000 files',
    args: { pattern: 'tenth', output_mode: 'count' },
    ripgrep: ['--count', '--with-filename', 'tenth'],
  },
  {
    what: 'names of 10,000 files with a word',
    args: { pattern: 'tenth', output_mode: 'files_only' },
    ripgrep: ['--files-with-matches', 'tenth'],
  },
  {
    what: 'count of a word on 20 lines of 10,000 files',
    args: { pattern: 'quick', file_glob: '*0.txt', output_mode: 'count' },
    ripgrep: ['--count', '--with-filename', '--glob', '*0.txt', 'quick'],
  },
  {
    what: 'a word in the 1,000 files of a glob',
    args: { pattern: 'fox', file_glob: '*7.md' },
    ripgrep: ['--line-number', '--no-heading', '--with-filename', '--glob', '*7.md', 'fox'],
  },
  {
    what: 'files by a name that 1,000 have, newest first',
    args: { pattern: '*7.md', target: 'files' },
    ripgrep: ['--files', '--sortr=modified', '--glob', '*7.md'],
  },
  {
    what: 'files by a glob over folders that 10,000 have, newest first',
    args: { pattern: 'folder-*/*0.txt', target: 'files' },
    ripgrep: ['--files', '--sortr=modified', '--glob', 'folder-*/*0.txt'],
  },
  {
    what: 'all 100,000 files, newest first',
    args: { pattern: '*', target: 'files' },
    ripgrep: ['--files', '--sortr=modified', '--glob', '*'],
  },
];

export const searchFiles: Measurement = {
  name: 'search-files',
  onlyByName: true,
  async measure() {
    const dir = mkdtempSync(join(tmpdir(), 'hermes-bench-search-'));
    try {
      fill(dir);
      const environment = createLocalEnvironment({
        cwd: dir,
        env: { PATH: process.env.PATH, HOME: dir },
        sessionId: 'bench',
        homePath: join(dir, '.hermes'),
      });
      const figures: Figure[] = [];
      for (const question of questions) figures.push(await measureQuestion(question, dir, environment));
      await environment.close();
      return figures;
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

/** Files of about a kilobyte, changed a second apart. */
function fill(dir: string): void {
  const filler = 'the quick brown fox jumps over the lazy dog\n'.repeat(20);
  for (let folder = 0; folder < folders; folder += 1) {
    const path = join(dir, `folder-${folder}`);
    mkdirSync(path);
    for (let file = 0; file < filesEach; file += 1) {
      const number = folder * filesEach + file;
      const found = `${number % 1000 === 0 ? 'needle\n' : ''}${number % 10 === 0 ? 'tenth\n' : ''}`;
      const name = join(path, `${number}.${number % 10 === 7 && number % 100 < 10 ? 'md' : 'txt'}`);
      writeFileSync(name, filler + found);
      utimesSync(name, 1_700_000_000, 1_700_000_000 + ((number * 7919) % 100_003));
    }
  }
}

async function measureQuestion(
  { what, args, ripgrep }: Question,
  dir: string,
  environment: ReturnType<typeof createLocalEnvironment>,
): Promise<Figure> {
  const rg = (await environment.findProgram('rg')) ?? 'rg';
  const paths = { homePath: join(dir, '.hermes'), root: join(dir, '.hermes'), userHome: dir };
  const ours: number[] = [];
  const theirs: number[] = [];
  let total: unknown;
  for (let round = 0; round <= rounds; round += 1) {
    const bare = await runOnce({
      command: rg,
      args: [...ripgrep, dir],
      env: { PATH: process.env.PATH ?? '' },
      cwd: dir,
    });
    // A session of its own each time: the same search in a row is refused.
    const services = servicesOver(environment, paths);
    const startedAt = performance.now();
    const outcome = await runTool(searchFilesTool, args, services);
    const took = performance.now() - startedAt;
    total = (JSON.parse(textOf(outcome.content)) as { total_count?: unknown }).total_count;
    // The first round fills the caches.
    if (round > 0) {
      ours.push(took);
      theirs.push(bare.wallMs);
    }
  }
  return {
    what: `search_files, ${what}`,
    value: median(ours.map((took, round) => took / (theirs[round] ?? took))),
    unit: 'x',
    mark: 1.2,
    detail: `${inMs(median(ours))} against ${inMs(median(theirs))} of ripgrep, ${String(total)} found`,
  };
}
