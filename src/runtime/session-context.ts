/** The context engine of one session, and what happens around a compaction. */
import { systemClock } from '../agent/clock.ts';
import { findContextEngine } from '../agent/context/catalogue.ts';
import { type ContextEngine, wholeHistory } from '../agent/context/engine.ts';
import type { CompactionHooks } from '../agent/create-agent.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { SideModels } from '../llm/side-task.ts';
import { newSessionId } from '../sessions/session-id.ts';
import type { ToolServices } from '../tools/services.ts';
import type { TodoList } from '../tools/todo/todo-list.ts';
import type { SessionParts } from './session-parts.ts';

export interface SessionContextOptions {
  readonly parts: SessionParts;
  readonly side: SideModels;
  readonly services: Pick<ToolServices, 'redact' | 'todos' | 'readLedger'>;
  /** The session that is written to now. */
  readonly sessionId: () => string;
  /** From now on another one is written to. */
  readonly moveTo: (sessionId: string) => void;
  /** A prompt made anew for a session, with what memory holds now. */
  readonly freshPrompt: (sessionId: string) => Promise<string>;
  /** Saves what matters from messages that are about to go. Never rejects. */
  readonly flush: (history: readonly HistoryMessage[], signal: AbortSignal) => Promise<void>;
  /** Told of an engine that is not known. */
  readonly warn: (line: string) => void;
}

/** Loads an engine only when compression is on. */
export async function openContextEngine(options: SessionContextOptions): Promise<ContextEngine> {
  const { parts, side, services } = options;
  const { compression, context } = parts.config.config;
  const chosen = findContextEngine(context.engine, options.warn);
  if (!compression.enabled) return wholeHistory;
  return await chosen.load({
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
    redact: (text) => services.redact(text),
    learn: (refusal, request) => parts.models.learnWindow(refusal, request),
    keepWindow: (model, tokens) => parts.models.keepWindow(model, tokens),
  });
}

/** The old session keeps its messages and ends; what is left goes on in a child of it. */
export function compactionHooks(options: SessionContextOptions): CompactionHooks {
  const { parts, services, sessionId, moveTo, freshPrompt, flush } = options;
  const { store } = parts;
  return {
    before: flush,
    async after(history) {
      // What was read may be gone from the history, and must not be called unchanged when it is read again.
      services.readLedger.clear();
      const shortened = withTodos(history, services.todos);
      const parent = sessionId();
      const stay = async () => ({
        history: shortened,
        systemPrompt: await freshPrompt(parent),
        sessionId: parent,
      });
      if (store === undefined) return await stay();
      const id = newSessionId();
      const systemPrompt = await freshPrompt(id);
      try {
        await store.sessions.createChild(parent, {
          id,
          systemPrompt,
          messages: shortened,
          parentEndReason: 'compression',
        });
      } catch {
        // The conversation goes on in the old session, which keeps every message anyway.
        return await stay();
      }
      moveTo(id);
      return { history: shortened, systemPrompt, sessionId: id };
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
