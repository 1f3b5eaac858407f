/** Who may speak to the agent in a chat, and who may run which command. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ListAuthorization } from '../../../src/gateway/intake/list-authorization.ts';
import { Pairing } from '../../../src/gateway/intake/pairing.ts';
import type { SessionSource } from '../../../src/gateway/platform/session-source.ts';
import { ChatService } from '../chat-service.ts';

interface Owner {
  readonly variables?: Record<string, string>;
  readonly extra?: Record<string, unknown>;
}

function authorizationFor(t: TestContext, { variables = {}, extra = {} }: Owner) {
  const home = mkdtempSync(join(tmpdir(), 'hermes-authorization-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { platform, config } = new ChatService();
  const pairing = new Pairing(home);
  const authorization = new ListAuthorization({
    pairing,
    variables: () => variables,
    platform: (name) => (name === 'fake' ? { platform, config: { ...config, extra } } : undefined),
    strangers: undefined,
  });
  return { authorization, pairing };
}

function from(userId: string, chat: Partial<SessionSource> = {}): { readonly source: SessionSource } {
  return {
    source: {
      platform: 'fake',
      chat_id: 'c1',
      chat_name: null,
      chat_type: 'dm',
      user_id: userId,
      user_name: 'Al',
      thread_id: null,
      chat_topic: null,
      ...chat,
    },
  };
}

test('a stranger is told a code once, and is let in as soon as it is approved', async (t) => {
  const { authorization, pairing } = authorizationFor(t, {});
  const asked = await authorization.admit(from('1'));
  assert.ok(asked.as === 'stranger');
  const [code = ''] = /\b[A-HJ-NP-Z2-9]{8}\b/.exec(asked.reply ?? '') ?? [];
  assert.match(asked.reply ?? '', new RegExp(`hermes pairing approve fake ${code}`));
  assert.deepEqual(await authorization.admit(from('1')), { as: 'stranger' });
  await pairing.approve('fake', code);
  assert.deepEqual(await authorization.admit(from('1')), { as: 'allowed' });
});

test('where the owner made a list, strangers hear nothing', async (t) => {
  const { authorization } = authorizationFor(t, { variables: { FAKE_ALLOWED_USERS: '7, 8' } });
  assert.deepEqual(await authorization.admit(from('1')), { as: 'stranger' });
  assert.deepEqual(await authorization.admit(from('8')), { as: 'allowed' });
});

test('a stranger in a group hears nothing, and no code is made', async (t) => {
  const { authorization, pairing } = authorizationFor(t, {});
  assert.deepEqual(await authorization.admit(from('1', { chat_type: 'group' })), { as: 'stranger' });
  assert.deepEqual(pairing.pending('fake'), []);
});

test('a stranger of whom nothing but an invitation or a press came takes no place among the codes', async (t) => {
  const { authorization, pairing } = authorizationFor(t, {});
  assert.deepEqual(await authorization.admit({ ...from('1'), silent: true }), { as: 'stranger' });
  assert.deepEqual(pairing.pending('fake'), []);
  const asked = await authorization.admit(from('1'));
  assert.ok(asked.as === 'stranger' && asked.reply !== undefined);
});

test('an empty list lets nobody in, and a name is no id', async (t) => {
  const { authorization } = authorizationFor(t, { variables: { FAKE_ALLOWED_USERS: ',' } });
  assert.deepEqual(await authorization.admit(from('')), { as: 'stranger' });
  const named = authorizationFor(t, { variables: { FAKE_ALLOWED_USERS: 'Al' } });
  assert.deepEqual(await named.authorization.admit(from('1')), { as: 'stranger' });
});

test('with a list of administrators others run only what is listed for them; talk is not affected', async (t) => {
  const { authorization } = authorizationFor(t, {
    variables: { FAKE_ALLOWED_USERS: '1,2' },
    extra: { allow_admin_from: ['1'], user_allowed_commands: ['/status'] },
  });
  assert.deepEqual(await authorization.admit(from('2')), { as: 'allowed' });
  assert.equal(authorization.tierOf(from('1').source).tier, 'admin');
  assert.equal(authorization.tierOf(from('2').source).tier, 'user');
  assert.equal(authorization.mayRun('model', from('1')), true);
  assert.equal(authorization.mayRun('model', from('2')), false);
  assert.equal(authorization.mayRun('status', from('2')), true);
  assert.equal(authorization.mayRun('whoami', from('2')), true);
  assert.equal(authorization.tierOf(from('2', { chat_type: 'group' }).source).tier, 'unrestricted');
});
