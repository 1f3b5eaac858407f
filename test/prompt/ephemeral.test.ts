/** Personalities and prefill messages as they are read. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isNoPersonality, personalities } from '../../src/prompt/personalities.ts';
import { readPrefill } from '../../src/prompt/prefill.ts';
import { directoryWith, put } from './support.ts';

test('the fourteen personalities of the original are there, sorted', () => {
  const names = personalities({}).map(({ name }) => name);
  assert.deepEqual(
    names,
    'catgirl concise creative helpful hype kawaii noir philosopher pirate shakespeare surfer teacher technical uwu'.split(
      ' ',
    ),
  );
});

test('personalities of the user are texts or maps, and win over built-in ones', () => {
  const all = personalities({
    Pirate: 'Arr.',
    ada: { system_prompt: 'Count.', tone: 'dry', style: 'terse', description: 'the countess' },
    toned: { tone: 'warm' },
    broken: 7,
    empty: {},
    none: 'cannot be chosen',
    odd: { system_prompt: ['x'], style: 'odd' },
  });
  const find = (name: string) => all.find((entry) => entry.name === name);
  assert.equal(find('pirate')?.prompt, 'Arr.');
  assert.deepEqual(find('ada'), {
    name: 'ada',
    description: 'the countess',
    prompt: 'Count.\nTone: dry\nStyle: terse',
  });
  assert.equal(find('toned')?.prompt, 'Tone: warm');
  assert.equal(find('odd')?.prompt, 'Style: odd');
  for (const name of ['broken', 'empty', 'none']) assert.equal(find(name), undefined, name);
  assert.ok(['None', 'default', ' NEUTRAL '].every(isNoPersonality));
});

test('prefill messages come from a list in a file of the home or anywhere', (t) => {
  const home = directoryWith(t, { 'p.json': '[{"role":"user","content":"hi","extra":1}]' });
  const expected = { messages: [{ role: 'user', content: 'hi' }], warnings: [] };
  assert.deepEqual(readPrefill('p.json', home), expected);
  assert.deepEqual(readPrefill(join(home, 'p.json'), '/nowhere'), expected);
  assert.deepEqual(readPrefill('', home), { messages: [], warnings: [] });
});

test('a prefill file that is missing or wrong is one warning and nothing is sent', (t) => {
  const home = directoryWith(t, {});
  for (const content of [undefined, 'no json', '{}', '[{"role":"tool","content":"x"}]', '[{"role":"user"}]', '\0']) {
    if (content !== undefined) put(home, 'p.json', content);
    const { messages, warnings } = readPrefill('p.json', home);
    assert.deepEqual([messages.length, warnings.length], [0, 1], content);
    assert.match(warnings[0] ?? '', /p\.json/);
  }
});
