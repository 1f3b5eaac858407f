/** What the pages for users say is true: the commands they show work, the generated ones are current. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makePlace, mainFile, shell } from '../cli/hermes-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })].sort();
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

describe('documentation', () => {
  test('the pages that are made from the program are as the program is', async () => {
    const run = promisify(execFile)(process.execPath, [join(root, 'scripts/docs.ts'), '--check']);
    await assert.doesNotReject(run);
  });

  for (const page of pages) {
    const blocks = runnableBlocks(textOf(page));
    if (blocks.length === 0) continue;
    test(`the commands that ${page} shows work, in an empty home`, async (t) => {
      const place = makePlace(t);
      writeFileSync(join(place.work, 'README.md'), '# A project\n');
      const PATH = `${commandFolder(place.work)}:${place.env['PATH']}`;
      for (const { script, code } of blocks) {
        const run = await shell(place, code === 0 ? `set -e\n${script}` : script, { env: { PATH } });
        assert.equal(run.code, code, `${script}\n${run.stdout}\n${run.stderr}`);
      }
    });
  }
});

interface Block {
  readonly script: string;
  /** What the last command ends with. */
  readonly code: number;
}

/** Fenced blocks that begin with `sh run`, or `sh run exit=1` for those that end with that code. */
function runnableBlocks(text: string): readonly Block[] {
  return [...text.matchAll(/^```sh run(?: exit=(\d+))?\n(.*?)^```$/gms)].map(([, code = '0', script = '']) => ({
    script,
    code: Number(code),
  }));
}

/** A folder in which `hermes` is this program. */
function commandFolder(work: string): string {
  const folder = join(dirname(work), 'bin');
  mkdirSync(folder);
  const command = join(folder, 'hermes');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${mainFile}" "$@"\n`);
  chmodSync(command, 0o755);
  return folder;
}
