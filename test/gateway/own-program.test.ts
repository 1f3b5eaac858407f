/** `/update`, `/debug` and `/curator` in chats: for the owner alone, and nothing secret of them is shown. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { OwnProgram } from '../../src/gateway/commands/own-program.ts';
import { RunCommands } from '../../src/gateway/commands/run-commands.ts';
import { ListAuthorization } from '../../src/gateway/intake/list-authorization.ts';
import { Pairing } from '../../src/gateway/intake/pairing.ts';
import { UserError } from '../../src/lib/errors.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { placeFor } from '../runtime/support.ts';
import { ChatService } from './chat-service.ts';
import { openGateway } from './support.ts';

const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\n';

interface Owner {
  readonly variables?: Readonly<Record<string, string>>;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly fake?: ChatService;
  readonly hermes?: Partial<OwnProgram>;
}

async function openFor(t: TestContext, server: { readonly url: string }, owner: Owner) {
  const { variables = { FAKE_ALLOWED_USERS: 'ann' }, extra = {}, fake = new ChatService() } = owner;
  const place = placeFor(t, server, quiet);
  const pairing = new Pairing(place.homePath);
  const authorization = new ListAuthorization({
    pairing,
    variables: () => variables,
    platform: () => ({ platform: fake.platform, config: { ...fake.config, extra } }),
    strangers: undefined,
  });
  const ran: string[] = [];
  const hermes: OwnProgram = {
    run(words) {
      ran.push(words.join(' '));
      return Promise.resolve(`did ${words.join(' ')}`);
    },
    update() {
      ran.push('update');
      return Promise.resolve('one new commit');
    },
    ...owner.hermes,
  };
  const commands = new RunCommands({
    version: '0.0.0',
    startedAt: 0,
    hermes,
    saveVariables: () => Promise.resolve(),
    restart: () => false,
  });
  const opened = await openGateway(t, server, { fake, place, commands, authorization });
  const ask = async (text: string, user = 'ann', more: Parameters<ChatService['say']>[1] = {}): Promise<string> => {
    const chat = more.chat ?? 'c1';
    const before = fake.texts(chat).length;
    await fake.say(text, { user, ...more });
    await fake.until(() => fake.texts(chat).length > before);
    return fake.texts(chat)[before] ?? '';
  };
  return { ...opened, ask, ran, pairing };
}

const inGroup = {
  platform: 'fake',
  chat_id: 'g1',
  chat_name: 'Friends',
  chat_type: 'group',
  user_id: 'ann',
  user_name: 'ann',
  thread_id: null,
  chat_topic: null,
} as const;

const all = ['/update', '/debug', '/debug local', '/curator', '/curator run'];

test('an administrator may have the program looked after, and nobody else, whatever a list of commands says', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'The model was asked.' }) });
  const { ask, ran } = await openFor(t, server, {
    variables: { FAKE_ALLOWED_USERS: '*' },
    extra: { allow_admin_from: ['ann'], user_allowed_commands: ['update', 'debug', 'curator', 'status'] },
  });
  for (const line of all) assert.match(await ask(line, 'bob'), /^\/\w+ is for administrators here/, line);
  assert.doesNotMatch(await ask('/commands', 'bob'), /update|debug|curator/);
  assert.doesNotMatch(await ask('/whoami', 'bob'), /update|debug|curator/);
  assert.deepEqual(ran, []);
  assert.equal(await ask('/update'), 'one new commit');
  assert.equal(await ask('/debug'), 'did debug share');
  assert.equal(await ask('/curator'), 'did curator status');
  assert.equal(server.requests.length, 0);
});

test('where no administrators are named the only person of the lists is the owner, and of several nobody is', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'The model was asked.' }) });
  const single = await openFor(t, server, {});
  assert.equal(await single.ask('/update'), 'one new commit');
  for (const variables of [
    { FAKE_ALLOWED_USERS: 'ann,bob' },
    { FAKE_ALLOWED_USERS: '*' },
    { FAKE_ALLOW_ALL_USERS: 'true' },
    { FAKE_ALLOWED_USERS: 'ann', GATEWAY_ALLOWED_USERS: 'bob' },
  ]) {
    const several = await openFor(t, server, { variables });
    for (const line of all) {
      const [name = ''] = line.split(' ');
      assert.match(
        await several.ask(line),
        new RegExp(`^${name} is for administrators, and none are named: allow_admin_from`),
      );
    }
    assert.deepEqual(several.ran, []);
  }
  const guest = { FAKE_ALLOWED_USERS: 'ann', FAKE_ALLOW_ALL_USERS: 'true' };
  const open = await openFor(t, server, { variables: guest });
  assert.match(await open.ask('/debug local', 'bob'), /is for administrators/);
  const { code } = await open.pairing.request('fake', { userId: 'cid', userName: null });
  assert.equal(await open.ask('/curator'), 'did curator status');
  await open.pairing.approve('fake', code ?? '');
  assert.match(await open.ask('/curator'), /is for administrators/);
  assert.equal(server.requests.length, 0);
});

test('/curator takes what is for a chat, and no option of the whole program', async (t) => {
  await using server = await startModelServer();
  const { ask, ran } = await openFor(t, server, {});
  for (const line of ['usage', 'run --dry-run', 'run --consolidate', 'pause', 'resume', 'list-archived'])
    assert.equal(await ask(`/curator ${line}`), `did curator ${line}`);
  for (const verb of ['pin', 'unpin', 'archive', 'restore'])
    assert.equal(await ask(`/curator ${verb} tea-making`), `did curator ${verb} tea-making`);
  const before = ran.length;
  for (const [line, said] of [
    ['status --profile work', /^\/curator status does not take '--profile'/],
    ['run -p work', /^\/curator run does not take '-p'\.\nIt takes: --dry-run, --consolidate/],
    ['pin --profile=work', /^Usage: \/curator pin NAME/],
    ['archive tea --yolo', /^Usage: \/curator archive NAME/],
    ['pin', /^Usage: \/curator pin NAME/],
    ['rollback -y', /^\/curator rollback is not for chats/],
    ['prune', /^\/curator prune is not for chats\.\nHere there are status, .*pin/],
  ] as const)
    assert.match(await ask(`/curator ${line}`), said);
  assert.equal(ran.length, before);
});

test('/debug local shows a report without secrets, in a private chat only; an upload is said to be missing', async (t) => {
  await using server = await startModelServer();
  const line = 'a line with test-key, sk-ant-REDACTED and ```\n'.replace('REDACTED', 'api03-0123456789abcdefghij');
  const { ask } = await openFor(t, server, {
    fake: new ChatService({ facts: { maxMessageLength: 0 } }),
    hermes: { run: (words) => Promise.resolve(`${words.join(' ')}\n${line.repeat(500)}`) },
  });
  const shown = await ask('/debug local');
  assert.match(shown, /^```\ndebug share --local --lines 20\na line with/);
  assert.match(shown, /… the whole of it: \/debug\n```$/);
  assert.doesNotMatch(shown, /test-key|0123456789/);
  assert.equal(shown.split('```').length, 3);
  assert.match(await ask('/debug local', 'ann', { chat: 'g1', source: inGroup }), /private chat only/);
  for (const word of ['nous', '--no-redact', 'share'])
    assert.match(await ask(`/debug ${word}`), /is not known here: reports are not uploaded in this build/);
});

test('a platform of a plug-in that does not want /update has none; what hinders an update is told', async (t) => {
  await using server = await startModelServer();
  const closed = await openFor(t, server, { fake: new ChatService({ facts: { allowsUpdate: false } }) });
  assert.match(await closed.ask('/update'), /^\/update is not for this platform/);
  assert.equal(await closed.ask('/curator'), 'did curator status');
  assert.deepEqual(closed.ran, ['curator status']);
  const hindered = await openFor(t, server, {
    hermes: {
      update: () => Promise.reject(new UserError('There are changes in this checkout', { hint: 'git stash' })),
    },
  });
  assert.equal(await hindered.ask('/update'), 'There are changes in this checkout\ngit stash');
});
