/** Blueprints: what their slots become, what is refused, and which one is meant by a name that is not quite its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blueprints } from '../../src/cron/blueprints/catalogue.ts';
import { fillBlueprint, usualTime } from '../../src/cron/blueprints/fill.ts';
import { matchBlueprints } from '../../src/cron/blueprints/match.ts';
import { setUp } from './support.ts';

const slotsOf: Readonly<Record<string, string>> = {
  'morning-brief': 'time',
  'important-mail': 'interval_min criteria',
  'weekly-review': 'time day',
  'workday-start': 'time',
  'custom-reminder': 'what time recurrence',
  'evening-winddown': 'time',
  'news-digest': 'topic time recurrence count',
  'bill-renewal-watch': 'what time recurrence',
  'habit-checkin': 'habit time recurrence',
  'hydration-move': 'interval_hours start_hour end_hour',
  'meal-plan': 'diet meals effort time day',
  'learn-daily': 'topic time recurrence',
  'gratitude-journal': 'time recurrence',
  'on-this-day': 'flavor time',
};

function fill(key: string, values: Readonly<Record<string, string>> = {}) {
  const blueprint = blueprints.find((each) => each.key === key);
  assert.ok(blueprint);
  return fillBlueprint(blueprint, new Map(Object.entries(values)));
}

test('the built-in blueprints have the keys and slots of the original, each with a place to deliver to', () => {
  const found = blueprints.map(({ key, slots }) => [key, slots.map(({ name }) => name).join(' ')]);
  assert.deepEqual(
    found,
    Object.entries(slotsOf).map(([key, slots]) => [key, `${slots} deliver`]),
  );
});

test('every one of them can be scheduled as it is, and no slot stays open', async (t) => {
  const { desk } = setUp(t);
  for (const blueprint of blueprints) {
    const job = await desk.create(fillBlueprint(blueprint, new Map()), undefined);
    assert.ok(job.next_run_at, blueprint.key);
    assert.doesNotMatch(job.prompt, /[{}]/);
    assert.doesNotMatch(usualTime(blueprint), /undefined|^ | $/);
  }
});

test('values become a cron expression and words of the prompt', () => {
  assert.equal(fill('morning-brief', { time: '7:05' }).schedule, '5 7 * * *');
  assert.equal(fill('weekly-review', { day: 'Friday', time: '16:00' }).schedule, '0 16 * * 5');
  assert.equal(fill('news-digest', { recurrence: 'weekends' }).schedule, '0 18 * * 0,6');
  assert.equal(fill('important-mail', { interval_min: '15' }).schedule, '*/15 * * * *');
  assert.equal(fill('important-mail', { interval_min: '60' }).schedule, '0 * * * *');
  assert.equal(fill('hydration-move', { interval_hours: '2', start_hour: '8' }).schedule, '0 8-17/2 * * 1-5');
  const { prompt, deliver } = fill('custom-reminder', { what: 'the {time} train', deliver: 'matrix:!a' });
  assert.match(prompt ?? '', /the \{time\} train$/);
  assert.equal(deliver, 'matrix:!a');
});

test('a slot that there is not, and a value that it cannot be, are refused by name', () => {
  assert.throws(() => fill('morning-brief', { tiem: '07:15' }), /no slot 'tiem'/);
  assert.throws(() => fill('morning-brief', { time: '25:00' }), /time cannot be '25:00'/);
  assert.throws(() => fill('weekly-review', { day: 'noday' }), /day cannot be 'noday'/);
  assert.throws(() => fill('news-digest', { recurrence: 'often' }), /recurrence cannot be 'often'/);
  assert.throws(() => fill('important-mail', { interval_min: '7' }), /interval_min cannot be '7'/);
  assert.throws(() => fill('custom-reminder', { what: 'x'.repeat(2_001) }), /what is longer/);
});

test('a name is found by its beginning, a part, or with a slip; several are told', () => {
  const found = (typed: string) => matchBlueprints(typed, blueprints).map(({ key }) => key);
  assert.deepEqual(found('morning-brief'), ['morning-brief']);
  assert.deepEqual(found('Morning Brief'), ['morning-brief']);
  assert.deepEqual(found('meal'), ['meal-plan']);
  assert.deepEqual(found('renewal'), ['bill-renewal-watch']);
  assert.deepEqual(found('mornign-breif'), ['morning-brief']);
  assert.deepEqual(found('wee').length > 1, true);
  assert.deepEqual(found('zzzzzz'), []);
});
