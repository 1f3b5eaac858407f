/** Links between the pages for users lead somewhere. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })].sort();
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

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
