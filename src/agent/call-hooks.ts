/** What hooks hear of tool calls, and say to them. */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import { type Content, textOf } from '../llm/message.ts';
import { mergeSources, type Source } from '../llm/source.ts';
import { type Finding, type Judgement, unclear } from '../safety/finding.ts';
import type { CallOutcome } from './events.ts';
import { type ChangedArguments, changedArguments, firstText, toolDirective } from './hook-answers.ts';
import { type HookPayload, hookSource, type Hooks } from './hooks.ts';
import { type ApprovalAnswer, type ApprovalRequest, choiceOf } from './human.ts';
import type { ToolOutcome } from './tool.ts';

/** Which conversation and which request a call belongs to; empty where that is unknown. */
export interface CallIdentity {
  readonly task_id: string;
  readonly session_id: string;
  readonly turn_id: string;
  readonly api_request_id: string;
}

export interface CallHooksOptions {
  readonly hooks: Hooks;
  /** `cli`, or the chat platform. */
  readonly platform: string;
  readonly identity: CallIdentity;
  readonly signal: AbortSignal;
}

export interface HookedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Of those who changed the arguments. */
  readonly trace: readonly JsonObject[];
}

export interface HookedResult {
  readonly content: Content;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
  /** A hook said no. */
  readonly isBlockedByHook: boolean;
}

export type BeforeCall =
  | { readonly kind: 'block'; readonly message: string; readonly sources: readonly Source[] }
  /** A person must say yes first, whatever else there is against the call. */
  | { readonly kind: 'rule'; readonly finding: Finding }
  | undefined;

export class CallHooks {
  readonly #options: CallHooksOptions;

  constructor(options: CallHooksOptions) {
    this.#options = options;
  }

