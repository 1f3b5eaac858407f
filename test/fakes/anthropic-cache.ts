/** Anthropic's prompt cache as its documentation describes it, to measure how much of a conversation is read from it. */
import { createHash } from 'node:crypto';
import { blocksOf } from './anthropic-rules.ts';

export interface CachedUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

/** How far behind a mark an earlier entry is looked for, in blocks. */
const lookback = 20;
const imageTokens = 1500;

/**
 * Prefixes that earlier requests stored. A prefix is everything before the end of a marked block, in the order tools,
 * system, messages, without the marks themselves; one changed byte makes it another. Nothing expires.
 */
export class PromptCache {
  readonly #entries = new Set<string>();
  readonly #minTokens: number;

  /** Prefixes shorter than `minTokens` are not stored. */
  constructor(minTokens = 1024) {
    this.#minTokens = minTokens;
  }

  /** Accounts a request and stores its marked prefixes. Tokens are estimated as characters / 4. */
  account(body: { readonly [key: string]: unknown }): CachedUsage {
    const prefixes = prefixesOf(body);
    const total = prefixes.at(-1)?.tokens ?? 0;
    const marks = prefixes.flatMap((prefix, index) => (prefix.marked ? [index] : []));
    let read = 0;
    let stored = 0;
    for (const mark of marks) {
      const near = prefixes.slice(Math.max(0, mark - lookback + 1), mark + 1);
      for (const prefix of near) if (this.#entries.has(prefix.hash)) read = Math.max(read, prefix.tokens);
      stored = Math.max(stored, prefixes[mark]?.tokens ?? 0);
    }
    for (const mark of marks) {
      const prefix = prefixes[mark];
      if (prefix !== undefined && prefix.tokens >= this.#minTokens) this.#entries.add(prefix.hash);
    }
    const written = stored < this.#minTokens ? 0 : stored - read;
    return {
      input_tokens: total - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    };
  }
}

interface Prefix {
  readonly hash: string;
  readonly tokens: number;
  readonly marked: boolean;
}

function prefixesOf(body: { readonly [key: string]: unknown }): Prefix[] {
  const { model, tools, system, messages, thinking, tool_choice, speed } = body;
  const hash = createHash('sha256').update(JSON.stringify([model, speed]));
  const prefixes: Prefix[] = [];
  let chars = 0;
  let images = 0;
  const add = (kind: string, block: { readonly [key: string]: unknown }) => {
    const { cache_control: mark, ...rest } = block;
    const text = JSON.stringify(rest);
    const isImage = JSON.stringify(rest['source'] ?? null) !== 'null';
    if (isImage) images += 1;
    else chars += text.length;
    hash.update(`\n${kind}:${text}`);
    const tokens = Math.floor(chars / 4) + images * imageTokens;
    prefixes.push({ hash: hash.copy().digest('hex'), tokens, marked: mark !== undefined });
  };
  for (const tool of Array.isArray(tools) ? tools : []) add('tool', tool);
  for (const block of system === undefined ? [] : blocksOf(system)) add('system', block);
  // A change of thinking or of the choice of tools leaves the cached tools and system as they are.
  hash.update(JSON.stringify([thinking, tool_choice]));
  for (const row of Array.isArray(messages) ? messages : []) {
    for (const block of blocksOf(row.content)) add(String(row.role), block);
  }
  return prefixes;
}
