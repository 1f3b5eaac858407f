/** The seal: where the chain stands, said a second time with a key, so that a chain that was cut or made anew is told. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as z from 'zod';
import { errorCode } from '../lib/errors.ts';
import { parseJson } from '../lib/json.ts';
import type { Link } from './chain.ts';
import { type AuditFiles, auditFiles } from './files.ts';

export interface Seal {
  readonly link: Link;
  /** The number of the oldest line that is kept. */
  readonly first: number;
}

const stored = z.object({ seq: z.int(), hash: z.string(), first: z.int(), mac: z.string() });

/** `none`: nothing was sealed yet, or the seal is gone; `false`: it was not made with this key. */
export function readSeal(files: Pick<AuditFiles, 'seal'>, key: Buffer | undefined): Seal | 'none' | 'false' {
  const text = readIfThere(files.seal);
  if (text === undefined) return 'none';
  const read = stored.safeParse(parseJson(text.trim()));
  if (!read.success || key === undefined) return 'false';
  const { seq, hash, first, mac } = read.data;
  const seal = { link: { seq, hash }, first };
  const [expected, given] = [macOf(seal, key), mac].map((part) => Buffer.from(part));
  if (expected?.length !== given?.length || expected === undefined || given === undefined) return 'false';
  return timingSafeEqual(expected, given) ? seal : 'false';
}

/** Longer than any seal: what is written over an older one leaves nothing of it. */
const sealBytes = 256;

/** In one write over the old one, since a file that is replaced costs ten times as much. */
export function writeSeal(files: Pick<AuditFiles, 'seal'>, seal: Seal, key: Buffer): void {
  const { link, first } = seal;
  const text = JSON.stringify({ ...link, first, mac: macOf(seal, key) });
  const file = openForChange(files.seal);
  try {
    writeSync(file, `${text.padEnd(sealBytes - 1)}\n`, 0);
  } finally {
    closeSync(file);
  }
}

function openForChange(path: string): number {
  try {
    return openSync(path, 'r+');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return openSync(path, 'w', 0o600);
  }
}

function macOf({ link, first }: Seal, key: Buffer): string {
  return createHmac('sha256', key).update(`${link.seq} ${link.hash} ${first}`).digest('hex');
}

/** The key of this home; undefined before the first entry. */
export function readKey({ key }: Pick<AuditFiles, 'key'>): Buffer | undefined {
  const text = readIfThere(key)?.trim();
  return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Signs short texts with the key of a home: nothing that the agent runs can read it. Undefined before the first entry. */
export function signWith(homePath: string): (text: string) => string | undefined {
  return (text) => {
    const key = readKey(auditFiles(homePath));
    return key === undefined ? undefined : createHmac('sha256', key).update(text).digest('hex');
  };
}

/** Must be called by one at a time. */
export function makeKey({ key }: Pick<AuditFiles, 'key'>): Buffer {
  const bytes = randomBytes(32);
  const file = openSync(key, 'w', 0o600);
  try {
    writeSync(file, `${bytes.toString('hex')}\n`);
  } finally {
    closeSync(file);
  }
  return bytes;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
