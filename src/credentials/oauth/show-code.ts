/** Shows the code of a login on another device. */
import type { Grantor } from './grants.ts';
import type { LoginOptions } from './login.ts';
import { garbled, oneLine } from './service-error.ts';

export interface UserCode {
  readonly url: string;
  /** With the code in it, for the browser. */
  readonly completeUrl: string;
  readonly userCode: string;
  readonly expiresInSeconds: number;
}

/** Shows the code, and opens the browser where the person wants that. Throws when an address is not one to open. */
export async function showUserCode(
  { wire, issuer }: Pick<Grantor, 'wire' | 'issuer'>,
  { prompt, browser = true }: LoginOptions,
  { url, completeUrl, userCode, expiresInSeconds }: UserCode,
): Promise<void> {
  if (!isOpenable(url) || !isOpenable(completeUrl)) {
    throw garbled(wire.service, new URL(issuer).host, 200, 'an address for the browser that is not https');
  }
  await prompt.showCode({
    url: new URL(url).href,
    userCode: oneLine(userCode, 64),
    expiresInSeconds: Math.round(expiresInSeconds),
  });
  if (browser) await prompt.openBrowser(new URL(completeUrl).href);
  prompt.status('Waiting for the login to be confirmed in the browser');
}

/** Other schemes would start programs. */
function isOpenable(url: string): boolean {
  return URL.parse(url)?.protocol === 'https:';
}
