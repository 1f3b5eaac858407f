/** The page of every key of `config.yaml`, from the schema. */
import * as z from 'zod';
import { missingPartOf } from '../../src/config/not-in-build.ts';
import { isSectionName, SECTIONS } from '../../src/config/schema.ts';
import { blocks, code, codes, type Page, plain, table } from './markdown.ts';

interface Key {
  readonly path: string;
  readonly type: string;
  readonly fallback: string;
  readonly description: string;
}

/** What is used here of a JSON schema; the rest of it is left alone. */
const shape = z.looseObject({
  type: z
    .union([z.string(), z.array(z.string())])
    .transform((type) => [type].flat())
    .optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});
type Shape = z.infer<typeof shape>;

export function configurationPage(): Page {
  const keys = Object.keys(SECTIONS).flatMap(keysOfSection);
  const read = keys.filter(({ path }) => missingPartOf(path) === undefined);
  const sections = [...new Set(read.map(({ path }) => topOf(path)))].sort();
  return {
    name: 'configuration.md',
    text: blocks(
      '# Configuration',
      'Every key of `config.yaml` that this build reads. `hermes config set KEY VALUE` writes one, `hermes config get KEY` shows what is in force, `hermes config check` names what it does not know. `<name>` stands for a name of your own, `[]` for an entry of a list. Keys and tokens belong into `.env` (see [environment](environment.md)). Keys of the original that are kept and have no effect yet stand in [what is not in this build](not-in-this-build.md).',
      sections.map((name) => `[${name}](#${name})`).join(' · '),
      ...sections.flatMap((name) => [
        `## ${name}`,
        table(
          ['key', 'type', 'default', 'meaning'],
          read
            .filter(({ path }) => topOf(path) === name)
            .map((key) => [code(key.path), key.type, key.fallback, key.description]),
        ),
      ]),
    ),
  };
}

function topOf(path: string): string {
  return /^[^.[]+/.exec(path)?.[0] ?? path;
}

function keysOfSection(name: string): Key[] {
  if (!isSectionName(name)) return [];
  return keysBelow(name, z.toJSONSchema(SECTIONS[name](), { io: 'output', unrepresentable: 'any' }));
}

/** A map of known keys is its keys; everything else is one line, with what its entries have below it. */
function keysBelow(path: string, input: unknown): Key[] {
  const schema = shape.parse(input);
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([name, below]) => keysBelow(`${path}.${name}`, below));
  }
  const own: Key = {
    path,
    type: typeOf(schema),
    fallback: fallbackOf(schema.default),
    description: plain(schema.description ?? ''),
  };
  return [own, ...below(path, schema)];
}

function below(path: string, schema: Shape): Key[] {
  const entries: readonly (readonly [string, unknown])[] = [
    [`${path}.<name>`, schema.additionalProperties],
    [`${path}[]`, schema.items],
  ];
  return entries.flatMap(([where, entry]) => {
    const parsed = shape.safeParse(entry);
    return parsed.success && parsed.data.properties !== undefined ? keysBelow(where, entry) : [];
  });
}

function typeOf({ type, enum: words, anyOf, items }: Shape): string {
  if (words !== undefined) return codes(words.map((word) => (word === '' ? '""' : String(word))));
  if (anyOf !== undefined) return [...new Set(anyOf.map((each) => typeOf(shape.parse(each))))].join(' or ');
  if (type?.includes('array') === true) {
    const entry = shape.safeParse(items);
    const of = entry.success ? typeNames[entry.data.type?.[0] ?? ''] : undefined;
    return of === undefined ? 'list' : `list of ${of[1]}`;
  }
  return (type ?? []).map((each) => typeNames[each]?.[0] ?? each).join(' or ') || 'anything';
}

const typeNames: Readonly<Record<string, readonly [one: string, many: string]>> = {
  boolean: ['true or false', 'true or false'],
  string: ['text', 'texts'],
  integer: ['whole number', 'whole numbers'],
  number: ['number', 'numbers'],
  object: ['map', 'maps'],
  null: ['nothing', 'nothing'],
};

function fallbackOf(value: unknown): string {
  if (value === undefined) return '';
  return code(value === '' ? '""' : typeof value === 'string' ? value : JSON.stringify(value));
}
