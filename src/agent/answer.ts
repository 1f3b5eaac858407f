/** What one answer of a model amounts to, before anything is done about it. */
import { isJsonObject } from '../lib/json.ts';
import { newCallId } from '../llm/call-id.ts';
import type { AssistantMessage, ToolCall } from '../llm/message.ts';
import type { ModelEvent } from '../llm/protocol.ts';
import { parseArguments } from './ready-call.ts';
import type { Tool } from './tool.ts';
import { endsInThought, visibleText } from './visible-text.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;

/** Whatever their services are. */
interface Tools {
  find(name: string): Pick<Tool<never>, 'name' | 'traits'> | undefined;
}

export type Answer =
  /** Every call names a known tool and has readable arguments. */
  | {
      readonly kind: 'calls';
      readonly message: AssistantMessage;
      readonly calls: readonly ToolCall[];
      readonly text: string;
    }
  | { readonly kind: 'unknown_tool'; readonly message: AssistantMessage; readonly unknown: readonly string[] }
  | { readonly kind: 'broken_arguments'; readonly message: AssistantMessage; readonly broken: readonly string[] }
  /** The answer was cut while a call was being written. */
  | { readonly kind: 'cut_call' }
  /** The provider broke it off for what it says; `reason` in its words, may be empty. */
  | { readonly kind: 'filtered'; readonly message: AssistantMessage; readonly text: string; readonly reason: string }
  | { readonly kind: 'cut_text'; readonly message: AssistantMessage; readonly text: string }
  /** The model told what it is about to do, and stopped. */
  | { readonly kind: 'commentary'; readonly message: AssistantMessage }
  /** The whole output budget went into reasoning. */
  | { readonly kind: 'cut_thought' }
  | { readonly kind: 'text'; readonly message: AssistantMessage; readonly text: string }
  /** Stopped inside a thinking block. */
  | { readonly kind: 'unfinished_thought' }
  | { readonly kind: 'empty'; readonly reasoning: string };

/** Names and ids in the returned message are the repaired ones; duplicates and surplus delegations are gone. */
export function readAnswer(done: Done, toolbox: Tools, maxDelegations: number): Answer {
  const { message, stopReason } = done;
  const text = visibleText(message.content);
  if (stopReason === 'content_filter') {
    const { tool_calls: _, ...said } = message;
    return { kind: 'filtered', message: said, text, reason: done.stopDetail ?? '' };
  }
  if ((message.tool_calls ?? []).length > 0) {
    if (stopReason === 'length') return { kind: 'cut_call' };
    return readCalls(message, text, toolbox, maxDelegations);
  }
  if (stopReason === 'length') {
    return text.trim() === '' ? { kind: 'cut_thought' } : { kind: 'cut_text', message, text };
  }
  // Words on the way to an answer, from models that mark them as such.
  if (stopReason === 'other' && message.finish_reason === 'incomplete' && text.trim() !== '') {
    return { kind: 'commentary', message };
  }
  if (endsInThought(message.content)) return { kind: 'unfinished_thought' };
  if (text.trim() === '') return { kind: 'empty', reasoning: message.reasoning ?? '' };
  return { kind: 'text', message, text };
}

function readCalls(original: AssistantMessage, text: string, toolbox: Tools, maxDelegations: number): Answer {
  const calls = withUniqueIds(
    limitDelegations(
      dropDuplicates((original.tool_calls ?? []).map((call) => repairCall(call, toolbox))),
      toolbox,
      maxDelegations,
    ),
  );
  const message: AssistantMessage = { ...original, tool_calls: calls };
  const unknown = calls.map((call) => call.function.name).filter((name) => toolbox.find(name) === undefined);
  if (unknown.length > 0) return { kind: 'unknown_tool', message, unknown };
  const broken = calls.filter((call) => !isJsonObject(parseArguments(call.function.arguments)));
  if (broken.length > 0) return { kind: 'broken_arguments', message, broken: broken.map((call) => call.id) };
  return { kind: 'calls', message, calls, text };
}

function repairCall(call: ToolCall, toolbox: Tools): ToolCall {
  const name = toolbox.find(call.function.name)?.name ?? call.function.name;
  const args = call.function.arguments.trim() === '' ? '{}' : call.function.arguments;
  return { ...call, function: { name, arguments: args } };
}

function dropDuplicates(calls: readonly ToolCall[]): ToolCall[] {
  const seen = new Set<string>();
  return calls.filter((call) => {
    const key = `${call.function.name}\n${call.function.arguments}`;
    return seen.has(key) ? false : seen.add(key);
  });
}

function limitDelegations(calls: readonly ToolCall[], toolbox: Tools, max: number): ToolCall[] {
  let delegations = 0;
  const delegates = (call: ToolCall): boolean => toolbox.find(call.function.name)?.traits.delegates === true;
  return calls.filter((call) => !delegates(call) || ++delegations <= max);
}

function withUniqueIds(calls: readonly ToolCall[]): ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call) => {
    const id = call.id === '' || seen.has(call.id) ? newCallId() : call.id;
    seen.add(id);
    return { ...call, id };
  });
}
