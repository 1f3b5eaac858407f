/** Messages that look like work: common and rare words, code names, some Japanese; the same on every run. */
import type { HistoryMessage } from '../../src/llm/message.ts';

const common = (
  'the of to and in that is for it with as on be at by this not are from or an we can file test build error run fix ' +
  'session store message tool call command server client config value type function return import index query result'
).split(' ');
const japanese = ['設定ファイル', '東京', '検索', '会話の履歴', 'エラー', '再起動'];

/** A conversation of `count` messages, user first. */
export function conversation(seed: number, count: number): HistoryMessage[] {
  const next = randomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    const content = sentence(next);
    return index % 2 === 0 ? { role: 'user', content } : { role: 'assistant', content };
  });
}

/** A conversation of `count` messages, user first, of 4 to 11 words each. */
export function shortMessages(seed: number, count: number): { role: string; content: string }[] {
  const next = randomNumbers(seed);
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: sentence(next, 4, 8),
  }));
}

/** A query for one or two words that some message may hold. */
export function searchWords(seed: number): string {
  const next = randomNumbers(seed);
  const count = 1 + Math.floor(next() * 2);
  return Array.from({ length: count }, () => word(next)).join(' ');
}

function sentence(next: () => number, least = 10, spread = 50): string {
  const length = least + Math.floor(next() * spread);
  return Array.from({ length }, () => word(next)).join(' ');
}

function word(next: () => number): string {
  const kind = next();
  if (kind < 0.7) return common[Math.floor(next() ** 2 * common.length)] ?? 'the';
  if (kind < 0.72) return japanese[Math.floor(next() * japanese.length)] ?? '検索';
  const rare = Math.floor(next() ** 3 * 20_000);
  return kind < 0.85 ? `module${rare}` : `handle${rare.toString(36)}Request`;
}

/** Numbers from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
