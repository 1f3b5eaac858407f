/** A chat starts afresh when its rule says so, by the clock of its zone, and never while work goes on in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latestHour } from '../../../src/gateway/sessions/latest-hour.ts';
import {
  resetReason,
  resetRuleFor,
  type ResetFacts,
  type ResetMode,
  type ResetReason,
} from '../../../src/gateway/sessions/reset-policy.ts';
import { resetNote, resetNotice, tellsReset } from '../../../src/gateway/sessions/reset-words.ts';

const now = new Date('2026-07-20T10:30:00Z');
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const rule = (mode: ResetMode) => ({ mode, atHour: 4, idleMinutes: 1440 });
const facts = (minutes: number, more: Partial<ResetFacts> = {}): ResetFacts => ({
  now,
  timeZone: 'UTC',
  updatedAt: ago(minutes),
  ...more,
});

test('without a rule a chat that was silent for three days goes on', () => {
  assert.equal(resetReason(resetRuleFor({}, { platform: 'telegram', chat_type: 'dm' }), facts(3 * 1440)), undefined);
});

test('an idle chat starts afresh after its minutes, not at them', () => {
  assert.equal(resetReason(rule('idle'), facts(1440)), undefined);
  assert.equal(resetReason(rule('idle'), facts(1441)), 'idle');
  assert.equal(resetReason(rule('both'), facts(1441)), 'idle');
  assert.equal(resetReason(rule('daily'), facts(6 * 60)), undefined, 'after four in the morning');
});

test('a chat of yesterday starts afresh', () => {
  assert.equal(resetReason(rule('daily'), facts(7 * 60)), 'daily', 'before four in the morning');
  assert.equal(resetReason(rule('both'), facts(7 * 60)), 'daily');
  assert.equal(resetReason(rule('idle'), facts(7 * 60)), undefined);
  const berlin = facts(8 * 60 + 25, { timeZone: 'Europe/Berlin' });
  assert.equal(resetReason(rule('daily'), berlin), undefined, 'at 04:05 of the zone');
  assert.equal(resetReason(rule('daily'), { ...berlin, updatedAt: ago(8 * 60 + 35) }), 'daily', 'at 03:55 of the zone');
});

test('every message starts afresh where that is the rule', () => {
  assert.equal(resetReason(rule('per_message'), facts(0)), 'per_message');
});

test('a chat with a process that still runs goes on, unless the process is older than a day', () => {
  const busy = (hours: number) => facts(5000, { processesSince: [ago(hours * 60)] });
  assert.equal(resetReason(rule('both'), busy(1)), undefined);
  assert.equal(resetReason(rule('both'), busy(25)), 'idle');
  assert.equal(resetReason(rule('both'), { ...busy(25), processMaxAgeHours: 48 }), undefined);
});

test('what was put aside starts afresh even without a rule; what waits to go on does so only with one', () => {
  assert.equal(resetReason(rule('none'), facts(0, { suspended: true, processesSince: [now] })), 'suspended');
  const waiting = facts(0, { resumePendingSince: ago(61), resumeFreshForMs: 3_600_000 });
  assert.equal(resetReason(rule('idle'), waiting), 'resume_pending_expired');
  assert.equal(resetReason(rule('none'), waiting), undefined);
  assert.equal(resetReason(rule('idle'), { ...waiting, resumePendingSince: ago(59) }), undefined);
});

test('the rule of the platform comes before that of the kind of chat, and that before the general one', () => {
  const settings = {
    session_reset: { mode: 'daily', at_hour: 5 },
    reset_by_type: { group: { mode: 'idle', idle_minutes: 10 } },
    reset_by_platform: { telegram: { mode: 'never' } },
  };
  assert.equal(resetRuleFor(settings, { platform: 'telegram', chat_type: 'group' }).mode, 'none');
  assert.deepEqual(resetRuleFor(settings, { platform: 'slack', chat_type: 'group' }), {
    mode: 'idle',
    atHour: 4,
    idleMinutes: 10,
  });
  assert.equal(resetRuleFor(settings, { platform: 'slack', chat_type: 'dm' }).atHour, 5);
  assert.equal(resetRuleFor(settings, { platform: 'constructor', chat_type: 'toString' }).mode, 'daily');
});

test('both vocabularies are read, and what makes no sense is named and replaced', () => {
  const read = (session_reset: object) => {
    const warnings: string[] = [];
    const found = resetRuleFor({ session_reset }, { platform: 'x', chat_type: 'dm' }, (text) => warnings.push(text));
    return { ...found, warnings };
  };
  assert.equal(read({ mode: 'per_conversation' }).mode, 'both');
  assert.equal(read({ mode: 'never' }).mode, 'none');
  assert.equal(read({ mode: false }).mode, 'none');
  assert.equal(read({ mode: 'Idle' }).mode, 'idle');
  assert.deepEqual(read({ mode: 'sometimes', at_hour: 25, idle_minutes: 0 }), {
    mode: 'none',
    atHour: 4,
    idleMinutes: 1440,
    warnings: [
      'session_reset.mode has to be one of daily, idle, both, none, per_message, per_conversation, never; using none',
      'session_reset.at_hour has to be an hour from 0 to 23; using 4',
      'session_reset.idle_minutes has to be more than 0; using 1440',
    ],
  });
});

test('the hour is that of the clock on the wall, on days of 23 and 25 hours too', () => {
  const at = (hour: number, moment: string, zone: string) => latestHour(hour, new Date(moment), zone).toISOString();
  assert.equal(at(4, '2026-07-20T03:59:59Z', 'UTC'), '2026-07-19T04:00:00.000Z');
  assert.equal(at(4, '2026-07-20T04:00:00Z', 'UTC'), '2026-07-20T04:00:00.000Z');
  assert.equal(at(4, '2026-07-20T20:00:00Z', 'America/Los_Angeles'), '2026-07-20T11:00:00.000Z');
  assert.equal(at(4, '2026-07-20T20:00:00Z', 'Asia/Kathmandu'), '2026-07-19T22:15:00.000Z');
  assert.equal(at(2, '2026-03-29T10:00:00Z', 'Europe/Berlin'), '2026-03-29T01:00:00.000Z', 'skipped: two is three');
  assert.equal(at(2, '2026-10-25T10:00:00Z', 'Europe/Berlin'), '2026-10-25T00:00:00.000Z', 'shown twice: the first');
  assert.equal(at(0, '2026-03-29T10:00:00Z', 'Asia/Beirut'), '2026-03-28T22:00:00.000Z', 'midnight is skipped');
});

test('the chat is told why it starts afresh, unless it must not be or nothing was said', () => {
  const { atHour, idleMinutes } = rule('both');
  const words = (reason: ResetReason) => resetNotice(reason, { mode: 'both', atHour, idleMinutes });
  assert.match(words('idle') ?? '', /^◐ Session automatically reset \(idle for more than a day\)/);
  assert.match(words('daily') ?? '', /^◐ Session automatically reset \(daily at 04:00\)/);
  assert.equal(words('per_message'), undefined);
  assert.match(resetNote('daily', rule('daily')) ?? '', /daily/);
  const old = { platform: 'telegram', totalTokens: 10 };
  assert.equal(tellsReset({}, old), true);
  assert.equal(tellsReset({ notify: false }, old), false);
  assert.equal(tellsReset({}, { ...old, platform: 'webhook' }), false);
  assert.equal(tellsReset({ notify_exclude_platforms: [] }, { ...old, platform: 'webhook' }), true);
  assert.equal(tellsReset({}, { ...old, totalTokens: 0 }), false);
});
