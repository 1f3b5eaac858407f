/** Speech as the settings of a home make it. */
import type { TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { speechAccess } from '../../src/runtime/speech-access.ts';
import type { SpeechAccess } from '../../src/speech/speech-access.ts';
import { temporaryHome } from '../config/temporary-home.ts';

export const patience = (): AbortSignal => AbortSignal.timeout(120_000);

/** `tts` as in config.yaml, beside `more` of it; programs are looked for where this process finds them. */
export async function accessWith(
  t: TestContext,
  tts: object,
  env: Readonly<Record<string, string>> = {},
  more: object = {},
): Promise<SpeechAccess> {
  const { home, env: bare, write } = temporaryHome(t);
  write('config.yaml', JSON.stringify({ tts, ...more }));
  const variables = { ...bare, PATH: process.env['PATH'] ?? '', ...env };
  return speechAccess({ home, env: variables, config: await loadConfig({ home, env: variables }) });
}

/** The same with the speaker at another address. */
export function speakingAt(access: SpeechAccess, baseUrl: string): SpeechAccess {
  const { output } = access;
  if (output.kind === 'none') throw new Error(output.why);
  return { ...access, output: { kind: 'speaker', speaker: { ...output.speaker, baseUrl } } };
}