  /** The arguments as middleware wants them; undefined: as they are. To be asked before anything else looks at them. */
  async request(call: HookedCall): Promise<ChangedArguments | undefined> {
    const { hooks, signal } = this.#options;
    if (!hooks.has('tool_request')) return undefined;
    const payload = (): HookPayload => ({ ...this.#identity(call), original_args: { ...call.args } });
    return changedArguments(await hooks.call('tool_request', payload, signal));
  }

  /** Runs the work of a call inside of what wants to stand around it; rejects as `Hooks.around` does. */
  async around(call: HookedCall, work: () => Promise<ToolOutcome>, abandoned: AbortSignal): Promise<ToolOutcome> {
    const { hooks } = this.#options;
    if (!hooks.has('tool_execution')) return await work();
    let outcome: ToolOutcome | undefined;
    const { result: text, by } = await hooks.around('tool_execution', {
      payload: () => ({ ...this.#identity(call), original_args: { ...call.args } }),
      abandoned,
      run: async () => {
        outcome = await work();
        return textOf(outcome.content);
      },
      show: (result) => result,
      read: (given) => (typeof given === 'string' ? given : JSON.stringify(given)),
    });
    if (by === undefined && outcome !== undefined) return outcome;
    const sources = mergeSources(outcome?.sources ?? [], by === undefined ? [] : [hookSource(by)]);
    const content = outcome === undefined ? text : withOtherText(outcome.content, text);
    return { ...outcome, content, isError: errorIn(text) !== undefined, sources };
  }

  /** To be asked once, before a call that would run. */
  async before(call: HookedCall): Promise<BeforeCall> {
    const { hooks, signal } = this.#options;
    const payload = (): HookPayload => ({ ...this.#identity(call), middleware_trace: [...call.trace] });
    const said = toolDirective(await hooks.call('pre_tool_call', payload, signal));
    if (said === undefined) return undefined;
    if (said.action === 'block') return { kind: 'block', message: said.message, sources: [hookSource(said.by)] };
    return { kind: 'rule', finding: ruleFinding(call.tool, said) };
  }

  /** For every call that was answered, also where it did not run. Returns what the model reads instead, if anything. */
  async after(
    call: HookedCall,
    result: HookedResult,
  ): Promise<{ readonly content: Content; readonly source: Source } | undefined> {
    const { hooks, signal } = this.#options;
    const seen = (): HookPayload => ({
      ...this.#identity(call),
      result: textOf(result.content),
      duration_ms: Math.round(result.durationMs),
      ...statusOf(result),
    });
    await hooks.call('post_tool_call', () => ({ ...seen(), middleware_trace: [...call.trace] }), signal);
    const changed = firstText(await hooks.call('transform_tool_result', seen, signal), true);
    if (changed === undefined) return undefined;
    return { content: withOtherText(result.content, changed.text), source: hookSource(changed.by) };
  }

  /** A person is about to be asked. */
  async asking(call: HookedCall, request: ApprovalRequest): Promise<void> {
    const { hooks, signal } = this.#options;
    await hooks.call('pre_approval_request', () => this.#approval(call, request), signal);
  }

  async answered(call: HookedCall, request: ApprovalRequest, answer: ApprovalAnswer): Promise<void> {
    const { hooks, signal } = this.#options;
    const choice = choiceOf(answer);
    const payload = (): HookPayload => ({
      ...this.#approval(call, request),
      choice: choice.startsWith('always') ? 'always' : choice,
    });
    await hooks.call('post_approval_response', payload, signal);
  }

  #identity({ id, tool, args }: HookedCall): HookPayload {
    const { task_id, session_id, turn_id, api_request_id } = this.#options.identity;
    return { tool_name: tool, args: { ...args }, task_id, session_id, tool_call_id: id, turn_id, api_request_id };
  }

  #approval({ id, tool }: HookedCall, { command, reasons, keys }: ApprovalRequest): HookPayload {
    const { identity, platform } = this.#options;
    return {
      command: command === '' ? tool : command,
      description: reasons.join('; '),
      pattern_key: keys[0] ?? '',
      pattern_keys: [...keys],
      session_key: identity.session_id,
      surface: platform === 'cli' ? 'cli' : 'gateway',
      turn_id: identity.turn_id,
      tool_call_id: id,
    };
  }
}

/** What there is against a call, with the rule of a hook beside it. */
export function withRule(
  judgement: Judgement | undefined,
  rule: Finding,
  { tool, args }: Pick<HookedCall, 'tool' | 'args'>,
): Judgement {
  if (judgement === undefined) {
    const findings = [unclear(`nothing is known about the tool ${tool}`), rule];
    return { shown: `${tool} ${JSON.stringify(args)}`, findings };
  }
  const shown = judgement.shown === '' ? `${tool} ${JSON.stringify(args)} (plugin approval rule)` : judgement.shown;
  // What the owner let through by name still meets the owner's own rule.
  const { allowedBy: _, ...rest } = judgement;
  return { ...rest, shown, findings: [...judgement.findings, rule] };
}

/** Without a key of its own a rule is told from others on the same tool by its words, so that one yes is not for all. */
function ruleFinding(
  tool: string,
  said: { readonly message: string | undefined; readonly ruleKey: string | undefined },
): Finding {
  const description = said.message ?? `a plug-in wants a person to approve ${tool}`;
  const words = createHash('sha256').update(description).digest('hex').slice(0, 12);
  return { ...unclear(description), key: `plugin_rule:${said.ruleKey ?? `${tool}:${words}`}`, mayRemember: true };
}

interface Status {
  readonly status: 'ok' | 'error' | 'blocked' | 'cancelled';
  readonly error_type: string | null;
  readonly error_message: string | null;
}

function statusOf({ content, outcome, isBlockedByHook }: HookedResult): Status {
  const text = textOf(content);
  const error = errorIn(text);
  const message = typeof error === 'string' && error !== '' ? error : null;
  if (outcome === 'cancelled') return { status: 'cancelled', error_type: 'keyboard_interrupt', error_message: text };
  if (outcome === 'refused') {
    return { status: 'blocked', error_type: isBlockedByHook ? 'plugin_block' : 'policy_block', error_message: message };
  }
  if (error === undefined) return { status: 'ok', error_type: null, error_message: null };
  return { status: 'error', error_type: 'tool_error', error_message: message ?? JSON.stringify(error) };
}

/** What a result in JSON says went wrong. */
function errorIn(text: string): JsonValue | undefined {
  const parsed = parseJson(text);
  const error = isJsonObject(parsed) ? parsed['error'] : undefined;
  return error ? error : undefined;
}

/** Pictures stay. */
function withOtherText(content: Content, text: string): Content {
  if (typeof content === 'string') return text;
  return [{ type: 'text', text }, ...content.filter((part) => part.type !== 'text')];
}
