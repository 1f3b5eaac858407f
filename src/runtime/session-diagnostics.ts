/** What an edit has broken, for one session; a session that edits nothing loads nothing of it. */
import { join } from 'node:path';
import type { EditDiagnostics } from '../coding/lsp/edit-diagnostics.ts';
import { childEnvironment } from '../safety/child-env.ts';
import type { Diagnostics } from '../tools/services.ts';
import type { SessionParts } from './session-parts.ts';

export interface SessionDiagnostics extends Diagnostics {
  close(): Promise<void>;
}

/** Undefined where files are on another machine. Reads its configuration when it is first asked. */
export function sessionDiagnostics({
  config: { config },
  home,
  env,
  log,
  longLived = false,
}: Pick<SessionParts, 'home' | 'env' | 'log' | 'longLived'> & {
  readonly config: Pick<SessionParts['config'], 'config'>;
}): SessionDiagnostics | undefined {
  const { terminal } = config;
  if (terminal.backend !== 'local') return undefined;
  const named = log.named('lsp');
  let opened: Promise<EditDiagnostics> | undefined;
  const open = async (): Promise<EditDiagnostics> => {
    const { EditDiagnostics } = await import('../coding/lsp/edit-diagnostics.ts');
    return new EditDiagnostics({
      folder: join(home.path, 'lsp'),
      env: childEnvironment(env, { passthrough: terminal.env_passthrough }),
      // A single question is over before anything is installed.
      settings: longLived ? config.lsp : { ...config.lsp, install_strategy: 'manual' },
      log: named,
    });
  };
  const attempt = async <T>(
    path: string,
    work: (diagnostics: EditDiagnostics) => T | Promise<T>,
  ): Promise<T | undefined> => {
    try {
      // Most files of most sessions end here.
      const { languageOf } = await import('../coding/lsp/catalogue.ts');
      if (languageOf(path) === undefined) return undefined;
      opened ??= open();
      return await work(await opened);
    } catch (error) {
      named.debug('an edit was not looked at by a language server', error);
      return undefined;
    }
  };
  return {
    covers: async (path) => (await attempt(path, (diagnostics) => diagnostics.covers(path))) ?? false,
    before: (path, ...rest) => attempt(path, (diagnostics) => diagnostics.before(path, ...rest)),
    async close() {
      try {
        await (await opened)?.close();
      } catch (error) {
        named.warning('language servers were not ended in order', error);
      }
    },
  };
}
