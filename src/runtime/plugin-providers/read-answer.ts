/** Answers of plug-ins: read with a schema, and what they say of a failure in one line. */
import { open } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { PluginProvider } from '../../plugins/packages/provider.ts';

const maxTold = 300;
const failed = z.looseObject({ success: z.literal(false), error: z.string().catch('it failed') });

/** Throws `UserError` for a failure that it tells, and for what cannot be read. */
export function readAnswer<T extends z.ZodType>(
  { displayName }: Pick<PluginProvider, 'displayName'>,
  schema: T,
  answer: unknown,
): z.infer<T> {
  const failure = failed.safeParse(answer).data;
  if (failure !== undefined) throw new UserError(`${displayName}: ${oneLine(failure.error)}`);
  const { success, data, error } = schema.safeParse(answer);
  if (success) return data;
  throw new UserError(`${displayName} gave an answer that cannot be used: ${oneLine(z.prettifyError(error))}`);
}

/** What a plug-in has written on this machine. Throws `UserError` when it is no file, or larger than `maxBytes`. */
export async function readMade(path: string, maxBytes: number, { displayName }: PluginProvider): Promise<Buffer> {
  if (!isAbsolute(path)) throw new UserError(`${displayName} gave neither an absolute path nor an address.`);
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return await file.readFile();
  } catch (cause) {
    throw new UserError(`What ${displayName} made cannot be read: ${oneLine(errorMessage(cause))}`, { cause });
  }
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

const model = z.union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)]);
const models = z.array(model).max(500).catch([]);
const text = z.string().min(1).max(200).optional().catch(undefined);

/** The usual one first; empty where it lists none. */
export function modelsOf(provider: PluginProvider): readonly string[] {
  const listed = models.parse(provider.told('list_models') ?? []);
  const usual = text.parse(provider.told('default_model'));
  return usual === undefined ? listed : [usual, ...listed.filter((name) => name !== usual)];
}

function oneLine(said: string): string {
  return said.replace(/\s+/g, ' ').trim().slice(0, maxTold).toWellFormed();
}
