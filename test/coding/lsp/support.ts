/** A project in a git work tree, the file tools on it, and language servers that look at the edits. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parseSection } from '../../../src/config/parse-config.ts';
import { lazyConfig } from '../../../src/config/lazy-config.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { noLog } from '../../../src/lib/log.ts';
import { sessionDiagnostics, type SessionDiagnostics } from '../../../src/runtime/session-diagnostics.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { languageServer, type Manner } from '../../fakes/language-server.ts';
import { openWorkplace, type Workplace } from '../../tools/file/support.ts';

export interface Project extends Workplace {
  readonly diagnostics: SessionDiagnostics;
  /** `<home>/lsp` */
  readonly folder: string;
  /** It stands in the command line of all servers. */
  readonly diaryFile: string;
  /** What servers wrote down of themselves. */
  diary(): readonly string[];
  /** Lines of the log, debug included. */
  readonly log: readonly string[];
}

export interface ProjectOptions {
  /** How the server of `.lua` files behaves; none: there is only what is installed. */
  readonly manner?: Manner;
  /** `lsp` of the configuration, beside the server. */
  readonly settings?: JsonObject;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly outsideGit?: boolean;
}

export function openProject(t: TestContext, { manner, settings, env, outsideGit }: ProjectOptions = {}): Project {
  const { home, env: bare } = temporaryHome(t);
  const diaryFile = join(home.path, 'diary');
  const log: string[] = [];
  const write = (message: string, error?: unknown): void =>
    void log.push(error instanceof Error ? `${message}: ${error.message}` : message);
  const kept = { ...noLog, debug: write, info: write, warning: write, error: write, named: () => kept };
  const servers = manner === undefined ? {} : { 'lua-language-server': { command: languageServer(manner, diaryFile) } };
  const lsp = parseSection('lsp', { install_strategy: 'manual', servers, ...settings });
  const terminal = parseSection('terminal', undefined);
  const config = lazyConfig(
    new Map<string, unknown>([
      ['lsp', lsp.value],
      ['terminal', terminal.value],
    ]),
  );
  const diagnostics = sessionDiagnostics({
    config: { config },
    home,
    env: { PATH: process.env['PATH'], ...bare, ...env },
    log: kept,
    longLived: true,
  })!;
  t.after(() => diagnostics.close());
  const place = openWorkplace(t, { services: { edits: { diagnostics } } });
  if (outsideGit !== true) mkdirSync(join(place.directory, '.git'));
  return {
    ...place,
    diagnostics,
    log,
    diaryFile,
    folder: join(home.path, 'lsp'),
    diary: () => (existsSync(diaryFile) ? readFileSync(diaryFile, 'utf8').trim().split('\n') : []),
  };
}
