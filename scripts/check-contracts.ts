/**
 * Holds the size of contracts: an interface with behaviour has at most 15 members, so that whoever implements or fakes
 * it can hold it in mind. Records of data may have as many fields as the data has.
 *
 *   node scripts/check-contracts.ts
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

const maxMembers = 15;
const root = fileURLToPath(new URL('..', import.meta.url));
let problems = 0;

for (const file of globSync('src/**/*.ts', { cwd: root }).sort()) {
  const code = readFileSync(join(root, file), 'utf8');
  for (const { name, members, start } of contractsIn(parseAst(code, { lang: 'ts' }))) {
    if (members <= maxMembers) continue;
    problems += 1;
    const line = code.slice(0, start).split('\n').length;
    process.stdout.write(`${file}:${line}: ${name} has ${members} members; split it by what its users need\n`);
  }
}
process.exitCode = problems > 0 ? 1 : 0;

interface Contract {
  readonly name: string;
  readonly members: number;
  readonly start: number;
}

/** Interfaces with a method or a member that is a function. */
function contractsIn(node: unknown): Contract[] {
  if (Array.isArray(node)) return node.flatMap(contractsIn);
  if (!isRecord(node)) return [];
  const inside = Object.values(node).flatMap(contractsIn);
  if (node['type'] !== 'TSInterfaceDeclaration') return inside;
  const { body, id, start } = node;
  const members = isRecord(body) && Array.isArray(body['body']) ? body['body'] : [];
  if (!members.some(isBehaviour)) return inside;
  const name = isRecord(id) ? String(id['name']) : '';
  return [...inside, { name, members: members.length, start: Number(start) }];
}

function isBehaviour(member: unknown): boolean {
  if (!isRecord(member)) return false;
  if (member['type'] === 'TSMethodSignature') return true;
  const annotation = member['typeAnnotation'];
  const type = isRecord(annotation) ? annotation['typeAnnotation'] : undefined;
  return isRecord(type) && type['type'] === 'TSFunctionType';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
