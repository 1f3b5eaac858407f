/** What hooks are told of a session, beside the turns of it. */
import { homedir } from 'node:os';
import type { ConversationDoor } from '../agent/conversation-door.ts';
import type { ConversationHooks } from '../agent/turn-hooks.ts';
import { firstText } from '../agent/hook-answers.ts';
import { hookSource, type Hooks, noHooks } from '../agent/hooks.ts';
import type { OutputHook } from '../tools/services.ts';
import type { Source } from '../llm/source.ts';
import { isJsonObject } from '../lib/json.ts';
import { codingWorkspace } from './session-coding.ts';
import type { SessionParts } from './session-parts.ts';

export interface SessionHooksOptions {
  readonly door: ConversationDoor | undefined;
  readonly senderId: string;
  readonly taskId: string;
  readonly currentSession: () => string;
  readonly entered: (sources: readonly Source[]) => void;
}

/** Undefined where nobody listens. */
export function sessionHooks(parts: SessionParts, options: SessionHooksOptions): ConversationHooks | undefined {
  const { hooks: all, plugins, config, surface, cwd, home, env, log } = parts;
  if (all === noHooks) return undefined;
  const { door } = options;
  const hooks = door === undefined ? all : (plugins?.conversations?.heardIn(all, door) ?? all);
  const written = config.raw['hooks'];
  return {
    hooks,
    platform: surface,
    senderId: options.senderId,
    taskId: options.taskId,
    coding: async () => (await codingWorkspace({ config: config.config, surface, cwd }, homedir())) !== undefined,
    maxNudges: config.config.agent.max_verify_nudges,
    maxPayloadChars: config.process.hooks.maxPayloadChars,
    entered: options.entered,
    warn: (line) => log.warning(line),
    async spill(text) {
      const { spillText } = await import('../plugins/output-spill.ts');
      const place = {
        homePath: home.path,
        env,
        log,
        written: isJsonObject(written) ? written['output_spill'] : undefined,
      };
      return spillText(text, options.currentSession(), place);
    },
  };
}

/** Undefined where nobody wants the output of commands. */
export function outputHook(hooks: Hooks, taskId: () => string): OutputHook | undefined {
  if (!hooks.has('transform_terminal_output')) return undefined;
  return {
    async transform({ command, output, exitCode, environment }, signal) {
      const payload = () => ({ command, output, returncode: exitCode, task_id: taskId(), env_type: environment });
      const said = firstText(await hooks.call('transform_terminal_output', payload, signal), true);
      return said === undefined ? undefined : { text: said.text, source: hookSource(said.by) };
    },
  };
}
