/** Reads what a person pastes after a login in a browser elsewhere. */

export interface PastedCode {
  /** The parameters of the redirect, `code` and `state` among them where they were there. */
  readonly parameters: URLSearchParams;
  /** True for a code without anything around it: it carries no state that could be checked. */
  readonly bare: boolean;
}

/**
 * Accepts the whole address that the browser ended on, its query (`?code=…&state=…`), `code#state`, or the code alone;
 * quotes and spaces around it do not matter. Undefined when there is no code and no error in it.
 */
export function parsePaste(pasted: string): PastedCode | undefined {
  const text = pasted.slice(0, maxLength).trim().replace(quotes, '$2').trim();
  if (text === '' || pasted.length > maxLength) return undefined;
  const redirect = redirectParameters(text);
  const parameters = redirect ?? codeParameters(text);
  if (parameters === undefined || !(parameters.get('code') || parameters.get('error'))) return undefined;
  return { parameters, bare: redirect === undefined && !parameters.has('state') };
}

const maxLength = 16_384;
const quotes = /^(["'`<])([^]*)["'`>]$/;

function redirectParameters(text: string): URLSearchParams | undefined {
  if (/^https?:\/\//i.test(text)) {
    const url = URL.parse(text.replace(/\s+/g, ''));
    if (url === null) return undefined;
    const hash = new URLSearchParams(url.hash.slice(1));
    return url.searchParams.has('code') || url.searchParams.has('error') ? url.searchParams : hash;
  }
  if (!/(?:^|[?&])(?:code|error)=/.test(text)) return undefined;
  return new URLSearchParams(text.slice(text.indexOf('?') + 1).replace(/\s+/g, ''));
}

/** A code has no spaces: a sentence is not one. */
function codeParameters(text: string): URLSearchParams | undefined {
  const match = /^([^\s#?&=<>"']+={0,2})(?:#([^\s#]+))?$/.exec(text);
  const [, code, state] = match ?? [];
  if (code === undefined) return undefined;
  return new URLSearchParams({ code, ...(state === undefined ? {} : { state }) });
}
