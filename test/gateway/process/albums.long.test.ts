/** Several pictures in one message, as Telegram has them, while the gateway is killed. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RecordedRequest, startModelServer } from '../../fakes/model-server.ts';
import { makePng } from '../../fakes/pictures.ts';
import { gatewayPlace, until } from './support.ts';

const dm = { chatId: '1001', threadId: null };
const names = ['a.png', 'b.png', 'c.png'];
const bytes = makePng(3, 2);

function picturesIn(request: RecordedRequest | undefined): number {
  return JSON.stringify(request?.body.messages).split('data:image/png').length - 1;
}

test('killed while an album comes in and while one goes out, a gateway loses no picture and repeats none without a mark', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model, {
    // So long that the kill comes before the album is complete.
    dotenv: 'TELEGRAM_ALLOWED_USERS=1001\nHERMES_TELEGRAM_MEDIA_BATCH_DELAY_SECONDS=10\n',
  });
  const { telegram } = place;
  const paths = names.map((name) => {
    place.write(`cache/images/${name}`, bytes);
    return join(place.home, 'cache/images', name);
  });
  model.enqueue({ text: ['Here they are:', ...paths.map((path) => `MEDIA:${path}`)].join('\n') });

  const first = place.run();
  await place.inState(first, 'running');
  const said: string[] = [];
  for (const name of names) {
    const text = name === 'a.png' ? 'what is this?' : '';
    said.push(
      await telegram.write({ in: dm, text, album: 'one', file: { kind: 'image', name, mime: 'image/png', bytes } }),
    );
  }
  await until(() => said.every((id) => telegram.isAcknowledged(id)), first);
  assert.equal(model.requests.length, 0);
  first.child.kill('SIGKILL');
  await first.ended;

  const never = Promise.withResolvers<void>();
  t.after(() => never.resolve());
  telegram.server.hold('sendMediaGroup', never.promise);
  const second = place.run();
  const groups = () => telegram.server.requests.filter(({ method }) => method === 'sendMediaGroup').length;
  await until(() => groups() === 1, second);
  assert.equal(model.requests.length, 1);
  assert.equal(picturesIn(model.requests[0]), 3, 'the three are one message');
  second.child.kill('SIGKILL');
  await second.ended;
  telegram.server.hold('sendMediaGroup', Promise.resolve());
  const third = place.run();
  const pictures = () => telegram.shown(dm).filter(({ file }) => file !== undefined);
  await until(() => pictures().length >= 3, third);
  await place.inState(third, 'running');
  third.child.kill('SIGTERM');
  await third.ended;
  assert.deepEqual(
    pictures().map(({ file }) => file?.name),
    names,
  );
  assert.match(pictures()[0]?.text ?? '', /^♻️ This may be a repeat/, 'the first try may have arrived');
  assert.equal(place.texts().filter((text) => text.startsWith('Here they are:')).length, 1);
  assert.equal(model.requests.length, 1);
});
