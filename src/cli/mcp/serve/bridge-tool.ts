/** A tool that other agents get from us: what it is called, what it takes, and what it answers. */
import * as z from 'zod';
import { coerceArguments } from '../../../agent/coerce.ts';
import { toJsonSchema } from '../../../agent/define-tool.ts';
import type { JsonObject } from '../../../lib/json.ts';

export interface BridgeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Rejects with a `UserError` for what the caller can mend, and with a `BadArguments` for what does not fit the schema. */
  call(args: JsonObject, signal: AbortSignal): Promise<object>;
}

/** What was sent does not fit what the tool takes. */
export class BadArguments extends Error {
  override readonly name = 'BadArguments';
}

interface Definition<Shape extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Shape;
  run(args: z.infer<Shape>, signal: AbortSignal): Promise<object> | object;
}

export function bridgeTool<Shape extends z.ZodObject>(definition: Definition<Shape>): BridgeTool {
  const { name, description, parameters } = definition;
  const inputSchema = toJsonSchema(parameters);
  return {
    name,
    description,
    inputSchema,
    async call(args, signal) {
      const parsed = parameters.safeParse(coerceArguments(args, inputSchema));
      if (!parsed.success) throw new BadArguments(z.prettifyError(parsed.error));
      return await definition.run(parsed.data, signal);
    },
  };
}

/** A number that is moved into its bounds, as in the original. */
export function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

/** An argument that may be left out, or be null. */
export function optionalText(meaning: string) {
  return z.string().nullable().default(null).describe(meaning);
}
