/** `distribution.yaml`: what a profile that came from somewhere says about itself. */
import { join } from 'node:path';
import * as z from 'zod';
import { readYamlFile } from '../../config/yaml-file.ts';
import { UserError } from '../../lib/errors.ts';

export const MANIFEST_FILE = 'distribution.yaml';

const text = z.string().optional().catch(undefined);
const variable = z.object({
  name: z.string().regex(/^[A-Za-z_]\w*$/),
  description: z.string().catch(''),
  required: z.boolean().catch(true),
  default: z
    .union([z.string(), z.number().transform(String)])
    .optional()
    .catch(undefined),
});
const manifestShape = z.object({
  name: z.string().min(1),
  version: z
    .union([z.string(), z.number().transform(String)])
    .optional()
    .catch(undefined),
  description: text,
  author: text,
  license: text,
  hermes_requires: text,
  env_requires: z.array(variable).catch([]).default([]),
  distribution_owned: z.array(z.string()).optional().catch(undefined),
  source: text,
  installed_at: text,
});

export type Manifest = z.output<typeof manifestShape>;

/** The manifest in a folder; undefined when there is none. Throws `UserError` for one that is none. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const file = await readYamlFile(join(folder, MANIFEST_FILE));
  if (file.state === 'absent') return undefined;
  if (file.state === 'broken') throw new UserError(`The manifest cannot be read: ${file.problem}`);
  const parsed = manifestShape.safeParse(file.data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UserError(`${join(folder, MANIFEST_FILE)} is no manifest: ${issue?.path.join('.')}: ${issue?.message}`);
}
