/** What a tool is. A tool says everything about itself in its one file. */
import type * as z from 'zod';
import type { JsonObject } from '../lib/json.ts';
import type { Content } from '../llm/message.ts';
import type { Source } from '../llm/source.ts';
import type { Judgement } from '../safety/finding.ts';
import type { RunFile } from '../safety/run-file.ts';
import type { Human } from './human.ts';
import type { GoesOn, Rights } from './policy.ts';

/** What a running tool may reach. `services` is typed by the tools' side; the core passes it through unseen. */
export interface ToolContext<Services> {
  /** Aborts on interrupt; a tool must settle within a second of it. */
  readonly signal: AbortSignal;
  /** Aborts when nobody waits for the outcome any more: after an interrupt that the tool did not settle by, or at the deadline of its call. */
  readonly abandoned: AbortSignal;
  readonly sessionId: string;
  /** Isolates sandboxes between tasks; equal for all calls of one agent. */
  readonly taskId: string;
  readonly callId: string;
  readonly human: Human;
  /** The change must be kept for a person's approval instead of being made; only where a finding `mayWait`. */
  readonly staged: boolean;
  /** What a person was asked about before this call, and said yes to. */
  readonly approved?: readonly string[];
  /** Nobody was asked: the model that judges commands in smart mode said yes to them. */
  readonly approvedBy?: 'model';
  /** Why the call need not be contained; absent: it must be, as far as it is not known to be harmless. */
  readonly rights?: Rights;
  /** Files that the call runs, as they were when it was allowed; it must not run when they are others by now. */
  readonly runs?: readonly RunFile[];
  /** A longer result is cut in its middle, whatever it says there. */
  readonly maxResultChars: number;
  /** The session's tools, for a tool that runs what the model wrote and lets it call others; absent inside such a call. */
  readonly tools?: CallableTools;
  /** Live output for the surface, never for the model. */
  progress(text: string): void;
  readonly services: Services;
}

/**
 * Calls that a tool makes for what the model wrote. Each passes the same policy, person and record as a call of the model,
 * and where its text comes from counts from then on. It is no step: nothing of it enters the conversation by itself.
 */
export interface CallableTools {
  readonly names: ReadonlySet<string>;
  /** Never rejects: what goes wrong is the result. To be awaited before the tool's own call ends. */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<InnerResult>;
}

export interface InnerResult {
  /** What the model would read. */
  readonly text: string;
  readonly sources: readonly Source[];
}

/** `path` is what the model wrote, for messages; `resolved` its absolute form. */
export interface FilePath {
  readonly path: string;
  readonly resolved: string;
}

/**
 * When calls of one message may run side by side: `safe` with anything that is safe, `never`,
 * or by the paths they touch (undefined = unknown, so never). Paths must be absolute: one file has many spellings.
 */
export type Parallel<Services, Args> =
  | 'safe'
  | 'never'
  | { paths(args: Args, services: Services): readonly string[] | undefined };

/** `Parallel` of one call, its arguments known. */
export type CallParallel = 'safe' | 'never' | { readonly paths: readonly string[] };

/** What is special about a tool, as facts that the loop and the surfaces act on. All default to no. */
export interface ToolTraits {
  /** Looks after the agent's own notes; text beside such calls stands in for an empty answer later. */
  readonly housekeeping?: boolean;
  /** A step whose calls are all of such tools is given back to the budget. */
  readonly refundsStep?: boolean;
  /** Only looks: the same call with the same result has brought nothing new. */
  readonly idempotent?: boolean;
  /** The configured number of sub-agents bounds how many calls of it one message may make; the rest is dropped. */
  readonly delegates?: boolean;
  /** Works where commands and files are: the prompt then says where that is. */
  readonly usesWorkspace?: boolean;
  /** What it answers are words of others: the model gets them between marks, as data. */
  readonly quotesOthers?: boolean;
  /** Writes memory or skills: a look back after the conversation may use it. */
  readonly learns?: 'memory' | 'skills';
  /** May take minutes by its nature. */
  readonly longRunning?: boolean;
  /** What it shows is soon another: of its results only so many keep their pictures in requests, the newest. */
  readonly keepsPictures?: number;
  /** Longer results are cut with a note. Default 100,000 characters. */
  readonly maxResultChars?: number;
}

/** Facts about what a call did, for surfaces and the record, never for the model. A tool fills in what applies to it. */
export interface ToolDetails {
  /** Files that the call really changed, also where it failed as a whole; absolute paths. */
  readonly changedFiles?: readonly string[];
  readonly exitCode?: number;
  /** The shell command that ran to its end, and the directory in which it began. */
  readonly ran?: { readonly command: string; readonly directory: string };
  /** The system kept what ran, or was started, from harm. */
  readonly confined?: true;
  /** It looked whether something is ready or over, which is asked again with good reason. */
  readonly awaits?: boolean;
  /** A unified diff of what was changed. */
  readonly diff?: string;
  /** What was written to memory or a skill: in a few words, and its first words. */
  readonly learned?: Learned;
  /** What failed and the person should know, in a few words; told where only the answer is shown, unless it is mended. */
  readonly problem?: string;
  /** Set by the agent: the call was refused because nobody can be asked here. */
  readonly nobodyToAsk?: boolean;
}

export interface Learned {
  readonly what: string;
  readonly preview: string;
}

/** What a call came to. */
export interface ToolOutcome {
  /** What the model reads. */
  readonly content: Content;
  readonly isError: boolean;
  readonly details?: ToolDetails;
  /** Where the text came from, if the call told only now; over `ToolDefinition.sources`. */
  readonly sources?: readonly Source[];
  /** For the record. */
  readonly goesOn?: GoesOn;
}

