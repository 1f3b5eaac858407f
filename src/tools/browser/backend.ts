/** Where a browser comes from: one started here, one that runs already, one of a cloud. */
import type { BrowserContext, Page } from 'playwright-core';
import type { NetworkRules } from './network-rules.ts';

/** Must start nothing before `open`, and leave nothing running when `open` rejects or what it gave is closed. */
export interface BrowserBackend {
  /** For messages. */
  readonly name: string;
  /** It is a person's own browser, with their logins in it. */
  readonly isPersons: boolean;
  /** It runs in another network, whose private addresses are not those of here. */
  readonly isElsewhere?: boolean;
  /** Somebody else keeps dialogs open until they are answered; otherwise they are answered at once. */
  readonly keepsDialogs: boolean;
  /** Throws `UserError`, and the signal's reason when it aborts. */
  open(options: OpenOptions): Promise<OpenedBrowser>;
}

export interface OpenOptions {
  /** What may be reached: the backend sees to it for whatever its pages ask for. */
  readonly rules: NetworkRules;
  readonly signal: AbortSignal;
}

export interface OpenedBrowser {
  readonly context: BrowserContext;
  /** Sees to the rules in a tab of ours, before anything is opened in it; absent where they hold for the whole browser. */
  readonly guard?: (page: Page) => Promise<void>;
  /** Where finished downloads lie until they are taken; absent: what pages offer is not downloaded. */
  readonly downloads?: string;
  /** Ends what was started here. Must not reject. */
  close(): Promise<void>;
}
