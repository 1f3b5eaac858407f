/** `profile_routes` with bots of real platforms, as the people who write to them see it. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ChatAddress } from '../../../src/gateway/platform/adapter.ts';
import { configFor } from '../../cli/hermes-process.ts';
import { matrix } from '../../fakes/matrix-platform.ts';
import { type ModelServer, type RecordedRequest, startModelServer, type Step } from '../../fakes/model-server.ts';
import { makePng } from '../../fakes/pictures.ts';
import { textOf } from '../../runtime/support.ts';
import type { FakePlatform } from '../fake-platform.ts';
import { gatewayPlace, type GatewayPlace, until } from './support.ts';

const quiet = `auxiliary:
  title_generation:
    enabled: false
display:
  platforms:
    telegram: {streaming: false, tool_progress: off}
    matrix: {streaming: false, tool_progress: off}
`;

interface RoutedPlace extends GatewayPlace {
  readonly rooms: FakePlatform;
}

/** The bots are those of the default profile; `coder` has none, and answers in one group, one topic and one room. */
async function routedPlace(t: TestContext, model: ModelServer): Promise<RoutedPlace> {
  const rooms = await matrix.open();
  t.after(() => rooms[Symbol.asyncDispose]());
  const variables = Object.entries(rooms.variables).map(([name, value]) => `${name}=${value}\n`);
  const { otherGroup } = rooms.places;
  const place = await gatewayPlace(t, model, {
    dotenv: `TELEGRAM_ALLOWED_USERS=1001\nMATRIX_ALLOWED_USERS=@fred:example.org\n${variables.join('')}`,
    config: `  matrix:
    extra: {e2ee_mode: off, require_mention: false}
gateway:
  multiplex_profiles: true
  profile_routes:
    - {name: group, platform: telegram, chat_id: -1002, profile: coder}
    - {name: topic, platform: telegram, chat_id: -1001, thread_id: 7, profile: coder}
    - {name: room, platform: matrix, chat_id: "${otherGroup.chatId}", profile: coder}
`,
  });
  place.write(
    'config.yaml',
    place
      .read('config.yaml')
      .replace('tool_progress: off\n', 'tool_progress: off\n    matrix: {streaming: false, tool_progress: off}\n'),
  );
  place.write('profiles/coder/config.yaml', configFor(model).replace('test-key', 'key-of-coder') + quiet);
  place.write('profiles/coder/.no-bundled-skills', '');
  return { ...place, rooms };
}

/** Says whose key it was asked with; asks back, or never ends, when it is told to. */
function answer({ headers, body }: RecordedRequest): Step {
  const last = body.messages.at(-1);
  const said = textOf(last);
  const who = headers.authorization === 'Bearer key-of-coder' ? 'coder' : 'default';
  if (last?.role === 'tool') return { text: `${who} heard ${/"user_response":"(\w+)"/.exec(said)?.[1]}` };
  if (said.includes('ask me'))
    return { toolCalls: [{ name: 'clarify', arguments: { question: 'Which?', choices: ['left', 'right'] } }] };
  if (said.includes('look at this')) return { text: `${who} sees ${JSON.stringify(last).includes('data:image/png')}` };
  return { text: `${who} here` };
}

test('chats, topics and rooms that are routed are answered by the other profile through the bots of this one', async (t) => {
  await using model = await startModelServer({ respond: answer });
  const place = await routedPlace(t, model);
  const { telegram, rooms } = place;
  const running = { gateway: place.run() };
  await place.inState(running.gateway, 'running');
  const textsIn = (fake: FakePlatform, at: ChatAddress) => fake.shown(at).map(({ text }) => text);
  const isTold = async (fake: FakePlatform, at: ChatAddress, expected: string): Promise<void> =>
    await until(() => textsIn(fake, at).includes(expected), running.gateway);
  const hi = async (fake: FakePlatform, at: ChatAddress, expected: string): Promise<void> => {
    await fake.write({ in: at, text: 'hi' });
    await isTold(fake, at, expected);
  };
  const routed = telegram.places.otherGroup;
  const room = rooms.places.otherGroup;
  await Promise.all([
    hi(telegram, telegram.places.dm, 'default here'),
    hi(telegram, telegram.places.group, 'default here'),
    hi(telegram, telegram.places.thread, 'coder here'),
    hi(telegram, routed, 'coder here'),
    hi(rooms, rooms.places.group, 'default here'),
    hi(rooms, room, 'coder here'),
  ]);

  const picture = { kind: 'image', name: 'a.png', mime: 'image/png', bytes: makePng(3, 2) } as const;
  await telegram.write({ in: routed, text: 'look at this', file: picture });
  await rooms.write({ in: room, text: 'look at this', file: picture });
  await isTold(telegram, routed, 'coder sees true');
  await isTold(rooms, room, 'coder sees true');
  assert.equal(readdirSync(join(place.home, 'profiles/coder/cache/images')).length, 2);
  assert.ok(!existsSync(join(place.home, 'cache/images')), 'the profile of the bot keeps no copy');

  for (const [fake, at] of [
    [telegram, routed],
    [rooms, room],
  ] as const) {
    await fake.write({ in: at, text: 'ask me' });
    await until(() => fake.shown(at).some(({ buttons }) => buttons.length > 1), running.gateway);
    const asked = fake.shown(at).findLast(({ buttons }) => buttons.length > 1);
    await fake.press?.(asked?.id ?? '', 'right', 'friend');
    await isTold(fake, at, 'coder heard right');
  }

  model.enqueue({ fault: 'hang' }, { fault: 'hang' });
  const before = model.requests.length;
  await telegram.write({ in: routed, text: 'work' });
  await rooms.write({ in: room, text: 'work' });
  await model.requestArrived(before + 2);
  running.gateway.child.kill('SIGKILL');
  await running.gateway.ended;
  const here = (fake: FakePlatform, at: ChatAddress) =>
    textsIn(fake, at).filter((text) => text === 'coder here').length;
  running.gateway = place.run();
  await until(() => here(telegram, routed) === 2 && here(rooms, room) === 2, running.gateway);
  assert.ok(!model.requests.slice(before).some(({ headers }) => headers.authorization !== 'Bearer key-of-coder'));
  const routesOf = (name: string) => place.read(join(name, 'sessions/sessions.json'));
  assert.doesNotMatch(routesOf('.'), /agent:coder|-1002|other:example/);
  const keys = [
    'telegram:group:-1002:1001',
    'telegram:group:-1001:7',
    'matrix:group:!other:example.org:@fred:example.org',
  ];
  for (const key of keys) assert.match(routesOf('profiles/coder'), new RegExp(`"agent:coder:${key}"`));
});
