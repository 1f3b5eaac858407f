/** Reading runs of events from their bytes must give what parsing each of them gives, wherever the bytes are cut. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ModelError } from '../../../src/llm/model-error.ts';
import { DeltaScanner } from '../../../src/llm/protocols/delta-scanner.ts';
import { templateOf } from '../../../src/llm/protocols/delta-template.ts';
import { readChatAnswer } from '../../../src/llm/protocols/read-chat-answer.ts';

const event = (content: string, more: object = {}) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});
const line = (value: object, end = '\n\n', field = 'data: ') => `${field}${JSON.stringify(value)}${end}`;

function scannerFor(value: ReturnType<typeof event>): DeltaScanner {
  const template = templateOf(JSON.stringify(value), value);
  assert.ok(template !== undefined);
  const scanner = new DeltaScanner();
  scanner.learn(template);
  return scanner;
}

test('a run of alike events is read at once, and ends where an event is torn or different', () => {
  const scanner = scannerFor(event('x'));
  const alike = line(event('one ')) + line(event('zwölf 世界'), '\n\n', 'data:') + line(event(''));
  const length = Buffer.byteLength(alike);
  const odd = [
    '',
    '\n',
    ': comment\n\n',
    line(event('torn')).slice(0, -1),
    line(event('torn')).slice(0, 30),
    line(event('not over'), '\n'),
    line(event('not over'), '\ndata: more\n\n'),
    line(event('windows'), '\r\n\r\n'),
    line(event('old mac'), '\r\r'),
    line(event('quote"')),
    line(event('line\nbreak')),
    line(event('named'), '\n\n', 'event: error\ndata: '),
    line(event('two spaces'), '\n\n', 'data:  '),
    line(event('other', { id: 'y' })),
    line({ choices: [], usage: { prompt_tokens: 1 } }),
    'data: [DONE]\n\n',
  ];
  for (const rest of odd) {
    const expected = { text: 'one zwölf 世界', count: 3, end: length };
    assert.deepEqual(scanner.scan(Buffer.from(alike + rest), 0), expected, JSON.stringify(rest));
    const shifted = { ...expected, end: length + 2 };
    assert.deepEqual(scanner.scan(Buffer.from(`\n\n${alike}${rest}`), 2), shifted, JSON.stringify(rest));
  }
});

test('halves of a character in two events are not joined', () => {
  const [before = '', after = ''] = line(event('|')).split('|');
  const half = (bytes: readonly number[]) => [Buffer.from(before), Buffer.from(bytes), Buffer.from(after)];
  const first = Buffer.concat(half([0x61, 0xe4, 0xb8]));
  const bytes = Buffer.concat([first, ...half([0x96, 0x62])]);
  const expected = { text: 'a\u{fffd}', count: 1, end: first.length };
  assert.deepEqual(scannerFor(event('x')).scan(bytes, 0), expected);
});

test('nothing is read before a template is known, nor by one that spans several lines', () => {
  const bytes = Buffer.from(line(event('x')));
  const none = { text: '', count: 0, end: 0 };
  assert.deepEqual(new DeltaScanner().scan(bytes, 0), none);
  const data = JSON.stringify(event('x'), null, 1);
  const template = templateOf(data, event('x'));
  assert.ok(template !== undefined);
  const scanner = new DeltaScanner();
  scanner.learn(template);
  assert.deepEqual(scanner.scan(Buffer.from(`data: ${data}\n\n`), 0), none);
});

const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 6 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
  fc.constantFrom('<think>', '</think>', '\n\n', '"', '\u{feff}', 'data: '),
);
const plain = texts.map((content) => line(event(content)));
const call = { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f' } }] } }] };
const odd = fc.oneof(
  texts.map((content) => line(event(content), '\r\n\r\n')),
  texts.map((content) => line(event(content), '\r\r')),
  texts.map((content) => line(event(content), '\n\r\n')),
  texts.map((content) => line(event(content), '\n\n', 'data:')),
  texts.map((content) => line(event(content), '\n\n', 'event: message\nid: 7\ndata: ')),
  texts.map((content) => line(event(content, { id: 'other' }))),
  texts.map((content) => `data: ${JSON.stringify(event(content), null, 1).replaceAll('\n', '\ndata: ')}\n\n`),
  texts.map((reasoning) => line({ choices: [{ index: 0, delta: { reasoning } }] })),
  fc.constantFrom(
    ': comment\n\n',
    ': comment\n',
    '\n',
    '\n\n\n',
    '\r\n',
    'event: odd\n\n',
    line(call),
    line({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } }),
    line({ choices: [{ index: 0, delta: { content: 'end' }, finish_reason: 'length' }] }),
  ),
);
// Bytes that are no UTF-8, or half a character.
const broken = fc.uint8Array({ min: 0x80, max: 0xff, minLength: 1, maxLength: 5 }).map((array) => {
  const [before = '', after = ''] = line(event('\u0001')).split('\\u0001');
  return Buffer.concat([Buffer.from(before), array, Buffer.from(after)]);
});
const streams = fc
  .tuple(
    fc.constantFrom('', '\u{feff}', ': hello\n\n', '\n'),
    fc.array(fc.oneof({ weight: 6, arbitrary: plain }, { weight: 2, arbitrary: odd }, broken), { maxLength: 25 }),
    fc.constantFrom('data: [DONE]\n\n', 'data: [DONE]', `data: [DONE]\n\n${line(event('too late'))}`, ''),
  )
  .map(([start, events, end]) => {
    const finish = line({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    return Buffer.concat([start, line(event('first')), ...events, finish, end].map((part) => Buffer.from(part)));
  });

test('an answer is the same whether runs of its events are scanned or every event is parsed', async () => {
  await fc.assert(
    fc.asyncProperty(streams, fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 }), async (bytes, lengths) => {
      // The scanner begins behind a blank line within one chunk, so single bytes never meet it.
      const parsed = await answerTo(bytes, [1]);
      for (const cuts of [lengths, [bytes.length], [Buffer.byteLength(line(event('first'))), bytes.length]]) {
        const scanned = await answerTo(bytes, cuts);
        assert.deepEqual(scanned, parsed);
      }
    }),
    { numRuns: 300 },
  );
});

/** The joined texts and all other events of an answer that comes in pieces of these lengths, or its error. */
async function answerTo(bytes: Buffer, lengths: readonly number[]): Promise<object> {
  let offset = 0;
  let turn = 0;
  const read = async () => {
    if (offset >= bytes.length) return undefined;
    const piece = bytes.subarray(offset, offset + (lengths[turn % lengths.length] ?? 1));
    offset += piece.length;
    turn += 1;
    // Memory of its own, as from the network.
    return new Uint8Array(piece);
  };
  const nothing = () => {};
  const source = {
    response: new Response(),
    read,
    progressed: nothing,
    almostDone: nothing,
    throwIfAborted: nothing,
    finish: nothing,
  };
  const context = { provider: 'p', model: 'm', host: 'h', secrets: [], messageCount: 1, requestTokens: 1 };
  let text = '';
  let reasoning = '';
  const others: object[] = [];
  try {
    for await (const item of readChatAnswer(source, context, new AbortController().signal)) {
      if (item.type === 'text') text += item.text;
      else if (item.type === 'reasoning') reasoning += item.text;
      else others.push(item);
    }
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error));
    return { error: error.message };
  }
  return { text, reasoning, others };
}