/** How a finished call is shown to a person. */
export interface ToolRendering {
  /** A few words behind the line of the call, such as `exit 3`. */
  readonly note?: string;
  /** What stands below the line. */
  readonly blocks?: readonly ToolBlock[];
}

export type ToolBlock = { readonly type: 'text' | 'diff'; readonly text: string };

/** How a tool shows itself. Nothing here may throw or wait. */
export interface ToolDisplay<Args> {
  /** Default ⚡. */
  readonly emoji?: string;
  /** The call in one line. */
  preview(args: Args): string;
  /** Default: no note, no blocks. */
  render?(args: Args, outcome: ToolOutcome): ToolRendering;
}

/**
 * A tool's definition. `execute` may throw: the loop answers the model with the error and goes on.
 *
 * Must: judge a call from its arguments and services alone and change nothing by it; say what it brings from outside.
 * Must not: ask a person whether it may run (the policy does, from what `judge` finds), reach anything but its context.
 *
 * @example
 * export const clockTool = defineTool<ToolServices, typeof parameters>({
 *   name: 'clock', toolset: 'time', description: 'Tell the time of a place.', parameters,
 *   display: { emoji: '🕰️', preview: ({ place }) => place },
 *   judge: () => harmless,
 *   sources: () => [{ from: 'tool', name: 'clock' }],
 *   parallel: 'safe',
 *   execute: async ({ place }) => answer({ time: timeIn(place) }),
 * });
 */
export interface ToolDefinition<Services, Shape extends z.ZodObject> {
  readonly name: string;
  readonly toolset: string;
  /** Sent to the model: what the tool does and when to use it. */
  readonly description: string | SessionDescription<Services>;
  readonly parameters: Shape;
  readonly traits?: ToolTraits;
  readonly display: ToolDisplay<z.infer<Shape>>;
  /** What the system prompt says of it, given the names of the session's tools; undefined = nothing. */
  guidance?(tools: ReadonlySet<string>): string | undefined;
  /** Absent = always. A throw counts as unavailable. */
  available?(services: Services): boolean;
  /** What there is against a call. Absent: nothing is known, so a person is asked, and with nobody there it is refused. */
  judge?(args: z.infer<Shape>, services: Services): Judgement | Promise<Judgement>;
  /** Where the text of a result comes from. Absent: unknown, which counts as outside. */
  sources?(args: z.infer<Shape>, services: Services): readonly Source[];
  /** What the model reads instead of a result when a call was refused with this message. Default `{ error: message }`. */
  refusal?(message: string, args: z.infer<Shape>): JsonObject;
  readonly parallel: Parallel<Services, z.infer<Shape>>;
  /**
   * For tools that change files: those that the call is to change. What is never changed in a turn is listed under its
   * answer. Must not throw.
   */
  edits?(args: z.infer<Shape>, services: Services): readonly FilePath[];
  /** Finds the tool's state again when a session is continued: `result` is the last one it gave. Must not throw. */
  restore?(result: string, services: Services): void;
  execute(args: z.infer<Shape>, context: ToolContext<Services>): Promise<ToolOutcome>;
}

export interface ForwardedCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** A description that depends on the session. */
export interface SessionDescription<Services> {
  /** For lists of tools outside of sessions. */
  readonly usual: string;
  of(tools: ReadonlySet<string>, services: Services): string;
}

/** A tool with its argument type closed over, so that tools of all shapes share one list. */
export interface Tool<Services> {
  readonly name: string;
  /** Who brought it, where it did not come with the program. */
  readonly addedBy?: { readonly kind: 'mcp' | 'plugin'; readonly name: string };
  /** Not sent with requests: it is searched for, and called by its name or through a tool that forwards. */
  readonly hidden?: true;
  readonly toolset: string;
  readonly description: string;
  describe?(tools: ReadonlySet<string>, services: Services): string;
  readonly emoji: string;
  readonly traits: ToolTraits;
  /** JSON Schema of the arguments, as sent to the model. */
  readonly schema: JsonObject;
  guidance(tools: ReadonlySet<string>): string | undefined;
  available(services: Services): boolean;
  restore?(result: string, services: Services): void;
  /**
   * A call of this tool stands for one of a hidden tool, which it names: that one is judged, shown and run. Gets the arguments
   * as the model wrote them; undefined where they name none.
   */
  forward?(args: JsonObject): ForwardedCall | undefined;
  /** Coerces and checks raw arguments. */
  prepare(args: JsonObject): PreparedCall<Services> | { readonly problem: string };
}

/** A call whose arguments passed the schema. Relative paths mean what they mean now; a command may change that. */
export interface PreparedCall<Services> {
  /** Parsed arguments, for the record and the display. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly preview: string;
  parallel(services: Services): CallParallel;
  edits(services: Services): readonly FilePath[];
  sources(services: Services): readonly Source[] | undefined;
  /** Undefined when the tool declares nothing. */
  judge(services: Services): Promise<Judgement | undefined>;
  refusal(message: string): JsonObject;
  render(outcome: ToolOutcome): ToolRendering;
  execute(context: ToolContext<Services>): Promise<ToolOutcome>;
}

/** A result that the model reads as JSON. */
export function answer(value: object, details?: ToolDetails): ToolOutcome {
  return { content: JSON.stringify(value), isError: false, ...(details === undefined ? {} : { details }) };
}

/** A result that says what went wrong, as JSON. */
export function failure(value: object | string, details?: ToolDetails): ToolOutcome {
  const said = typeof value === 'string' ? { error: value } : value;
  return { content: JSON.stringify(said), isError: true, ...(details === undefined ? {} : { details }) };
}
