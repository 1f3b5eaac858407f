/** What a plug-in may do in the conversation that it runs for: call its tools, and say something to it. */
import { hookSource } from '../../agent/hooks.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { PluginConversations } from '../conversations.ts';

/** A tool that a plug-in calls may take as long as one that the model calls, but not for ever. */
const longestMs = 3_600_000;
const maxText = 200_000;

/** `ctx.dispatchTool`: what the model would read. Rejects where there is no conversation. */
export async function dispatchTool(
  by: string,
  name: unknown,
  args: unknown,
  conversations: PluginConversations,
): Promise<string> {
  if (typeof name !== 'string') throw new TypeError('dispatchTool: the name of the tool must be a text');
  const given = args ?? {};
  if (!isJsonObject(given)) throw new TypeError('dispatchTool: the arguments must be an object');
  const door = conversations.current;
  if (door === undefined) throw new Error('dispatchTool: there is no conversation here');
  if (conversations.inHook) throw new Error('dispatchTool: a hook cannot call tools, as the call waits for the hook');
  const signal = AbortSignal.timeout(longestMs);
  const call = { name, args: structuredClone(given), sources: [hookSource(by)], signal };
  return (await door.callTool(call)).text;
}

/** `ctx.injectMessage`: false where nobody sits at a terminal. */
export function injectMessage(
  by: string,
  text: unknown,
  role: unknown,
  { terminal }: Pick<PluginConversations, 'terminal'>,
): boolean {
  if (typeof text !== 'string' || text.trim() === '') throw new TypeError('injectMessage: the text must not be empty');
  if (terminal?.current() === undefined) return false;
  const said = typeof role !== 'string' || role === 'user' ? text : `[${role.slice(0, 40)}] ${text}`;
  terminal.say(by, said.slice(0, maxText));
  return true;
}
