/** What answers of hooks mean. What means nothing is as good as no answer. */
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { HookAnswer } from './hooks.ts';

/** A text that a hook gave, and which one. */
export interface HookText {
  readonly by: string;
  readonly text: string;
}

export type ToolDirective =
  | { readonly action: 'block'; readonly by: string; readonly message: string }
  /** A person must say yes first. */
  | {
      readonly action: 'approve';
      readonly by: string;
      readonly message: string | undefined;
      readonly ruleKey: string | undefined;
    };

/** Of `pre_tool_call`: the first that says something valid. */
export function toolDirective(answers: readonly HookAnswer[]): ToolDirective | undefined {
  return first(answers, ({ by, value }) => {
    if (!isJsonObject(value)) return undefined;
    const message = filled(value['message']);
    if (value['action'] === 'block') return message === undefined ? undefined : { action: 'block', by, message };
    if (value['action'] !== 'approve') return undefined;
    return { action: 'approve', by, message, ruleKey: filled(value['rule_key']) };
  });
}

/** What `tool_request` made of the arguments of a call. */
export interface ChangedArguments {
  readonly args: JsonObject;
  /** Who changed them and why, for later hooks. */
  readonly trace: JsonObject;
}

/** Of `tool_request`: the last that says something valid, as all saw the same arguments. */
export function changedArguments(answers: readonly HookAnswer[]): ChangedArguments | undefined {
  return first(answers.toReversed(), ({ value }) => {
    if (!isJsonObject(value) || !isJsonObject(value['args'])) return undefined;
    return { args: value['args'], trace: traceOf(value) };
  });
}

/** A request to a model as middleware wants it; nobody has looked at it yet. */
export interface GivenModelRequest {
  readonly by: string;
  readonly request: JsonObject;
  readonly trace: JsonObject;
}

/** Of `llm_request`: those that answer with a request, the last one first, as all saw the same. */
export function givenRequests(answers: readonly HookAnswer[]): readonly GivenModelRequest[] {
  return answers.toReversed().flatMap(({ by, value }) => {
    if (!isJsonObject(value) || !isJsonObject(value['request'])) return [];
    return [{ by, request: value['request'], trace: traceOf(value) }];
  });
}

/** Who changed a request and why, as later hooks read it. */
function traceOf(answer: JsonObject): JsonObject {
  const said = ['source', 'reason', 'name'].flatMap((key) => {
    const word = filled(answer[key]);
    return word === undefined ? [] : [[key, word] as const];
  });
  return { source: 'plugin', ...Object.fromEntries(said) };
}

/** Of the `transform_…` points: the first text. */
export function firstText(answers: readonly HookAnswer[], emptyCounts: boolean): HookText | undefined {
  return first(answers, ({ by, value }) =>
    typeof value === 'string' && (emptyCounts || value !== '') ? { by, text: value } : undefined,
  );
}

/** Of `pre_llm_call`: every text, in order. */
export function contextTexts(answers: readonly HookAnswer[]): readonly HookText[] {
  return answers.flatMap(({ by, value }) => {
    const text = filled(isJsonObject(value) ? value['context'] : value);
    return text === undefined ? [] : [{ by, text }];
  });
}

/** Of `pre_verify`: the first that wants the turn to go on, with what the model is told. */
export function continuation(answers: readonly HookAnswer[]): HookText | undefined {
  return first(answers, ({ by, value }) => {
    if (!isJsonObject(value)) return undefined;
    const word = value['action'] ?? value['decision'];
    const text = filled(value['message']) ?? filled(value['reason']);
    return (word === 'continue' || word === 'block') && text !== undefined ? { by, text } : undefined;
  });
}

function first<T>(answers: readonly HookAnswer[], read: (answer: HookAnswer) => T | undefined): T | undefined {
  for (const answer of answers) {
    const meant = read(answer);
    if (meant !== undefined) return meant;
  }
  return undefined;
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
