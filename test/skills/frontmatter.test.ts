/** Headers of skill documents: plain ones without the library, odd ones with it, broken ones as far as possible. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readDocument, readStrictly } from '../../src/skills/frontmatter.ts';
import { readFacts } from '../../src/skills/skill-facts.ts';
import { readSummary } from '../../src/skills/skill-header.ts';

test('no text makes reading a document fail, and the body is never lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), fc.boolean(), async (text, framed) => {
      const document = framed ? `---\n${text}\n---\nThe body` : text;
      const read = await readDocument(document);
      readSummary(read.header, read.body);
      readFacts(read.header);
      if (framed) assert.ok(read.body.endsWith('The body'));
    }),
    { numRuns: 150 },
  );
});

test('facts of any shape are read leniently', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom(
          'name',
          'description',
          'platforms',
          'metadata',
          'setup',
          'prerequisites',
          'required_environment_variables',
          'required_credential_files',
          'tags',
        ),
        fc.jsonValue(),
      ),
      (header) => {
        const value = JSON.parse(JSON.stringify(header));
        const summary = readSummary(value, '');
        assert.ok(!/[\n\r\u0000]/.test(summary.description + (summary.name ?? '')));
        readFacts(value);
      },
    ),
    { numRuns: 150 },
  );
});

test('broken YAML falls back to lines, and is refused on writing', async () => {
  const text = '---\nname: foo\ndescription: a: b: c\n---\nBody';
  const read = await readDocument(text);
  assert.deepEqual(read.header, { name: 'foo', description: 'a: b: c' });
  assert.equal(read.body, 'Body');
  assert.ok(read.problem !== undefined);
  const strict = await readStrictly(text);
  assert.ok('problem' in strict && !('body' in strict) && /not valid YAML/.test(strict.problem));
});

test('block scalars, anchors and line endings of Windows are read', async () => {
  const read = await readDocument('\uFEFF---\r\nname: foo\r\ndescription: >\r\n  two\r\n  lines\r\n---\r\nBody\r\n');
  assert.deepEqual(readSummary(read.header, read.body).description, 'two lines');
  assert.equal(read.body, 'Body\r\n');
  const empty = await readDocument('---\n---\nBody');
  assert.deepEqual(empty, { header: {}, body: 'Body' });
});

test('a lone mapping, old names and mappings are taken for required variables', () => {
  const facts = readFacts({
    required_environment_variables: { env_var: 'A_KEY', provider_url: 'https://a.example', required_for: 'search' },
    setup: { help: 'See docs', collect_secrets: [{ env_var: 'B_KEY', prompt: 'B?' }, { env_var: 'A_KEY' }] },
    prerequisites: { env_vars: 'C_KEY, not-a-name', commands: ['git', 'gh'] },
    required_credential_files: ['token.json', { path: 'x/y.json', description: 'Y' }],
  });
  assert.deepEqual(
    facts.variables.map(({ name }) => name),
    ['A_KEY', 'B_KEY', 'C_KEY'],
  );
  assert.equal(facts.variables[0]?.help, 'https://a.example');
  assert.deepEqual(facts.commands, ['git', 'gh']);
  assert.deepEqual(facts.credentialFiles, [
    { path: 'token.json', description: '' },
    { path: 'x/y.json', description: 'Y' },
  ]);
});
