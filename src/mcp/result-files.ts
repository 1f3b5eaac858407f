/** Pictures, sounds and files that came with a result: in the caches of the home, for a day. */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectories } from '../lib/make-directories.ts';

export type FileKind = 'images' | 'audio' | 'documents';

/** 50 MiB. */
const maxFileBytes = 50 * 1024 * 1024;
const keptMs = 24 * 3_600_000;
const prefix = 'mcp_';
/** A server that sends more in one result gets the rest left out. */
export const maxFilesOfResult = 20;

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/csv': 'csv',
};

/** Returns the path; undefined for what is no base64 or too large. Throws what the system says. */
export function keepFile(homePath: string, kind: FileKind, base64: string, mimeType: string): string | undefined {
  if (base64.length > (maxFileBytes / 3) * 4 + 4) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0) return undefined;
  const folder = join(homePath, 'cache', kind);
  makeDirectories(folder, 0o700);
  forgetOld(folder);
  const path = join(folder, `${prefix}${randomBytes(8).toString('hex')}.${endings[mimeType.toLowerCase()] ?? 'bin'}`);
  writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  return path;
}

function forgetOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const found = name.startsWith(prefix) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (found !== undefined && Date.now() - found.mtimeMs > keptMs) rmSync(path, { force: true });
  }
}
