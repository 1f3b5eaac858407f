/** Tries once whether commands can be confined on this machine, for who only wants to know. */
import { existsSync } from 'node:fs';
import { errorMessage } from '../../../lib/errors.ts';
import { seatbeltProgram } from './seatbelt.ts';
import { startLinuxSandbox } from './start-linux-sandbox.ts';
import { findSandboxPrograms, remedyFor } from './why-not.ts';

const limitMs = 10_000;
const everything = '--ro-bind / / --dev /dev --proc /proc'.split(' ');

/** `undefined` when it works; else what is the matter, and what to do about it. */
export async function probeSandbox(
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly problem: string; readonly remedy: string } | undefined> {
  if (process.platform === 'darwin' && existsSync(seatbeltProgram)) return undefined;
  const programs = findSandboxPrograms();
  if ('problem' in programs) return programs;
  try {
    const options = { programs, layout: everything, sharesNetwork: true, timeoutMs: limitMs, signal };
    (await startLinuxSandbox(options)).close();
    return undefined;
  } catch (error) {
    return { problem: errorMessage(error), remedy: remedyFor(errorMessage(error)) };
  }
}
