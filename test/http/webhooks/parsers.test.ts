/** Templates, filters, signatures and payloads of webhooks, whatever a stranger sends. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type FilterValues, passesFilters } from '../../../src/http/webhooks/filter.ts';
import { deliveryIdOf, eventTypeOf, isWanted, parsePayload } from '../../../src/http/webhooks/payload.ts';
import { MinuteRate } from '../../../src/http/webhooks/rate.ts';
import { checkSignature } from '../../../src/http/webhooks/signature.ts';
import { defaultPrompt, renderTemplate } from '../../../src/http/webhooks/template.ts';
import type { JsonValue } from '../../../src/lib/json.ts';

const payload: JsonValue = {
  action: 'opened',
  number: 7,
  pr: { title: 'Fix {action}', labels: ['a', 'b'], user: { login: 'al' }, draft: false, body: null },
  items: [{ n: 1 }],
};
const render = (template: string, value: JsonValue = payload): string =>
  renderTemplate(template, { payload: value, eventType: 'pull_request' });

test('a template stands for what the payload says, and keeps what it does not say', () => {
  assert.equal(render('{action} #{number}: {pr.title} by {pr.user.login}'), 'opened #7: Fix {action} by al');
  assert.equal(render('{missing} {pr.missing} {pr.title.deep}'), '{missing} {pr.missing} {pr.title.deep}');
  assert.equal(render('{pr.labels}'), '[\n  "a",\n  "b"\n]');
  assert.equal(render('{pr.draft} {pr.body} {items.0.n} {event_type}'), 'false null 1 pull_request');
  assert.equal(render('{a-b} { action } {{action}}'), '{a-b} { action } {opened}');
  assert.equal(
    render('{__proto__} {constructor.name} {pr.labels.length}'),
    '{__proto__} {constructor.name} {pr.labels.length}',
  );
  assert.equal(render('{__raw__}'), JSON.stringify(payload, null, 2));
  assert.equal(render('{__raw__}', 'x'.repeat(9000)).length, 4000);
  assert.equal(render('{a}', { a: ['x'.repeat(9000)] }).length, 2000);
  assert.ok(
    defaultPrompt('r', { payload, eventType: 'e' }).startsWith("Webhook event 'e' on route 'r':\n\n```json\n{"),
  );
});

test('whatever the payload holds is never expanded again', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_.]{1,12}$/);
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), name, (text, value, path) => {
      assert.equal(render('{text}', { text: `{__raw__}{${path}}${text}` }), `{__raw__}{${path}}${text}`);
      assert.equal(typeof render(`{${path}} ${text}`, JSON.parse(JSON.stringify(value))), 'string');
    }),
  );
});

const values: FilterValues = {
  payload,
  eventType: 'pull_request',
  headers: new Headers({ 'X-A': '1' }),
  listIn: (path) => (path === 'list' ? ['opened'] : undefined),
};

test('filters match as their operators say', () => {
  const matching: JsonValue[] = [
    { field: 'action', equals: 'opened' },
    { field: 'number', equals: 7 },
    { field: 'nope', not_equals: 'x' },
    { field: 'pr.labels', contains: 'a' },
    { field: 'pr.title', contains: 'Fix' },
    { field: 'pr.user', contains: 'login' },
    { field: 'number', contains: '7' },
    { field: 'action', in: ['opened', 'closed'] },
    { field: 'action', in_file: 'list' },
    { field: 'pr.title', regex: '^Fix' },
    { field: 'pr.draft', regex: 'False' },
    { field: 'pr.body', exists: true },
    { field: 'nope', exists: false },
    { field: 'nope', missing: true },
    { field: 'items.0.n', equals: 1 },
    { field: 'headers.X-A', equals: '1' },
    { field: 'event_type', equals: 'pull_request' },
    { field: 'payload.action', equals: 'opened' },
    { field: 'pr.user', equals: { login: 'al' } },
    { all: [] },
    { not: { field: 'action', equals: 'x' } },
    { field: '', exists: false },
    [],
  ];
  for (const filter of matching) assert.ok(passesFilters(filter, values), JSON.stringify(filter));
  const others: JsonValue[] = [
    { field: 'action', equals: 'Opened' },
    { field: 'number', equals: '7' },
    { field: 'action', in: 'opened' },
    { field: 'action', in_file: 'nowhere' },
    { field: 'pr.title', regex: '(' },
    { field: 'pr.draft', contains: 'false' },
    { any: [] },
    { field: 'action' },
    {},
    'x',
    {
      all: [
        { field: 'action', equals: 'opened' },
        { field: 'number', equals: 8 },
      ],
    },
    [{ field: 'nope', exists: true }],
  ];
  for (const filter of others) assert.ok(!passesFilters(filter, values), JSON.stringify(filter));
  assert.ok(passesFilters(undefined, values));
});

test('any filter has an answer, and a careless pattern comes to an end', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (filter) => {
      assert.equal(typeof passesFilters(JSON.parse(JSON.stringify(filter)), values), 'boolean');
    }),
  );
  const slow = { ...values, payload: { text: `${'a'.repeat(60)}!` } };
  assert.equal(passesFilters({ field: 'text', regex: '^(a+)+$' }, slow), false);
});

const secret = 's3cret-ü';
const body = Buffer.from('{"a":1}');
const now = 1_800_000_000;
const hmac = (data: string | Buffer, key: string | Buffer = secret) => createHmac('sha256', key).update(data);
const hex = hmac(body).digest('hex');

function verdict(headers: Record<string, string>, given = secret) {
  return checkSignature({ headers: new Headers(headers), body, secret: given, now });
}

test('each scheme of signatures takes what is right and nothing else', () => {
  const dated = (time: number): Record<string, string> => ({
    'X-Webhook-Signature-V2': hmac(`${time}.{"a":1}`).digest('hex'),
    'X-Webhook-Timestamp': String(time),
  });
  assert.equal(verdict({ 'X-Hub-Signature-256': `sha256=${hex}` }), 'good');
  assert.equal(verdict({ 'X-Hub-Signature-256': `sha256=${hex.toUpperCase()}` }), 'good');
  assert.equal(verdict({ 'X-Hub-Signature-256': hex }), 'bad');
  assert.equal(verdict({ 'X-Hub-Signature-256': '' }), 'bad');
  assert.equal(verdict({ 'X-Gitlab-Token': 'plain' }, 'plain'), 'good');
  assert.equal(verdict({ 'X-Gitlab-Token': 'plain2' }, 'plain'), 'bad');
  assert.equal(verdict({ 'X-Hub-Signature-256': 'sha256=0', 'X-Gitlab-Token': 'plain' }, 'plain'), 'bad');
  assert.equal(verdict({ 'X-Webhook-Signature': hex }), 'undated');
  assert.equal(verdict({ 'X-Webhook-Signature': `sha256=${hex}` }), 'bad');
  assert.equal(verdict(dated(now)), 'good');
  assert.equal(verdict(dated(now - 300)), 'good');
  assert.equal(verdict(dated(now - 301)), 'bad');
  assert.equal(verdict({ 'X-Webhook-Signature-V2': 'x', 'X-Webhook-Signature': hex }), 'bad');
  assert.equal(verdict({}), 'bad');
  assert.equal(verdict({ 'X-Webhook-Signature': createHmac('sha256', '').update(body).digest('hex') }, ''), 'bad');
});

test('a triple of Svix is whole, recent, and signed with the key that the secret stands for', () => {
  const key = Buffer.from('0123456789abcdef');
  const whsec = `whsec_${key.toString('base64')}`;
  const sign = (id: string, time: number, by: Buffer | string) => hmac(`${id}.${time}.{"a":1}`, by).digest('base64');
  const triple = {
    'svix-id': 'm1',
    'svix-timestamp': String(now),
    'svix-signature': `v1,AAAA v1,${sign('m1', now, key)}`,
  };
  assert.equal(verdict(triple, whsec), 'good');
  for (const name of Object.keys(triple)) {
    const rest = Object.fromEntries(Object.entries(triple).filter(([other]) => other !== name));
    assert.equal(verdict({ ...rest, 'X-Gitlab-Token': whsec }, whsec), 'bad');
  }
  assert.equal(verdict({ ...triple, 'svix-id': 'm2' }, whsec), 'bad');
  assert.equal(verdict({ ...triple, 'svix-timestamp': '1.8e9' }, whsec), 'bad');
  const unsigned = { ...triple, 'svix-signature': `v1,${sign('m1', now, '')}` };
  assert.equal(verdict(unsigned, 'whsec_'), 'bad');
});

test('no made up header is a signature', () => {
  const name = fc.constantFrom('svix-signature', 'svix-id', 'svix-timestamp', 'x-hub-signature-256', 'x-gitlab-token');
  const more = fc.constantFrom('x-webhook-signature-v2', 'x-webhook-timestamp', 'x-webhook-signature');
  const text = fc.string({ unit: 'binary-ascii' }).filter((value) => !/[\0\r\n]/.test(value));
  fc.assert(
    fc.property(fc.dictionary(fc.oneof(name, more), text), (headers) => {
      assert.equal(verdict(headers), 'bad');
    }),
  );
});

test('a payload is JSON of any kind or a form, and nothing else', () => {
  const parse = (text: string | Uint8Array, type = '') => parsePayload(Buffer.from(text), type);
  assert.deepEqual(parse('[1]', 'application/json'), [1]);
  assert.deepEqual(parse('a=1&b=%7B'), { a: '1', b: '{' });
  assert.deepEqual(parse('payload=%7B%22a%22%3A1%7D', 'application/x-www-form-urlencoded'), { a: 1 });
  const form = 'application/x-www-form-urlencoded';
  assert.deepEqual(parse('{"a":"b=1"}', form), { a: 'b=1' }, 'as curl -d sends JSON');
  assert.equal(parse('['.repeat(5000) + ']'.repeat(5000), form), undefined);
  assert.deepEqual(parse(`a=${'['.repeat(5000)}`, form), { a: '['.repeat(5000) });
  assert.equal(parse('{"a":', 'application/json'), undefined);
  assert.equal(parse('{"a":'), undefined);
  assert.equal(parse(Uint8Array.of(0xff, 0xfe), 'application/json'), undefined);
  assert.equal(parse('['.repeat(5000) + ']'.repeat(5000), 'application/json'), undefined);
  assert.equal(parse(''), undefined);
  fc.assert(fc.property(fc.uint8Array(), fc.string(), (bytes, type) => void parsePayload(bytes, type)));
});

test('an event is named by a header, else by the payload, and GitLab may name it in both', () => {
  const of = (headers: Record<string, string>, value: JsonValue) => eventTypeOf(new Headers(headers), value);
  assert.equal(of({ 'X-GitHub-Event': 'push' }, { type: 'x' }), 'push');
  assert.equal(of({ 'X-Gitlab-Event': 'Merge Request Hook' }, {}), 'Merge Request Hook');
  assert.equal(of({}, { event_type: 'a', type: 'b' }), 'a');
  assert.equal(of({}, { event_type: 5, type: '' }), 'unknown');
  assert.equal(of({}, [1]), 'unknown');
  assert.ok(isWanted(['merge_request'], 'Merge Request Hook', { object_kind: 'merge_request' }));
  assert.ok(isWanted([], 'x', null));
  assert.ok(!isWanted(['push'], 'ping', { object_kind: 7 }));
});

test('a delivery has the id that its sender gave it, of a length that can be kept', () => {
  assert.equal(deliveryIdOf(new Headers({ 'X-GitHub-Delivery': 'a', 'X-Request-ID': 'b' }), 1), 'a');
  assert.equal(deliveryIdOf(new Headers({ 'X-Request-ID': 'x'.repeat(5000) }), 1).length, 64);
  assert.notEqual(deliveryIdOf(new Headers(), 1), deliveryIdOf(new Headers(), 1));
});

test('a rate counts the last minute, each name by itself', () => {
  let time = 0;
  const rate = new MinuteRate(() => time);
  assert.deepEqual(
    [rate.take('a', 2), rate.take('a', 2), rate.take('a', 2), rate.take('b', 2)],
    [true, true, false, true],
  );
  time = 60_000;
  assert.equal(rate.take('a', 2), true);
});

test('a clock that is put back does not close a route for as long as it was wrong', () => {
  let time = 86_400_000;
  const rate = new MinuteRate(() => time);
  assert.equal(rate.take('a', 1), true);
  assert.equal(rate.take('a', 1), false);
  time = 0;
  assert.deepEqual([rate.take('a', 1), rate.take('a', 1)], [true, false]);
});
