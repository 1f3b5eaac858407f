/** What the person of a session has named in their own words: hosts, addresses, and the words themselves. */
import { type HistoryMessage, kindOf, sourcesOf, textOf } from '../../llm/message.ts';
import { isStrange } from '../../llm/source.ts';
import { addressesIn, type HostName, hostsIn, hostText, parseHost } from '../../safety/hosts.ts';

const maxHosts = 1000;
const maxAddresses = 500;
const maxWords = 20_000;

export class SaidHosts {
  readonly #hosts = new Map<string, HostName>();
  readonly #addresses = new Set<string>();
  readonly #words = new Set<string>();

  /** In the order in which they were said. */
  [Symbol.iterator](): Iterator<HostName> {
    return this.#hosts.values();
  }

  /** They wrote this very address. */
  includes({ href }: Pick<URL, 'href'>): boolean {
    return this.#addresses.has(href);
  }

  /** Every word of a text is one of theirs; so is a text without any. */
  holdsWordsOf(text: string): boolean {
    return wordsOf(text).every((word) => this.#words.has(word));
  }

  /** What the person said to the conversation that this one works for. */
  inherit(from: SaidHosts): void {
    for (const host of from) this.#add(host);
    for (const word of from.#words) if (this.#words.size < maxWords) this.#words.add(word);
    for (const address of from.#addresses) if (this.#addresses.size < maxAddresses) this.#addresses.add(address);
  }

  /** To be told every message, also those of a conversation that is continued. */
  hear(message: HistoryMessage): void {
    const kind = kindOf(message);
    if (message.role !== 'user' || (kind !== 'said' && kind !== 'steer')) return;
    const sources = sourcesOf(message);
    // Somebody else's message, and what a program had to say, are no words of the person.
    if (sources.some(({ from }) => !quotedWith.has(from)) || sources.every(({ from }) => from === 'agent')) return;
    // What a model gave its sub-agent to do, once somebody else may have had a word in it.
    if (sources.some(({ from }) => from === 'agent') && sources.some((source) => isStrange(source, 'files'))) return;
    const quotes = sources.some(({ from }) => from !== 'user');
    const text = textOf(message.content);
    const own = quotes ? ownWords(text) : text;
    for (const host of hostsIn(own)) this.#add(host);
    for (const word of wordsOf(own)) if (this.#words.size < maxWords) this.#words.add(word);
    for (const address of addressesIn(own)) if (this.#addresses.size < maxAddresses) this.#addresses.add(address);
    // A page that they attached is one that they named.
    for (const { from, name } of sources) if (from === 'page') this.#add(parseHost(name ?? ''));
  }

  #add(host: HostName | undefined): void {
    if (host !== undefined && this.#hosts.size < maxHosts) this.#hosts.set(hostText(host), host);
  }
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** What a message of the person may carry besides their words; the agent's are in a skill that it wrote. */
const quotedWith: ReadonlySet<string> = new Set(['user', 'agent', 'file', 'skill', 'page']);

/** What was attached stands below what was typed, see `references/expand.ts`; piped input below an empty line. */
function ownWords(text: string): string {
  return text.split(/^(?:--- (?:Attached Context|Context Warnings) ---)?$/m, 1)[0] ?? '';
}
