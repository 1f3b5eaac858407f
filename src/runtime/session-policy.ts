/** The policy of one session: what the configuration says, what this run was told, and what was approved so far. */
import { homedir } from 'node:os';
import type { Policy } from '../agent/policy.ts';
import { updateConfig } from '../config/edit.ts';
import { loadConfig } from '../config/load.ts';
import { createPolicy } from '../tools/policy/policy.ts';
import type { ToolServices } from '../tools/services.ts';
import type { RuntimeOptions } from './runtime-options.ts';

export interface SessionPolicy {
  readonly policy: Policy;
  /** While on, dangerous commands run without asking. */
  yolo: boolean;
}

/** `outside` names where text from outside came from that the conversation holds. */
export function createSessionPolicy(
  options: RuntimeOptions,
  services: ToolServices,
  outside: () => readonly string[],
): SessionPolicy {
  const { home, env, config } = options;
  const { approvals, command_allowlist } = config.config;
  const session: { yolo: boolean } = { yolo: options.yolo || config.process.yolo };
  const inner = createPolicy({
    mode: approvals.mode,
    yolo: () => session.yolo,
    headless: approvals.headless,
    backendIsContainer: services.environment.kind !== 'local' && services.environment.kind !== 'ssh',
    allowlist: command_allowlist,
    persist: async (keys) => {
      // Read again: another process may have added to the list since this one started.
      const stored = (await loadConfig({ home, env })).config.command_allowlist;
      await updateConfig({ home, env }, [{ path: ['command_allowlist'], value: [...new Set([...stored, ...keys])] }]);
    },
    homePath: home.path,
    root: home.root,
    userHome: homedir(),
    cwd: () => services.environment.cwd,
    ...(env['HERMES_WRITE_SAFE_ROOT'] === undefined ? {} : { safeRoot: env['HERMES_WRITE_SAFE_ROOT'] }),
    files: services.files,
    outside,
    processCommand: (id) => services.processes.list().find((found) => found.id === id)?.command,
  });
  return {
    policy: {
      judge(call, signal) {
        // Every call passes here, so this is where a run of repeated reads is seen to end.
        services.readLedger.noteOtherTool(call.tool);
        return inner.judge(call, signal);
      },
    },
    get yolo() {
      return session.yolo;
    },
    set yolo(on) {
      session.yolo = on;
    },
  };
}
