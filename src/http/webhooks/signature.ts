/** Who sent a delivery, by what is signed over its bytes. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What nobody is told by: a route with it in the place of a secret takes everything. */
export const insecureSecret = 'INSECURE_NO_AUTH';

export interface Signed {
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly secret: string;
  /** Unix seconds. */
  readonly now: number;
}

/** `undated`: it is the sender's, but may have been sent before by somebody who saw it. */
export type Verdict = 'good' | 'undated' | 'bad';

/** How far a signed time may be off, in seconds. */
const toleranceSeconds = 300;
/** Of a list of signatures so many are looked at. */
const maxSignatures = 16;

/** The first scheme whose header is there decides alone: what fails in it is not rescued by another. */
export function checkSignature(signed: Signed): Verdict {
  const { headers } = signed;
  if (signed.secret === '') return 'bad';
  if (['svix-id', 'svix-timestamp', 'svix-signature'].some((name) => headers.has(name))) return checkSvix(signed);
  if (headers.has('x-hub-signature-256')) return checkGitHub(signed);
  if (headers.has('x-gitlab-token')) return isGood(sameText(headers.get('x-gitlab-token') ?? '', signed.secret));
  if (headers.has('x-webhook-signature-v2')) return checkDated(signed);
  if (!headers.has('x-webhook-signature')) return 'bad';
  const given = headers.get('x-webhook-signature') ?? '';
  return sameText(given.toLowerCase(), hexOf(signed.secret, signed.body)) ? 'undated' : 'bad';
}

function checkSvix({ headers, body, secret, now }: Signed): Verdict {
  const [id, time, list] = ['svix-id', 'svix-timestamp', 'svix-signature'].map((name) => headers.get(name) ?? '');
  if (!id || !list || !isNow(time, now)) return 'bad';
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
  // Anybody can sign with no key at all.
  if (key.length === 0) return 'bad';
  const right = createHmac('sha256', key).update(`${id}.${time}.`, 'latin1').update(body).digest('base64');
  const given = list.split(' ', maxSignatures).filter((one) => one.startsWith('v1,'));
  return isGood(given.map((one) => sameText(one.slice('v1,'.length), right)).includes(true));
}

function checkGitHub({ headers, body, secret }: Signed): Verdict {
  const given = headers.get('x-hub-signature-256') ?? '';
  return isGood(sameText(given.toLowerCase(), `sha256=${hexOf(secret, body)}`));
}

function checkDated({ headers, body, secret, now }: Signed): Verdict {
  const given = headers.get('x-webhook-signature-v2') ?? '';
  const time = headers.get('x-webhook-timestamp') ?? undefined;
  if (!isNow(time, now)) return 'bad';
  const right = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
  return isGood(sameText(given.toLowerCase(), right));
}

function isGood(same: boolean): Verdict {
  return same ? 'good' : 'bad';
}

function hexOf(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function isNow(time: string | undefined, now: number): boolean {
  return time !== undefined && /^\d{1,12}$/.test(time) && Math.abs(now - Number(time)) <= toleranceSeconds;
}

/** Takes as long whatever the two are. A header comes as its bytes, one character each. */
function sameText(header: string, right: string): boolean {
  const [one, other] = [Buffer.from(header, 'latin1'), Buffer.from(right)].map((bytes) =>
    createHash('sha256').update(bytes).digest(),
  );
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
