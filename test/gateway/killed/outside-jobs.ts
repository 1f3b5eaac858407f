/** Jobs that are due at once on the home of an outside world, and what became of them as their chats saw it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JobDesk } from '../../../src/cron/job-desk.ts';
import { JobStore } from '../../../src/cron/job-store.ts';
import { noLog } from '../../../src/lib/log.ts';
import { answeredIn, numbersIn } from './outside-model.ts';
import type { OutsideWorld, Running } from './outside-world.ts';

export interface JobVerdict {
  /** Nobody was told anything of it. */
  readonly untold: readonly string[];
  /** Told more than once without a mark, or more than once with one, or with its answer as well as a failure. */
  readonly doubled: readonly string[];
  /** What it did happened more than once. */
  readonly repeated: readonly string[];
  /** Told to have ended well. */
  readonly answered: readonly string[];
  readonly failed: readonly string[];
}

const mark = '♻️';

export class OutsideJobs {
  readonly #world: OutsideWorld;
  readonly #desk: JobDesk;
  readonly #names: string[] = [];

  constructor(world: OutsideWorld) {
    const homePath = join(world.base, '.hermes');
    this.#world = world;
    this.#desk = new JobDesk({
      store: new JobStore({ homePath, log: noLog, zone: () => 'UTC' }),
      homePath,
      snapshot: () => Promise.resolve({ provider: null, model: null }),
    });
  }

  /** A job for one run, now: `say`, or `do`, which leaves a line in the file of effects. */
  async make(what: string): Promise<void> {
    const chat = `c${this.#names.length % 3}`;
    const name = `${chat}#${this.#names.length + 1}`;
    this.#names.push(name);
    await this.#desk.create({ schedule: '0m', prompt: `${what} ${name}`, name, deliver: `outside:${chat}` }, undefined);
  }

  get verdict(): JobVerdict {
    const path = join(this.#world.base, 'effects');
    const effects = existsSync(path) ? readFileSync(path, 'utf8').split('\n').flatMap(numbersIn) : [];
    const told = new Map(this.#names.map((name) => [name, this.#told(name)]));
    const those = (is: (texts: readonly string[], name: string) => boolean): string[] =>
      this.#names.filter((name) => is(told.get(name) ?? [], name));
    const isAnswer = (text: string): boolean => answeredIn(text).length > 0;
    const answered = those((texts) => texts.some(isAnswer));
    const failed = those((texts) => texts.some((text) => !isAnswer(text)));
    return {
      untold: those((texts) => texts.length === 0),
      doubled: those((texts, name) => {
        const marked = texts.filter((text) => text.startsWith(mark)).length;
        return marked > 1 || texts.length - marked > 1 || (answered.includes(name) && failed.includes(name));
      }),
      repeated: those((_, name) => effects.filter((each) => each === name).length > 1),
      answered,
      failed,
    };
  }

  /** Lets a gateway do what is left, and stops it. */
  async finish(signal: AbortSignal): Promise<void> {
    const ending = await this.toldAll(this.#world.start(), signal);
    if (ending !== 0) throw new Error(`the last gateway ended with ${String(ending)}: ${this.#world.output}`);
  }

  /** Asks a gateway to stop when every job was told; resolves with how it ended. */
  async toldAll(running: Running, signal: AbortSignal): Promise<unknown> {
    const { service } = this.#world;
    const over = new AbortController();
    void running.ended.then(() => over.abort());
    const late = AbortSignal.any([signal, over.signal]);
    while (!late.aborted && this.verdict.untold.length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    service.stopping = true;
    const ending = await running.ended;
    service.stopping = false;
    return ending;
  }

  #told(name: string): readonly string[] {
    return this.#world.service.sent.flatMap(({ text }) => (numbersIn(text).includes(name) ? [text] : []));
  }
}
