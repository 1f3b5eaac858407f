/** The policy of one session: what the configuration says, what this run was told, and what was approved so far. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { CallEnd, Policy, PolicyCall, PolicyDecision } from '../agent/policy.ts';
import type { SideModels } from '../llm/side-task.ts';
import type { Source } from '../llm/source.ts';
import { storableEntry, withEntry } from '../safety/allow-entry.ts';
import type { StoredApprovals } from '../tools/policy/approvals.ts';
import { ToolPolicy } from '../tools/policy/policy.ts';
import type { ToolServices } from '../tools/services.ts';
import type { AskedApprovals } from './asked-approvals.ts';
import { DecisionRecord } from './decision-record.ts';
import type { SessionParts } from './session-parts.ts';

export interface SessionPolicyOptions {
  readonly parts: Pick<SessionParts, 'home' | 'env' | 'config' | 'surface' | 'log'>;
  readonly services: Pick<ToolServices, 'state' | 'environment' | 'paths' | 'redact'>;
  readonly yolo: boolean;
  /** Where everything that the conversation holds came from. */
  readonly sources: () => readonly Source[];
  /** Told one line when decisions cannot be written down. */
  readonly warn: (line: string) => void;
  /** False where the policy is only asked what it would say. Default true. */
  readonly records?: boolean;
  /** Asked in smart mode. */
  readonly side?: Pick<SideModels, 'ask'>;
  /** Writes down what a person is asked; absent where nothing is kept. */
  readonly asked?: AskedApprovals;
}

export class SessionPolicy implements Policy {
  /** While on, dangerous calls run without asking. */
  yolo: boolean;
  readonly #options: SessionPolicyOptions;
  readonly #policy: ToolPolicy;
  readonly #record: DecisionRecord;

  constructor(options: SessionPolicyOptions) {
    const { home, env, config } = options.parts;
    const { approvals, command_allowlist } = config.config;
    const stored = storedApprovals(options.parts);
    this.#options = options;
    this.yolo = options.yolo || config.process.yolo;
    this.#policy = new ToolPolicy({
      mode: approvals.mode,
      yolo: () => this.yolo,
      headless: headlessOf(options.parts),
      allowlist: command_allowlist,
      stored,
      allowed: options.services.state.allowedCommands,
      persist: async (keys) => {
        const { updateConfig } = await import('../config/edit.ts');
        // Read again: another process may have added to the list since this one started.
        const value = [...new Set([...(await stored()).kinds, ...keys])];
        await updateConfig({ home, env }, [{ path: ['command_allowlist'], value }]);
      },
      persistAllowed: async (entry) => {
        const { updateConfig } = await import('../config/edit.ts');
        const value = withEntry((await stored()).commands, entry).map(storableEntry);
        await updateConfig({ home, env }, [{ path: ['approvals', 'allow'], value }]);
      },
      entered: options.sources,
      ...(options.side === undefined ? {} : { side: options.side }),
    });
    this.#record = new DecisionRecord({ ...options, lettingSetting: (call) => this.#lettingSetting(call) });
  }

  async decide(call: PolicyCall, signal: AbortSignal): Promise<PolicyDecision> {
    // Every call passes here, so this is where a run of repeated reads is seen to end.
    this.#options.services.state.readLedger.noteCall(call.tool);
    if (this.#options.records === false) return await this.#policy.decide(call, signal);
    return await this.#record.decide(call, async (watched) => {
      const decision = await this.#policy.decide(watched, signal);
      return (await this.#options.asked?.keep(watched, decision)) ?? decision;
    });
  }

  async ended(call: PolicyCall, end: CallEnd): Promise<void> {
    await this.#record.ended(call, end);
  }

  /** For the end of the session: what was started and has ended by now stands in the record. */
  async settled(): Promise<void> {
    await this.#record.settled();
  }

  /** The setting by which what there is against a call does not count. */
  #lettingSetting({ humanPresent }: PolicyCall): string | undefined {
    const { mode } = this.#options.parts.config.config.approvals;
    if (this.yolo) return 'yolo';
    if (mode === 'off') return 'approvals.mode: off';
    if (humanPresent || headlessOf(this.#options.parts) !== 'approve') return undefined;
    return `approvals.${headlessKey(this.#options.parts)}: approve`;
  }
}

/** Scheduled jobs have a setting of their own for what nobody can be asked about. */
function headlessKey({ surface }: Pick<SessionParts, 'surface'>): 'cron_mode' | 'headless' {
  return surface === 'cron' ? 'cron_mode' : 'headless';
}

function headlessOf(parts: Pick<SessionParts, 'surface' | 'config'>): 'deny' | 'approve' {
  return parts.config.config.approvals[headlessKey(parts)];
}

/** Reads the configuration again only when its file has changed: every command that the owner allowed asks. */
function storedApprovals({ home, env }: Pick<SessionParts, 'home' | 'env'>): () => Promise<StoredApprovals> {
  let known: { readonly stamp: string; readonly approvals: StoredApprovals } | undefined;
  return async () => {
    const stamp = stampOf(join(home.path, 'config.yaml'));
    if (known?.stamp === stamp) return known.approvals;
    const { loadConfig } = await import('../config/load.ts');
    const { approvals, command_allowlist } = (await loadConfig({ home, env })).config;
    known = { stamp, approvals: { kinds: command_allowlist, commands: approvals.allow } };
    return known.approvals;
  };
}

function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? 'none' : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}
