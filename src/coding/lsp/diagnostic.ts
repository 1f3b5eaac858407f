/** What a server says is wrong in a file. */
import * as z from 'zod';

/** Lines and columns from 0, as in the protocol. */
export interface Diagnostic {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly code?: string;
  readonly source?: string;
}

/** Kept of one file. */
const maxErrors = 1000;

const position = z.object({ line: z.number(), character: z.number() });
const entry = z.object({
  range: z.object({ start: position }),
  severity: z.number().optional(),
  code: z.union([z.string(), z.number()]).optional().catch(undefined),
  source: z.string().optional().catch(undefined),
  message: z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]),
});
const entries = z.array(z.unknown()).catch([]);

/** The errors among a list of the protocol; what cannot be read is left out. One without a severity counts as an error. */
export function readErrors(list: unknown): Diagnostic[] {
  return entries
    .parse(list)
    .map((item) => entry.safeParse(item).data)
    .filter((found) => found !== undefined)
    .filter(({ severity }) => severity === undefined || severity === 1)
    .slice(0, maxErrors)
    .map(({ range: { start }, message, code, source }) => ({
      line: start.line,
      column: start.character,
      message,
      ...(code === undefined ? {} : { code: String(code) }),
      ...(source === undefined ? {} : { source }),
    }));
}
