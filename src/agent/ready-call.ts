/** A call of the model on its way to its tool: which tool is meant, and whether the arguments fit. */
import { isJsonObject, type JsonObject, nestsTooDeep, parseJson } from '../lib/json.ts';
import type { ToolCall } from '../llm/message.ts';
import type { CallHooks, HookedCall } from './call-hooks.ts';
import type { PreparedCall, Tool } from './tool.ts';
import type { Toolbox } from './toolbox.ts';

export interface ReadyCall<Services> {
  readonly call: ToolCall;
  readonly tool: Tool<Services>;
  /** Arguments before they were checked. */
  readonly written: JsonObject;
  /** Undefined when the arguments do not fit; `problem` then says why. */
  readonly prepared: PreparedCall<Services> | undefined;
  readonly problem: string | undefined;
  /** Of the middleware that changed the arguments. */
  readonly trace: readonly JsonObject[];
}

/** A call that stands for one of a hidden tool is that one from here on. */
export function makeReady<Services>(call: ToolCall, toolbox: Toolbox<Services>): ReadyCall<Services> {
  const tool = toolbox.find(call.function.name);
  if (tool === undefined) throw new Error(`tool ${call.function.name} is not in the toolbox`);
  const parsed = parseArguments(call.function.arguments);
  const written = isJsonObject(parsed) ? parsed : {};
  const forwarded = tool.forward?.(written);
  const meant = toolbox.hidden.find(({ name }) => name === forwarded?.name);
  if (forwarded === undefined || meant === undefined) return withArguments({ call, tool, trace: [] }, written);
  return withArguments({ call, tool: meant, trace: [] }, forwarded.args);
}

function withArguments<Services>(
  entry: Pick<ReadyCall<Services>, 'call' | 'tool' | 'trace'>,
  written: JsonObject,
): ReadyCall<Services> {
  const { call, tool, trace } = entry;
  const prepared = tool.prepare(written);
  return 'problem' in prepared
    ? { call, tool, trace, written, prepared: undefined, problem: prepared.problem }
    : { call, tool, trace, written, prepared, problem: undefined };
}

/** The call as everything after this sees it: judged, approved and run with the arguments that middleware gave it. */
export async function withMiddleware<Services>(
  entry: ReadyCall<Services>,
  hooks: CallHooks | undefined,
): Promise<ReadyCall<Services>> {
  if (hooks === undefined || entry.prepared === undefined) return entry;
  const changed = await hooks.request(hooked(entry));
  return changed === undefined ? entry : withArguments({ ...entry, trace: [changed.trace] }, changed.args);
}

/** Parsed call arguments; blank text means no arguments, `undefined` that they are not JSON, or nested too deep to handle. */
export function parseArguments(text: string) {
  if (text.trim() === '') return {};
  return nestsTooDeep(text) ? undefined : parseJson(text);
}

export function hooked<Services>({ call, tool, prepared, written, trace }: ReadyCall<Services>): HookedCall {
  return { id: call.id, tool: tool.name, args: prepared?.args ?? written, trace };
}
