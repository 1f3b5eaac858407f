/** The context engine of one session, and what its history takes along through a compaction. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../agent/clock.ts';
import { findContextEngine } from '../agent/context/catalogue.ts';
import { type ContextEngine, wholeHistory } from '../agent/context/engine.ts';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { SideModels } from '../llm/side-task.ts';
import type { ToolServices } from '../tools/services.ts';
import type { TodoList } from '../tools/todo/todo-list.ts';
import type { ModelAccess } from './model-access.ts';
import type { SessionParts } from './session-parts.ts';

export interface SessionContextOptions {
  readonly parts: Pick<SessionParts, 'config' | 'home' | 'log' | 'elsewhere'> & {
    readonly models: Pick<ModelAccess, 'learnWindow' | 'keepWindow'>;
  };
  readonly side: SideModels;
  readonly services: Pick<ToolServices, 'redact'>;
  /** Told of an engine that is not known. */
  readonly warn: (line: string) => void;
}

/** Loads an engine only when compression is on. */
export async function openContextEngine(options: SessionContextOptions): Promise<ContextEngine> {
  const { parts, side, services } = options;
  const { compression, context } = parts.config.config;
  const chosen = findContextEngine(context.engine, options.warn);
  if (parts.elsewhere === true) return (await import('./elsewhere.ts')).keptElsewhere;
  if (!compression.enabled) return wholeHistory;
  return await chosen.load({
    settings: {
      enabled: true,
      threshold: compression.threshold,
      targetRatio: compression.target_ratio,
      protectFirst: compression.protect_first_n,
      protectLast: compression.protect_last_n,
      codexAutoraise: compression.codex_gpt55_autoraise,
      codexAutoraiseNotice: compression.codex_gpt55_autoraise_notice,
      abortOnSummaryFailure: compression.abort_on_summary_failure,
    },
    side,
    clock: systemClock,
    redact: (text) => services.redact(text),
    isUntold: (raise) => isUntold(raise, parts),
    learn: (refusal, request) => parts.models.learnWindow(refusal, request),
    keepWindow: (model, tokens) => parts.models.keepWindow(model, tokens),
  });
}

/** What the person was told last of a raised threshold, in the file in which the original keeps it too. */
async function isUntold(raise: string, { home, log }: Pick<SessionParts, 'home' | 'log'>): Promise<boolean> {
  const path = join(home.path, '.codex_gpt55_autoraise_notice');
  try {
    if ((await readFile(path, 'utf8')).trim() === raise) return false;
  } catch {
    // Nothing was told yet.
  }
  try {
    writeFileAtomic(path, raise);
  } catch (error) {
    log.warning('the line about a raised threshold is told again, because that it was told cannot be kept', error);
  }
  return true;
}

/** What a shortened history takes along: the steps that are not done yet, in a message of their own. */
export function carryState(
  history: readonly HistoryMessage[],
  { state }: Pick<ToolServices, 'state'>,
): readonly HistoryMessage[] {
  // What was read may be gone from the history, and must not be called unchanged when it is read again.
  state.readLedger.clear();
  const kept = history.filter(({ kind }) => kind !== 'recap');
  const text = openSteps(state.todos);
  return text === undefined
    ? kept
    : [...kept, { role: 'user', content: text, kind: 'recap', sources: [{ from: 'tool', name: 'todo' }] }];
}

function openSteps(todos: TodoList): string | undefined {
  const open = todos.read().filter(({ status }) => status === 'pending' || status === 'in_progress');
  if (open.length === 0) return undefined;
  const lines = open.map(({ id, content, status }) =>
    status === 'in_progress' ? `- [>] ${id}. ${content} (in_progress)` : `- [ ] ${id}. ${content}`,
  );
  return ['[Your active task list was preserved across context compression]', ...lines].join('\n');
}
