/** What lets a request to a provider in. */

/**
 * Bound to one endpoint and its credential; whoever asks that endpoint anything (an answer, a list of models, whether
 * it is there) asks this for headers first. Holds secrets and must not show them when it is printed or serialized.
 *
 * @example
 * const response = await fetch(url, { headers: await authorizer.headers(signal), redirect: 'error' });
 */
export interface Authorizer {
  /**
   * Asked for before every request, since tokens expire. Empty where nothing is needed. Must only be sent to the host
   * that this was made for. Throws `ModelError` only, of kind `aborted` when `signal` aborts.
   */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Values that must not stand in a message, as far as they are known yet. */
  readonly secrets: readonly string[];
}
