/** Asks OSV (https://osv.dev) about known holes in packages. */
import pLimit from 'p-limit';
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import type { Download } from '../../skill-hub/download.ts';
import { baseScore } from './cvss.ts';
import type { Package } from './packages.ts';

export const severities = ['low', 'moderate', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

export interface Advisory {
  readonly id: string;
  readonly summary: string;
  readonly severity: Severity | 'unknown';
}

export interface Vulnerable extends Package {
  readonly advisories: readonly Advisory[];
}

const atOnce = 8;
const maxAnswerBytes = 4 * 1024 * 1024;
/** Pages of one package. */
const maxPages = 10;

/** Those with a hole. Throws `UserError` at the first question that fails: half an answer would read like a whole one. */
export async function askOsv(
  packages: readonly Package[],
  {
    endpoint,
    download,
    signal,
  }: { readonly endpoint: string; readonly download: Download; readonly signal: AbortSignal },
): Promise<readonly Vulnerable[]> {
  const limit = pLimit(atOnce);
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const asked = packages.map((one) =>
    limit(async () => ({ ...one, advisories: await advisoriesOf(one, { endpoint, download, signal: stop }) })),
  );
  try {
    return (await Promise.all(asked)).filter(({ advisories }) => advisories.length > 0);
  } catch (error) {
    limit.clearQueue();
    failed.abort();
    throw new UserError(`OSV could not be asked: ${errorMessage(error)}`, {
      hint: 'Check the connection, or name another address with OSV_ENDPOINT.',
      cause: error,
    });
  }
}

const vulnerability = z.looseObject({
  id: z.string(),
  summary: z.string().default(''),
  withdrawn: z.string().optional(),
  severity: z.array(z.object({ type: z.string(), score: z.string() })).default([]),
  database_specific: z.looseObject({ severity: z.unknown() }).optional(),
});
const answer = z.object({ vulns: z.array(vulnerability).default([]), next_page_token: z.string().optional() });

async function advisoriesOf(
  { name, version, ecosystem }: Package,
  {
    endpoint,
    download,
    signal,
  }: { readonly endpoint: string; readonly download: Download; readonly signal: AbortSignal },
): Promise<readonly Advisory[]> {
  const found: Advisory[] = [];
  let token: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    signal.throwIfAborted();
    const json = { package: { name, ecosystem }, version, ...(token === undefined ? {} : { page_token: token }) };
    const { status, body } = await download(endpoint, { method: 'POST', json, maxBytes: maxAnswerBytes, signal });
    if (status !== 200) throw new UserError(`it answered with status ${status} about ${name}`);
    const read = answer.safeParse(parseJson(body.toString('utf8')));
    if (!read.success) throw new UserError(`its answer about ${name} could not be read`);
    const open = read.data.vulns.filter(({ withdrawn }) => withdrawn === undefined);
    found.push(...open.map((one) => ({ id: one.id, summary: one.summary, severity: severityOf(one) })));
    token = read.data.next_page_token;
    if (token === undefined) break;
  }
  return found;
}

function severityOf({ id, severity, database_specific }: z.infer<typeof vulnerability>): Advisory['severity'] {
  if (id.startsWith('MAL-')) return 'critical';
  const said = database_specific?.severity;
  const word = typeof said === 'string' ? said.toLowerCase().replace('medium', 'moderate') : '';
  const named = severities.find((level) => level === word);
  if (named !== undefined) return named;
  const scores = severity.flatMap(({ type, score }) => (type === 'CVSS_V3' ? (baseScore(score) ?? []) : []));
  if (scores.length === 0) return 'unknown';
  const worst = Math.max(...scores);
  // https://www.first.org/cvss/v3.1/specification-document, table 14
  return worst >= 9 ? 'critical' : worst >= 7 ? 'high' : worst >= 4 ? 'moderate' : 'low';
}
