/** Pictures that go along to a service: brought here, bare of what they tell beside their pixels, and sent from here. */
import { UserError } from '../../lib/errors.ts';
import type { ToolServices } from '../services.ts';
import type { SourcePicture } from './source-picture.ts';

/** Throws `UserError` for what cannot be had or is no picture, `PathDenied`, and the signal's reason. */
export async function loadSources(
  named: readonly string[],
  services: ToolServices,
  signal: AbortSignal,
): Promise<readonly SourcePicture[]> {
  if (named.length === 0) return [];
  const { loadMedia } = await import('../vision/load-media.ts');
  const { webAddress } = await import('../vision/judge-address.ts');
  const { fitPicture } = await import('../../pictures/picture.ts');
  const sources: SourcePicture[] = [];
  for (const one of named) {
    const { bytes, name } = await loadMedia(one, services, signal);
    const address = webAddress(one)?.href;
    sources.push({ ...(await fitPicture(bytes, name, signal)), ...(address === undefined ? {} : { address }) });
  }
  return sources;
}

/** The model that is set up cannot do what was asked for. */
export class Unsupported extends UserError {
  override readonly name = 'Unsupported';
}
