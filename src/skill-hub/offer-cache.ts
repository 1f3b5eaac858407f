/** What sources offered lately, kept on disk for an hour so that searching does not ask them again and again. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { parseJson } from '../lib/json.ts';
import { hubFolder } from './hub-files.ts';
import type { SkillOffer } from './source.ts';

/** The kept list, or that of `load`, which is then kept. */
export async function rememberOffers(
  { homePath, now }: { readonly homePath: string; readonly now: () => number },
  key: string,
  load: () => Promise<readonly SkillOffer[]>,
): Promise<readonly SkillOffer[]> {
  const folder = join(hubFolder(homePath), 'index-cache');
  const path = join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 24)}.json`);
  const kept = readKept(path);
  if (kept !== undefined && kept.key === key && Math.abs(now() - kept.at) < keptForMs) return kept.offers;
  const offers = await load();
  mkdirSync(folder, { recursive: true });
  writeFileAtomic(path, JSON.stringify({ key, at: now(), offers }));
  return offers;
}

const keptForMs = 3_600_000;

const shape = z.object({
  key: z.string(),
  at: z.number(),
  offers: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      identifier: z.string(),
      source: z.string(),
      trust: z.enum(['builtin', 'trusted', 'community', 'agent-created']),
      category: z.string().exactOptional(),
    }),
  ),
});

function readKept(path: string): z.output<typeof shape> | undefined {
  try {
    const parsed = shape.safeParse(parseJson(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // Never kept: the source is asked.
    return undefined;
  }
}
