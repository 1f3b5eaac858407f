/** The conversation that the chat has open, the change to another one, and whoever else has it open too. */
import type { NextSession } from '../../commands/command.ts';
import { UserError } from '../../lib/errors.ts';
import { textOf } from '../../llm/message.ts';
import type { Session } from '../../runtime/session.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import type { LeaseHolder } from '../../sessions/leases.ts';
import type { QueuedMessage } from '../../sessions/work-queue.ts';
import type { Skill } from '../../skills/skill.ts';
import { bringResults } from '../../worker/bring-results.ts';
import { MemoryWorkQueue } from '../../worker/memory-work-queue.ts';
import { openWorker } from '../../worker/open-worker.ts';
import type { Prepared, SessionWorker } from '../../worker/session-worker.ts';
import type { WorkerEvent } from '../../worker/worker.ts';
import { exitSummary } from '../chat/exit-summary.ts';
import type { expandTyped } from '../chat/expand-typed.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine, terminalText } from '../render/terminal-text.ts';
import type { ChatOptions } from './chat-options.ts';
import type { ChatScreen } from './chat-screen.ts';
import { type Leaving, leavingWith } from './leaving.ts';
import type { TerminalHuman } from './terminal-human.ts';
import { showSubAgent } from './sub-agent-lines.ts';
import { skillsToShow } from './welcome.ts';

interface SessionsParts {
  readonly options: ChatOptions;
  readonly screen: ChatScreen;
  readonly colors: Colors;
  readonly human: TerminalHuman;
  /** Makes what was typed into what is sent. */
  prepare(...typed: Parameters<typeof expandTyped>): Promise<Prepared>;
  welcome(): void;
  /** The events of a conversation follow. */
  listening(): void;
  hear(event: WorkerEvent): void;
  leave(how: Leaving): void;
  /** Behind what was typed before. */
  inOrder(work: () => Promise<void> | void): Promise<void>;
  printError(error: unknown): void;
}

export class ChatSessions {
  readonly #parts: SessionsParts;
  /** Of all sessions of the chat. */
  readonly #queue = new MemoryWorkQueue();
  #worker: SessionWorker | undefined;
  #waiting: readonly QueuedMessage[] = [];
  #skills: readonly Skill[] = [];
  #startedAt = Date.now();
  #isFirst = true;
  #toolsets: readonly string[] | undefined;
  /** No more results of sub-agents are brought into the open conversation. */
  #stopBringing = (): Promise<void> => Promise.resolve();
  /** Of whom the user was asked already. */
  #askedAbout: LeaseHolder | undefined;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  /** Undefined until there is one. */
  get worker(): SessionWorker | undefined {
    return this.#worker;
  }

