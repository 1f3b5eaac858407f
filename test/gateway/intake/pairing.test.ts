/** Pairing at the command line and in its files: who is let in, who is not, and for how long a code is good. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Pairing, type PairingPerson } from '../../../src/gateway/intake/pairing.ts';
import { hermes, makePlace, ok } from '../../cli/hermes-process.ts';

const alice = { userId: '1001', userName: 'Alice' };

function homeFor(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'hermes-pairing-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** A clock that stands still until it is moved. */
function clockAt(start = 1_800_000_000_000) {
  let at = start;
  return { now: () => at, forward: (seconds: number) => void (at += seconds * 1000) };
}

async function codeOf(pairing: Pairing, person: PairingPerson = alice): Promise<string> {
  const { code } = await pairing.request('telegram', person);
  assert.ok(code !== null);
  return code;
}

test('a code lets in who was told it, once, in any case of letters', async (t) => {
  const pairing = new Pairing(homeFor(t));
  const code = await codeOf(pairing);
  assert.match(code, /^[A-HJ-NP-Z2-9]{8}$/);
  assert.equal(pairing.isApproved('telegram', '1001'), false);
  assert.deepEqual(await pairing.approve('telegram', ` ${code.toLowerCase()} `), { as: 'approved', person: alice });
  assert.equal(pairing.isApproved('telegram', '1001'), true);
  assert.equal(pairing.isApproved('discord', '1001'), false);
  assert.deepEqual(await pairing.approve('telegram', code), { as: 'unknown' });
  assert.equal(await pairing.revoke('telegram', '1001'), true);
  assert.equal(pairing.isApproved('telegram', '1001'), false);
});

test('a code is good for an hour, and whoever asks again within ten minutes is told nothing', async (t) => {
  const clock = clockAt();
  const pairing = new Pairing(homeFor(t), clock);
  const code = await codeOf(pairing);
  clock.forward(599);
  assert.deepEqual(await pairing.request('telegram', alice), { code: null });
  clock.forward(2);
  assert.notEqual((await pairing.request('telegram', alice)).code, null);
  clock.forward(3600 - 600);
  assert.deepEqual(await pairing.approve('telegram', code), { as: 'unknown' });
});

test('three may wait on a platform; the fourth is told nothing', async (t) => {
  const pairing = new Pairing(homeFor(t));
  for (const userId of ['1', '2', '3']) await codeOf(pairing, { userId, userName: userId });
  assert.deepEqual(await pairing.request('telegram', { userId: '4', userName: null }), { code: null });
  assert.notEqual((await pairing.request('discord', { userId: '4', userName: null })).code, null);
  assert.equal(await pairing.clearPending(), 4);
});

test('five wrong codes close the platform for an hour, also for the right one', async (t) => {
  const clock = clockAt();
  const home = homeFor(t);
  const pairing = new Pairing(home, clock);
  const code = await codeOf(pairing);
  for (let tries = 0; tries < 5; tries += 1) {
    assert.deepEqual(await pairing.approve('telegram', 'AAAAAAAA'), { as: 'unknown' });
  }
  assert.deepEqual(await new Pairing(home, clock).approve('telegram', code), { as: 'locked', seconds: 3600 });
  clock.forward(3601);
  const again = await codeOf(pairing);
  assert.equal((await pairing.approve('telegram', again)).as, 'approved');
});

test('the files are those of the original, closed to others, and hold no code', async (t) => {
  const home = homeFor(t);
  const code = await codeOf(new Pairing(home));
  const folder = join(home, 'platforms', 'pairing');
  const [[id, request]] = Object.entries(JSON.parse(readFileSync(join(folder, 'telegram-pending.json'), 'utf8'))) as [
    [string, { hash: string; salt: string; user_id: string; user_name: string; created_at: number }],
  ];
  assert.match(id, /^[0-9a-f]{16}$/);
  assert.match(request.salt, /^[0-9a-f]{32}$/);
  assert.equal(
    request.hash,
    createHash('sha256')
      .update(request.salt + code)
      .digest('hex'),
  );
  assert.deepEqual([request.user_id, request.user_name], ['1001', 'Alice']);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600);
    assert.ok(!readFileSync(join(folder, file), 'utf8').includes(code));
  }
});

