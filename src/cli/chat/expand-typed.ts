/** A typed message as it goes to the agent: a skill it names, or what it refers to (`@file:`, `@diff` …). */
import type { TurnInput } from '../../agent/agent.ts';
import { skillLine } from '../../commands/skill-line.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import type { Session } from '../../runtime/session.ts';
import type { Prepared } from '../../worker/session-worker.ts';

/** Skills are files of this machine. */
const fromSkill: Source = { from: 'file' };

/** Rejects only when `signal` aborts. */
export async function expandTyped(session: Session, input: TurnInput, signal: AbortSignal): Promise<Prepared> {
  if (typeof input.content !== 'string') return { input, warnings: [] };
  const { text, sources, warnings } = await expandLine(session, input.content, signal);
  if (text === undefined) return { input: undefined, warnings };
  const preloaded = session.prompt.takePreloaded();
  if (preloaded === '') return { input: { ...input, content: text, sources }, warnings };
  const content = `${preloaded}\n\n${text}`;
  return { input: { ...input, content, sources: mergeSources(sources, [fromSkill]) }, warnings };
}

interface Expanded {
  readonly text: string | undefined;
  readonly sources: readonly Source[];
  readonly warnings: readonly string[];
}

async function expandLine(session: Session, line: string, signal: AbortSignal): Promise<Expanded> {
  const skill = await skillLine(session, line, signal);
  if (skill !== undefined) {
    if ('error' in skill) return { text: undefined, sources: [], warnings: [skill.error] };
    return { text: skill.message, sources: [{ from: 'user' }, fromSkill], warnings: [] };
  }
  const { text, sources, warnings, blocked } = await session.prompt.expand(line, signal);
  return { text: blocked ? undefined : text, sources, warnings };
}
