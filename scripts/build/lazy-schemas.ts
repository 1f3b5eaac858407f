/** Makes the Zod schemas of modules when they are first used. */
import { join } from 'node:path';
import type * as Bundler from 'rolldown';

/**
 * The schemas that stand in the modules of a conversation are a few hundred, and making them is a tenth of a start that
 * uses five of them. Each that is made while its module runs gets a function around it.
 */
export function makeSchemasWhenUsed(root: string): Bundler.Plugin {
  const helper = JSON.stringify(join(root, 'scripts', 'build', 'made-when-used.ts'));
  return {
    name: 'make-schemas-when-used',
    transform(code, id) {
      // Beside the library, so that no part loads another for it.
      if (id.replaceAll('\\', '/').endsWith('/zod/index.js')) return `${code}\nexport { madeWhenUsed } from ${helper};`;
      if (!id.startsWith(join(root, 'src')) || !code.includes("import * as z from 'zod';")) return null;
      const found = schemasIn(this.parse(code, { lang: 'ts' }));
      if (found.length === 0) return null;
      let done = 0;
      let text = `import { madeWhenUsed as madeWhenUsed$ } from 'zod';`;
      for (const { start, end } of found) {
        text += `${code.slice(done, start)}madeWhenUsed$(() => ${code.slice(start, end)})`;
        done = end;
      }
      return text + code.slice(done);
    },
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** What gives something else than a schema, and descriptions, which are kept under the schema itself. */
const notToWrap =
  /^(?:(?:safe)?(?:parse|encode|decode)\w*|describe|meta|register|registry|config|is\w+|to\w+|\w+Error)$/i;

/** Calls that begin with `z.`, the longest of each chain, outside of functions: `z.string().optional()`. */
function schemasIn(node: unknown, found: Span[] = []): Span[] {
  if (Array.isArray(node)) for (const each of node) schemasIn(each, found);
  if (!isNode(node) || /Function|^TS.*(?:Declaration|Type)|^Import/.test(node.type)) return found;
  const chain = node.type === 'CallExpression' ? chainOf(node) : [];
  if (chain[0] !== 'z') for (const each of Object.values(node)) schemasIn(each, found);
  else if (!chain.some((name) => notToWrap.test(name))) found.push(node);
  return found;
}

/** The names in `name.member(…).member(…)`; empty when it is something else. */
function chainOf(node: unknown): string[] {
  const names: string[] = [];
  for (let current = node; isNode(current); ) {
    if (current.type === 'CallExpression') current = current.callee;
    else if (current.type === 'MemberExpression') {
      names.unshift(nameOf(current.property));
      current = current.object;
    } else return current.type === 'Identifier' ? [nameOf(current), ...names] : [];
  }
  return [];
}

function nameOf(node: unknown): string {
  return isNode(node) ? (node.name ?? '') : '';
}

interface SyntaxNode extends Span {
  readonly type: string;
  readonly callee?: unknown;
  readonly object?: unknown;
  readonly property?: unknown;
  readonly name?: string;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
