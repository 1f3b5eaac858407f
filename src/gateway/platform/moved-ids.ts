/** Settings that name a chat, once the chat goes by another id. */
import { isJsonObject } from '../../lib/json.ts';
import type { PlatformConfig } from './platform-config.ts';

export function movedConfig(config: PlatformConfig, from: string, to: string): PlatformConfig {
  const { homeChannel: home, extra } = config;
  const homeChannel = home?.chatId === from ? { ...home, chatId: to } : home;
  const moved = Object.entries(extra).map(([key, value]) => [key, movedValue(value, from, to)] as const);
  return { ...config, homeChannel, extra: Object.fromEntries(moved) };
}

/** The id wherever it stands as a whole value or key, also before `:` and a topic. Everything else stays the same object. */
export function movedValue(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'number') return String(value) === from ? Number(to) : value;
  if (typeof value === 'string') return movedText(value, from, to);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const moved = items.map((item) => movedValue(item, from, to));
    return moved.some((item, index) => item !== items[index]) ? moved : value;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const moved = entries.map(([key, item]) => [movedText(key, from, to), movedValue(item, from, to)] as const);
  const isSame = moved.every(([key, item], index) => key === entries[index]?.[0] && item === entries[index][1]);
  return isSame ? value : Object.fromEntries(moved);
}

/** In a list with commas too. */
export function movedText(text: string, from: string, to: string): string {
  const escaped = from.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  return text.replaceAll(new RegExp(`(?<![^\\s,"'[])${escaped}(?![^\\s,"'\\]:])`, 'g'), () => to);
}
