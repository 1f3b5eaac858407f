/** A conversation in one home and one session that is struck with `kill -9` again and again: what was said stays said, once. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RecordedRequest, startModelServer, type Step } from '../fakes/model-server.ts';
import { randomFrom } from '../random.ts';
import { makePlace, type Place, type Running, start } from './hermes-process.ts';
import { integrity, storedMessages, storedSessions } from './stored.ts';

/**
 * Where a turn is struck. A turn is: request 1, one call; request 2, two calls; request 3, the answer.
 * `held` = the request has arrived and is not answered; `streaming` = part of its answer has been sent;
 * `storing` = a few random milliseconds after its whole answer has been sent; `running` = its last call is under way.
 */
export type Moment =
  | { readonly at: 'anywhere' }
  | { readonly at: 'answered' }
  | { readonly at: 'held' | 'streaming' | 'storing'; readonly request: 1 | 2 | 3 }
  | { readonly at: 'running'; readonly request: 1 | 2 };

/** Has one turn after the other, each killed at the next moment of the plan until all deaths are died. */
export async function survive(t: TestContext, seed: number, plan: readonly Moment[]): Promise<void> {
  const random = randomFrom(seed);
  let turn = 0;
  let deaths = 0;
  let moment: Moment | undefined;
  let release = Promise.withResolvers<void>();
  await using server = await startModelServer({ respond: (request) => answer(request) });
  const place = makePlace(t, server);
  const log = join(place.work, 'log.txt');
  const interrupted = new Set<string>();

  function answer(request: RecordedRequest): Step {
    const asked = stepOf(request);
    const struck = moment !== undefined && 'request' in moment && moment.request === asked ? moment.at : undefined;
    const timing = {
      ...(struck === 'held' ? { gate: release.promise } : {}),
      ...(struck === 'streaming' ? { gateAfterFirst: release.promise } : {}),
    };
    if (asked === 3) return { text: `answer_${turn} and some more words`, ...timing };
    const names = asked === 1 ? ['1'] : ['2', '3'];
    const slow = struck === 'running' ? names.at(-1) : undefined;
    return {
      text: `I work on it.`,
      ...timing,
      toolCalls: names.map((name) => ({
        id: `call_${turn}_${name}`,
        name: 'terminal',
        arguments: { command: command(`${turn}_${name}`, name === slow) },
      })),
    };
  }

  /** Leaves a line that it began, and prints `result_<name>`, a word that its own text does not contain. */
  function command(name: string, slow: boolean): string {
    return `echo began ${name} >> ${log}; ${slow ? 'sleep 300; ' : ''}printf 'result_%s\\n' ${name}`;
  }

  async function strike(running: Running, at: Moment, before: number): Promise<void> {
    switch (at.at) {
      case 'anywhere':
        await sleep(random() * 700);
        break;
      case 'answered':
        while (running.child.exitCode === null && !running.stdout.includes('\n')) await sleep(2);
        break;
      case 'running': {
        const call = `${turn}_${at.request === 1 ? '1' : '3'}`;
        while (running.child.exitCode === null && !hasLine(log, `began ${call}`)) await sleep(2);
        interrupted.add(`call_${call}`);
        break;
      }
      case 'held':
      case 'streaming':
      case 'storing':
        await server.requestArrived(before + at.request);
        await sleep(random() * (at.at === 'held' ? 2 : 25));
        break;
    }
    running.child.kill('SIGKILL');
  }

  /** One turn with the prompt `user_<turn>`, killed at `at`, or left to finish. */
  async function talk(at: Moment | undefined): Promise<string> {
    turn += 1;
    moment = at;
    release = Promise.withResolvers();
    const before = server.requests.length;
    const running = start(place, [...(turn === 1 ? [] : ['-c']), '-z', `user_${turn}`]);
    if (at !== undefined) await Promise.race([strike(running, at, before), running.ended]);
    const run = await running.ended;
    if (run.signal === null) assert.equal(run.code, 0, `hermes ended by itself: ${run.stderr}`);
    release.resolve();
    if (run.signal === 'SIGKILL') deaths += 1;
    if (at !== undefined && at.at !== 'anywhere') {
      // Only the last moments may come too late to hit.
      const mayBeLate = at.at === 'answered' || (at.at === 'storing' && at.request === 3);
      if (!mayBeLate) assert.equal(run.signal, 'SIGKILL', `turn ${turn} was not struck at ${JSON.stringify(at)}`);
      if (at.at === 'answered')
        assert.ok(markersInStore(place).includes(`answer_${turn}`), 'a printed answer is stored');
    }
    return run.stdout;
  }

  assert.equal(await talk(undefined), 'answer_1 and some more words\n');
  // A blow may come too late; then the plan goes on from its beginning until all deaths are died.
  for (let round = 0; deaths < plan.length; round += 1) {
    await talk(plan[round % plan.length]);
    checkStore(place, server.requests);
  }
  assert.equal(await talk(undefined), `answer_${turn} and some more words\n`);
  checkStore(place, server.requests);

  assert.deepEqual(server.violations, []);
  checkHistoriesGrow(server.requests);
  const last = server.lastRequest.body.messages;
  for (const id of interrupted) {
    const told = last.filter((message) => message.tool_call_id === id).map((message) => message.content);
    assert.equal(told.length, 1, `${id} is answered once`);
    assert.match(JSON.stringify(told[0]), /outcome is unknown/, `${id} is reported as interrupted`);
  }
  const began = readFileSync(log, 'utf8').trim().split('\n');
  assert.equal(new Set(began).size, began.length, 'no command was run twice');
  for (let left = 40; left > 0 && processesOf(place).length > 0; left -= 1) await sleep(200);
  assert.deepEqual(processesOf(place), [], 'no command outlives the program that started it');
}

