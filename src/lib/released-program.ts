/** Programs from releases: downloaded with a bound, checked against a list of sums, and put in their place whole. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readBytes } from './bounded.ts';
import type { Fetch } from './fetch-over.ts';
import { makeDirectories } from './make-directories.ts';

const maxRedirects = 5;

/** Releases lie behind a redirect; no header of ours travels along. Throws an `Error` that says what went wrong. */
export async function downloadFile(
  fetch: Fetch,
  address: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Buffer> {
  let url = address;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await fetch(url, { redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      const next = new URL(location, url);
      if (next.protocol !== 'https:' && new URL(url).protocol === 'https:')
        throw new Error('it redirects to plain http');
      url = next.href;
      continue;
    }
    if (!response.ok) throw new Error(`${new URL(url).host} answered with status ${response.status}`);
    const body = await readBytes(response, maxBytes);
    if (body === undefined) throw new Error(`it is larger than ${maxBytes} bytes`);
    return body;
  }
  throw new Error('it redirects too often');
}

/** SHA-256 of a file in lines as sha256sum writes them; undefined when there is none. */
export function sumOf(sums: string, name: string): string | undefined {
  const line = sums.split('\n').find((text) => text.trim().split(/\s+\*?/)[1] === name);
  const sum = line?.trim().split(/\s+/)[0]?.toLowerCase() ?? '';
  return /^[\da-f]{64}$/.test(sum) ? sum : undefined;
}

/** For its owner alone. Throws what the file system says; a program that is there stays until the new one is whole. */
export function writeProgram(target: string, program: Uint8Array): void {
  const draft = `${target}.${process.pid}.tmp`;
  try {
    makeDirectories(dirname(target), 0o700);
    const file = openSync(draft, 'w', 0o700);
    try {
      writeFileSync(file, program);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
