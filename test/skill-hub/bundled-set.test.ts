/** The skills that the package ships: complete, valid, and clean in the eyes of the guard. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { listBundled } from '../../src/skill-hub/bundled/bundled-skills.ts';
import { bundledSkillsFolder } from '../../src/skill-hub/bundled/paths.ts';
import { readStrictly } from '../../src/skills/frontmatter.ts';
import { decideInstall, scanSkill } from '../../src/safety/skill-guard/guard.ts';
import { readSkillFiles } from '../../src/skills/skill-files.ts';

const names = `arxiv blogwatcher claude-code codex dogfood excalidraw github-auth github-code-review github-issues
  github-pr-workflow github-repo-management google-workspace hermes-agent himalaya llm-wiki node-inspect-debugger obsidian
  ocr-and-documents plan requesting-code-review simplify-code skill-authoring spike systematic-debugging
  test-driven-development youtube-content`.split(/\s+/);
const bundled = await listBundled(bundledSkillsFolder({ bundledFolder: undefined }));

test('the set is complete', () => {
  assert.deepEqual(bundled.map(({ name }) => name).sort(), names);
});

for (const { name, directory, path } of bundled) {
  test(`${name} is valid, says what it is in 60 characters, and points only at what exists`, async () => {
    const text = readFileSync(join(directory, 'SKILL.md'), 'utf8');
    const read = await readStrictly(text);
    if (!('body' in read)) throw new Error(read.problem);
    const { header, body } = read;
    assert.equal(header['name'], basename(path));
    assert.ok(typeof header['description'] === 'string' && header['description'].length <= 60);
    assert.ok(text.split('\n').length <= 150, 'longer detail belongs into references/');
    for (const heading of ['## When to Use', '## Pitfalls', '## Verification'])
      assert.ok(body.includes(heading), heading);
    for (const [, file = ''] of body.matchAll(/\$\{HERMES_SKILL_DIR\}\/([\w./-]*\.\w+)/g)) {
      assert.ok(existsSync(join(directory, file)), file);
    }
    const metadata = JSON.stringify(header['metadata'] ?? {});
    const related = /"related_skills":\[([^\]]*)\]/.exec(metadata)?.[1] ?? '';
    for (const [, other = ''] of related.matchAll(/"([^"]+)"/g)) assert.ok(names.includes(other), other);
  });

  test(`${name} passes the guard`, () => {
    const { verdict, findings } = scanSkill(readSkillFiles(directory));
    assert.equal(decideInstall('builtin', verdict), 'allow');
    assert.deepEqual(
      findings.filter(({ severity }) => severity === 'critical'),
      [],
    );
  });
}

test('programs of skills that are asked for help answer in a line, and so do those that are called wrongly', () => {
  const programs = bundled.flatMap(({ directory }) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.mjs'))
      .map((file) => join(directory, file)),
  );
  assert.ok(programs.some((file) => file.endsWith('arxiv.mjs')));
  for (const program of programs) {
    for (const word of ['--help', '--no-such-switch']) {
      const { stdout, stderr } = spawnSync(process.execPath, [program, word], { encoding: 'utf8' });
      assert.notEqual(stdout + stderr, '', `${program} ${word}`);
      assert.doesNotMatch(stderr, /^ +at .*:\d+:\d+/m, `${program} ${word} ends in a stack trace`);
    }
  }
});
