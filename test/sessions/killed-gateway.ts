/** A gateway that is killed while it takes messages and answers them, as often as asked: what it was promised holds. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { query, temporaryStore } from './support.ts';

export const gateway = fileURLToPath(new URL('chat-forever.ts', import.meta.url));

/** Lines of a run: what, and the number of a message. */
export type Said = readonly (readonly [string, number])[];

const perKill = 100_000;
/** That take turns: the numbers of each have their own rest. */
const chats = 5;

export async function surviveKilledGateways(t: TestContext, kills: number): Promise<void> {
  const store = await temporaryStore(t);
  const all: (readonly [string, number])[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    // From the very first promise to deep inside a checkpoint.
    const said = await runUntilKilled(store.path, kill * perKill, 1 + ((kill * 37) % 250));
    all.push(...said);
    assertKept(store.path, said);
  }
  all.push(...(await finish(store.path, kills * perKill)));
  assertTold(all);
  assert.equal(await store.chatInbox.count(), 0);
  assert.deepEqual(await store.maintenance.checkIntegrity(), []);
}

/** Right after a kill: all that the run was promised is there, once, and every end is there with its answer. */
export function assertKept(path: string, said: Said): void {
  const numbers = (what: string): number[] => said.filter(([word]) => word === what).map(([, number]) => number);
  const messages = rows(path, 'gateway_inbox', 'event_id AS id, ended_at IS NOT NULL AS ended');
  const replies = rows(path, 'delivery_obligations', 'obligation_id AS id, state');
  const states = new Map(replies.map((reply) => [Number(reply['id']), String(reply['state'])]));
  const ended = new Map(messages.map((message) => [Number(message['id']), message['ended'] === 1]));
  assert.equal(ended.size, messages.length, 'no message twice');
  for (const number of numbers('accepted')) assert.ok(ended.has(number), `${number} was accepted and is lost`);
  for (const number of numbers('ended')) assert.ok(ended.get(number), `${number} had ended`);
  for (const number of numbers('delivered')) assert.equal(states.get(number), 'delivered');
  for (const number of numbers('sent')) assert.match(states.get(number) ?? '', /attempting|delivered/);
  const routed = rows(path, 'gateway_routing', "json_extract(entry_json, '$.total_tokens') AS number").map((route) =>
    Number(route['number']),
  );
  for (const number of numbers('routed')) {
    assert.ok(
      routed.some((other) => other % chats === number % chats && other >= number),
      `${number} was routed`,
    );
  }
  // The oldest replies are forgotten after 400, which are more than two runs have.
  const newest = Math.max(...ended.keys(), 0);
  const checked = newest - (newest % perKill) - perKill;
  for (const [number, hasEnded] of ended) {
    if (number < checked) continue;
    assert.equal(states.has(number), hasEnded, `${number}: its end and its answer are both there, or neither`);
  }
  assert.equal(query(path, 'PRAGMA integrity_check')[0]?.['integrity_check'], 'ok');
}

/** None of a table that was not made yet. */
function rows(path: string, table: string, columns: string): readonly Record<string, unknown>[] {
  const found = query(path, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table);
  return found.length === 0 ? [] : query(path, `SELECT ${columns} FROM ${table}`);
}

/** From the outside, in the end: everybody was answered, once, in order; a copy only where it could not be known. */
export function assertTold(said: Said): void {
  const count = new Map<string, number>();
  for (const [what, number] of said) count.set(`${what} ${number}`, (count.get(`${what} ${number}`) ?? 0) + 1);
  assert.deepEqual(
    said.filter(([what]) => what === 'wrong'),
    [],
  );
  for (const [what, number] of said) {
    if (what !== 'accepted') continue;
    assert.equal(count.get(`accepted ${number}`), 1);
    const told = ['sent', 'again', 'abandoned'].some((way) => count.has(`${way} ${number}`));
    assert.ok(told, `${number} was accepted and never answered`);
  }
  for (const [line, times] of count) if (line.startsWith('sent ')) assert.equal(times, 1, `${line} ${times} times`);
  for (let chat = 0; chat < chats; chat += 1) {
    const order = said
      .filter(([what, number]) => what === 'sent' && number % chats === chat)
      .map(([, number]) => number);
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
      'in the order in which they came',
    );
  }
}

export function readSaid(output: string): Said {
  // What follows the last line break was not said to the end.
  const lines = output.split('\n').slice(0, -1);
  return lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])] as const);
}

/** Lets a gateway do what is left. */
export async function finish(path: string, first: number): Promise<Said> {
  const { output, ending } = await run(path, [String(first), '10']);
  assert.equal(ending, 0);
  return readSaid(output);
}

/** Kills it once it has said `after` lines; returns all it said until then. */
async function runUntilKilled(path: string, first: number, after: number): Promise<Said> {
  const { output, ending } = await run(path, [String(first)], (said, kill) => {
    if (said.split('\n').length > after) kill();
  });
  assert.equal(ending, 'SIGKILL');
  return readSaid(output);
}

async function run(
  path: string,
  args: readonly string[],
  watch: (said: string, kill: () => void) => void = () => undefined,
): Promise<{ output: string; ending: unknown }> {
  const child = spawn(process.execPath, [gateway, path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    watch(output, () => child.kill('SIGKILL'));
  });
  const [code, signal] = await once(child, 'close');
  return { output, ending: signal ?? code };
}
