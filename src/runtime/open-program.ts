/** Opens what there is once for a home in a process. */
import { openLog, logSettings } from '../config/open-log.ts';
import type { Hooks } from '../agent/hooks.ts';
import type { Log } from '../lib/log.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { tidyOnce } from '../sessions/tidy-once.ts';
import { BrowserSlots } from '../tools/browser/browser-slots.ts';
import { FileWrites } from '../tools/file/file-writes.ts';
import type { CommandScanner } from '../tools/terminal/tirith/scanner.ts';
import { bringSkills } from './bring-skills.ts';
import { commandScanner } from './command-scanner.ts';
import { DelegationPool } from './delegation/delegation-pool.ts';
import { Findings } from './findings.ts';
import { type ModelAccess, openModelAccess } from './model-access.ts';
import { type OpenedHooks, openHooks } from './open-hooks.ts';
import { openSession } from './open-session.ts';
import { openStore } from './open-store.ts';
import { ProgramServers } from './program-servers.ts';
import type { Program } from './program.ts';
import type { OpenedStore, ProgramOptions } from './program-options.ts';
import { secretMask } from './secret-mask.ts';
import type { Session } from './session.ts';
import type { SessionSpec } from './session-spec.ts';

/** A store that cannot be opened is a warning, not an error. */
export async function openProgram(options: ProgramOptions): Promise<Program> {
  const log = options.log ?? openHomeLog(options);
  const early: string[] = [];
  const [models, opened, , hooked] = await Promise.all([
    openModelAccess({ ...options, log }),
    options.opened ?? openStore(options.home),
    bringSkills(options, (line) => early.push(line)),
    openHooks(options, log, (line) => early.push(line)),
  ]);
  if (options.longLived === true) models.refresh();
  const warnings = [...early, ...opened.warnings, ...models.warnings];
  return new OpenProgram({ options, log, models, opened, hooked, warnings });
}

interface ProgramParts {
  readonly options: ProgramOptions;
  readonly log: Log;
  readonly models: ModelAccess;
  readonly opened: OpenedStore;
  readonly hooked: OpenedHooks;
  readonly warnings: readonly string[];
}

class OpenProgram implements Program {
  readonly options: ProgramOptions;
  readonly log: Log;
  readonly models: ModelAccess;
  readonly store: SessionStore | undefined;
  readonly warnings: readonly string[];
  readonly fileWrites = new FileWrites();
  readonly browsers = new BrowserSlots();
  readonly findings = new Findings();
  readonly delegations = new DelegationPool();
  readonly scanner: CommandScanner;
  readonly servers: ProgramServers;
  readonly hooks: Hooks;
  readonly plugins: Program['plugins'];
  readonly #hooked: OpenedHooks;
  readonly #open = new Set<Session>();
  readonly #pruning: Promise<void>;

  constructor({ options, log, models, opened, hooked, warnings }: ProgramParts) {
    this.hooks = hooked.hooks;
    this.plugins = hooked.plugins;
    this.#hooked = hooked;
    this.options = options;
    this.log = log;
    this.models = models;
    this.store = opened.store;
    this.warnings = warnings;
    this.scanner = commandScanner(options, log);
    this.servers = new ProgramServers(options, log);
    this.servers.start({ soon: options.longLived === true });
    this.#pruning = tidyStore(this);
  }

  async openSession(spec: SessionSpec): Promise<Session> {
    this.servers.postpone();
    try {
      const session = await openSession(this, spec, () => this.#open.delete(session));
      this.#open.add(session);
      return session;
    } finally {
      this.servers.start({ soon: true });
    }
  }

  async close(): Promise<void> {
    const closed = await Promise.allSettled([...this.#open].map((session) => session.close('cli_close')));
    for (const one of closed) {
      if (one.status === 'rejected') this.log.warning('a session could not be closed', one.reason);
    }
    await this.servers.close();
    await this.#hooked.close();
    await this.#pruning;
    await this.scanner.close();
    await this.models.close();
    await this.store?.close();
  }
}

function openHomeLog({ home, config, env }: ProgramOptions): Log {
  const log = openLog(home, secretMask({ config, env }));
  log.configure(logSettings(config.config));
  return log;
}

/** Old sessions go while the user is already talking; a failure leaves them for the next start. Never rejects. */
async function tidyStore({ store, options, log }: Program): Promise<void> {
  const { auto_prune, retention_days, vacuum_after_prune, min_interval_hours } = options.config.config.sessions;
  if (store === undefined) return;
  try {
    await tidyOnce(store);
    if (!auto_prune) return;
    const { autoPrune } = await import('../sessions/auto-prune.ts');
    await autoPrune(store, {
      enabled: auto_prune,
      retentionDays: retention_days,
      vacuumAfterPrune: vacuum_after_prune,
      minIntervalHours: min_interval_hours,
    });
  } catch (error) {
    log.named('sessions').warning('old sessions were not pruned', error);
  }
}