test('a code that the original gave out is good here, and who stands in the older folder is let in until revoked', async (t) => {
  const home = homeFor(t);
  const older = join(home, 'pairing');
  mkdirSync(older);
  const salt = 'ab'.repeat(16);
  const hash = createHash('sha256').update(`${salt}ABCDEFGH`).digest('hex');
  const request = { hash, salt, user_id: '7', user_name: 'Bo', created_at: Date.now() / 1000 };
  writeFileSync(join(older, 'telegram-pending.json'), JSON.stringify({ '0123456789abcdef': request }));
  writeFileSync(join(older, 'telegram-approved.json'), JSON.stringify({ 5: { user_name: 'Cy', approved_at: 1 } }));
  const pairing = new Pairing(home);
  assert.equal(pairing.isApproved('telegram', '5'), true);
  assert.equal((await pairing.approve('telegram', 'abcdefgh')).as, 'approved');
  assert.equal(await pairing.revoke('telegram', '5'), true);
  assert.deepEqual(
    new Pairing(home).approved('telegram').map(({ userId }) => userId),
    ['7'],
  );
});

test('files that are no such records let nobody in', (t) => {
  const home = homeFor(t);
  const folder = join(home, 'platforms', 'pairing');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'telegram-approved.json'), '{"1001": ');
  assert.equal(new Pairing(home).isApproved('telegram', '1001'), false);
});

test('hermes pairing shows, lets in, takes back and forgets; the list in .env is kept true', async (t) => {
  const place = makePlace(t);
  place.write('.env', 'TELEGRAM_ALLOWED_USERS=42\n');
  const pairing = new Pairing(place.home);
  const code = await codeOf(pairing, { userId: '1001', userName: 'Al\u001b[2Jice' });
  await codeOf(pairing, { userId: '1002', userName: null });
  const listed = ok(await hermes(place, ['pairing', 'list'])).stdout;
  assert.match(listed, /telegram {2}1001 \(Al.*ice\) {2}request [0-9a-f]{8}/);
  assert.ok(!listed.includes('\u001b') && !listed.includes(code));

  const approved = ok(await hermes(place, ['pairing', 'approve', 'Telegram', code.toLowerCase()]));
  assert.match(approved.stdout, /Let in on telegram: 1001/);
  assert.match(place.read('.env'), /^TELEGRAM_ALLOWED_USERS=42,1001$/m);
  assert.equal(pairing.isApproved('telegram', '1001'), true);

  const wrong = await hermes(place, ['pairing', 'approve', 'telegram', 'WRONGONE']);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /No open request for telegram has this code/);

  ok(await hermes(place, ['pairing', 'revoke', 'telegram', '1001']));
  assert.match(place.read('.env'), /^TELEGRAM_ALLOWED_USERS=42$/m);
  assert.equal(pairing.isApproved('telegram', '1001'), false);
  const nobody = await hermes(place, ['pairing', 'revoke', 'telegram', '1001']);
  assert.equal(nobody.code, 1);
  assert.equal(ok(await hermes(place, ['pairing', 'clear-pending'])).stdout, 'One request is forgotten.\n');
  assert.equal(ok(await hermes(place, ['pairing'])).stdout, 'Nobody asked, and nobody was let in by pairing.\n');
});

test('without a list in .env none is begun, and the last of a list leaves one that lets nobody in', async (t) => {
  const place = makePlace(t);
  const pairing = new Pairing(place.home);
  ok(await hermes(place, ['pairing', 'approve', 'telegram', await codeOf(pairing)]));
  assert.throws(() => place.read('.env'), { code: 'ENOENT' });
  place.write('.env', 'TELEGRAM_ALLOWED_USERS=1001\n');
  ok(await hermes(place, ['pairing', 'revoke', 'telegram', '1001']));
  assert.match(place.read('.env'), /^TELEGRAM_ALLOWED_USERS=["']?,["']?$/m);
});

test('a clock that was wrong for a while locks nobody out for longer than the rules say', async (t) => {
  const clock = clockAt();
  const pairing = new Pairing(homeFor(t), clock);
  const year = 365 * 86_400;
  clock.forward(year);
  for (const userId of ['1', '2', '3']) await codeOf(pairing, { userId, userName: userId });
  for (let wrong = 0; wrong < 5; wrong += 1) await pairing.approve('telegram', 'AAAAAAAA');
  assert.equal((await pairing.approve('telegram', 'AAAAAAAA')).as, 'locked');
  clock.forward(-year);
  const code = await codeOf(pairing, { userId: '1', userName: null });
  assert.equal((await pairing.approve('telegram', code)).as, 'approved');
  clock.forward(-60);
  assert.deepEqual(await pairing.request('telegram', { userId: '1', userName: null }), { code: null });
});
