/** Completion in the chat, over the session that is talked to at that moment. */
import type { AutocompleteProvider } from '@earendil-works/pi-tui';
import type { About, TerminalSettings } from '../../commands/command.ts';
import { commandsWith } from '../../commands/plugin-commands.ts';
import type { Program } from '../../runtime/program.ts';
import type { Session } from '../../runtime/session.ts';
import { createCompletion } from './completion.ts';
import { WorkspaceFiles } from './workspace-files.ts';

export interface ChatCompletionOptions {
  readonly program: Program;
  readonly about: About;
  readonly settings: TerminalSettings;
  /** Undefined before there is one. */
  readonly session: () => Session | undefined;
  /** True for the name of a command of the person's own. */
  readonly isOwn: (word: string) => boolean;
}

export function chatCompletion({
  program,
  about,
  settings,
  session,
  isOwn,
}: ChatCompletionOptions): AutocompleteProvider {
  const files = new WorkspaceFiles(async (signal) => (await session()?.prompt.files(signal)) ?? [], program.log);
  return createCompletion({
    commands: commandsWith(program),
    isOwn,
    cwd: about.paths?.cwd ?? about.cwd,
    log: program.log,
    files: (signal) => files.entries(signal),
    completing: () => {
      const current = session();
      if (current === undefined) return undefined;
      const { store } = program;
      return { session: current, store, settings, ...(about.paths === undefined ? {} : { paths: about.paths }) };
    },
  });
}
