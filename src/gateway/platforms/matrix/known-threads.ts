/** Threads in which the bot has spoken; there nobody has to call it again. */
import * as z from 'zod';
import { remember } from '../../../lib/bounded.ts';
import { parseJson } from '../../../lib/json.ts';
import type { AdapterNotes } from '../../platform/adapter-host.ts';

const note = 'threads';
const list = z.array(z.string());
const maxThreads = 500;

export class KnownThreads {
  readonly #notes: AdapterNotes;
  readonly #roots = new Set<string>();

  constructor(notes: AdapterNotes) {
    this.#notes = notes;
  }

  async load(): Promise<void> {
    for (const root of list.safeParse(parseJson((await this.#notes.get(note)) ?? '')).data ?? []) this.#roots.add(root);
  }

  has(root: string): boolean {
    return this.#roots.has(root);
  }

  async add(root: string): Promise<void> {
    if (this.#roots.has(root)) return;
    remember(this.#roots, root, maxThreads);
    await this.#notes.set(note, JSON.stringify([...this.#roots]));
  }
}
