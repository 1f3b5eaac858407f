/** `sessions.write_json_snapshots`: the conversation as a file beside the store, for programs that read it there. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { ModelRoute, ToolSchema } from '../llm/protocol.ts';

export interface SessionSnapshotOptions {
  readonly homePath: string;
  readonly platform: string;
  readonly startedAt: Date;
  readonly sessionId: () => string;
  readonly route: () => ModelRoute;
  readonly systemPrompt: () => string;
  readonly tools: () => readonly ToolSchema[];
  /** Masks secrets. */
  readonly redact: (text: string) => string;
  readonly log: Log;
}

export class SessionSnapshot {
  readonly #options: SessionSnapshotOptions;

  constructor(options: SessionSnapshotOptions) {
    this.#options = options;
  }

  /** Replaces the file, unless it holds more than this. Never throws: the store has the conversation. */
  write(messages: readonly HistoryMessage[]): void {
    const { homePath, platform, startedAt, sessionId, route, tools, redact, log } = this.#options;
    const id = sessionId();
    const folder = join(homePath, 'sessions');
    const path = join(folder, `session_${id.replaceAll(/[^\w.-]/g, '_')}.json`);
    try {
      if (countIn(path) > messages.length) return;
      const { model, baseUrl } = route();
      const snapshot = {
        session_id: id,
        model,
        base_url: baseUrl,
        platform,
        session_start: startedAt.toISOString(),
        last_updated: new Date().toISOString(),
        system_prompt: this.#options.systemPrompt(),
        tools: tools().map((tool) => ({ type: 'function', function: tool })),
        message_count: messages.length,
        messages: messages.map(({ sources: _sources, kind: _kind, ...message }) => message),
      };
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileAtomic(path, redact(`${JSON.stringify(snapshot, null, 2)}\n`));
    } catch (error) {
      log.warning(`the session could not be written to ${path}`, error);
    }
  }
}

/** Messages in the file; 0 when there is none that can be read. */
function countIn(path: string): number {
  try {
    const found = parseJson(readFileSync(path, 'utf8'));
    const count = isJsonObject(found) ? found['message_count'] : undefined;
    return typeof count === 'number' ? count : 0;
  } catch {
    return 0;
  }
}
