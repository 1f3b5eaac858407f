/** Tells a session the rules of directories its work comes to. */
import { homedir } from 'node:os';
import type { AgentOptions } from '../agent/create-agent.ts';
import { createDirectoryHints } from '../prompt/directory-hints.ts';
import type { ToolServices } from '../tools/services.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { ruleLimits } from './session-prompt.ts';

/** What is appended to tool results; nothing where rules are ignored or files are on another machine. */
export function sessionHints(
  options: RuntimeOptions,
  services: ToolServices,
  onWarning: ((line: string) => void) | undefined,
): Required<Pick<AgentOptions<ToolServices>, 'toolAddition'>> | undefined {
  const { environment } = services;
  if (options.ignoreRules || environment.kind !== 'local') return undefined;
  const hints = createDirectoryHints({
    ...ruleLimits(options, services),
    start: environment.cwd,
    userHome: homedir(),
    ...(onWarning === undefined ? {} : { onWarning }),
  });
  return { toolAddition: ({ args }) => hints.hintsFor(args, environment.cwd) };
}
