/**
 * Errors of a TypeScript file by a request that has an answer. What the server publishes by itself comes in parts that
 * cannot be told from the whole, and does not come at all while a file stays free of errors.
 */
import * as z from 'zod';
import type { Diagnostic } from './diagnostic.ts';

const found = z.object({
  success: z.literal(true),
  body: z.array(
    z.object({
      start: z.object({ line: z.number(), offset: z.number() }),
      text: z.string(),
      code: z.number().optional(),
      category: z.string(),
    }),
  ),
});

/** Throws where the answer is none. */
export async function askTsserver(
  uri: string,
  request: (method: string, params: object) => Promise<unknown>,
): Promise<Diagnostic[]> {
  const errors: Diagnostic[] = [];
  for (const command of ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync']) {
    const answer = await request('workspace/executeCommand', {
      command: 'typescript.tsserverRequest',
      arguments: [command, { file: uri }],
    });
    for (const { start, text, code, category } of found.parse(answer).body) {
      if (category !== 'error') continue;
      errors.push({
        line: start.line - 1,
        column: start.offset - 1,
        message: text,
        ...(code === undefined ? {} : { code: String(code) }),
        source: 'typescript',
      });
    }
  }
  return errors;
}
