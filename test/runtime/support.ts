/** Runtimes on a home whose model is a fake server, opened as often as a test wants: as several processes would. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { createRuntime } from '../../src/runtime/create-runtime.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { configFor } from '../cli/hermes-process.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import type { ModelServer } from '../fakes/model-server.ts';

/** `moreConfig` follows the model section for `server`; without a server it is the whole `config.yaml`. */
export function homeWith(
  t: TestContext,
  server: ModelServer | undefined,
  moreConfig: string,
  moreEnv: Readonly<Record<string, string>> = {},
): () => Promise<Runtime> {
  const { home, env: bare, write } = temporaryHome(t);
  const env = { ...bare, ...moreEnv };
  write('config.yaml', (server === undefined ? '' : configFor(server)) + moreConfig);
  const cwd = join(home.path, '..', 'work');
  mkdirSync(cwd);
  return async () => {
    const config = await loadConfig({ home, env });
    const flags = { surface: 'cli', allowDemo: false, yolo: false, passSessionId: false, ignoreRules: false };
    const runtime = await createRuntime({ home, env, config, cwd, ...flags });
    t.after(() => runtime.close());
    return runtime;
  };
}
