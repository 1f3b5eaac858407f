/** One listener for several profiles: what is asked below `/p/<profile>/` is answered by that profile, with what it has. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { noGateway } from '../../src/http/api/gateway-view.ts';
import type { OtherProfiles } from '../../src/http/profile-mounts.ts';
import { UserError } from '../../src/lib/errors.ts';
import type { Program } from '../../src/runtime/program.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { placeFor } from '../runtime/support.ts';
import { apiConfig, key, startApi } from './api/support.ts';
import { askedOf, FakeChats, secret, sendSigned, startHooks } from './webhooks/support.ts';

const keyOfCoder = 'k-of-coder-0123456789';

/** A profile beside the one that listens; `broken` is one that cannot be opened. */
async function coderAt(t: TestContext, config: string, respond = () => ({ text: 'from coder' })) {
  const model = await startModelServer({ respond });
  t.after(() => model.close());
  const bare = temporaryHome(t);
  const home = { ...bare, home: { ...bare.home, profile: 'coder' } };
  const place = placeFor(t, model, config, { home });
  return { model, place, program: await place.open() };
}

function others<Profile>(coder: Profile): OtherProfiles<Profile> {
  return {
    isOpen: (name) => name === 'coder',
    keyOf: () => Promise.resolve(undefined),
    find(name) {
      if (name === 'broken') throw new UserError('its database is damaged');
      return Promise.resolve(name === 'coder' ? coder : undefined);
    },
    whenOpen: (told) => told('coder'),
  };
}

const asked = { model: 'any', messages: [{ role: 'user', content: 'who are you?' }] };

async function textOf(response: Response): Promise<unknown> {
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content;
}

test('the API below /p/<profile>/ runs with that profile, and its conversations are in no other list', async (t) => {
  const { program } = await coderAt(t, '');
  const coder = { program, gateway: noGateway };
  const { post, ask } = await startApi(t, { respond: () => ({ text: 'from default' }), others: others(coder) });
  assert.equal(await textOf(await post('/p/coder/v1/chat/completions', asked)), 'from coder');
  assert.equal(await textOf(await post('/v1/chat/completions', asked)), 'from default');
  assert.equal(await textOf(await post('/p/default/v1/chat/completions', asked)), 'from default');
  const listed = async (path: string) => ((await (await ask(path)).json()) as { data: { id: string }[] }).data;
  assert.deepEqual(
    (await listed('/p/coder/v1/models')).map(({ id }) => id),
    ['coder'],
  );
  assert.deepEqual(
    (await listed('/v1/models')).map(({ id }) => id),
    ['hermes-agent'],
  );
  assert.deepEqual([(await listed('/p/coder/api/sessions')).length, (await listed('/api/sessions')).length], [1, 1]);
  const nobody = await ask('/p/nope/v1/models');
  assert.deepEqual([nobody.status, await nobody.json()], [404, { error: 'Unknown or unconfigured profile' }]);
});

