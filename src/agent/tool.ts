/** What a tool is. */
import type * as z from 'zod';
import type { JsonObject } from '../lib/json.ts';
import type { ContentPart } from '../llm/message.ts';
import type { Human } from './human.ts';

/** What a running tool may reach. `services` is typed by the tools' side; the core passes it through unseen. */
export interface ToolContext<Services> {
  /** Aborts on interrupt; a tool must settle within a second of it. */
  readonly signal: AbortSignal;
  readonly sessionId: string;
  /** Isolates sandboxes between tasks; equal for all calls of one agent. */
  readonly taskId: string;
  readonly callId: string;
  readonly human: Human;
  /** Live output for the surface, never for the model. */
  progress(text: string): void;
  readonly services: Services;
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

/** An object is sent to the model as JSON text; `parts` carries images. */
export type ToolResult = string | { readonly [key: string]: unknown } | { readonly parts: readonly ContentPart[] };

/** A tool's definition. `execute` may throw: the loop answers the model with the error and goes on. */
export interface ToolDefinition<Services, Shape extends z.ZodObject> {
  readonly name: string;
  readonly toolset: string;
  /** Sent to the model: what the tool does and when to use it. */
  readonly description: string;
  readonly emoji?: string;
  readonly parameters: Shape;
  /** Absent = always. A throw counts as unavailable. */
  available?(services: Services): boolean;
  readonly parallel: Parallel<Services, z.infer<Shape>>;
  /**
   * For tools that change files: those that the call is to change. What is never changed in a turn is listed under its
   * answer. Must not throw.
   */
  edits?(args: z.infer<Shape>, services: Services): readonly FilePath[];
  /** Longer results are cut with a note. Default 100,000. */
  readonly maxResultChars?: number;
  /** One line for the progress display. */
  preview(args: z.infer<Shape>): string;
  execute(args: z.infer<Shape>, context: ToolContext<Services>): Promise<ToolResult>;
}

/** A tool with its argument type closed over, so that tools of all shapes share one list. */
export interface Tool<Services> {
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  readonly emoji: string;
  readonly maxResultChars: number;
  /** JSON Schema of the arguments, as sent to the model. */
  readonly schema: JsonObject;
  available(services: Services): boolean;
  /** Coerces and checks raw arguments. */
  prepare(args: JsonObject): PreparedCall<Services> | { readonly problem: string };
}

/** A call whose arguments passed the schema. */
export interface PreparedCall<Services> {
  /** Parsed arguments, for the policy and the display. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly preview: string;
  /** Relative paths mean what they mean now; a command may change that. */
  parallel(services: Services): CallParallel;
  /** Files that it is to change; as with `parallel`, relative paths mean what they mean now. */
  edits(services: Services): readonly FilePath[];
  execute(context: ToolContext<Services>): Promise<ToolResult>;
}
