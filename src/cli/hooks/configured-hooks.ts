/** The shell hooks that are configured, and what they run with; for `hermes hooks`. */
import { childEnvironment } from '../../safety/child-env.ts';
import { ShellHookAllowlist } from '../../plugins/shell-hooks/allowlist.ts';
import { readShellHooks, type ShellHook } from '../../plugins/shell-hooks/read-hooks.ts';
import type { HookPlace } from '../../plugins/shell-hooks/run-hook.ts';
import type { CliContext } from '../command.ts';

export interface ConfiguredHooks {
  readonly hooks: readonly ShellHook[];
  readonly allowlist: ShellHookAllowlist;
  readonly place: HookPlace;
}

/** What cannot be used is told on stderr. */
export async function configuredHooks({ io, home, env, config }: CliContext): Promise<ConfiguredHooks> {
  const { raw } = await config();
  return {
    hooks: readShellHooks(raw['hooks'], (line) => io.stderr.write(`${line}\n`)),
    allowlist: new ShellHookAllowlist(home.path),
    place: { env: { ...childEnvironment(env), HERMES_HOME: home.path }, cwd: process.cwd() },
  };
}
