/** What the platform of a plug-in makes of its settings, and that its code cannot break them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/lib/json.ts';
import type { Log } from '../../src/lib/log.ts';
import { type PlatformReport, readPlatform } from '../../src/gateway/process/configured-platforms.ts';
import { platformOf } from './platform-of-plugin.ts';

// Code is loaded once from each.
let folders = 0;

type Variables = Readonly<Record<string, string>>;

/** A plug-in with these fields beside the ones that every platform has, read with these settings. */
async function readWith(
  fields: string,
  { raw = {}, variables = {} }: { readonly raw?: JsonObject; readonly variables?: Variables },
): Promise<PlatformReport & { readonly logged: readonly string[] }> {
  const logged: string[] = [];
  const line = (level: string) => (message: string) => void logged.push(`${level}: ${message}`);
  const log: Log = {
    debug: line('debug'),
    info: line('info'),
    warning: line('warning'),
    error: line('error'),
    named: () => log,
    forSession: () => log,
  };
  const code = `export default (ctx) => ctx.registerPlatform({ name: 'board', label: 'Board',
    adapter_factory: () => ({}), ${fields} });`;
  folders += 1;
  const platform = await platformOf(`board${folders}`, code, { log });
  return { ...readPlatform(platform, { raw, variables }), logged };
}

const block = (keys: JsonObject): JsonObject => ({ platforms: { board: keys } });

test('apply_yaml_config_fn puts what the file says into its own words; what is set in the environment wins', async () => {
  const fields = `required_env: ['BOARD_TOKEN'], optional_env: ['BOARD_ROOM'],
    apply_yaml_config_fn: (all, own, env) => {
      env.BOARD_TOKEN = 'from file ' + own.key;
      env.BOARD_ROOM = 'from file';
      env.BOARD_ALLOWED_USERS = '*';
      env.BOARD_HOME_CHANNEL = 'lobby';
      env.PATH = '/tmp';
      return { zone: all.timezone, enabled: false, allow_from: ['*'], seen: JSON.stringify(all) };
    }`;
  const raw = {
    ...block({ enabled: true, key: 7, secret: 'mine' }),
    timezone: 'Europe/Rome',
    providers: { acme: { api_key: 'sk-not-yours', base_url: 'https://me:not-yours@acme.example' } },
    mcp_servers: {
      s: { headers: { 'X-Api-Key': 'not-yours' }, args: ['--token', 'ghp_notyours0123456789'], botToken: 'not-yours' },
    },
  };
  const { configured, config } = await readWith(fields, { raw, variables: { BOARD_ROOM: 'set' } });
  assert.equal(configured, true);
  assert.equal(config.enabled, true, 'it cannot switch itself off, nor let people in');
  assert.deepEqual(config.extra['env'], { BOARD_TOKEN: 'from file 7', BOARD_ROOM: 'set' });
  assert.deepEqual([config.extra['zone'], config.extra['secret']], ['Europe/Rome', 'mine']);
  assert.equal(config.extra['allow_from'], undefined);
  assert.equal(config.token, 'from file 7');
  assert.equal(config.homeChannel?.chatId, 'lobby');
  assert.match(String(config.extra['seen']), /acme\.example/);
  assert.doesNotMatch(String(config.extra['seen']), /not-?yours/, 'keys of others stay where they are');
});

test('apply_yaml_config_fn that throws, or gives what cannot be read, changes nothing and is in the log of its author only', async () => {
  for (const [wrong, why] of [
    [
      "(all, own, env) => { all.platforms.board.room = 'x'; env.BOARD_TOKEN = 'x'; throw new Error('no\\n idea') }",
      /no/,
    ],
    ["async () => { throw new Error('later') }", /a promise where its answer is needed at once/],
    ['() => ({ room: () => 1 })', /could not be cloned/],
  ] as const) {
    const fields = `required_env: ['BOARD_TOKEN'], apply_yaml_config_fn: ${wrong}`;
    const raw = block({ room: 'hall' });
    const found = await readWith(fields, { raw, variables: { BOARD_TOKEN: 'set' } });
    assert.deepEqual([found.configured, found.problems], [true, []], wrong);
    assert.deepEqual(found.config.extra, { room: 'hall', env: { BOARD_TOKEN: 'set' } });
    assert.equal(
      found.logged.some((each) => /^(warning|error)/.test(each)),
      false,
    );
    assert.match(
      found.logged.join('\n'),
      new RegExp(`^debug: apply_yaml_config_fn of board failed: .*${why.source}`, 'm'),
    );
  }
  const junk = await readWith("required_env: ['BOARD_TOKEN'], apply_yaml_config_fn: () => 'junk'", {
    raw: block({ room: 'hall' }),
    variables: { BOARD_TOKEN: 'set' },
  });
  assert.deepEqual(junk.config.extra, { room: 'hall', env: { BOARD_TOKEN: 'set' } });
});

test('a file that says nothing of it is not shown to apply_yaml_config_fn', async () => {
  const { config } = await readWith("required_env: ['BOARD_TOKEN'], apply_yaml_config_fn: () => ({ seen: true })", {
    raw: { timezone: 'Europe/Rome' },
    variables: { BOARD_TOKEN: 'set' },
  });
  assert.equal(config.extra['seen'], undefined);
});

test('is_connected decides whether the variables alone are enough, before check_fn is asked', async () => {
  const fields = `optional_env: ['BOARD_ROOM'], is_connected: ({ extra }) => extra.env.BOARD_ROOM !== undefined,
    check_fn: () => { throw new Error('no net') }`;
  const without = await readWith(fields, {});
  assert.deepEqual([without.configured, without.problems], [false, []]);
  const asked = await readWith(fields, { variables: { BOARD_ROOM: 'hall' } });
  assert.deepEqual([asked.configured, asked.problems], [false, ['Board: its plug-in failed: no net']]);
});

test('a promise is not taken for a yes', async () => {
  const { configured, problems } = await readWith("required_env: ['BOARD_TOKEN'], check_fn: async () => false", {
    variables: { BOARD_TOKEN: 'set' },
  });
  assert.deepEqual(
    [configured, problems],
    [false, ['Board: its plug-in failed: it gave a promise where its answer is needed at once']],
  );
});
