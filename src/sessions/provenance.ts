/** What a message is and where its text came from, as the JSON that a store keeps beside it. */
import * as z from 'zod';
import { parseJson } from '../lib/json.ts';
import {
  type AssistantKind,
  type HistoryMessage,
  kindOf,
  sourcesOf,
  type ToolKind,
  type UserKind,
} from '../llm/message.ts';
import { mergeSources, type Source, type SourceKind } from '../llm/source.ts';
import { kindOfOldRow } from './old-kinds.ts';
import { wellFormed, wellFormedJson } from './well-formed.ts';

const sourceKinds = ['user', 'agent', 'tool', 'file', 'skill', 'page', 'program', 'server', 'chat', 'unknown'] as const;
const userKinds: readonly UserKind[] = ['steer', 'note', 'summary', 'recap', 'bridge'];
const assistantKinds: readonly AssistantKind[] = ['interrupted', 'note', 'summary', 'bridge'];
const toolKinds: readonly ToolKind[] = ['unknown'];

// What a newer build wrote and this one does not know must not make text look more trustworthy than it is.
const storedSource = z
  .object({ from: z.enum(sourceKinds satisfies readonly SourceKind[]), name: z.string().optional() })
  .catch({ from: 'unknown' })
  .transform(({ from, name }): Source => (name === undefined ? { from } : { from, name }));
const storedSources = z.array(storedSource);
/** What stands beside most messages, and says nothing that is not known already. A resume reads all of them. */
const usual = { user: '{"kind":"said"}', assistant: '{"kind":"answer"}', tool: undefined } as const;
const storedProvenance = z.object({
  kind: z.string().optional(),
  sources: storedSources.optional(),
  setAside: z.literal(true).optional(),
});

/** The usual kind is written too: only a row that has one is never judged by its words. */
export function encodeProvenance(message: HistoryMessage): string {
  const stated = message.role === 'tool' ? sourcesOf(message) : message.sources;
  return wellFormedJson({
    kind: kindOf(message),
    ...(stated === undefined ? {} : { sources: storable(stated) }),
    ...(message.role === 'user' && message.setAside === true ? { setAside: true } : {}),
  });
}

/**
 * The message as the agent wants it: with what was stored beside it, without what goes without saying. Tool results
 * always say where they are from. A column that is damaged, or null, says nothing.
 */
export function withProvenance(message: HistoryMessage, column: string | null): HistoryMessage {
  if (column === usual[message.role]) return message;
  const stored = readProvenance(column);
  const kind = stored === undefined ? kindOfOldRow(message) : stored.kind;
  const sources = stored?.sources === undefined ? {} : { sources: stored.sources };
  switch (message.role) {
    case 'user':
      return {
        ...message,
        ...kindField(userKinds, kind),
        ...sources,
        ...(stored?.setAside === true ? { setAside: true } : {}),
      };
    case 'assistant':
      return { ...message, ...kindField(assistantKinds, kind), ...sources };
    case 'tool':
      return { ...message, sources: stored?.sources ?? sourcesOf(message), ...kindField(toolKinds, kind) };
  }
}

/** The column with the message marked as set aside. */
export function encodeSetAside(column: string | null, message: HistoryMessage): string {
  const marked = withProvenance(message, column);
  return encodeProvenance(marked.role === 'user' ? { ...marked, setAside: true } : marked);
}

/** The sources of a session's column; none when it is damaged or null. */
export function decodeSources(column: string | null): readonly Source[] {
  return readProvenance(column)?.sources ?? [];
}

/** The column with more sources; undefined when it has them all, so that nothing need be written. */
export function growSources(column: string | null, added: readonly Source[]): string | undefined {
  // Looked for in the text: this is done for every message, and nearly always all are there.
  const missing = storable(added).filter((source) => column?.includes(JSON.stringify(source)) !== true);
  if (missing.length === 0) return undefined;
  const grown = JSON.stringify({ sources: mergeSources(decodeSources(column), missing) });
  return grown === column ? undefined : grown;
}

/** As they read back. */
function storable(sources: readonly Source[]): readonly Source[] {
  return mergeSources(
    sources.map(({ from, name }) => (name === undefined ? { from } : { from, name: wellFormed(name) })),
  );
}

function readProvenance(column: string | null): z.infer<typeof storedProvenance> | undefined {
  if (column === null) return undefined;
  const parsed = storedProvenance.safeParse(parseJson(column));
  return parsed.success ? parsed.data : undefined;
}

function kindField<Kind extends string>(known: readonly Kind[], kind: string | undefined): { readonly kind?: Kind } {
  const found = known.find((one) => one === kind);
  return found === undefined ? {} : { kind: found };
}
