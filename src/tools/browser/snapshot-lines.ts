/** The lines of an accessibility tree, as a model reads them. The tree is Playwright's, in its form with references. */

interface Line {
  readonly indent: number;
  /** `button "Go"`, `/url`, `text`: what stands before the value, without marks. */
  readonly head: string;
  readonly role: string;
  readonly ref: string | undefined;
  /** A person would click on it. */
  readonly pointer: boolean;
  /** What stands behind the colon. */
  readonly value: string;
}

/** Things that something can be done with; the rest needs no name. */
const usable = new Set(
  [
    'button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox',
    'slider spinbutton switch tab textbox treeitem scrollbar iframe',
  ].flatMap((roles) => roles.split(' ')),
);

/** Nodes that say nothing by themselves. */
const hollow = new Set('generic group list listitem table rowgroup row none presentation paragraph'.split(' '));

/** All there is. */
export function fullTree(tree: string, secrets: ReadonlySet<string>): readonly string[] {
  return tree.split('\n').flatMap((text) => {
    const line = parseLine(text, secrets);
    return line === undefined ? [] : [written(line, line.indent, true)];
  });
}

/** What a person sees and can use: boxes around other things, addresses of links and names of plain text are left out. */
export function compactTree(tree: string, secrets: ReadonlySet<string>): readonly string[] {
  const out: string[] = [];
  /** Indents of the lines above this one that were left out. */
  let skipped: number[] = [];
  for (const text of tree.split('\n')) {
    const line = parseLine(text, secrets);
    if (line === undefined) continue;
    skipped = skipped.filter((indent) => indent < line.indent);
    if (line.head === '/url' || (line.role === 'img' && !line.head.includes('"'))) continue;
    const isNamed = usable.has(line.role) || line.pointer;
    if (hollow.has(line.role) && !isNamed && line.value === '' && !line.head.includes('"')) {
      skipped.push(line.indent);
      continue;
    }
    out.push(written(line, line.indent - skipped.length * 2, isNamed));
  }
  return out;
}

function parseLine(text: string, secrets: ReadonlySet<string>): Line | undefined {
  const [, spaces = '', quoted] = /^(\s*)- (.*)$/.exec(text) ?? [];
  if (quoted === undefined) return undefined;
  const node = unquoted(quoted);
  const ref = /\[ref=(\w+)\]/.exec(node)?.[1];
  const [, marked = '', value = ''] = splitValue(node);
  const role = /^\w+/.exec(marked)?.[0] ?? '';
  return {
    indent: spaces.length,
    head: marked.replace(/ \[ref=\w+\]| \[cursor=pointer\]/g, '').trimEnd(),
    role,
    ref,
    pointer: node.includes('[cursor=pointer]'),
    value: role === 'textbox' && secrets.has(plainValue(value)) ? '••••' : value,
  };
}

/** YAML puts a key with a colon or a quote at its beginning into single quotes. */
function unquoted(node: string): string {
  const [, key, rest = ''] = /^'((?:[^']|'')*)'(.*)$/.exec(node) ?? [];
  return key === undefined ? node : key.replaceAll("''", "'") + rest;
}

/** A colon inside of the name belongs to it. */
function splitValue(node: string): readonly (string | undefined)[] {
  return /^((?:[^:"]|"(?:[^"\\]|\\.)*")*(?:\/\w+)?)(?::\s*(.*))?$/s.exec(node) ?? [node, node, ''];
}

function plainValue(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    // Quoted in another way: it is compared as it stands.
    return value;
  }
}

function written({ head, ref, value }: Line, indent: number, isNamed: boolean): string {
  const name = isNamed && ref !== undefined ? ` @${ref}` : '';
  return `${' '.repeat(Math.max(0, indent))}- ${head}${name}${value === '' ? '' : `: ${value}`}`;
}

/**
 * What a thing is called, and which of those that are called so it is: the same in two trees only where they agree on it.
 * Undefined for a name that the tree does not give.
 */
export function refLine(tree: string, ref: string): string | undefined {
  const lines = tree.split('\n').flatMap((text) => parseLine(text, new Set()) ?? []);
  const nameOf = ({ head }: Line): string => head.replace(/ \[[^\]]*\]/g, '');
  const wanted = ref.trim().replace(/^@/, '');
  const found = lines.find((line) => line.ref === wanted);
  if (found === undefined) return undefined;
  const alike = lines.filter((line) => nameOf(line) === nameOf(found));
  return `${nameOf(found)} ${alike.indexOf(found) + 1} of ${alike.length}`;
}

export interface Mark {
  readonly ref: string;
  /** `button "Go"` */
  readonly element: string;
  /** x, y, width, height in pixels of the page that is seen. */
  readonly box: readonly [number, number, number, number];
}

/** Usable things of the page itself, from a tree with boxes; those within a frame have places of their own. */
export function marksIn(tree: string): readonly Mark[] {
  let frame = Number.POSITIVE_INFINITY;
  return tree.split('\n').flatMap((text) => {
    const line = parseLine(text, new Set());
    if (line === undefined || line.indent > frame) return [];
    frame = line.role === 'iframe' ? line.indent : Number.POSITIVE_INFINITY;
    const found = /\[box=(-?[\d.]+),(-?[\d.]+),([\d.]+),([\d.]+)\]/.exec(text);
    if (line.ref === undefined || found === null || !(usable.has(line.role) || line.pointer)) return [];
    const [, x, y, width, height] = found.map(Number);
    const box = [x ?? 0, y ?? 0, width ?? 0, height ?? 0] as const;
    return [{ ref: line.ref, element: line.head.replace(/ \[box=[^\]]*\]/, ''), box }];
  });
}
