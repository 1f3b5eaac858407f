/** The policy of one session: what the configuration says, what this run was told, and what was approved so far. */
import type { Policy, PolicyCall, PolicyDecision } from '../agent/policy.ts';
import type { Source } from '../llm/source.ts';
import { ToolPolicy } from '../tools/policy/policy.ts';
import type { ToolServices } from '../tools/services.ts';
import type { SessionParts } from './session-parts.ts';

export interface SessionPolicyOptions {
  readonly parts: Pick<SessionParts, 'home' | 'env' | 'config'>;
  readonly services: Pick<ToolServices, 'state'>;
  readonly yolo: boolean;
  /** Where everything that the conversation holds came from. */
  readonly sources: () => readonly Source[];
}

export class SessionPolicy implements Policy {
  /** While on, dangerous calls run without asking. */
  yolo: boolean;
  readonly #options: SessionPolicyOptions;
  readonly #policy: ToolPolicy;

  constructor(options: SessionPolicyOptions) {
    const { home, env, config } = options.parts;
    const { approvals, command_allowlist } = config.config;
    const stored = async (): Promise<readonly string[]> => {
      const { loadConfig } = await import('../config/load.ts');
      return (await loadConfig({ home, env })).config.command_allowlist;
    };
    this.#options = options;
    this.yolo = options.yolo || config.process.yolo;
    this.#policy = new ToolPolicy({
      mode: approvals.mode,
      yolo: () => this.yolo,
      headless: approvals.headless,
      allowlist: command_allowlist,
      stored,
      persist: async (keys) => {
        const { updateConfig } = await import('../config/edit.ts');
        // Read again: another process may have added to the list since this one started.
        const value = [...new Set([...(await stored()), ...keys])];
        await updateConfig({ home, env }, [{ path: ['command_allowlist'], value }]);
      },
      entered: options.sources,
    });
  }

  async decide(call: PolicyCall): Promise<PolicyDecision> {
    // Every call passes here, so this is where a run of repeated reads is seen to end.
    this.#options.services.state.readLedger.noteCall(call.tool);
    return await this.#policy.decide(call);
  }
}