  get current(): SessionWorker {
    if (this.#worker === undefined) throw new Error('the chat has not started');
    return this.#worker;
  }

  /** Messages that wait for their turn. */
  get waiting(): readonly QueuedMessage[] {
    return this.#waiting;
  }

  /** Those that can be used, when it was opened. */
  get skills(): readonly Skill[] {
    return this.#skills;
  }

  get startedAt(): number {
    return this.#startedAt;
  }

  /** The toolsets that a command chose for it, in the place of those of the start; empty when none did. */
  get chosenTools(): Pick<SessionSpec, 'toolsets'> {
    return this.#toolsets === undefined ? {} : { toolsets: this.#toolsets };
  }

  /** No other conversation was begun or opened. */
  get isFirst(): boolean {
    return this.#isFirst;
  }

  /** Opens the first one. */
  async begin(): Promise<void> {
    const { spec, view } = this.#parts.options;
    this.#worker = await this.#open(spec);
    const { prompt } = this.#worker.session;
    const manner = prompt.extra === '' ? prompt.personalities.find(({ name }) => name === view.personality) : undefined;
    if (manner !== undefined) prompt.extra = manner.prompt;
  }

  /** Hears what goes on in the one that is open. */
  listen(): void {
    const worker = this.current;
    this.#waiting = [];
    this.#parts.listening();
    worker.listen((event) => this.#hear(worker, event));
    const { background } = worker.session;
    background.onNotice(() => void this.#parts.inOrder(() => this.#hearNotices(worker)));
    const { screen, colors, options } = this.#parts;
    background.agents.listen((event) => {
      if (this.#worker !== worker) return;
      showSubAgent(event, { screen, colors, settings: options.settings.display });
      screen.refresh();
    });
    this.#stopBringing = bringResults(worker, options.program.log);
  }

  /** The next session is opened first, so that a failure leaves the user in the one that is there. */
  async switchTo({ resume, keepModel = false, toolsets }: NextSession, reason: string): Promise<Session> {
    const { resume: _resume, prompt: { preload: _preload, ...prompt } = {}, ...like } = this.#parts.options.spec;
    const previous = this.current;
    const worker = await this.#open({
      ...like,
      prompt,
      ...(resume === undefined ? {} : { resume }),
      ...(toolsets === undefined ? {} : { toolsets }),
      ...(keepModel ? { route: previous.session.agent.route } : {}),
    });
    if (worker.heldBy !== undefined && !(await this.#decide(worker, worker.heldBy))) {
      await worker.close();
      await worker.session.close(reason);
      throw new UserError('You are still in the conversation from before.');
    }
    // The manner of speaking is the person's, not the conversation's.
    worker.session.prompt.extra = previous.session.prompt.extra;
    this.#worker = worker;
    this.#toolsets = toolsets;
    this.#isFirst = false;
    this.#startedAt = Date.now();
    await this.#stopBringing();
    await previous.close();
    await previous.session.close(reason);
    if (resume !== undefined) this.#parts.welcome();
    else {
      const { hooks } = this.#parts.options.program;
      const reset = { session_id: worker.session.id, platform: 'cli', reason: 'new_session' };
      void hooks.call('on_session_reset', () => reset);
    }
    this.listen();
    return worker.session;
  }

  /** Ends the session and sums it up; a running turn is interrupted and what it has so far is already stored. */
  async close(leaving: Leaving): Promise<{ readonly notSent: readonly string[]; readonly summary: readonly string[] }> {
    const worker = this.current;
    const { session } = worker;
    await this.#stopBringing();
    await worker.close();
    const waiting = await worker.waiting();
    const title = (await session.row())?.title ?? undefined;
    const summary = exitSummary(session, title, Date.now() - this.#startedAt);
    await session.close(leaving.reason);
    return { notSent: waiting.map(({ content }) => `Not sent: ${oneLine(textOf(content), 200)}`), summary };
  }

  async #open(spec: Omit<SessionSpec, 'human'>): Promise<SessionWorker> {
    const { screen, colors, human, options } = this.#parts;
    const { program } = options;
    const prepare: SessionsParts['prepare'] = (...typed) => this.#parts.prepare(...typed);
    const paint = { learned: colors.dim, warning: colors.yellow };
    const notify: SessionSpec['notify'] = ({ kind, line }) => {
      screen.print(paint[kind](terminalText(`  ${line}`)));
    };
    const mode = { ...spec.mode, later: {} };
    const worker = await openWorker(program, { ...spec, human, notify, mode }, { queue: this.#queue, prepare });
    for (const line of worker.session.warnings) notify({ kind: 'warning', line });
    this.#skills = await skillsToShow(worker.session, program.log);
    return worker;
  }

  #hear(worker: SessionWorker, event: WorkerEvent): void {
    if (this.#worker !== worker) return;
    if (event.type === 'queue_changed') this.#waiting = event.waiting;
    this.#parts.hear(event);
    if (event.type === 'held_here') void this.#goOn(event.movedTo);
    if (event.type === 'held_elsewhere' && event.by !== this.#askedAbout) void this.#askAbout(worker, event.by);
  }

  /** Whoever cancels leaves the conversation to the other one. */
  async #askAbout(worker: SessionWorker, by: LeaseHolder): Promise<void> {
    try {
      if (!(await this.#decide(worker, by))) this.#parts.leave(leavingWith.quit);
    } catch (error) {
      this.#parts.printError(error);
    }
  }

  /** False when the user wants neither. */
  async #decide(worker: SessionWorker, by: LeaseHolder): Promise<boolean> {
    this.#askedAbout = by;
    const { human, screen } = this.#parts;
    const choice = await human.chooseLease(by);
    if (choice === undefined) return false;
    await worker.choose(choice);
    if (choice === 'wait') screen.print('  What you type now is sent as soon as the conversation is free.');
    return true;
  }

  /** The conversation is free, perhaps under another id. */
  async #goOn(movedTo: string | undefined): Promise<void> {
    this.#askedAbout = undefined;
    if (movedTo === undefined) return this.#parts.welcome();
    await this.#parts.inOrder(async () => {
      const row = await this.#parts.options.program.store?.sessions.get(movedTo);
      if (row !== undefined) await this.switchTo({ resume: row }, 'resumed_other');
    });
  }

  /** News of background processes is shown at once, and told to the agent when it is idle. */
  #hearNotices(worker: SessionWorker): void {
    if (this.#worker !== worker) return;
    const notices = worker.session.background.takeNotices();
    if (notices.length === 0) return;
    const { screen, colors } = this.#parts;
    screen.gap();
    for (const notice of notices) screen.print(colors.dim(terminalText(notice)));
    worker.tell(notices.join('\n'));
  }
}
