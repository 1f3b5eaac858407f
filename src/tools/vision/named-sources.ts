/** Where a picture or a video comes from that a call names, before it was looked for. */
import type { Source } from '../../llm/source.ts';
import type { ToolServices } from '../services.ts';
import { webAddress } from './judge-address.ts';

/** Of a call that found nothing; what was found says it more closely. */
export function namedSources(named: string, { files }: ToolServices): readonly Source[] {
  const url = webAddress(named);
  if (url !== undefined) return [{ from: 'page', name: url.host }];
  return /^(?:data|file):/i.test(named) ? [{ from: 'file' }] : [{ from: 'file', name: files.resolve(named) }];
}
