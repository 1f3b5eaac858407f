/** Tells a browser the token of its proxy. */
import type { Page } from 'playwright-core';

/**
 * Arguments of a process are read by all users of the machine, so the token is said when the proxy asks for it, which it does
 * for the first page. From then on the browser shows it with all it asks for, and nothing is held up any more.
 */
export class ProxyToken {
  readonly #token: string;
  #isTold = false;

  constructor(token: string) {
    this.#token = token;
  }

  /** To be called for each tab before anything is opened in it. */
  async answerIn(page: Page): Promise<void> {
    if (this.#isTold) return;
    const session = await page.context().newCDPSession(page);
    session.on('Fetch.requestPaused', ({ requestId }) => {
      void session.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
    });
    session.on('Fetch.authRequired', ({ requestId, authChallenge: { source } }) => {
      // Logins of sites are as if nobody listened.
      const response = source === 'Proxy' ? 'ProvideCredentials' : 'Default';
      const said = {
        requestId,
        authChallengeResponse: { response, username: 'hermes', password: this.#token },
      } as const;
      const telling = async () => {
        await session.send('Fetch.continueWithAuth', said);
        if (source !== 'Proxy') return;
        this.#isTold = true;
        await session.detach();
      };
      // The page went away.
      telling().catch(() => undefined);
    });
    await session.send('Fetch.enable', { handleAuthRequests: true });
  }
}
