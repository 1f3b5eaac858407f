/** What there is against asking an address for a picture: what the model made of what it read may stand in it. */
import type { Judgement } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { judgeAddresses } from '../web/judge-web.ts';

/** As for pages. Those that are no http(s) addresses are not asked, so nothing is found against them. */
export function judgePictures(named: readonly string[], services: ToolServices): Judgement {
  return judgeAddresses(
    named.flatMap((text) => webAddress(text)?.href ?? []),
    services,
  );
}

export function webAddress(text: string): URL | undefined {
  const url = /^https?:\/\//i.test(text.trim()) ? URL.parse(text.trim()) : null;
  return url ?? undefined;
}
