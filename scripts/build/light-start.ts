/** Holds that the parts of the build which every start loads stay free of what only some need. */
import { join } from 'node:path';
import type * as Bundler from 'rolldown';

/** Modules that a one-shot answer loads: whatever their parts import at once is on the path of every start. */
const ofEveryStart = ['src/main.ts', 'src/cli/run.ts', 'src/cli/chat/start.ts', 'src/runtime/open-session.ts'];
/** The screen, and libraries for commands, logins, clouds and pages. */
const tooMuch = new Set([
  'terminal',
  'unbash',
  'oauth4webapi',
  'google-auth-library',
  '@aws-sdk/client-bedrock-runtime',
  '@clack/prompts',
  '@modelcontextprotocol/client',
  'htmlparser2',
]);

/**
 * The bundler puts a module that two parts share into one of them, and the other then loads that part whole: a small
 * file of the screen that the start shares brings the screen along. Throws an `Error` that names the parts on the way.
 */
export function refuseHeavyStart(output: readonly (Bundler.OutputChunk | Bundler.OutputAsset)[], root: string): void {
  const parts = output.filter((each) => each.type === 'chunk');
  const byFile = new Map(parts.map((part) => [part.fileName, part]));
  const wanted = new Set(ofEveryStart.map((file) => join(root, file)));
  const paths = parts.filter(({ moduleIds }) => moduleIds.some((id) => wanted.has(id))).map((part) => [part.fileName]);
  const seen = new Set(paths.flat());
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const file = path.at(-1) ?? '';
    const part = byFile.get(file);
    if (tooMuch.has(part?.name ?? file)) {
      throw new Error(`Every start would load '${part?.name ?? file}': ${path.join(' → ')}. See scripts/build.ts.`);
    }
    for (const next of part?.imports ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
}
