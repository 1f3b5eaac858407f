/** The contract of logins: what a provider's login does, what it asks of the surface, and what comes out of it. */
import { UserError } from '../../lib/errors.ts';
import type { Fetch } from '../../lib/fetch-over.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { LoginVariables } from '../../config/model-variables.ts';

/** What a login gives. Holds secrets; never log it. */
export interface TokenSet {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Seconds since 1970; absent when the provider does not say. */
  readonly expiresAt?: number;
  /** As granted, separated by spaces. */
  readonly scope?: string;
  /** More fields to be stored beside the tokens, with the names that `auth.json` uses; null clears one. */
  readonly extra?: JsonObject;
}

/** How a login talks to a person. Every surface has its own. */
export interface LoginPrompt {
  /** The person opens `url` on any device and enters `userCode` there. */
  showCode(code: {
    readonly url: string;
    readonly userCode: string;
    readonly expiresInSeconds: number;
  }): Promise<void> | void;
  /** False when there is no browser to open, or opening it failed. */
  openBrowser(url: string): Promise<boolean>;
  /** One line that the person pastes. Must stop asking and may reject when `signal` aborts. */
  askForPaste(message: string, signal: AbortSignal): Promise<string>;
  /** One line for the person to read. */
  status(line: string): void;
}

export interface LoginOptions {
  readonly prompt: LoginPrompt;
  readonly signal: AbortSignal;
  /** False: no browser is opened, the person does that on another machine. */
  readonly browser?: boolean;
  /** True: no listener is started; the person pastes what the browser ends up with. */
  readonly manualPaste?: boolean;
}

/** The login of one provider. */
export interface OAuthLogin {
  /** Provider id. */
  readonly provider: string;
  /** Leads a person through a login. Throws `UserError`, or the signal's reason when it aborts. Stores nothing. */
  start(options: LoginOptions): Promise<TokenSet>;
  /** Asks once for new tokens. Throws `RefreshError`, or the signal's reason when it aborts. Stores nothing. */
  refresh(tokens: TokenSet, signal: AbortSignal): Promise<TokenSet>;
}

/** What the logins need from outside. */
export interface LoginContext {
  readonly variables: LoginVariables;
  /** Gets what was asked and answered, without any value, when `variables.trace` is set. */
  readonly trace?: (line: string) => void;
  readonly log?: Log | undefined;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
  /** Default: a timer. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly fetch?: Fetch;
}

/** New tokens were not given. `terminal` = they never will be for this login: the person has to log in again. */
export class RefreshError extends UserError {
  override readonly name = 'RefreshError';
  readonly terminal: boolean;

  constructor(message: string, options: { terminal: boolean; hint?: string; cause?: unknown }) {
    super(message, options);
    this.terminal = options.terminal;
  }
}
