/** The turn that a job gets: a session of its own, from its prompt to its answer. */
import { headless } from '../../agent/human.ts';
import type { TurnResult } from '../../agent/events.ts';
import type { Job } from '../../cron/job.ts';
import { UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { maskKeys } from '../../lib/secrets.ts';
import type { ModelRoute } from '../../llm/protocol.ts';
import type { Source } from '../../llm/source.ts';
import type { Program } from '../../runtime/program.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import { describeHolder } from '../../worker/lease-words.ts';
import { MemoryWorkQueue } from '../../worker/memory-work-queue.ts';
import { openWorker } from '../../worker/open-worker.ts';
import type { Worker } from '../../worker/worker.ts';
import { type JobPrompt, jobPrompt } from './job-prompt.ts';
import type { ScriptRun } from './job-script.ts';
import type { RunOutcome } from './run-outcome.ts';

export interface JobTurn {
  readonly program: Program;
  readonly job: Job;
  readonly script: ScriptRun | undefined;
  /** Resolved from what the job pins, else from the settings. */
  readonly route: ModelRoute;
  readonly sessionId: string;
  readonly title: string;
  /** Where its commands start; undefined: where those of the program do, and without the files of a project. */
  readonly workdir: string | undefined;
  /** Milliseconds in which nothing may happen; 0: there is no limit. */
  readonly idleMs: number;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** As the configuration, the prompt and the store call it. */
const surface = 'cron';

/** Rejects with the reason of `signal` when it is cut off, and with what `openWorker` throws. */
export async function runJobTurn(turn: JobTurn): Promise<RunOutcome> {
  const { program, job, signal, log } = turn;
  signal.throwIfAborted();
  const worker = await openWorker(program, specFor(turn), { queue: new MemoryWorkQueue() });
  let isOver = false;
  try {
    for (const line of worker.session.warnings) log.warning(`${job.name}: ${line}`);
    const prompt = jobPrompt(job, {
      homePath: program.options.home.path,
      script: turn.script,
      skillText: await skillText(worker, job, signal),
    });
    if (prompt.threat !== undefined) {
      isOver = true;
      const error = `Blocked: what the agent would be asked matches the threat pattern '${prompt.threat}'.`;
      return { ok: false, error, blocked: true, prompt: prompt.text };
    }
    const result = await resultOf(worker, prompt, turn);
    isOver = true;
    const entered = await program.store?.sessions.sources(worker.session.id);
    return { ...outcomeOf(result, prompt.text), sources: answerSources(entered) };
  } finally {
    await worker.close();
    await giveTitle(turn, worker.session.id);
    await worker.session.close(isOver ? 'cron_complete' : undefined);
  }
}

/** Another job of the same name may run in the same minute: then the title gets a number. */
async function giveTitle({ program, title, log }: JobTurn, id: string): Promise<void> {
  try {
    await program.store?.sessions.giveTitle(id, title);
  } catch (error) {
    log.warning(`the session ${id} got no title`, error);
  }
}

function specFor({ program, job, route, sessionId, workdir, log }: JobTurn): SessionSpec {
  const { mcp_servers: servers } = program.options.config.config;
  const user = job.origin?.user_id;
  return {
    surface,
    human: headless,
    // Who has a job made in a chat gets no tools by it that the chat has not.
    mode: { jobId: job.id, ...(job.origin == null ? {} : { within: job.origin.platform }) },
    route,
    ...(user == null || user === '' ? {} : { userId: user }),
    ...toolsetsOf(job, Object.keys(servers)),
    ...(workdir === undefined ? { prompt: { ignoreProject: true } } : { cwd: workdir }),
    stored: { id: sessionId },
    notify: ({ line }) => log.warning(`${job.name}: ${line}`),
  };
}

/** A list of toolsets leaves the MCP servers, unless it names some, or says that none are wanted. */
function toolsetsOf(job: Job, servers: readonly string[]): Pick<SessionSpec, 'toolsets'> {
  const named = job.enabled_toolsets;
  if (named == null) return {};
  const names = new Set(named);
  const isSaid = names.has('no_mcp') || servers.some((name) => names.has(name) || names.has(`mcp-${name}`));
  return { toolsets: isSaid ? named : [...named, ...servers.map((name) => `mcp-${name}`)] };
}

async function skillText(worker: Worker, { skills }: Job, signal: AbortSignal): Promise<string> {
  if (skills.length === 0) return '';
  const library = worker.session.knowledge.skills;
  const loaded = await library?.preload(skills, { signal, sessionId: worker.session.id });
  const missing = loaded?.missing ?? skills;
  const notice = `[These skills of the job could not be found and were left out: ${missing.join(', ')}. Say so in your answer.]`;
  return [...(missing.length > 0 ? [notice] : []), loaded?.text ?? ''].filter((part) => part !== '').join('\n\n');
}

async function resultOf(worker: Worker, { text, sources }: JobPrompt, turn: JobTurn): Promise<TurnResult> {
  const { idleMs, signal } = turn;
  const ended = Promise.withResolvers<TurnResult>();
  // Waited for only once it has started.
  ended.promise.catch(() => undefined);
  const idle = new IdleTimer(idleMs, () => {
    worker.interrupt();
    ended.reject(new UserError(`No activity for ${idleMs / 1000} s: the run was ended (HERMES_CRON_TIMEOUT).`));
  });
  let result: TurnResult | undefined;
  const stopListening = worker.listen((event) => {
    idle.heard();
    if (event.type === 'message_failed') ended.reject(new UserError(event.error));
    else if (event.type === 'held_elsewhere') ended.reject(new UserError(describeHolder(event.by)));
    else if (event.type === 'turn_finished') result = event.result;
    else if (event.type === 'idle' && result !== undefined) ended.resolve(result);
  });
  const stop = (): void => {
    worker.interrupt();
    ended.reject(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    await worker.submit({ content: text, sources });
    return await ended.promise;
  } finally {
    idle.stop();
    signal.removeEventListener('abort', stop);
    stopListening();
  }
}

/** Calls back when nothing was heard for so long. */
class IdleTimer {
  readonly #ms: number;
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, over: () => void) {
    this.#ms = ms;
    this.#over = over;
    this.heard();
  }

  heard(): void {
    if (this.#ms <= 0) return;
    if (this.#timer === undefined) this.#timer = setTimeout(this.#over, this.#ms);
    else this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** The answer is the agent's: nothing in it is what the person said. */
function answerSources(entered: readonly Source[] = [{ from: 'unknown' }]): readonly Source[] {
  return [{ from: 'agent' }, ...entered.filter(({ from }) => from !== 'user' && from !== 'agent')];
}

function outcomeOf(result: TurnResult, prompt: string): RunOutcome {
  const text = (result.finalResponse ?? '').trim();
  if (result.ended === 'failed' || result.ended === 'partial')
    return { ok: false, error: maskKeys(result.error), prompt };
  if (result.ended === 'interrupted') return { ok: false, error: 'The run was interrupted.', prompt };
  if (text === '') return { ok: false, error: 'The agent gave no answer.', prompt };
  return { ok: true, text, prompt };
}
