/** The tasks that a terminal started beside its conversation: each has a session of its own, its result is shown once. */
import type { TurnResult } from '../../agent/events.ts';
import type { BackgroundTask, StartedTasks } from '../../commands/background-tasks.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Program } from '../../runtime/program.ts';
import type { Session } from '../../runtime/session.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import { type BesideOptions, newBesideId, runBeside } from '../../worker/run-beside.ts';
import { oneLine } from '../render/terminal-text.ts';
import { type KeptTask, KeptTasks, type TaskEnd } from './kept-tasks.ts';
import { taskHuman } from './task-human.ts';

export interface TerminalTasksOptions {
  readonly program: Program;
  readonly prepare: NonNullable<BesideOptions['prepare']>;
  readonly human: SessionSpec['human'];
  /** What a task is like, and the conversation that it is started in. */
  readonly like: () => { readonly spec: Omit<SessionSpec, 'human'>; readonly session: Session };
  /** Shows one that has ended: `task.end` says how, without it the process died. */
  readonly show: (task: Omit<KeptTask, 'owner'>) => void;
  /** Their number has changed, or what they do. */
  readonly changed: () => void;
  readonly log: Log;
}

interface Running {
  readonly number: number;
  readonly prompt: string;
  readonly startedAt: number;
  readonly stop: AbortController;
  doing: string;
  done: Promise<void>;
}

const most = 8;
const shownPrompt = 60;

export class TerminalTasks implements StartedTasks {
  readonly #options: TerminalTasksOptions;
  readonly #file: KeptTasks;
  readonly #running = new Map<string, Running>();
  #count = 0;
  #closing = false;

  constructor(options: TerminalTasksOptions) {
    this.#options = options;
    this.#file = new KeptTasks(options.program.options.home.path);
  }

  list(): readonly BackgroundTask[] {
    return [...this.#running].map(([id, { number, prompt, startedAt, doing }]) => ({
      id,
      number,
      prompt,
      startedAt,
      ...(doing === '' ? {} : { doing }),
    }));
  }

  start(prompt: string): BackgroundTask {
    if (this.#running.size >= most) {
      throw new UserError(
        `${most} background tasks are at work already; wait until one is done, or end one (/agents).`,
      );
    }
    const { spec, session } = this.#options.like();
    const startedAt = Date.now();
    const id = newBesideId(new Date(startedAt));
    this.#count += 1;
    const task = { id, number: this.#count, prompt };
    this.#file.write(task);
    const running: Running = {
      ...task,
      startedAt,
      stop: new AbortController(),
      doing: '',
      done: Promise.resolve(),
    };
    this.#running.set(id, running);
    running.done = this.#run(task, running, { spec, session });
    this.#options.changed();
    return { ...task, startedAt };
  }

  end(id: string): boolean {
    const running = this.#running.get(id);
    running?.stop.abort();
    return running !== undefined;
  }

  endAll(): number {
    for (const { stop } of this.#running.values()) stop.abort();
    return this.#running.size;
  }

  /** Shows what an earlier process left. Never rejects. */
  async recover(): Promise<void> {
    try {
      await this.#file.takeLeft((task) => this.#options.show(task));
    } catch (error) {
      this.#options.log.warning('background tasks of an earlier terminal were not looked at', error);
    }
  }

  /** Ends them all; returns those that were at work. */
  async close(): Promise<readonly BackgroundTask[]> {
    this.#closing = true;
    const stopped = this.list();
    const all = [...this.#running.values()].map(({ done }) => done);
    this.endAll();
    await Promise.all(all);
    return stopped;
  }

  /** Never rejects. */
  async #run(
    task: Omit<KeptTask, 'owner'>,
    running: Running,
    started: ReturnType<TerminalTasksOptions['like']>,
  ): Promise<void> {
    const end = await this.#end(task, running, started);
    const { log, show, changed } = this.#options;
    try {
      // Whoever leaves is told of those that were stopped; what was done by then is shown by the next terminal.
      if (this.#closing && !end.completed) this.#file.remove(task.id);
      else this.#file.write({ ...task, end });
      if (!this.#closing) {
        show({ ...task, end });
        this.#file.remove(task.id);
      }
    } catch (error) {
      log.error(`the result of ${task.id} could not be written down: ${errorMessage(error)}`, error);
      show({ ...task, end });
    }
    this.#running.delete(task.id);
    changed();
  }

  async #end(
    { id, number, prompt }: Omit<KeptTask, 'owner'>,
    running: Running,
    { spec, session }: ReturnType<TerminalTasksOptions['like']>,
  ): Promise<TaskEnd> {
    const { program, human, prepare, changed } = this.#options;
    const {
      resume: _resume,
      stored: _stored,
      parent: _parent,
      mode: { later: _later, learns: _learns, ...mode } = {},
      ...like
    } = spec;
    const asking = taskHuman(human, `background task #${number} (${oneLine(prompt, shownPrompt)})`);
    try {
      const { result } = await runBeside(
        program,
        {
          ...like,
          human: asking,
          route: session.agent.route,
          stored: { id },
          mode: { ...mode, yolo: session.yolo },
        },
        { content: prompt, asTyped: true },
        {
          signal: running.stop.signal,
          prepare,
          opened: ({ agent, prompt: own }) => {
            agent.settings.reasoningEffort = session.agent.settings.reasoningEffort;
            agent.settings.priority = session.agent.settings.priority;
            own.extra = session.prompt.extra;
          },
          heard: (event) => {
            if (event.type === 'tool_started') running.doing = event.name;
            else if (event.type === 'tool_finished') running.doing = '';
            else return;
            changed();
          },
        },
      );
      return { completed: result.ended === 'completed' || result.ended === 'budget', text: textOf(result) };
    } catch (error) {
      return { completed: false, text: errorMessage(error) };
    }
  }
}

function textOf(result: TurnResult): string {
  const said = (result.finalResponse ?? '').trim();
  const words = said === '' ? [] : [said];
  switch (result.ended) {
    case 'completed':
    case 'budget':
      return said === '' ? '(There was no answer.)' : said;
    case 'interrupted':
      return ['It was stopped.', ...words].join('\n\n');
    case 'partial':
    case 'failed':
      return [result.error, ...words].join('\n\n');
  }
}
