/** One command to a browser, and the open browser that it works with. */
import type { Dialogs } from './dialogs.ts';
import type { NetworkRules } from './network-rules.ts';
import type { Tab, Tabs } from './tabs.ts';

export interface BrowserCommand {
  readonly signal: AbortSignal;
  /** Opens a browser where none is open. */
  readonly opens: boolean;
  /** In the place of `commandSeconds`. */
  readonly seconds?: number;
  /** The page that it will open. */
  readonly address?: URL | undefined;
  /** The thing on the page that it names. */
  readonly ref?: string | undefined;
  /** It looks at the page as a picture. */
  readonly picture?: boolean | undefined;
}

/** An open browser, as tools use it. */
export interface OpenTabs {
  readonly tabs: Tabs;
  readonly tab: Tab;
  readonly rules: NetworkRules;
  readonly dialogs: Dialogs;
  /** Aborts on an interrupt, and when the command has lasted too long. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly homePath: string;
  /** Writes a file whose text is that of a page. */
  readonly keepFile: (address: string, work: () => Promise<void>) => Promise<void>;
  /** What happened beside, since the last call. */
  news(): object;
}
