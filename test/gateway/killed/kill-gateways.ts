/** Gateways that are killed again and again while they answer, as often as asked, and what became of the messages. */
import assert from 'node:assert/strict';
import type { Verdict } from './judge.ts';
import { OutsideWorld, type Running, type WorldOptions } from './outside-world.ts';
import { numbersIn } from './outside-model.ts';
import type { Trouble, Way } from './outside-service.ts';

/** Whoever runs it: a test, or somebody by hand. */
export interface TestPlace {
  readonly diagnostic: (line: string) => void;
  readonly after: (end: () => unknown) => void;
}

export interface KillOptions extends WorldOptions {
  readonly kills: number;
  readonly seed: number;
  /** The lines are cut, answers are lost and updates come twice. */
  readonly troubled?: boolean;
}

const chats = 4;
/** So many are under way at a time. */
const underWay = 6;

export async function killGateways(t: TestPlace, { kills, seed, troubled = false, ...options }: KillOptions) {
  await using world = await OutsideWorld.open(t, options);
  const random = randomFrom(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  if (troubled) world.service.trouble = (way) => troubleOf(way, random);
  let graceful = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const running = world.start();
    await happenings(
      world,
      pick(30),
      () => {
        const open = world.service.updates.length - world.verdict().answered - world.verdict().notices;
        if (open < underWay && random() < 0.7) {
          world.say(pick(chats), ['say', 'do', 'long'][pick(3)]);
          if (troubled && random() < 0.3) repeatOne(world, pick);
        }
      },
      running,
    );
    if (random() < 0.15) {
      graceful += 1;
      running.kill('SIGTERM');
      // Killed in the middle of stopping, or left to end.
      if (random() < 0.5) {
        const ending = await running.ended;
        // It may have been asked before it could listen.
        assert.ok(ending === 0 || ending === 'SIGTERM', world.output);
      } else await new Promise((resolve) => setTimeout(resolve, pick(60)));
    } else if (random() < 0.7) await new Promise((resolve) => setTimeout(resolve, pick(15)));
    running.kill();
    await running.ended;
  }
  const verdict = await world.finish();
  t.diagnostic(
    `seed ${seed}: ${kills} ends, ${graceful} of them began gracefully; ${verdict.messages} messages, ${verdict.answered} answered, ${verdict.notices} notices, ${verdict.givenUp} given up, ${verdict.marked} marked copies, ${verdict.markedTwice.length} of them twice`,
  );
  for (const one of [...verdict.lost, ...verdict.doubled, ...verdict.markedTwice, ...verdict.outOfOrder])
    t.diagnostic(historyOf(world, one));
  assertKept(verdict);
  assert.deepEqual(world.model.violations, []);
  return verdict;
}

export interface EveryCall extends WorldOptions {
  /** Calls of the system, as strace names them. */
  readonly calls: string;
  /** The call that kills the first gateway, and how much later the next one is killed. Default 1. */
  readonly first?: number;
  readonly step?: number;
  /** One message at a time: another one is written when whoever wrote the last one was told something. */
  readonly alone?: boolean;
}

/**
 * A gateway that answers one message and is killed at the first call of that kind, the next one at the second, and so on
 * until one is not hurt. Returns the number of kills.
 */
export async function killAtEvery(
  t: TestPlace,
  { calls, first = 1, step = 1, alone = false, ...options }: EveryCall,
): Promise<number> {
  await using world = await OutsideWorld.open(t, options);
  const wrap = (when: number): readonly string[] => {
    const inject = `inject=${calls}:signal=SIGKILL:when=${when}`;
    return ['strace', '-f', '-qq', '--seccomp-bpf', '-o', '/dev/null', '-e', inject];
  };
  let kills = 0;
  for (;;) {
    const said = world.service.updates.length;
    const isNew = !alone || world.isQuiet;
    if (isNew) world.say(said % chats, ['do', 'say', 'long'][said % 3]);
    const ending = await world.answerAll(world.start(wrap(first + kills * step)), 60_000);
    if (ending === 0 && isNew) break;
    // What an earlier one had begun with was less to do: the same again, from the beginning.
    if (ending === 0) assert.ok(world.isQuiet, world.output);
    else {
      assert.equal(ending, 'SIGKILL', world.output);
      kills += 1;
    }
  }
  const verdict = await world.finish();
  t.diagnostic(
    `${kills} kills; ${verdict.messages} messages, ${verdict.answered} answered, ${verdict.notices} notices, ${verdict.marked} marked copies`,
  );
  for (const one of [...verdict.lost, ...verdict.doubled, ...verdict.markedTwice]) t.diagnostic(historyOf(world, one));
  assertKept(verdict);
  return kills;
}

/** What holds whatever happens. */
function assertKept(verdict: Verdict): void {
  const { lost, doubled, markedTwice, outOfOrder, repeatedEffects, unacknowledged } = verdict;
  assert.deepEqual(
    { lost, doubled, markedTwice, outOfOrder, repeatedEffects, unacknowledged },
    { lost: [], doubled: [], markedTwice: [], outOfOrder: [], repeatedEffects: [], unacknowledged: [] },
  );
}

/** All that was seen of one message, for whoever looks into a failure. */
function historyOf({ service }: OutsideWorld, text: string): string {
  const [number = ''] = numbersIn(text);
  const update = service.updates.find((each) => numbersIn(each.text).includes(number));
  const about = service.sent.filter((each) => each.replyTo === update?.id || numbersIn(each.text).includes(number));
  return [JSON.stringify(update), ...about.map((each) => JSON.stringify(each).slice(0, 300))].join('\n');
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Resolves when so many things have happened outside; people write meanwhile. */
async function happenings(world: OutsideWorld, count: number, meanwhile: () => void, running: Running): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let left = count;
  world.onHappening = () => {
    left -= 1;
    if (left < 0) return resolve();
    meanwhile();
  };
  meanwhile();
  world.say(0);
  // When nothing is left to happen somebody writes all the same.
  const quiet = setInterval(meanwhile, 500);
  void running.ended.then((ending) =>
    reject(new Error(`the gateway ended by itself with ${String(ending)}: ${world.output}`)),
  );
  try {
    await promise;
  } finally {
    clearInterval(quiet);
    world.onHappening = () => undefined;
  }
}

function troubleOf(way: Way, random: () => number): Trouble | undefined {
  const chance = random();
  if (way === 'poll') return chance < 0.01 ? 'cut' : undefined;
  if (chance < 0.05) return 'lost answer';
  if (chance < 0.1) return 'cut';
  return chance < 0.15 && way === 'send' ? 'busy' : undefined;
}

function repeatOne({ service }: OutsideWorld, pick: (count: number) => number): void {
  const acknowledged = service.updates.filter((update) => update.acknowledged);
  const one = acknowledged[pick(acknowledged.length)];
  if (one !== undefined) service.repeats.add(one.id);
}
