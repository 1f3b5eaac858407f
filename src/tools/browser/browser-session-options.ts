/** What a browser of a session is made of. */
import type { Log } from '../../lib/log.ts';
import type { BrowserBackend } from './backend.ts';
import type { BrowserSlots } from './browser-slots.ts';
import type { CamofoxBrowser } from './camofox/camofox-browser.ts';
import type { DialogSettings } from './dialogs.ts';
import type { BrowserEngine } from './engine.ts';
import type { NetworkRules } from './network-rules.ts';
import type { Recording } from './recording.ts';
import type { Sidecar } from './sidecar.ts';

interface BrowserLimits {
  /** `browser.inactivity_timeout`, seconds. */
  readonly idleSeconds: number;
  /** `browser.command_timeout`, seconds. */
  readonly commandSeconds: number;
}

export interface BrowserSessionOptions<Session> extends BrowserLimits {
  /** The one of an endpoint, or the one that is started here; undefined where there is none. */
  readonly backend: (endpoint: string | undefined) => Promise<BrowserBackend | undefined>;
  /** `browser.cdp_url`: a browser that runs already. */
  readonly endpoint?: string | undefined;
  /** The service whose browser is used where no endpoint is; for `describe`. */
  readonly cloud?: string | undefined;
  /** A browser that a Camofox server drives, where no endpoint is. */
  readonly camofox?: CamofoxBrowser | undefined;
  /** A second browser, beside one that is elsewhere, for addresses which only this machine reaches. */
  readonly sidecar?: Sidecar<Session> | undefined;
  /** What takes over where the browser of this machine cannot do something. */
  readonly engine?: BrowserEngine | undefined;
  /** Makes the film of one browser; absent: none is made. */
  readonly recording?: (() => Promise<Recording | undefined>) | undefined;
  /** Whether there is one, without a look at more than a few files. */
  readonly isThere: () => boolean;
  readonly rules: (backend: BrowserBackend) => Promise<NetworkRules>;
  readonly dialogs: Omit<DialogSettings, 'keeps'>;
  readonly homePath: string;
  readonly slots: BrowserSlots;
  readonly log: Log;
  readonly within: (host: string, work: () => Promise<void>) => Promise<void>;
}
