import assert from 'node:assert/strict';
import { test } from 'node:test';
import { platform } from '../../../../src/gateway/platforms/telegram/telegram.ts';

const token = '123456789:AAsome-token-of-a-bot-0123456789abcdef';
const set = { TELEGRAM_BOT_TOKEN: token };

test('a token is enough, in the environment or in config.yaml, and the environment wins', () => {
  assert.equal(platform.read(set, {}).token, token);
  assert.equal(platform.read({}, { token }).token, token);
  assert.equal(platform.read(set, { token: '1:other' }).token, token);
  assert.deepEqual(platform.read(set, {}).problems, []);
  assert.doesNotMatch(JSON.stringify(platform.read({}, { token }).extra), /AAsome/);
});

test('an example in the place of the token is told and not used', () => {
  for (const example of ['xxx', 'your_token_here', '${TELEGRAM_BOT_TOKEN}', '123/abc']) {
    const { configured, problems } = platform.read({ TELEGRAM_BOT_TOKEN: example }, {});
    assert.equal(configured, false, example);
    assert.match(problems[0] ?? '', /@BotFather/);
  }
  assert.deepEqual(platform.read({}, {}), { configured: false, extra: {}, problems: [] });
});

test('for what platforms share the file beats the variable, for everything else the variable the file', () => {
  const variables = {
    ...set,
    TELEGRAM_REQUIRE_MENTION: 'true',
    TELEGRAM_ALLOWED_CHATS: '-1,-2',
    TELEGRAM_GUEST_MODE: 'true',
    TELEGRAM_FREE_RESPONSE_CHATS: '-5',
    TELEGRAM_WEBHOOK_PORT: '9000',
  };
  const block = {
    require_mention: false,
    allowed_chats: [-3],
    guest_mode: false,
    free_response_chats: [-6],
    webhook_port: 1,
  };
  assert.partialDeepStrictEqual(platform.read(variables, block).extra, {
    require_mention: false,
    allowed_chats: ['-3'],
    guest_mode: true,
    free_response_chats: ['-5'],
    webhook_port: 9000,
  });
  assert.partialDeepStrictEqual(platform.read(variables, {}).extra, {
    require_mention: true,
    allowed_chats: ['-1', '-2'],
  });
  const shared = platform.read(variables, { free_response_channels: '-7, -8' }).extra;
  assert.deepEqual(shared['free_response_chats'], ['-7', '-8']);
});

test('lists may be lists, text with commas, JSON, or topics by chat', () => {
  const read = (block: Record<string, unknown>) => platform.read(set, block).extra;
  assert.deepEqual(read({ ignored_threads: 7 })['ignored_threads'], ['7']);
  assert.deepEqual(read({ ignored_threads: '7, 8\n9' })['ignored_threads'], ['7', '8', '9']);
  assert.deepEqual(read({ allowed_topics: { '-100': [1, 2] } })['allowed_topics'], ['-100:1', '-100:2']);
  assert.deepEqual(read({ mention_patterns: '["^a,b", "c"]' })['mention_patterns'], ['^a,b', 'c']);
  assert.deepEqual(read({ mention_patterns: '^a{1,2}\n^b' })['mention_patterns'], ['^a{1,2}', '^b']);
});

test('a value that cannot be is told, and the standard is used', () => {
  const { configured, extra, problems } = platform.read(
    { ...set, HERMES_TELEGRAM_HTTP_READ_TIMEOUT: 'soon', TELEGRAM_ALLOW_BOTS: 'some' },
    { mention_patterns: ['(', 'fine'], webhook_port: 99_999 },
  );
  assert.equal(configured, true);
  assert.deepEqual(extra['mention_patterns'], ['fine']);
  assert.equal('http_read_timeout' in extra || 'allow_bots' in extra || 'webhook_port' in extra, false);
  assert.equal(problems.length, 4);
  for (const problem of problems) assert.doesNotMatch(problem, /\n/);
});

test('chats among the allowed people of groups still count as chats, with one warning', () => {
  const { extra, problems } = platform.read(
    { ...set, TELEGRAM_GROUP_ALLOWED_USERS: '5,-100,-200', TELEGRAM_GROUP_ALLOWED_CHATS: '-300' },
    {},
  );
  assert.equal('group_allow_from' in extra, false, 'lists of people are read anew from the variables');
  assert.deepEqual(extra['group_allowed_chats'], ['-100', '-200']);
  assert.equal(problems.length, 1);
});

test('a webhook without a secret is told', () => {
  const url = { ...set, TELEGRAM_WEBHOOK_URL: 'https://bot.example.com/hook' };
  assert.match(platform.read(url, {}).problems[0] ?? '', /TELEGRAM_WEBHOOK_SECRET is not set/);
  for (const secret of ['not a secret', 'changeme'])
    assert.match(platform.read({ ...url, TELEGRAM_WEBHOOK_SECRET: secret }, {}).problems[0] ?? '', /cannot be used/);
  assert.deepEqual(platform.read({ ...url, TELEGRAM_WEBHOOK_SECRET: 'a0b1c2d3e4f5' }, {}).problems, []);
});

test('keys of other parts are handed on as they are', () => {
  const { extra } = platform.read(set, { unauthorized_dm_behavior: 'ignore', allow_admin_from: [1] });
  assert.partialDeepStrictEqual(extra, { unauthorized_dm_behavior: 'ignore', allow_admin_from: [1] });
});
