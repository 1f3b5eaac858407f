/** A newer version that somebody asked for in a chat: looked for at once, installed when the gateway has ended all else. */
import { UserError } from '../../lib/errors.ts';
import type { InstalledUpdate } from './restart-notice.ts';
import { StopRequests } from './stop-request.ts';
import type { SystemdNotice } from './systemd-notice.ts';

/** Newer versions of the program. */
export interface Updates {
  /** Throws `UserError` for what an update would stumble over. `words`: what there is, or why there is nothing. */
  look(): Promise<{ readonly isNewer: boolean; readonly words: string }>;
  /** Never rejects. */
  install(): Promise<InstalledUpdate>;
}

export interface AskedUpdate {
  /** Called when there is a newer version, before the process ends. */
  before(): void;
  /** Called when the process has ended all else and the update is done, or is given up. */
  installed(how: InstalledUpdate): void;
}

export interface UpdateRequestOptions {
  readonly updates: Updates;
  readonly stop: StopRequests;
  readonly notice: SystemdNotice;
  /** Something would start the gateway again. */
  isSupervised(): boolean;
}

export class UpdateRequest {
  readonly #options: UpdateRequestOptions;
  #asked: AskedUpdate | undefined;

  constructor(options: UpdateRequestOptions) {
    this.#options = options;
  }

  /** Returns what to tell whoever asked. Throws `UserError`. */
  async ask(asked: AskedUpdate): Promise<string> {
    const { updates, stop } = this.#options;
    if (!this.#options.isSupervised()) {
      throw new UserError('Nothing would start me again after an update.', {
        hint: 'Run the gateway as a service (hermes gateway install), or run in a terminal: hermes update',
      });
    }
    const { isNewer, words } = await updates.look();
    if (!isNewer) return words;
    if (stop.isWanted) throw new UserError('I am ending just now; please ask again when I am back.');
    asked.before();
    this.#asked = asked;
    stop.ask({ kind: 'restart', reason: 'somebody asked for an update in a chat' });
    return `${words}\n♻️ I install it as soon as the running turns are done, and say so here when I am back.`;
  }

  /** For the process that has ended all else: nothing runs any more, and nobody else can begin in its home. */
  async install(): Promise<void> {
    if (this.#asked === undefined) return;
    // Half of it would be worse than none: a signal that asks does not end it.
    const ends = new StopRequests().listen(() => undefined);
    const extended = this.#options.notice.extend();
    try {
      this.#asked.installed(await this.#options.updates.install());
    } finally {
      extended();
      ends();
    }
  }
}
