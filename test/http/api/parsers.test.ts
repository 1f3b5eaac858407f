/** Whatever a request holds, it is read or refused with a status, never broken by; and streams say what was said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { AgentEvent, TurnResult } from '../../../src/agent/events.ts';
import { HttpError } from '../../../src/http/answers.ts';
import { AnswerText } from '../../../src/http/api/answer-text.ts';
import { readContent } from '../../../src/http/api/content.ts';
import { readMessages } from '../../../src/http/api/messages.ts';
import { checkSessionId } from '../../../src/http/api/session-headers.ts';
import { TurnOrder } from '../../../src/http/api/turn-order.ts';
import { parseJsonBody } from '../../../src/http/request-body.ts';

function readOrRefused(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof HttpError, String(error));
    assert.ok(error.status >= 400 && error.status < 500);
  }
}

test('any JSON is taken as messages and as content, or refused', () => {
  const role = fc.constantFrom('user', 'assistant', 'system', 'developer', 'tool', 'x');
  const message = fc.record({ role, content: fc.jsonValue() });
  fc.assert(
    fc.property(fc.array(fc.oneof(message, fc.jsonValue())), (messages) => {
      readOrRefused(() => readMessages(JSON.parse(JSON.stringify(messages))));
    }),
  );
  const type = fc.constantFrom('text', 'image_url', 'input_image', 'file', 'output_text');
  const part = fc.record({ type, text: fc.jsonValue(), image_url: fc.oneof(fc.webUrl(), fc.jsonValue()) });
  fc.assert(fc.property(fc.array(part), (parts) => readOrRefused(() => readContent(parts, 'messages[0].content'))));
});

test('any bytes are a body or refused, and what JSON there is comes back as it was', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => readOrRefused(() => parseJsonBody(bytes))));
  const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(object, (value) => {
      assert.deepEqual({ ...parseJsonBody(Buffer.from(JSON.stringify(value))) }, { ...value });
    }),
  );
});

test('no id of a session leads out of a folder', () => {
  fc.assert(
    fc.property(fc.string(), (id) => {
      try {
        checkSessionId(id);
      } catch {
        return;
      }
      assert.ok(!/[\\/]|\.\./.test(id) && id.length <= 256 && id !== '');
    }),
  );
});

test('a text that is asked for again is sent once, however it was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), fc.nat(), (pieces, cutAt) => {
      const text = new AnswerText();
      const say = (piece: string) => text.take({ type: 'text_delta', text: piece });
      const first = pieces.slice(0, cutAt % (pieces.length + 1)).map(say);
      text.take({ type: 'text_reset' } satisfies AgentEvent);
      const second = pieces.map(say);
      const result = { ended: 'completed', finalResponse: pieces.join('') } as TurnResult;
      assert.equal([...first, ...second, text.finish(result)].join(''), pieces.join(''));
    }),
  );
});

test('turns of one conversation run one at a time, in order, whoever gives up waiting', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 20 }), async (givesUp) => {
      const order = new TurnOrder();
      const ran: number[] = [];
      let running = 0;
      const first = await order.enter('a', new AbortController().signal);
      const waiting = givesUp.map(async (gives, index) => {
        const stop = new AbortController();
        const entered = order.enter('a', stop.signal);
        if (gives) stop.abort();
        try {
          const leave = await entered;
          running += 1;
          assert.equal(running, 1);
          ran.push(index);
          await Promise.resolve();
          running -= 1;
          leave();
        } catch (error) {
          assert.ok(gives, String(error));
        }
      });
      first();
      await Promise.all(waiting);
      assert.deepEqual(
        ran,
        [...givesUp.keys()].filter((index) => givesUp[index] === false),
      );
      assert.ok(!order.isBusy('a'));
    }),
  );
});
