/** Where real programs for tests are installed, and why one could not be. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below `HERMES_TEST_VENVS` or the temporary directory, where it stays for the next run. */
export function installFolder(name: string): string {
  return join(process.env['HERMES_TEST_VENVS'] ?? join(tmpdir(), 'hermes-test-venvs'), name);
}

/** The end of what an installer said, which is where it says why. */
export function oneLine(error: unknown): string {
  const stderr = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr).trim() : '';
  const text = stderr === '' ? String(error instanceof Error ? error.message : error) : stderr;
  return text.replace(/\s+/g, ' ').slice(-300);
}
