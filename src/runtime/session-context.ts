/** The context engine of one session, and what happens around a compaction. */
import { systemClock } from '../agent/clock.ts';
import { type ContextEngine, wholeHistory } from '../agent/context/engine.ts';
import type { CompactionHooks } from '../agent/create-agent.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { SideModels } from '../llm/side-task.ts';
import { newSessionId } from '../sessions/session-id.ts';
import type { TodoList } from '../tools/todo/todo-list.ts';
import type { SessionParts } from './session-parts.ts';

export interface SessionContextOptions {
  readonly parts: SessionParts;
  readonly side: SideModels;
  readonly redact: (text: string) => string;
  readonly todos: TodoList;
  /** The session that is written to now. */
  readonly sessionId: () => string;
  /** From now on another one is written to. */
  readonly moveTo: (sessionId: string) => void;
  /** A prompt made anew, with what memory holds now. */
  readonly freshPrompt: () => Promise<string>;
  /** Saves what matters from messages that are about to go. Never rejects. */
  readonly flush: (history: readonly HistoryMessage[], signal: AbortSignal) => Promise<void>;
}

/** Loads the compressor only when compression is on. */
export async function openContextEngine({ parts, side, redact }: SessionContextOptions): Promise<ContextEngine> {
  const { compression } = parts.config.config;
  if (!compression.enabled) return wholeHistory;
  const { createCompressor } = await import('../agent/context/compressor.ts');
  return createCompressor({
    settings: {
      enabled: true,
      threshold: compression.threshold,
      targetRatio: compression.target_ratio,
      protectFirst: compression.protect_first_n,
      protectLast: compression.protect_last_n,
      codexAutoraise: compression.codex_gpt55_autoraise,
    },
    side,
    clock: systemClock,
    redact,
    learn: (refusal, request) => parts.models.learnWindow(refusal, request),
  });
}

/** The old session keeps its messages and ends; what is left goes on in a child of it. */
export function compactionHooks(options: SessionContextOptions): CompactionHooks {
  const { parts, todos, sessionId, moveTo, freshPrompt, flush } = options;
  return {
    before: flush,
    async after(history) {
      const shortened = withTodos(history, todos);
      const systemPrompt = await freshPrompt();
      const parent = sessionId();
      const id = newSessionId();
      try {
        await parts.store?.createChild(parent, {
          id,
          systemPrompt,
          messages: shortened,
          parentEndReason: 'compression',
        });
        if (parts.store !== undefined) moveTo(id);
      } catch {
        // The conversation goes on in the old session, which keeps every message anyway.
      }
      return { history: shortened, systemPrompt, sessionId: sessionId() };
    },
  };
}

/** The steps that are not done yet, behind what the user said last. */
function withTodos(history: readonly HistoryMessage[], todos: TodoList): readonly HistoryMessage[] {
  const open = todos.read().filter(({ status }) => status === 'pending' || status === 'in_progress');
  if (open.length === 0) return history;
  const lines = open.map(({ id, content, status }) =>
    status === 'in_progress' ? `- [>] ${id}. ${content} (in_progress)` : `- [ ] ${id}. ${content}`,
  );
  const text = ['[Your active task list was preserved across context compression]', ...lines].join('\n');
  const last = history.at(-1);
  if (last?.role !== 'user') return [...history, { role: 'user', content: text }];
  const content =
    typeof last.content === 'string'
      ? `${last.content}\n\n${text}`
      : [...last.content, { type: 'text' as const, text: `\n\n${text}` }];
  return [...history.slice(0, -1), { role: 'user', content }];
}
