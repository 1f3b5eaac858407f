/** A terminal command that a chat asks for. */
import type { Home } from '../../config/home.ts';
import type { Variables } from '../../config/variables.ts';

/** As long as the curator's model may take. */
const timeoutMs = 600_000;

/** `shell`: what the process for this home would be started with; it reads the `.env` of the home itself. */
export async function runHermes(
  home: Home,
  shell: Variables,
  words: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const { runBeside } = await import('../chat/run-beside.ts');
  return await runBeside(['--profile', home.profile, ...words], shell, { timeoutMs, signal });
}
