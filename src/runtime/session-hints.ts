/** Tells a session the rules of directories its work comes to. */
import { homedir } from 'node:os';
import type { ToolPorts } from '../agent/run-tool-calls.ts';
import { createDirectoryHints } from '../prompt/directory-hints.ts';
import type { ToolServices } from '../tools/services.ts';
import type { SessionParts } from './session-parts.ts';
import { ruleLimits } from './session-prompt.ts';

/** What is appended to tool results; nothing where rules are ignored or files are on another machine. */
export function sessionHints(
  parts: Pick<SessionParts, 'config' | 'prompt' | 'route'>,
  services: ToolServices,
  warn: (line: string) => void,
): Pick<ToolPorts<ToolServices>, 'addition'> {
  const { environment } = services;
  if (parts.prompt.ignoreRules === true || environment.kind !== 'local') return {};
  const hints = createDirectoryHints({
    ...ruleLimits(parts, services),
    start: environment.cwd,
    userHome: homedir(),
    onWarning: warn,
  });
  return {
    async addition({ args }) {
      const text = await hints.hintsFor(args, environment.cwd);
      return text === undefined ? undefined : { text, sources: [{ from: 'file', name: 'project rules' }] };
    },
  };
}
