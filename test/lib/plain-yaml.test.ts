/** YAML without the library: what the plain reader reads is what the library reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseYaml } from '../../src/config/yaml-file.ts';
import { readPlainYaml } from '../../src/lib/plain-yaml.ts';

const usual = `name: foo
description: Does the thing, quickly & well (mostly)
version: 1.0.0
platforms: [linux, macos]
# a comment
metadata:
  hermes:
    tags: [A, "b"]
    related_skills:
    - one
    - two
    category: dev
    config:
prerequisites:
  commands:
    - git
`;

test('the usual header is read without the YAML library, to the same value', async () => {
  const parsed = await parseYaml(usual);
  const plain = readPlainYaml(usual.replace('[A, "b"]', '[A, b]'));
  assert.ok('data' in parsed && plain !== undefined);
  assert.deepEqual(plain, parsed.data);
});

const settings = `_config_version: 33
model: # the main one
  default: openai/gpt-5.4
  base_url: http://127.0.0.1:8080/v1
custom_providers:
- name: mine
  base_url: "http://127.0.0.1:9/v1"
  models:
    a:
      context_length: 64000
- name: 'other'   
  extra: {}
  headers: []
agent:
  max_turns: 90 # enough
  disabled_toolsets: []
command_allowlist:
  - recursive delete
`;

test('the usual settings are read without the YAML library, to the same value', async () => {
  const parsed = await parseYaml(settings);
  const plain = readPlainYaml(settings);
  assert.ok('data' in parsed && plain !== undefined);
  assert.deepEqual(plain, parsed.data);
});

test('what the plain reader reads, the library reads in the same way', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'a',
      'name',
      ': ',
      ':',
      '- ',
      '- a: ',
      'b:',
      '{}',
      '[]',
      '-',
      '\n',
      '\n',
      '\n  ',
      '\n    ',
      '#',
      ' #',
      '"',
      "'",
      '[',
      ']',
      ', ',
      ',',
      '{',
      '}',
      '1.0',
      '1.0.0',
      '007',
      '1e3',
      '.5',
      '0x1f',
      'true',
      'No',
      'null',
      '~',
      '|',
      '>',
      '&x',
      '*x',
      '!t',
      '%',
      '@',
      '`',
      '\t',
      ' ',
      '\r\n',
      '\u00a0',
      '\u2028',
      '---',
      '...',
      'key: value',
      '\ndescription: some words',
      '\ntags: [a, b]',
      '\nmap:\n  inner: x',
      '\nlist:\n- x\n- y',
      '__proto__: x',
      '=',
      '<<: a',
      '+1',
      '-1',
      '2024-01-01',
      '12:30:45',
    ),
    fc.string({ maxLength: 6 }),
  );
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  let plainOnes = 0;
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const plain = readPlainYaml(text);
      if (plain === undefined) return;
      plainOnes++;
      const parsed = await parseYaml(text);
      assert.ok('data' in parsed, `the library refuses ${JSON.stringify(text)}`);
      assert.deepEqual(plain, parsed.data, JSON.stringify(text));
      assert.equal(parsed.duplicates.length, 0);
    }),
    { numRuns: 1_500 },
  );
  assert.ok(plainOnes > 10);
});
