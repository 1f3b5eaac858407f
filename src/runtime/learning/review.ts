/** Looks back after a reply, without the user: what of the conversation belongs into memory or a skill. */
import type { Tool } from '../../agent/tool.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { Source } from '../../llm/source.ts';
import type { SideRun, SideRunResult, SideRunTools } from '../side-run.ts';
import { type LearnedNotice, learnedLine } from './learned.ts';
import { afterReview, countTurn, type Due, isDue, noNudges, type NudgeIntervals } from './nudges.ts';
import { digestOf, reviewRequest } from './review-request.ts';

export interface ReviewerOptions {
  /** Runs with the prompt, the history and the tools of the conversation when it has the same model. */
  readonly run: (run: SideRun, signal: AbortSignal) => Promise<SideRunResult>;
  /** The conversation as its own requests carry it. */
  readonly conversation: () => Pick<SideRun, 'systemPrompt' | 'ephemeral'> & {
    readonly tools: Omit<SideRunTools, 'usable'>;
    readonly sources: readonly Source[];
    /** Of its newest request; 0 = the provider did not say. */
    readonly tokens: number;
  };
  /** True when `auxiliary.background_review` names no other model: it then gets the whole history, else a digest. */
  readonly sameModel: boolean;
  readonly intervals: NudgeIntervals;
  /** Whether a run of about so many tokens keeps to its share; asked before each. */
  readonly hasRoom: (tokens: number) => boolean;
  /** `display.memory_notifications` */
  readonly notice: LearnedNotice;
  /** Told in one line what was written. Must not throw. */
  readonly tell: (line: string) => void;
}

const maxSteps = 8;
/** A look back that saves nothing takes one request, one that saves something two or three. */
const usualRequests = 2;
const charsPerToken = 4;

/** Asks nothing until a review is due. One runs at a time. */
export class Reviewer {
  readonly #options: ReviewerOptions;
  readonly #intervals: NudgeIntervals;
  #counts = noNudges;
  #running = false;

  constructor(options: ReviewerOptions) {
    this.#options = options;
    this.#intervals = usableIntervals(options);
  }

  /**
   * A turn was answered: `turn` are its messages, `history` all of them. Resolves when the review that was due is over,
   * or at once; rejects as the run does.
   */
  async turnFinished(
    history: readonly HistoryMessage[],
    turn: readonly HistoryMessage[],
    signal: AbortSignal,
  ): Promise<void> {
    this.#counts = countTurn(this.#counts, turn, this.#options.conversation().tools.list);
    const due = isDue(this.#counts, this.#intervals);
    if ((!due.memory && !due.skills) || this.#running || signal.aborted) return;
    const run = this.#review([...history], due);
    if (!this.#options.hasRoom(usualRequests * this.#tokensOf(run))) return;
    this.#counts = afterReview(this.#counts, due);
    this.#running = true;
    try {
      const { learned } = await this.#options.run(run, signal);
      const line = learnedLine(learned, this.#options.notice);
      if (line !== undefined && !signal.aborted) this.#options.tell(line);
    } finally {
      this.#running = false;
    }
  }

  /** Of one request. */
  #tokensOf({ history = [], request }: SideRun): number {
    const said = Math.ceil((JSON.stringify(history).length + request.length) / charsPerToken);
    return this.#options.sameModel ? Math.max(said, this.#options.conversation().tokens) : said;
  }

  #review(history: readonly HistoryMessage[], due: Due): SideRun {
    const { sameModel } = this.#options;
    const { tools, sources, systemPrompt, ephemeral } = this.#options.conversation();
    const shared = { task: 'background_review', maxSteps, sources } as const;
    // Whoever writes skills has to read them first.
    const toolsets = new Set(
      tools.list.filter(({ traits: { learns } }) => learns !== undefined && due[learns]).map(({ toolset }) => toolset),
    );
    const usable = ({ toolset }: Pick<Tool<never>, 'toolset'>): boolean => toolsets.has(toolset);
    if (sameModel) {
      const prefix = { systemPrompt, history, ...(ephemeral === undefined ? {} : { ephemeral }) };
      return { ...shared, ...prefix, request: reviewRequest(due), tools: { ...tools, usable } };
    }
    const list = tools.list.filter(usable);
    const { system, request } = digestOf(history, reviewRequest(due));
    const { toolbox: _, ...own } = tools;
    return { ...shared, request, systemPrompt: () => Promise.resolve(system), tools: { ...own, list } };
  }
}

/** A nudge for tools that the session does not have is none. */
function usableIntervals({ conversation, intervals }: ReviewerOptions): NudgeIntervals {
  const { list } = conversation().tools;
  const has = (what: 'memory' | 'skills') => list.some(({ traits }) => traits.learns === what);
  return { memory: has('memory') ? intervals.memory : 0, skills: has('skills') ? intervals.skills : 0 };
}
