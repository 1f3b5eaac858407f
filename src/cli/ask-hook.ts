/** Asks the person at the terminal about a shell hook that was not allowed yet. */
import type { ProgramOptions } from '../runtime/program-options.ts';
import type { CliContext } from './command.ts';
import { terminalText } from './render/terminal-text.ts';
import { isUnderAgent } from './under-agent.ts';

/** Nothing where no person sits at a terminal; what an agent has opened is none. */
export function hookAsker({ io, env }: Pick<CliContext, 'io' | 'env'>): Pick<ProgramOptions, 'askHook'> {
  if (!io.stdin.isTTY || !io.stdout.isTTY) return {};
  return {
    async askHook({ point, command }) {
      if (isUnderAgent(env)) return false;
      const { confirm } = await import('./sessions/confirm.ts');
      io.stdout.write(
        [
          '',
          '⚠ config.yaml names a shell hook that has not run here before. It runs with all your rights.',
          `    Event:   ${point}`,
          `    Command: ${terminalText(command)}`,
          '',
        ].join('\n'),
      );
      return await confirm(io, 'Let it run from now on?');
    },
  };
}
