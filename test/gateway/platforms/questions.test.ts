/** A question of the agent as people see it on platforms that have something to press. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matrix } from '../../fakes/matrix-platform.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { telegram } from '../../fakes/telegram-platform.ts';
import { textOf } from '../../runtime/support.ts';
import { configOf, until } from '../fake-host.ts';
import { openGateway } from '../support.ts';

const buttons = ['staging', 'production', 'In my own words'];

for (const tested of [telegram, matrix]) {
  const { platform } = tested;
  test(`${platform.label}: a choice is pressed, another question is answered in words`, async (t) => {
    await using server = await startModelServer({ strict: true });
    const fake = await tested.open();
    t.after(() => fake[Symbol.asyncDispose]());
    const { dm } = fake.places;
    const config = configOf(platform, fake.variables, fake.block);
    const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\nstreaming:\n  enabled: false\n';
    await openGateway(t, server, { config: quiet, platforms: [{ platform, config }] });
    const shows = async (text: RegExp): Promise<void> =>
      await until(() => fake.shown(dm).some((message) => text.test(message.text)));
    const heard = (): string => textOf(server.lastRequest.body.messages.findLast(({ role }) => role === 'tool'));
    const question = { question: 'Where *to*?', choices: ['staging', 'production'] };
    const asking = { toolCalls: [{ name: 'clarify', arguments: question }] };
    server.enqueue(asking, { text: 'Shipped.' }, asking, { text: 'Brought there.' });

    await fake.write({ in: dm, text: 'ship it' });
    await until(() => fake.shown(dm).some((message) => message.buttons.length === 3));
    const asked = fake.shown(dm).find((message) => message.buttons.length === 3);
    assert.match(asked?.text ?? '', /^❓ Where .*to.*\?/);
    assert.deepEqual(asked?.buttons, buttons);
    await fake.press?.(asked?.id ?? '', 'production', 'friend');
    await shows(/^Shipped\.$/);
    assert.match(heard(), /"user_response":"production"/);
    await shows(/^❓ Where [^]*✅ production$/);

    await fake.write({ in: dm, text: 'once more' });
    await until(() => fake.shown(dm).some((message) => message.buttons.length === 3));
    const again = fake.shown(dm).find((message) => message.buttons.length === 3);
    await fake.press?.(again?.id ?? '', 'In my own words', 'friend');
    await shows(/Answer with your next message\.$/);
    await fake.write({ in: dm, text: 'to my laptop' });
    await shows(/^Brought there\.$/);
    assert.match(heard(), /"user_response":"to my laptop"/);
  });
}
