/** What has come of sub-agents in the background: as it is written down, and as the conversation is told of it. */
import * as z from 'zod';
import type { TurnInput } from '../../agent/agent.ts';
import { formatTime } from '../../lib/format-time.ts';
import type { JsonObject } from '../../lib/json.ts';
import { sourceKinds, type Source } from '../../llm/source.ts';
import type { DelegationEnd, NewDelegation } from '../../sessions/delegation-records.ts';
import type { DelegatedTask } from '../../tools/delegation/delegation.ts';
import type { CallResults } from './delegated-call.ts';
import { keptFiles, type ShowFile, withShownFiles } from './kept-files.ts';

/** What was asked, in the original's words. */
export function askedOf(tasks: readonly DelegatedTask[], model: string): JsonObject {
  const goals = tasks.map(({ goal }) => goal);
  const contexts = [...new Set(tasks.map(({ context = '' }) => context))].filter((context) => context !== '');
  const [goal = ''] = goals;
  return {
    goal:
      tasks.length === 1
        ? goal
        : `${tasks.length} parallel subagents: ${goals.map((each) => each.slice(0, 40)).join('; ')}`,
    goals,
    context: contexts.length === 0 ? null : contexts.join('\n\n'),
    toolsets: null,
    role: tasks[0]?.role ?? 'leaf',
    model,
    is_batch: tasks.length > 1,
  };
}

/** What is written down when all have ended. */
export function endOf(
  begun: NewDelegation,
  { results, total_duration_seconds }: CallResults,
  sources: readonly Source[],
  show: ShowFile,
): DelegationEnd {
  const completedAt = Date.now() / 1000;
  const statuses = new Set(results.map(({ status }) => status));
  const onlyStopped = statuses.size === 1 && statuses.has('interrupted');
  const state = statuses.has('completed') ? 'completed' : onlyStopped ? 'interrupted' : 'error';
  const shown = withShownFiles(results, show);
  const plain = z.array(z.record(z.string(), z.json())).parse(JSON.parse(JSON.stringify(shown)));
  return {
    state,
    completedAt,
    event: {
      type: 'async_delegation',
      delegation_id: begun.id,
      session_key: begun.originSession,
      origin_ui_session_id: '',
      parent_session_id: begun.parentSessionId,
      ...begun.task,
      status: state,
      results: plain,
      live_transcripts: shown.flatMap(({ live_transcript: path }) => path ?? []),
      error: null,
      total_duration_seconds,
      dispatched_at: begun.dispatchedAt,
      completed_at: completedAt,
      // Ours: the original leaves these alone.
      kept_files: keptFiles(results),
      sources: sources.map(({ from, name }) => ({ from, ...(name === undefined ? {} : { name }) })),
    },
    result: { results: plain, total_duration_seconds },
  };
}

const optional = z.string().nullish().catch(null);
const numberOr = z.number().nullish().catch(null);

const resultShape = z.looseObject({
  task_index: z.number().catch(0),
  status: z.string().catch('unknown'),
  summary: optional,
  error: optional,
  api_calls: numberOr,
  duration_seconds: numberOr,
  model: optional,
  live_transcript: optional,
  summary_truncated: z.boolean().nullish().catch(null),
  summary_full_path: optional,
  diagnostic_path: optional,
});

/** Both programs write them. */
const eventShape = z.looseObject({
  goal: z.string().catch(''),
  goals: z.array(z.string()).nullish().catch(null),
  context: optional,
  role: optional,
  model: optional,
  status: z.string().catch('unknown'),
  summary: optional,
  error: optional,
  api_calls: numberOr,
  duration_seconds: numberOr,
  total_duration_seconds: numberOr,
  dispatched_at: numberOr,
  results: z.array(resultShape).nullish().catch(null),
  sources: z
    .array(z.object({ from: z.enum(sourceKinds), name: z.string().exactOptional() }))
    .nullish()
    .catch(null),
});

type Event = z.infer<typeof eventShape>;
type Result = z.infer<typeof resultShape>;

/**
 * The message that tells of it, whole enough to be read alone. What a sub-agent said stands inside the JSON text of its own
 * entry, so that no words of one can pass for the result of another, or for ours.
 */
export function messageOf(id: string, written: JsonObject): TurnInput {
  const event = eventShape.parse(written);
  const results = resultsOf(event).toSorted((one, other) => one.task_index - other.task_index);
  const goals = event.goals ?? [event.goal];
  const isBatch = goals.length > 1;
  const { dispatched_at: at, total_duration_seconds: total } = event;
  const ended = isBatch
    ? `The ${goals.length} sub-agents that you started earlier have ended.`
    : 'The sub-agent that you started earlier has ended.';
  const asked = {
    ...(typeof at === 'number' ? { started: formatTime('%Y-%m-%d %H:%M:%S', new Date(at * 1000)) } : {}),
    ...(event.context ? { context: event.context } : {}),
    role: event.role ?? 'leaf',
    model: results[0]?.model || event.model || 'unknown',
    status: event.status,
    ...(typeof total === 'number' ? { total_duration_seconds: total } : {}),
  };
  const lines = [
    `[ASYNC DELEGATION ${isBatch ? 'BATCH ' : ''}COMPLETE — ${id}]`,
    `${ended} Much may have changed since; use what still matters. Each entry of results holds what one of them said, and nothing else does.`,
    '',
    `${JSON.stringify(asked).slice(0, -1)},"results":[`,
    results.map((result) => JSON.stringify(entryOf(result, goals))).join(',\n'),
    ']}',
  ];
  return { content: lines.join('\n'), kind: 'note', sources: sourcesOf(event), platformMessageId: id };
}

/** One sub-agent of the original stands without a list. */
function resultsOf(event: Event): readonly Result[] {
  if (event.results && event.results.length > 0) return event.results;
  const { status, summary, error, api_calls, duration_seconds, model } = event;
  return [{ task_index: 0, status, summary, error, api_calls, duration_seconds, model }];
}

/** The keys are those of the result that a call gets which waits. */
function entryOf(result: Result, goals: readonly string[]): object {
  const { task_index: index, status, summary, error, api_calls, duration_seconds, model } = result;
  const { live_transcript, summary_truncated, summary_full_path, diagnostic_path } = result;
  const known = { error, api_calls, duration_seconds, model, summary_truncated, summary_full_path };
  const files = { live_transcript, diagnostic_path };
  return {
    task_index: index,
    goal: goals[index] ?? '',
    status,
    summary: summary ?? null,
    ...Object.fromEntries(Object.entries({ ...known, ...files }).filter(([, value]) => value)),
  };
}

/** What the original wrote says nothing of where it comes from; without results the words are ours. */
function sourcesOf({ sources, results, summary }: Event): readonly Source[] {
  if (sources && sources.length > 0) return sources;
  return (results ?? []).length > 0 || summary ? [{ from: 'unknown', name: 'a sub-agent' }] : [{ from: 'agent' }];
}
