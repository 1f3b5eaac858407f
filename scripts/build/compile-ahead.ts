/** Lets the functions that every start calls be compiled together with the part they are in. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Bundler from 'rolldown';
import type * as Tools from 'rolldown/utils';
import type { Called } from './watch-start.ts';

/**
 * Node keeps of a part what is compiled right after it was read, which is all but the functions: they are compiled when
 * they are first called, in every process anew. Those of a start are about a thousand, an eighth of its time. A function
 * in parentheses is one that will be called at once, as engines see it, and is compiled with the part.
 */
export async function compileAhead(
  dir: string,
  output: readonly (Bundler.OutputChunk | Bundler.OutputAsset)[],
  called: Called,
): Promise<void> {
  const { parseSync, Visitor } = await import('rolldown/utils');
  for (const part of output.filter((each) => each.type === 'chunk')) {
    const starts = called.get(part.fileName);
    if (starts === undefined || isInCircle(part, output)) continue;
    const path = join(dir, part.fileName);
    const code = readFileSync(path, 'utf8');
    writeFileSync(path, inParentheses(code, starts, { parseSync, Visitor }));
  }
}

/** A part that is loaded by one it loads may be called before it has run, which only its declarations stand. */
function isInCircle(part: Bundler.OutputChunk, output: readonly { readonly fileName: string }[]): boolean {
  const importsOf = (name: string): readonly string[] => {
    const found = output.find(({ fileName }) => fileName === name);
    return found !== undefined && 'imports' in found ? (found as Bundler.OutputChunk).imports : [];
  };
  const seen = new Set(part.imports);
  for (const name of seen) for (const next of importsOf(name)) seen.add(next);
  return seen.has(part.fileName);
}

/** A piece of the text, and what stands there instead. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Functions within expressions get their parentheses where they are. A declaration becomes a variable, and moves to the
 * start of its module: what stands above it may call it. Of libraries declarations stay, as their modules may need each
 * other before they have run.
 */
function inParentheses(
  code: string,
  starts: ReadonlySet<number>,
  { parseSync, Visitor }: Pick<typeof Tools, 'parseSync' | 'Visitor'>,
): string {
  const { program, comments, errors } = parseSync('part.mjs', code);
  if (errors[0] !== undefined) throw new Error(errors[0].message);
  const changes: Change[] = [];
  const wrap = ({ start, end }: { readonly start: number; readonly end: number }): void => {
    if (!starts.has(start)) return;
    changes.push({ start, end: start, text: '(' }, { start: end, end, text: ')' });
  };
  // The function of a method begins behind its name, where no call is counted.
  new Visitor({ ArrowFunctionExpression: wrap, FunctionExpression: wrap }).visit(program);

  const modules = comments
    .filter(
      ({ type, value, start }) =>
        type === 'Line' && /^ (?:src|node_modules)\//.test(value) && isAtLineStart(code, start),
    )
    .map(({ start, end, value }) => ({ start, end: end + 1, isOurs: value.startsWith(' src/') }));
  const moved = new Map<number, Change[]>();
  for (const statement of program.body) {
    if (statement.type !== 'FunctionDeclaration' || !starts.has(statement.start)) continue;
    const module = modules.findLast(({ start }) => start < statement.start);
    const { id, start, end } = statement;
    if (id === null || module?.isOurs !== true) continue;
    // Without a name of its own it is called by that of the variable, also within itself.
    const inner = changes.filter((change) => change.start >= start && change.end <= end);
    const text = rewrite(code, [...inner, { start: id.start, end: id.end, text: '' }], { start, end });
    const here = moved.get(module.end) ?? [];
    here.push({ start, end, text: `var ${id.name} = (${text});\n` });
    moved.set(module.end, here);
  }
  const gone = [...moved.values()].flat();
  const isGone = (change: Change): boolean => gone.some(({ start, end }) => start <= change.start && change.end <= end);
  return rewrite(
    code,
    [
      ...changes.filter((change) => !isGone(change)),
      ...gone.map(({ start, end }) => ({ start, end, text: '' })),
      ...[...moved].map(([at, texts]) => ({ start: at, end: at, text: texts.map(({ text }) => text).join('') })),
    ],
    { start: 0, end: code.length },
  );
}

function isAtLineStart(code: string, at: number): boolean {
  return at === 0 || code[at - 1] === '\n';
}

/** A range of the text with changes made; none may lie across another. */
function rewrite(code: string, changes: readonly Change[], { start, end }: { start: number; end: number }): string {
  let done = start;
  let text = '';
  for (const change of changes.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    text += code.slice(done, change.start) + change.text;
    done = change.end;
  }
  return text + code.slice(done, end);
}
