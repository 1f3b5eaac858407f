/** `session_search`: finds and reads earlier conversations. Asks no model. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type ToolOutcome } from '../../agent/tool.ts';
import { textOf } from '../../llm/message.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import { harmless } from '../../safety/finding.ts';
import type { Knowledge, ToolServices } from '../services.ts';
import { shownSessions } from './shown-sessions.ts';
import { describeEnds, describePlace, describeRecalled, describeSession, readEnds, stored } from './describe.ts';
import type { SessionHistory } from './session-history.ts';

const parameters = z.object({
  query: z
    .string()
    .optional()
    .describe('A message must hold all words: use few, or a OR b. Also "phrases", NOT, prefix*'),
  limit: z.number().optional().catch(undefined).describe('Sessions, default 3, max 10'),
  sort: z.enum(['newest', 'oldest']).optional().describe('Default: best match'),
  role_filter: z.string().optional().describe('Default user,assistant; also tool'),
  session_id: z.string().optional().describe('Read this session'),
  around_message_id: z.number().optional().describe('… around this message'),
  window: z.number().optional().catch(undefined).describe('Messages each side, default 5, max 20'),
  profile: z.string().optional().describe('Sessions of another profile'),
});

type Request = z.infer<typeof parameters>;

export const sessionSearchTool = defineTool<ToolServices, typeof parameters>({
  name: 'session_search',
  toolset: 'session_search',
  description: 'Search past conversations, read on in one (session_id), or list recent ones (no arguments).',
  parameters,
  traits: { idempotent: true, housekeeping: true },
  display: {
    emoji: '🔍',
    preview: ({ query, session_id }) => session_id ?? query ?? 'recent sessions',
    render: (_, { content }) => shownSessions(textOf(content)),
  },
  guidance: () =>
    'When the user refers to an earlier conversation, search with session_search before you ask them to repeat it.',
  available: ({ knowledge }) => knowledge.history !== undefined,
  judge: () => harmless,
  sources: () => own,
  parallel: 'safe',
  async execute(request, { services: { knowledge, redact } }) {
    const { history } = knowledge;
    if (history === undefined) return failure({ success: false, error: 'Session database not available.' });
    const wanted = ofProfile(request);
    const profile = filled(wanted.profile)?.trim();
    if (profile === undefined)
      return (await recall(history, wanted, redact)) ?? (await readElsewhere(knowledge, wanted, redact));
    const unknown = { success: false, error: `There is no profile '${profile}' whose sessions can be read here.` };
    const found = await knowledge.historyOf?.(
      profile,
      async (other) => (await recall(other, wanted, redact)) ?? notFound(wanted),
    );
    return found ?? failure(unknown);
  },
});

/** A link to a session names its profile: `<profile>/<id>`. */
function ofProfile(request: Request): Request {
  const [, profile, id] = /^\s*([^/]*)\/(.+)$/s.exec(request.session_id ?? '') ?? [];
  if (id === undefined) return request;
  return { ...request, session_id: id, profile: filled(request.profile) ?? profile };
}

/** An id is one of its own wherever it was made: links may have lost the name of their profile. */
async function readElsewhere(
  { profiles, historyOf }: Knowledge,
  wanted: Request,
  redact: (text: string) => string,
): Promise<ToolOutcome> {
  for (const profile of wanted.around_message_id === undefined ? (profiles?.() ?? []) : []) {
    // A store that cannot be read does not have it.
    const found = await historyOf?.(profile, (other) => readOn(other, wanted, redact, { profile })).catch(
      () => undefined,
    );
    if (found !== undefined) return found;
  }
  return notFound(wanted);
}

function notFound({ session_id, around_message_id }: Request): ToolOutcome {
  const what = around_message_id === undefined ? '' : ` with a message ${around_message_id}`;
  return failure({ success: false, error: `session_id not found: ${session_id}${what}. Search for it first.` });
}

const own: readonly Source[] = [{ from: 'tool', name: 'session_search' }];

/** Undefined when there is no such session. */
async function recall(
  history: SessionHistory,
  request: Request,
  redact: (text: string) => string,
): Promise<ToolOutcome | undefined> {
  if (filled(request.session_id) !== undefined) return await readOn(history, request, redact);
  const query = filled(request.query);
  const limit = clamp(request.limit, 3, 1, 10);
  if (query === undefined) {
    const { sessions, sources } = await history.list(limit);
    const results = sessions.map(describeSession(redact));
    const note = results.length === 0 ? {} : { note: stored };
    const message = `What was used last. Give query to search, or session_id to read one.`;
    const value = { success: true, mode: 'browse', ...note, count: results.length, results, message };
    return { ...answer(value), sources: mergeSources(own, sources) };
  }
  const results = await history.search({
    query,
    limit,
    roles: rolesOf(request.role_filter),
    ...(request.sort === undefined ? {} : { order: request.sort }),
  });
  const value = {
    success: true,
    mode: 'discover',
    query,
    ...(results.length === 0 ? {} : { note: stored }),
    count: results.length,
    sessions_searched: results.length,
    results: results.map(describeRecalled(redact)),
  };
  return { ...answer(value), sources: mergeSources(own, ...results.map(({ sources }) => sources)) };
}

/** Undefined when there is no such session. */
async function readOn(
  history: SessionHistory,
  { session_id = '', around_message_id: messageId, window: wanted, role_filter }: Request,
  redact: (text: string) => string,
  more: { readonly profile?: string } = {},
): Promise<ToolOutcome | undefined> {
  const [sessionId, roles] = [session_id.trim(), rolesOf(role_filter)];
  if (messageId === undefined) {
    const read = await history.readEnds({ sessionId, ends: readEnds.start, roles });
    if (read === undefined) return undefined;
    const value = { success: true, mode: 'read', note: stored, ...more, ...describeEnds(redact)(read) };
    return { ...answer(value), sources: mergeSources(own, read.sources) };
  }
  const window = clamp(wanted, 5, 1, 20);
  const read = await history.read({ sessionId, messageId, window, roles });
  if (read === undefined) return undefined;
  const { id } = read.session;
  const warning =
    id === sessionId ? {} : { warning: `Message ${messageId} stands in ${id}, of the same conversation.` };
  const place = describePlace(redact)(read, messageId);
  const value = { success: true, mode: 'scroll', note: stored, ...more, ...warning, ...place, window };
  return { ...answer(value), sources: mergeSources(own, read.sources) };
}

function rolesOf(filter: string | undefined): readonly string[] {
  const roles = (filter ?? '')
    .split(/[\s,]+/)
    .map((role) => role.toLowerCase())
    .filter((role) => role === 'user' || role === 'assistant' || role === 'tool');
  return roles.length === 0 ? ['user', 'assistant'] : roles;
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

function clamp(value: number | undefined, usual: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.trunc(value ?? usual)));
}
