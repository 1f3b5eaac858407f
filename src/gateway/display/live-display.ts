/** The display settings of chats, which commands change while the gateway runs. */
import { type ChatDisplay, chatDisplay, type WrittenDisplay } from './display-settings.ts';

export class LiveDisplay {
  readonly #isStreaming: boolean;
  #written: WrittenDisplay;

  /** @param isStreaming `streaming.enabled` */
  constructor(written: WrittenDisplay, isStreaming: boolean) {
    this.#written = written;
    this.#isStreaming = isStreaming;
  }

  of(platform: string): ChatDisplay {
    return chatDisplay(platform, this.#written, this.#isStreaming);
  }

  /** The section as it is now. */
  get written(): WrittenDisplay {
    return this.#written;
  }

  /** @param path below `display` */
  set(path: readonly string[], value: unknown): void {
    this.#written = withValue(this.#written, path, value);
  }
}

function withValue(record: WrittenDisplay, [key, ...rest]: readonly string[], value: unknown): WrittenDisplay {
  if (key === undefined) return record;
  return { ...record, [key]: rest.length === 0 ? value : withValue(recordOf(record[key]), rest, value) };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
