/** The bounds on what a server sends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { FrameGuard } from '../../../src/coding/lsp/frame-guard.ts';

const frame = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test('messages pass unchanged, however they are cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      async (bodies, cuts) => {
        const bytes = Buffer.from(bodies.map(frame).join(''));
        const guard = new FrameGuard({ message: 1000, total: 100_000 });
        const passed = text(guard);
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const end = at + cuts[turn % cuts.length]!;
          guard.write(bytes.subarray(at, end));
          at = end;
        }
        guard.end();
        assert.equal(await passed, bytes.toString('utf8'));
      },
    ),
    { numRuns: 200 },
  );
});

test('a message that is too long, one without a length, and too much of all end it', async () => {
  const problems: readonly [string, RegExp][] = [
    [frame('x'.repeat(1001)), /a message of 1001 bytes/],
    ['Content-Type: text\r\n\r\n{}', /without its length/],
    ['Content-Length: -5\r\n\r\n{}', /without its length/],
    ['y'.repeat(2001), /no message/],
    [frame('x'.repeat(900)).repeat(3), /more than 2600 bytes/],
  ];
  for (const [sent, problem] of problems) {
    const guard = new FrameGuard({ message: 1000, total: 2600 });
    guard.resume();
    const failed = once(guard, 'error');
    guard.write(sent);
    const [error] = await failed;
    assert.match(String(error), problem);
  }
});
