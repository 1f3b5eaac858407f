/** `/skill-name what to do`: the message that a skill or a bundle puts into the conversation. */
import type { Session } from '../runtime/session.ts';
import { commandName } from '../skills/command-name.ts';
import type { CommandAnswer } from '../skills/skill-commands.ts';

/** True for a line that names a skill or a bundle of the session; nothing is loaded for it. */
export async function isSkillLine(session: Session, line: string): Promise<boolean> {
  const { skills } = session.knowledge;
  const named = parse(line);
  if (named === undefined || skills === undefined) return false;
  const wanted = commandName(named.name);
  return (await skills.commands()).some(({ name }) => name === wanted);
}

/** Undefined for a line that names no skill of the session. */
export async function skillLine(
  session: Session,
  line: string,
  signal: AbortSignal,
): Promise<CommandAnswer | undefined> {
  const { skills } = session.knowledge;
  const named = parse(line);
  if (named === undefined || skills === undefined) return undefined;
  return await skills.command(named.name, named.text, { signal, sessionId: session.id });
}

function parse(line: string): { readonly name: string; readonly text: string } | undefined {
  const [, name, text = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  return name === undefined ? undefined : { name, text: text.trim() };
}
