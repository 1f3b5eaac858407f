/** Ids that the Responses API takes, made of ids from anywhere. */

const maxIdChars = 64;

/**
 * Gives every call of a request a call id of its own. A stored id may be `call|item`, of which the first half counts,
 * or an item id (`fc_…`), whose call id begins with `call_`. The id of a call depends on the calls before it only, so
 * that a growing conversation keeps its prefix.
 */
export class CallIds {
  readonly #used = new Set<string>();
  readonly #byStored = new Map<string, string>();

  /** Of a call; remembers it for the result. */
  claim(stored: string): string {
    const wanted = callIdOf(stored);
    let free = wanted;
    for (let copy = 2; this.#used.has(free); copy += 1) {
      const suffix = `_${copy}`;
      free = wanted.slice(0, maxIdChars - suffix.length) + suffix;
    }
    this.#used.add(free);
    this.#byStored.set(stored, free);
    return free;
  }

  /** Of the call that a result belongs to; undefined when there was none, or it has its result. */
  answer(stored: string): string | undefined {
    const id = this.#byStored.get(stored);
    this.#byStored.delete(stored);
    return id;
  }
}

function callIdOf(stored: string): string {
  const [first = '', second = ''] = stored.split('|', 2);
  const id = (first === '' ? second : first).replace(/[^a-zA-Z0-9_.:-]/g, '_');
  return (id.startsWith('fc_') ? `call_${id.slice('fc_'.length)}` : id).slice(0, maxIdChars) || 'call';
}

/** True for an item id that the API may have given: `rs_…` of reasoning, `msg_…` of a message. */
export function isItemId(id: string, prefix: 'rs_' | 'msg_'): boolean {
  return id.startsWith(prefix) && id.length > prefix.length && id.length <= maxIdChars && /^[\w-]+$/.test(id);
}
