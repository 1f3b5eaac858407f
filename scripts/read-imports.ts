/** What a TypeScript file imports and where it reads the environment, found in its syntax tree. */
import { parseAst } from 'rolldown/parseAst';

export interface Finding {
  /** Counted from 1. */
  readonly line: number;
}

export interface Import extends Finding {
  /** As written: `./a.ts`, `#src/a.ts`, `node:fs`, `zod`. */
  readonly specifier: string;
}

export interface FileFacts {
  /** Static, dynamic and type-only imports and re-exports, in the order of the file. */
  readonly imports: readonly Import[];
  /** Places where the environment of the process is read or written. */
  readonly environment: readonly Finding[];
  /** Places where a variable is looked up in a record called `env` or `variables`. */
  readonly variables: readonly Finding[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** Throws a syntax error when `code` is not TypeScript. A dynamic import of a computed name has no specifier and is left out. */
export function readFacts(code: string): FileFacts {
  const imports: Import[] = [];
  const environment: Finding[] = [];
  const variables: Finding[] = [];
  const lineOf = (node: Node): number => code.slice(0, node.start).split('\n').length;
  visit(parseAst(code, { lang: 'ts' }), (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) imports.push({ specifier, line: lineOf(node) });
    if (readsEnvironment(node)) environment.push({ line: lineOf(node) });
    else if (looksUpVariable(node)) variables.push({ line: lineOf(node) });
  });
  return { imports, environment, variables };
}

function visit(value: unknown, look: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const part of value) visit(part, look);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) look(value);
  for (const part of Object.values(value)) visit(part, look);
}

function isNode(value: object): value is Node {
  return 'type' in value && typeof value.type === 'string' && 'start' in value && typeof value.start === 'number';
}

const importing = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

function specifierOf(node: Node): string | undefined {
  if (!importing.has(node.type)) return undefined;
  return literal(node['source']);
}

/** `process.env`, `process['env']`, `const { env } = process`, `import { env } from 'node:process'`. */
function readsEnvironment(node: Node): boolean {
  switch (node.type) {
    case 'MemberExpression':
      return isProcess(node['object']) && nameOf(node['property']) === 'env';
    case 'VariableDeclarator':
      return isProcess(node['init']) && parts(node['id'], 'properties').some((part) => nameOf(part['key']) === 'env');
    case 'ImportDeclaration':
      return (
        /^(node:)?process$/.test(literal(node['source']) ?? '') &&
        parts(node, 'specifiers').some((part) => nameOf(part['imported']) === 'env')
      );
    default:
      return false;
  }
}

/** `env[name]`, `options.env['HOME']`, `const { HOME } = variables`. */
function looksUpVariable(node: Node): boolean {
  if (node.type === 'MemberExpression') return node['computed'] === true && isVariables(node['object']);
  if (node.type !== 'VariableDeclarator' || !isVariables(node['init'])) return false;
  // What has parsed the variables may be called so too; its fields are written in small letters.
  return parts(node['id'], 'properties').some((part) => /^[A-Z][A-Z0-9_]*$/.test(nameOf(part['key']) ?? ''));
}

function isVariables(value: unknown): boolean {
  const isPart = isObject(value) && value['type'] === 'MemberExpression';
  // `process.env` itself is found as such.
  if (isPart && isProcess(value['object'])) return false;
  const named = isPart ? value['property'] : value;
  return /^#?(?:env|variables)$/.test(nameOf(named) ?? '');
}

function isProcess(value: unknown): boolean {
  return nameOf(value) === 'process' || (isMember(value, 'globalThis') && nameOf(value['property']) === 'process');
}

function isMember(value: unknown, object: string): value is Node {
  return isObject(value) && value['type'] === 'MemberExpression' && nameOf(value['object']) === object;
}

/** The name of an identifier, or the text of a literal used as one. */
function nameOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  return value['type'] === 'Identifier' && typeof value['name'] === 'string' ? value['name'] : literal(value);
}

function literal(value: unknown): string | undefined {
  if (!isObject(value) || value['type'] !== 'Literal') return undefined;
  return typeof value['value'] === 'string' ? value['value'] : undefined;
}

function parts(value: unknown, key: string): Record<string, unknown>[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
