/** A page as text, as a Camofox server tells it. */
import * as z from 'zod';
import type { CamofoxServer, Limits } from './camofox-server.ts';

export interface CamofoxSnapshot {
  readonly text: string;
  readonly elements: number;
  /** As they stand in the page: often without their host. */
  readonly links: readonly string[];
}

const maxParts = 25;
const maxLinks = 2000;

const partOf = z.looseObject({
  snapshot: z.string(),
  refsCount: z.int().min(0).optional().catch(undefined),
  totalChars: z.int().min(0).optional().catch(undefined),
  hasMore: z.boolean().optional().catch(undefined),
  nextOffset: z.int().min(1).nullish().catch(undefined),
});

/** The whole tree; a large one comes in parts, each with the end of the page behind it. */
export async function wholeTree(
  server: CamofoxServer,
  path: string,
  userId: string,
  limits: Limits,
): Promise<{ readonly tree: string; readonly elements: number }> {
  const ask = (query: object) => server.get(`${path}/snapshot`, { userId, ...query }, partOf, limits);
  const first = await ask({});
  const { nextOffset: size, totalChars: total, refsCount } = first;
  const elements = refsCount ?? [...first.snapshot.matchAll(/ \[e\d+\]/g)].length;
  if (first.hasMore !== true || typeof size !== 'number' || total === undefined)
    return { tree: first.snapshot, elements };
  let tree = first.snapshot.slice(0, size);
  for (let part = 1; part < maxParts && tree.length < total; part += 1) {
    const { snapshot, hasMore } = await ask({ offset: String(tree.length) });
    const missing = total - tree.length;
    const chunk = snapshot.slice(0, Math.min(size, missing));
    const end = hasMore === true || missing <= chunk.length ? '' : snapshot.slice(chunk.length - missing);
    if (chunk === '') break;
    tree += chunk + end;
  }
  return { tree, elements };
}

/** `full`: with the addresses of links. `secrets`: what must not be told of fields. */
export function readTree(
  { tree, elements }: { readonly tree: string; readonly elements: number },
  { full, secrets }: { readonly full: boolean; readonly secrets: Pick<ReadonlySet<string>, 'has'> },
): CamofoxSnapshot {
  const links: string[] = [];
  const lines = tree.split('\n').flatMap((line) => {
    const link = /^\s*- \/url: (.+)$/.exec(line)?.[1];
    if (link === undefined) return [withoutSecret(named(line), secrets)];
    if (links.length < maxLinks) links.push(plainText(link));
    return full ? [line] : [];
  });
  return { text: lines.join('\n'), elements, links };
}

/** `[e5]` behind the name of a thing is how the server calls it. */
function named(line: string): string {
  return line.replace(/^(\s*- \w+(?: "(?:[^"\\]|\\.)*")?) \[(e\d+)\]/, '$1 @$2');
}

function withoutSecret(line: string, secrets: Pick<ReadonlySet<string>, 'has'>): string {
  const [, field, value = ''] = /^(\s*- (?:textbox|searchbox)\b(?:[^:"]|"(?:[^"\\]|\\.)*")*): (.+)$/.exec(line) ?? [];
  return field !== undefined && secrets.has(plainText(value)) ? `${field}: ••••` : line;
}

function plainText(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    // Quoted in another way: it is taken as it stands.
    return value;
  }
}

/** Names of pictures, where nothing else tells of them. */
export function picturesIn(tree: string): readonly { readonly src: string; readonly alt: string }[] {
  return tree.split('\n').flatMap((line) => {
    const alt = /^\s*- img "((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
    return alt === undefined ? [] : [{ src: '', alt }];
  });
}
