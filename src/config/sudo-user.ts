/** Whose profiles `sudo hermes -p NAME` means: those of the person who called sudo. */
import { readFileSync } from 'node:fs';
import type { Variables } from './variables.ts';

/** The own directory of who called sudo; undefined without sudo, and where the system does not list that user. */
export function sudoUserDirectory(env: Variables): string | undefined {
  const user = env['SUDO_USER']?.trim() ?? '';
  if (process.getuid?.() !== 0 || user === '' || user === 'root') return undefined;
  let users: string;
  try {
    users = readFileSync('/etc/passwd', 'utf8');
  } catch {
    return undefined;
  }
  const entry = users.split('\n').find((line) => line.startsWith(`${user}:`));
  return entry?.split(':')[5] || undefined;
}
