/** Looks back after a reply, without the user: what of the conversation belongs into memory or a skill. */
import type { Policy } from '../../agent/policy.ts';
import type { Tool } from '../../agent/tool.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { ToolSchema } from '../../llm/protocol.ts';
import type { SideModels } from '../../llm/side-task.ts';
import { type LearnedNotice, learnedLine } from './learned.ts';
import { afterReview, countTurn, type Due, isDue, noNudges, type NudgeIntervals } from './nudges.ts';
import { outsideSources } from './outside-text.ts';
import { runQuietly } from './quiet-run.ts';
import { digestOf, reviewQuestion, wholeConversation } from './review-question.ts';

export interface ReviewerOptions<Services> {
  readonly side: SideModels;
  /** The session's tools that are available; those for memory and skills are used. */
  readonly tools: readonly Tool<Services>[];
  /**
   * What the tools reach in a review: memory and skills with the origin `background_review`. When `staged`, every
   * write must wait for the user's approval, whatever the configuration says.
   */
  readonly services: (writes: { readonly staged: boolean }) => Services | Promise<Services>;
  readonly policy: Policy;
  readonly intervals: NudgeIntervals;
  readonly sessionId: () => string;
  readonly systemPrompt: () => Promise<string>;
  /** True when `auxiliary.background_review` names no other model: it then gets the whole history, else a digest. */
  readonly sameModel: boolean;
  /** All tools as the conversation offers them, for the provider's cache; used with the same model only. */
  readonly offered?: () => readonly ToolSchema[];
  /** `display.memory_notifications` */
  readonly notice: LearnedNotice;
  /** Told in one line what was written. Must not throw. */
  readonly tell: (line: string) => void;
  /** Whether text from outside has entered; default `outsideSources(history).length > 0`. */
  readonly contaminated?: (history: readonly HistoryMessage[]) => boolean;
}

export interface Reviewer {
  /**
   * A turn was answered: `turn` are its messages, `history` all of them. Starts a review in the background when one is
   * due and none is under way. Returns at once and never throws.
   */
  turnFinished(history: readonly HistoryMessage[], turn: readonly HistoryMessage[]): void;
  /** Resolves when no review is under way. */
  settled(): Promise<void>;
  /** Stops a review that is under way, after waiting so long for it (default 3 s). */
  close(graceMs?: number): Promise<void>;
}

const maxSteps = 8;
const memoryTools: readonly string[] = ['memory'];
const skillTools: readonly string[] = ['skills_list', 'skill_view', 'skill_manage'];

/** Asks nothing until a review is due. */
export function createReviewer<Services>(options: ReviewerOptions<Services>): Reviewer {
  const stopping = new AbortController();
  const intervals = usableIntervals(options);
  let counts = noNudges;
  let running: Promise<void> | undefined;

  async function review(history: readonly HistoryMessage[], due: Due): Promise<void> {
    try {
      const { side, policy, sameModel, offered } = options;
      const contaminated = options.contaminated ?? ((messages) => outsideSources(messages).length > 0);
      const question = reviewQuestion(due);
      const { calls } = await runQuietly(
        {
          side,
          task: 'background_review',
          messages: sameModel
            ? wholeConversation(await options.systemPrompt(), history, question)
            : digestOf(history, question),
          tools: usedTools(options.tools, due),
          services: await options.services({ staged: contaminated(history) }),
          policy,
          sessionId: options.sessionId(),
          maxSteps,
          ...(sameModel && offered !== undefined ? { offered: offered() } : {}),
        },
        stopping.signal,
      );
      const line = learnedLine(calls, options.notice);
      if (line !== undefined && !stopping.signal.aborted) options.tell(line);
    } catch {
      // What is not learned today can be learned another day; the user waits for nothing here.
    }
  }

  return {
    turnFinished(history, turn) {
      counts = countTurn(counts, turn);
      const due = isDue(counts, intervals);
      if ((!due.memory && !due.skills) || running !== undefined || stopping.signal.aborted) return;
      counts = afterReview(counts, due);
      running = review([...history], due).finally(() => {
        running = undefined;
      });
    },
    settled: async () => await running,
    async close(graceMs = 3_000) {
      if (running !== undefined) {
        const over = new AbortController();
        const timer = setTimeout(() => over.abort(), graceMs);
        const late = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()));
        await Promise.race([running, late]);
        clearTimeout(timer);
      }
      stopping.abort();
      await running;
    },
  };
}

/** A nudge for tools that the session does not have is none. */
function usableIntervals<Services>({ tools, intervals }: ReviewerOptions<Services>): NudgeIntervals {
  const has = (name: string) => tools.some((tool) => tool.name === name);
  return {
    memory: has('memory') ? intervals.memory : 0,
    skills: has('skill_manage') ? intervals.skills : 0,
  };
}

function usedTools<Services>(tools: readonly Tool<Services>[], due: Due): readonly Tool<Services>[] {
  const names = [...(due.memory ? memoryTools : []), ...(due.skills ? skillTools : [])];
  return tools.filter(({ name }) => names.includes(name));
}