function hasLine(file: string, line: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').split('\n').includes(line);
}

/** Command lines of running processes that were started with the home of this place. Empty where there is no /proc. */
function processesOf(place: Place): string[] {
  const all = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return all.flatMap((pid) => {
    try {
      const mine = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${place.env['HOME']}`);
      return mine ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      return [];
    }
  });
}

/** Which request of its turn this is: how many answers came after the newest user message, plus one. */
function stepOf({ body }: RecordedRequest): number {
  const lastUser = body.messages.findLastIndex((message) => message.role === 'user');
  return body.messages.slice(lastUser).filter((message) => message.role === 'assistant').length + 1;
}

/** The database is sound, holds one session, and begins with everything that a request ever told the model. */
function checkStore(place: Place, requests: readonly RecordedRequest[]): void {
  const stored = markersInStore(place);
  assert.equal(new Set(stored).size, stored.length, `nothing is stored twice: ${stored.join(' ')}`);
  const request = requests.at(-1);
  assert.ok(request !== undefined);
  const sent = markersInRequest(request);
  assert.deepEqual(stored.slice(0, sent.length), sent);
}

/** Reads a copy, so that the program and not this test recovers what a kill left behind. */
function markersInStore(place: Place): string[] {
  const copy = mkdtempSync(join(place.work, 'copy-'));
  try {
    for (const name of ['state.db', 'state.db-wal']) {
      if (existsSync(join(place.home, name))) copyFileSync(join(place.home, name), join(copy, name));
    }
    assert.equal(integrity(copy), 'ok');
    const rows = storedMessages(copy);
    const sessions = storedSessions(copy);
    assert.equal(sessions.length, 1);
    assert.equal(sessions[0]?.message_count, rows.length);
    return rows.flatMap((row) => markers(row.role, row.content ?? '', row.tool_calls ?? ''));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function markersInRequest({ body }: RecordedRequest): string[] {
  return body.messages.flatMap((message) =>
    markers(message.role, JSON.stringify(message.content), JSON.stringify(message.tool_calls ?? [])),
  );
}

/** The words that tell this message from every other one. */
function markers(role: string, content: string, calls: string): string[] {
  const pattern = { user: /user_\d+/g, assistant: /answer_\d+|call_\d+_\d/g, tool: /result_\d+_\d/g }[role];
  return pattern === undefined ? [] : (`${content} ${calls}`.match(pattern) ?? []);
}

/** Every request tells the model all that an earlier one told it, in the same order. */
function checkHistoriesGrow(requests: readonly RecordedRequest[]): void {
  for (const [index, request] of requests.entries()) {
    const earlier = requests[index - 1];
    if (earlier === undefined) continue;
    const before = markersInRequest(earlier);
    assert.deepEqual(markersInRequest(request).slice(0, before.length), before, `request ${index}`);
  }
}
