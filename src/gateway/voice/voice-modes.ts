/** Which chats want their answers spoken, in the file that the original keeps it in. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { parseJson } from '../../lib/json.ts';
import type { SessionSource } from '../platform/session-source.ts';

export const voiceModes = ['off', 'voice_only', 'all'] as const;
/** `voice_only`: answers to what was spoken are. */
export type VoiceMode = (typeof voiceModes)[number];

type Chat = Pick<SessionSource, 'platform' | 'chat_id'>;

const written = z.record(z.string(), z.unknown()).catch({});
const mode = z.enum(voiceModes);

export class VoiceModes {
  readonly #path: string;
  readonly #usual: VoiceMode;

  /** `usual`: of a chat for which nothing was said. */
  constructor(homePath: string, usual: VoiceMode) {
    this.#path = join(homePath, 'gateway_voice_mode.json');
    this.#usual = usual;
  }

  /** Read anew each time: the file is small, and others may write it. */
  of(chat: Chat): VoiceMode {
    return this.#all().get(keyOf(chat)) ?? this.#usual;
  }

  /** Throws Node's file-system errors. */
  set(chat: Chat, to: VoiceMode): void {
    const all = this.#all().set(keyOf(chat), to);
    writeFileAtomic(this.#path, JSON.stringify(Object.fromEntries(all), null, 2));
  }

  /** Nothing of a file that cannot be read, and no chat without its platform, as old files have them. */
  #all(): Map<string, VoiceMode> {
    const all = new Map<string, VoiceMode>();
    for (const [key, value] of Object.entries(written.parse(parseJson(this.#text())))) {
      const known = mode.safeParse(value).data;
      if (known !== undefined && key.includes(':')) all.set(key, known);
    }
    return all;
  }

  #text(): string {
    try {
      return readFileSync(this.#path, 'utf8');
    } catch {
      // Nobody has said anything yet.
      return '{}';
    }
  }
}

function keyOf({ platform, chat_id: id }: Chat): string {
  return `${platform}:${id}`;
}
