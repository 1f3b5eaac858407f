/** A service that lends browsers. */
import type { CloudBrowserVariables } from '../../../config/cloud-browser-variables.ts';
import type { Way } from '../../../config/tool-gateway.ts';
import type { WebAccess } from '../../web/web-access.ts';

export interface CloudAccess extends Pick<WebAccess, 'fetch'> {
  readonly cloud: CloudBrowserVariables;
  /** How Browser Use is reached. */
  readonly browserUse: Way;
  /** Of Firecrawl, which reads pages with the same key. */
  readonly firecrawl: { readonly key: string | undefined; readonly url: string | undefined };
}

export interface CloudRequest {
  readonly access: CloudAccess;
  readonly signal: AbortSignal;
}

/** What is known of a service without loading it. */
export interface CloudEntry {
  /** As `browser.cloud_provider` names it. */
  readonly id: string;
  /** For messages. */
  readonly name: string;
  /** The variables that it does nothing without, in words. */
  readonly needs: string;
  /** Never chosen by itself. */
  readonly onlyNamed?: true;
  /** Must not ask the network. */
  isAvailable(access: Omit<CloudAccess, 'fetch'>): boolean;
  load(): Promise<CloudBrowser>;
}

/** Must not follow redirects, nor put a key into an error. Throws `UserError` with one line for what went wrong. */
export interface CloudBrowser {
  start(request: CloudRequest): Promise<LentBrowser>;
  /** Gives it back: until then it costs money. */
  end(id: string, request: CloudRequest): Promise<void>;
}

export interface LentBrowser {
  readonly id: string;
  /** Of its DevTools: `wss://` or `https://`, often with a key in it. */
  readonly endpoint: string;
}
