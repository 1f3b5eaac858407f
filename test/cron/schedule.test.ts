/** What is accepted as a schedule, what it becomes, and when it is due. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as z from 'zod';
import { graceMs, nextRun } from '../../src/cron/next-run.ts';
import { durationMinutes, nextMatch, parseSchedule, type Schedule } from '../../src/cron/schedule.ts';
import { isoAtOffset, isoTime, offsetMinutes, readTime } from '../../src/cron/time.ts';
import { UserError } from '../../src/lib/errors.ts';
import { randomFrom } from '../random.ts';

const golden = z
  .object({
    now: z.string(),
    zone: z.string(),
    schedules: z.record(
      z.string(),
      z.object({
        parsed: z.looseObject({}).optional(),
        next: z.string().nullish(),
        grace: z.number().optional(),
        error: z.string().optional(),
      }),
    ),
    durations: z.record(z.string(), z.union([z.number(), z.object({ error: z.string() })])),
  })
  .parse(JSON.parse(readFileSync(new URL('golden/schedules.json', import.meta.url), 'utf8')));
const moment = { now: Date.parse(golden.now), zone: golden.zone };

test('schedules mean what they mean to the original: kind, first run and grace', () => {
  for (const [text, { parsed, next, grace }] of Object.entries(golden.schedules)) {
    // Times of day are understood here.
    if (text === 'every day at 9am') continue;
    if (parsed === undefined) {
      assert.throws(() => parseSchedule(text, moment), UserError, text);
      continue;
    }
    const schedule = parseSchedule(text, moment);
    assert.deepEqual(schedule, parsed, text);
    const due = nextRun(schedule, undefined, moment);
    assert.equal(due, next == null ? undefined : Date.parse(next), text);
    assert.equal(graceMs(schedule, moment) / 1000, grace, text);
  }
});

test('durations are whole minutes, hours or days', () => {
  for (const [text, minutes] of Object.entries(golden.durations)) {
    assert.equal(durationMinutes(text), typeof minutes === 'number' ? minutes : undefined, text);
  }
  assert.equal(durationMinutes('999999999d'), undefined);
});

test('times of day become cron expressions', () => {
  const expr = (text: string) => parseSchedule(text, moment).display;
  assert.deepEqual(
    ['every 1d at 09:00', 'every day 7am', 'every sunday 9am', 'every weekday at 7:30 pm', 'every day at 12am'].map(
      expr,
    ),
    ['0 9 * * *', '0 7 * * *', '0 9 * * 0', '30 19 * * 1-5', '0 0 * * *'],
  );
  for (const text of ['every day', 'every day at 25:00', 'every day 13pm', 'every someday 9am', 'every day 9']) {
    assert.throws(() => parseSchedule(text, moment), /Invalid schedule/, text);
  }
});

test('a refusal lists what would be right', () => {
  assert.throws(() => parseSchedule('whenever', moment), /'30m'.*'every 30m'.*'0 9 \* \* \*'.*2026-02-03T14:00:00/s);
  assert.throws(() => parseSchedule('0 0 31 2 *', moment), /no day/);
  assert.throws(() => parseSchedule('2026-02-30T10:00', moment), /Invalid timestamp/);
});

test('a cron expression of six fields has the seconds last', () => {
  assert.equal(nextMatch('* * * * * 30', moment.now, 'UTC'), moment.now + 30_000);
});

test('nine in the morning stays nine in the morning when the clocks change', () => {
  const zone = 'America/New_York';
  const nine = (day: string) => nextMatch('0 9 * * *', Date.parse(`${day}T12:00:00-05:00`), zone);
  assert.equal(isoTime(nine('2026-03-07') ?? 0, zone), '2026-03-08T09:00:00-04:00');
  assert.equal(isoTime(nine('2026-10-31') ?? 0, zone), '2026-11-01T09:00:00-05:00');
});

test('a minute that the clock leaves out comes right after it; one that comes twice is due once', () => {
  const zone = 'America/New_York';
  const after = (expr: string, at: string) => isoTime(nextMatch(expr, Date.parse(at), zone) ?? 0, zone);
  assert.equal(after('30 2 * * *', '2026-03-07T12:00:00Z'), '2026-03-08T03:00:00-04:00');
  assert.equal(after('30 1 * * *', '2026-10-31T12:00:00Z'), '2026-11-01T01:30:00-04:00');
  assert.equal(after('30 1 * * *', '2026-11-01T05:30:00Z'), '2026-11-02T01:30:00-05:00');
});

test('a time without a zone is one of the configured zone', () => {
  const schedule = parseSchedule('2026-07-21T09:00', { ...moment, zone: 'Asia/Kolkata' });
  assert.deepEqual(schedule, {
    kind: 'once',
    run_at: '2026-07-21T09:00:00+05:30',
    display: 'once at 2026-07-21 09:00',
  });
});

test('any text is read or refused with a UserError, and what is read has a next run that is not before now', () => {
  const random = randomFrom(20_261);
  const pieces = [
    'every ',
    '3',
    '0',
    '*',
    '/',
    '-',
    ',',
    ' ',
    'm',
    'h',
    'day',
    ' at ',
    '9am',
    'T',
    '2026-07-21',
    ':',
    'MON',
    'Ω',
  ];
  let read = 0;
  for (let round = 0; round < 2500; round += 1) {
    const length = 1 + Math.floor(random() * 4);
    const begin = ['', 'every 3', '*/3 * * * ', '2026-07-2', '1'][round % 5];
    const text = `${begin}${Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)]).join('')}`;
    let schedule: Schedule;
    try {
      schedule = parseSchedule(text, moment);
    } catch (error) {
      assert.ok(error instanceof UserError, `${text}: ${String(error)}`);
      continue;
    }
    read += 1;
    const due = nextRun(schedule, undefined, moment);
    assert.ok(schedule.kind === 'once' || (due !== undefined && due >= moment.now), text);
  }
  assert.ok(read > 50);
});

test('any cron expression of plain fields is due within its fields, strictly after the run before', () => {
  const random = randomFrom(7);
  const zones = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'];
  for (let round = 0; round < 200; round += 1) {
    const minute = Math.floor(random() * 60);
    const hour = Math.floor(random() * 24);
    const zone = zones[round % zones.length] ?? 'UTC';
    const last = moment.now + Math.floor(random() * 3e10);
    const due = nextMatch(`${minute} ${hour} * * *`, last, zone);
    assert.ok(due !== undefined && due > last && due - last <= 49 * 3_600_000, `${minute} ${hour} ${zone} ${last}`);
    const shown = isoTime(due, zone).slice(11, 16);
    const wanted = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
    // Only where the clock leaves the minute out is another one shown.
    if (shown !== wanted) assert.notEqual(offsetMinutes(due - 7_200_000, zone), offsetMinutes(due, zone));
  }
});

test('a time that is written is read as the same time', () => {
  const random = randomFrom(3);
  for (let round = 0; round < 500; round += 1) {
    const ms = Math.floor(random() * 4e12);
    const offset = Math.floor(random() * 1700) - 850;
    assert.deepEqual(readTime(isoAtOffset(ms, offset), 'UTC'), { ms, offset });
  }
  assert.equal(readTime('2026-11-27T14:25:47.973011+00:00', 'UTC')?.ms, Date.parse('2026-11-27T14:25:47.973Z'));
});
