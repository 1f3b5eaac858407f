/** Colours for code, from a library that is loaded when the first block of code is shown. */
import * as z from 'zod';
import type { Colors } from './colors.ts';

/** Longer code stays plain: colours are a comfort and may not hold up the stream. */
const maxChars = 12_000;

const languages: ReadonlySet<string> = new Set([
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'diff',
  'dockerfile',
  'go',
  'ini',
  'java',
  'javascript',
  'json',
  'kotlin',
  'lua',
  'makefile',
  'php',
  'python',
  'ruby',
  'rust',
  'sql',
  'swift',
  'typescript',
  'xml',
  'yaml',
]);

const aliases: Readonly<Record<string, string>> = {
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  h: 'c',
  'c++': 'cpp',
  cs: 'csharp',
  patch: 'diff',
  docker: 'dockerfile',
  golang: 'go',
  toml: 'ini',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  jsonc: 'json',
  kt: 'kotlin',
  make: 'makefile',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  ts: 'typescript',
  tsx: 'typescript',
  html: 'xml',
  svg: 'xml',
  yml: 'yaml',
};

/** What is used of highlight.js 11; its own types would bring in those of a browser. */
interface Library {
  registerLanguage(name: string, language: unknown): void;
  getLanguage(name: string): unknown;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string };
}

const isLibrary = (value: unknown): boolean => typeof value === 'object' && value !== null && 'highlight' in value;
const coreModule = z.object({ default: z.custom<Library>(isLibrary) });
const languageModule = z.object({ default: z.custom<unknown>((value) => typeof value === 'function') });
const packageName = 'highlight.js';

/** Colours code as soon as its language is there; until then it is plain. */
export class Highlighter {
  readonly #colors: Colors;
  readonly #onLoaded: () => void;
  readonly #asked = new Set<string>();
  #library: Library | undefined;

  /** `onLoaded`: what was drawn plain can be drawn again. */
  constructor(colors: Colors, onLoaded: () => void) {
    this.#colors = colors;
    this.#onLoaded = onLoaded;
  }

  /** Undefined when the code stays plain, at least for now. */
  lines(code: string, language: string): string[] | undefined {
    const word = language.toLowerCase();
    const name = aliases[word] ?? word;
    if (!languages.has(name) || code.length > maxChars) return undefined;
    const library = this.#library;
    if (library?.getLanguage(name) === undefined) {
      if (!this.#asked.has(name)) void this.#load(name);
      return undefined;
    }
    return painted(library.highlight(code, { language: name, ignoreIllegals: true }).value, this.#colors);
  }

  async #load(name: string): Promise<void> {
    this.#asked.add(name);
    try {
      const library = coreModule.parse(await import(`${packageName}/lib/core`)).default;
      const language = languageModule.parse(await import(`${packageName}/lib/languages/${name}`)).default;
      library.registerLanguage(name, language);
      this.#library = library;
      this.#onLoaded();
    } catch {
      // Without the library code is shown plain, and it is not asked for again.
    }
  }
}

const markup = /<span class="([^"]*)">|<\/span>|&(?:amp|lt|gt|quot|#x27);/g;
const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

/** The library's HTML as coloured lines; no colour goes across the end of a line. */
function painted(html: string, colors: Colors): string[] {
  const kinds: string[] = [];
  let line = '';
  const lines: string[] = [];
  const add = (text: string): void => {
    const paint = paintOf(kinds.at(-1), colors);
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) {
        lines.push(line);
        line = '';
      }
      line += part === '' ? '' : paint(part);
    }
  };
  let at = 0;
  for (const match of html.matchAll(markup)) {
    if (match.index > at) add(html.slice(at, match.index));
    at = match.index + match[0].length;
    const kind = match[1];
    if (kind !== undefined) kinds.push(kind);
    else if (match[0] === '</span>') kinds.pop();
    else add(entities[match[0]] ?? match[0]);
  }
  add(html.slice(at));
  return [...lines, line];
}

function paintOf(kind: string | undefined, colors: Colors): (text: string) => string {
  switch (kind?.replace(/^hljs-/, '').split(' ')[0]) {
    case 'comment':
    case 'meta':
    case 'doctag':
      return colors.dim;
    case 'string':
    case 'regexp':
    case 'addition':
      return colors.green;
    case 'number':
    case 'literal':
    case 'symbol':
      return colors.orange;
    case 'keyword':
    case 'built_in':
    case 'type':
    case 'tag':
    case 'name':
    case 'selector-tag':
      return colors.cyan;
    case 'title':
    case 'attr':
    case 'attribute':
    case 'section':
      return colors.yellow;
    case 'deletion':
      return colors.red;
    default:
      return (text) => text;
  }
}
