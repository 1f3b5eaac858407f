/**
 * Reads `data:` URLs, the form in which pictures stand in the history.
 * https://www.rfc-editor.org/rfc/rfc2397
 */

export interface DataUrl {
  /** In lower case, without parameters: `image/png`. */
  readonly mediaType: string;
  /** Standard base64, with padding and without white space. */
  readonly base64: string;
}

/** Undefined when the URL is no `data:` URL, or its data is empty or broken. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',');
  if (comma === -1 || !/^data:/i.test(url)) return undefined;
  const [type = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const mediaType = type.trim().toLowerCase();
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64';
  const base64 = isBase64 ? cleanBase64(url.slice(comma + 1)) : percentToBase64(url.slice(comma + 1));
  return base64 === undefined || base64 === '' || mediaType === '' ? undefined : { mediaType, base64 };
}

function cleanBase64(data: string): string | undefined {
  const text = data
    .replace(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/(?<!=)=+$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(text) || text.length % 4 === 1) return undefined;
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

function percentToBase64(data: string): string | undefined {
  try {
    return Buffer.from(decodeURIComponent(data), 'utf8').toString('base64');
  } catch {
    // A broken escape: the picture cannot be shown to the model, which is what the caller asks.
    return undefined;
  }
}