test('the key of the listener opens all profiles; one that a profile has of its own opens only that', async (t) => {
  const { program } = await coderAt(t, apiConfig('{}').replace(key, keyOfCoder));
  const { url, ask } = await startApi(t, { others: others({ program, gateway: noGateway }) });
  const statusOf = async (path: string, given: string) =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${given}` } })).status;
  assert.equal((await ask('/p/coder/v1/models')).status, 200);
  assert.equal(await statusOf('/p/coder/v1/models', keyOfCoder), 200);
  assert.equal(await statusOf('/v1/models', keyOfCoder), 401);
  assert.equal(await statusOf('/p/coder/v1/models', 'k-of-nobody-0123456789'), 401);
});

test('a profile that is not open is opened for nobody without a key, and its own key opens it', async (t) => {
  const { program } = await coderAt(t, apiConfig('{}').replace(key, keyOfCoder));
  const opened: string[] = [];
  let isOpen = false;
  const { url } = await startApi(t, {
    others: {
      isOpen: () => isOpen,
      keyOf: (name) => Promise.resolve(name === 'coder' ? keyOfCoder : undefined),
      find(name) {
        opened.push(name);
        isOpen = name === 'coder';
        return Promise.resolve(isOpen ? { program, gateway: noGateway } : undefined);
      },
      whenOpen: () => undefined,
    },
  });
  const statusOf = async (path: string, given?: string) =>
    (await fetch(url + path, { headers: given === undefined ? {} : { authorization: `Bearer ${given}` } })).status;
  for (const path of ['/p/coder/v1/models', '/p/coder/health', '/p/coder/nothing', '/p/nope/v1/models']) {
    assert.equal(await statusOf(path), 401, path);
    assert.equal(await statusOf(path, 'k-of-nobody-0123456789'), 401, path);
  }
  assert.equal(await statusOf('/p/nope/v1/models', keyOfCoder), 401, 'its key opens no other');
  assert.deepEqual(opened, []);
  assert.equal(await statusOf('/p/coder/v1/models', keyOfCoder), 200);
  assert.deepEqual(opened, ['coder']);
  assert.equal(await statusOf('/p/coder/health'), 200, 'once it is open, strangers learn that it is up');
  assert.equal(await statusOf('/p/nope/v1/models', key), 404);
});

test('a profile that cannot be opened is told so, without the reason, and the others answer', async (t) => {
  const { program } = await coderAt(t, '');
  const { ask } = await startApi(t, { others: others({ program, gateway: noGateway }) });
  const refused = await ask('/p/broken/v1/models');
  assert.equal(refused.status, 503);
  assert.ok(!(await refused.text()).includes('damaged'));
  assert.equal((await ask('/v1/models')).status, 200);
});

function hooksOf(program: Program, chats: FakeChats) {
  return others({ program, chats });
}

const route = (prompt: string) => `{prompt: "${prompt}", deliver: telegram, deliver_extra: {chat_id: "5"}}`;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('an event below /p/<profile>/ starts a turn of that profile: by its own route, else by that of the listener', async (t) => {
  const own = `platforms:\n  webhook:\n    extra: {secret: ${secret}, routes: {own: ${route('for coder')}}}\n`;
  const { program, model, place } = await coderAt(t, own);
  const chats = new FakeChats();
  const hooks = await startHooks(t, {
    extra: `routes: {r: ${route('for all')}}`,
    respond: () => ({ text: 'from default' }),
    others: hooksOf(program, chats),
  });
  const { url } = hooks.server;
  const id = { 'x-github-delivery': 'd-1' };
  assert.equal((await sendSigned(`${url}/p/coder`, 'own', {}, id)).status, 202);
  assert.equal((await sendSigned(`${url}/p/coder`, 'r', {}, id)).status, 202);
  assert.equal(
    (await sendSigned(url, 'r', {}, id)).status,
    202,
    'the same delivery is another one for another profile',
  );
  assert.equal((await sendSigned(url, 'own', {}, id)).status, 404);
  assert.equal((await sendSigned(`${url}/p/nope`, 'r', {}, id)).status, 404);
  await until(() => chats.sent.length === 2 && hooks.chats.sent.length === 1);
  assert.deepEqual(new Set(chats.sent.map(({ text }) => text)), new Set(['from coder']));
  assert.deepEqual(
    hooks.chats.sent.map(({ text }) => text),
    ['from default'],
  );
  assert.ok(askedOf(model).some((text) => text.includes('for coder')));
  using database = new DatabaseSync(join(place.homePath, 'state.db'), { readOnly: true });
  const keys = database.prepare('SELECT session_key, profile_name FROM sessions').all();
  assert.deepEqual(
    keys.map((row) => row['profile_name']),
    ['coder', 'coder'],
  );
  assert.ok(keys.every((row) => String(row['session_key']).startsWith('agent:coder:webhook:')));
});

test('what an earlier process accepted for another profile is finished as soon as that is open', async (t) => {
  const { program } = await coderAt(t, '');
  const target = { to: 'chat', platform: 'telegram', chatId: '5' };
  const job = JSON.stringify({ event: 'push', prompt: 'go on', skills: [], target, deliverOnly: false });
  assert.notEqual(await program.store?.webhooks.accept({ route: 'gone', deliveryId: 'd-1', job }), undefined);
  const chats = new FakeChats();
  await startHooks(t, { others: hooksOf(program, chats) });
  await until(() => chats.sent.length === 1);
  assert.equal(chats.sent[0]?.text, 'from coder');
});
