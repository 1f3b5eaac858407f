/** An entry of the catalogue (`optional-mcps/<name>/manifest.yaml`): how a known server is installed, started and asked. */
import * as z from 'zod';
import { parseYaml } from '../config/yaml-file.ts';

const word = z.string().trim().min(1);
const variable = z.object({
  name: z.string().regex(/^[A-Za-z_]\w*$/),
  prompt: z.string().optional(),
  required: z.boolean().default(true),
  secret: z.boolean().default(true),
  default: z.coerce.string().default(''),
});

const manifestSchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]+$/),
  description: word,
  source: z.string().default(''),
  transport: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('stdio'),
      command: word,
      args: z.array(z.coerce.string()).default([]),
      env: z.record(z.string(), z.string()).default({}),
    }),
    z.object({ type: z.literal('http'), url: word }),
  ]),
  auth: z
    .object({
      type: z.enum(['api_key', 'oauth', 'none']).default('none'),
      env: z.array(variable).default([]),
      provider: z.string().optional(),
    })
    .prefault({}),
  install: z
    .object({
      type: z.literal('git'),
      url: word.refine((url) => !url.startsWith('-')),
      ref: word.refine((ref) => !ref.startsWith('-')),
      bootstrap: z.array(word).default([]),
    })
    .optional(),
  tools: z.object({ default_enabled: z.array(z.string()).optional() }).prefault({}),
  post_install: z.string().default(''),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** What the manifest asks the person for. */
export type ManifestVariable = Manifest['auth']['env'][number];

/** `newer`: of a version that this program does not know yet. `problem`: a line that says what is wrong. */
export type ReadManifest = { readonly manifest: Manifest } | { readonly newer: true } | { readonly problem: string };

const knownVersion = 1;

export async function readManifest(text: string): Promise<ReadManifest> {
  const parsed = await parseYaml(text);
  if ('problem' in parsed) return { problem: `it is no YAML${parsed.problem}` };
  const { manifest_version: version, ...rest } = parsed.data;
  if (typeof version === 'number' && version > knownVersion) return { newer: true };
  if (version !== knownVersion) return { problem: `manifest_version must be ${knownVersion}` };
  const manifest = manifestSchema.safeParse(rest);
  if (manifest.success) return { manifest: manifest.data };
  const [issue] = manifest.error.issues;
  return { problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it cannot be read'}` };
}
