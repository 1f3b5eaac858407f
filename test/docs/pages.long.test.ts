/** What the pages for users say is true: links lead somewhere, the commands they show work, the generated ones are current. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makePlace, mainFile, shell } from '../cli/hermes-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })].sort();
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

describe('documentation', () => {
  test('every link inside of it leads to a page, and to a heading of it', () => {
    for (const page of pages) {
      for (const link of linksIn(textOf(page))) {
        const [path = '', heading] = link.split('#', 2);
        const target = path === '' ? join(root, page) : resolve(root, dirname(page), path);
        assert.ok(existsSync(target), `${page}: ${link} leads nowhere`);
        if (heading === undefined) continue;
        assert.ok(headingsOf(readFileSync(target, 'utf8')).has(heading), `${page}: ${link} names no heading`);
      }
    }
  });

  test('every page can be found from the index', () => {
    const linked = new Set(linksIn(textOf('docs/README.md')).map((link) => join('docs', link)));
    const lost = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md' && !linked.has(page));
    assert.deepEqual(lost, []);
  });

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

/** Targets of Markdown links that stay inside of the project. */
function linksIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`(?!\])/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link));
}

/** The names by which GitHub links to headings. */
function headingsOf(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, heading = ''] of text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)) {
    const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
    names.add(words.trim().replaceAll(' ', '-'));
  }
  return names;
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
