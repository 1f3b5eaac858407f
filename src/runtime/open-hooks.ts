/** The hooks of a program: nothing is loaded where none is configured. */
import { noHooks, type Hooks } from '../agent/hooks.ts';
import type { Log } from '../lib/log.ts';
import { childEnvironment } from '../safety/child-env.ts';
import type { ProgramOptions } from './program-options.ts';

export interface OpenedHooks {
  readonly hooks: Hooks;
  /** What is still being told is given a moment. */
  close(): Promise<void>;
}

const none: OpenedHooks = { hooks: noHooks, close: () => Promise.resolve() };

/** Never rejects: a hook that cannot be used is told with `warn`, and left out. */
export async function openHooks(
  { config, env, home, cwd, askHook }: ProgramOptions,
  log: Log,
  warn: (line: string) => void,
): Promise<OpenedHooks> {
  const block = config.raw['hooks'];
  // In safe mode the configuration has none: of the user's file only what names the model is read.
  if (config.process.safeMode || block === undefined || block === null) return none;
  const [{ HookRegistry }, { openShellHooks }] = await Promise.all([
    import('../plugins/hook-registry.ts'),
    import('../plugins/shell-hooks/open-shell-hooks.ts'),
  ]);
  const named = log.named('hooks');
  const registry = new HookRegistry(named);
  await openShellHooks(registry, {
    homePath: home.path,
    block,
    acceptsAll: config.process.hooks.accept || config.config.hooks_auto_accept,
    ask: askHook,
    env: { ...childEnvironment(env), HERMES_HOME: home.path },
    cwd,
    log: named,
    warn(line) {
      named.warning(line);
      warn(line);
    },
  });
  return { hooks: registry, close: () => registry.close() };
}
