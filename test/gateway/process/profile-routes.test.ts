/** Which profile answers in which chat. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import { profileRoutes } from '../../../src/config/multiplex.ts';
import type { SessionSource } from '../../../src/gateway/platform/session-source.ts';
import { routedProfile } from '../../../src/gateway/process/profile-routes.ts';
import { RoutedProfiles } from '../../../src/gateway/process/routed-profiles.ts';
import { temporaryHome } from '../../config/temporary-home.ts';

const source: SessionSource = {
  platform: 'discord',
  chat_id: '7',
  chat_name: null,
  chat_type: 'channel',
  user_id: 'u',
  user_name: null,
  thread_id: null,
  chat_topic: null,
  guild_id: '1',
};

const routes = `profile_routes:
    - {name: all of it, platform: discord, guild_id: 1, profile: server}
    - {name: off, platform: discord, guild_id: 1, chat_id: 7, profile: nobody, enabled: false}
    - {name: one channel, platform: Discord, guild_id: 1, chat_id: 7, profile: coder}
    - {name: one thread, platform: discord, chat_id: 7, thread_id: "70", profile: writer}
    - {name: a group, platform: telegram, chat_id: -1001234, profile: coder}
`;

for (const [where, config] of [
  ['below gateway', `gateway:\n  ${routes}`],
  ['at the top', routes.replaceAll(/^ {4}/gm, '  ')],
] as const) {
  test(`of the routes that fit, ${where}, the most specific counts: thread, chat, guild`, async (t) => {
    const { home, env, write } = temporaryHome(t);
    write('config.yaml', config);
    const known = profileRoutes(await loadConfig({ home, env }));
    const of = (more: Partial<SessionSource>) => routedProfile(known, { ...source, ...more });
    assert.equal(of({}), 'coder');
    assert.equal(of({ chat_id: '8' }), 'server');
    assert.equal(of({ chat_id: '8', parent_chat_id: '7' }), 'coder', 'what hangs below a chat belongs to it');
    assert.equal(of({ thread_id: '70' }), 'writer');
    assert.equal(of({ guild_id: '2', thread_id: '71' }), undefined, 'all that a route names has to fit');
    assert.equal(of({ platform: 'telegram', chat_id: '-1001234' }), 'coder');
    assert.equal(of({ platform: 'telegram' }), undefined);
  });
}

test('a route that leads nowhere is told and left out; a profile with a bot of its own there is told once', async () => {
  const warned: string[] = [];
  const route = (profile: string, platform = 'telegram') => ({ profile, platform, enabled: true });
  const own = { takesFromOthers: () => false };
  const open = (profile: string) => ({ home: { profile }, gateway: profile === 'busy' ? own : undefined });
  const routed = new RoutedProfiles({
    routes: [
      { ...route('nobody'), name: 'typo' },
      { ...route('busy', ''), chat_id: '1' },
      { ...route('shut'), chat_id: '3' },
      { ...route('main'), chat_id: '4' },
      route('busy'),
    ],
    own: 'main',
    others: {
      names: ['busy', 'shut'],
      open: [],
      find: (name: string) => Promise.resolve(open(name)) as never,
    },
    warn: (line) => void warned.push(line),
  });
  assert.deepEqual(warned, [
    'The entry "typo" of profile_routes is left out: there is no profile "nobody".',
    'The entry of profile_routes is left out: it names no platform.',
  ]);
  const chat = { ...source, platform: 'telegram' };
  assert.equal(await routed.find({ ...chat, chat_id: '9' }), undefined);
  assert.equal(await routed.find({ ...chat, chat_id: '9' }), undefined);
  assert.equal(warned.length, 3);
  assert.match(warned[2] ?? '', /busy, which has a bot of its own there: they are answered by main/);
  assert.equal(routed.find({ ...chat, chat_id: '4' }), undefined);
  await assert.rejects(routed.find({ ...chat, chat_id: '3' }) ?? Promise.resolve(), /cannot be reached just now/);
});
