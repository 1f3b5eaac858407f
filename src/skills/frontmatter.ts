/**
 * Takes a skill document apart: the YAML header between two `---` lines, and the body below.
 * See https://agentskills.io/specification.
 */
import { parseYaml } from '../config/yaml-file.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { readPlainYaml } from '../lib/plain-yaml.ts';

export interface SkillDocument {
  readonly header: JsonObject;
  readonly body: string;
  /** Why the header is not what its author meant; the document is usable all the same. */
  readonly problem?: string;
}

/** Splits without parsing; `undefined` when the text has no header or it is never closed. */
export function splitFrontmatter(text: string): { readonly yaml: string; readonly body: string } | undefined {
  const start = opening.exec(text);
  if (start === null) return undefined;
  const rest = text.slice(start[0].length - 1);
  const end = closing.exec(rest);
  if (end === null) return undefined;
  return { yaml: rest.slice(1, Math.max(1, end.index)), body: rest.slice(end.index + end[0].length) };
}

/** Reads a document as well as it can be read; never throws. A broken header is read line by line as `key: value`. */
export async function readDocument(text: string): Promise<SkillDocument> {
  const parts = splitFrontmatter(text);
  if (parts === undefined) {
    const unclosed = opening.test(text);
    return unclosed
      ? { header: readLines(text.slice(0, 4_000)), body: text, problem: 'the header is not closed by a line ---' }
      : { header: {}, body: text };
  }
  const { yaml, body } = parts;
  if (yaml.length > maxHeaderChars) return { header: {}, body, problem: 'the header is too long' };
  const plain = yaml.trim() === '' ? {} : readPlainYaml(yaml);
  if (plain !== undefined) return { header: plain, body };
  const parsed = await parseSafely(yaml);
  if ('problem' in parsed) return { header: readLines(yaml), body, problem: parsed.problem };
  return { header: parsed.data, body };
}

/**
 * Reads a document that is about to be written. `problem` tells what is wrong with the header in words for the model;
 * nothing is guessed.
 */
export async function readStrictly(text: string): Promise<SkillDocument | { readonly problem: string }> {
  const parts = splitFrontmatter(text);
  if (!opening.test(text)) return { problem: 'SKILL.md must start with YAML frontmatter (a line ---).' };
  if (parts === undefined) return { problem: 'The frontmatter must be closed by a line ---.' };
  if (parts.yaml.length > maxHeaderChars) return { problem: 'The frontmatter is too long.' };
  const parsed = await parseSafely(parts.yaml);
  if ('problem' in parsed) return { problem: `The frontmatter is not valid YAML: ${parsed.problem}` };
  if (parsed.duplicates > 0) return { problem: 'The frontmatter has a key twice.' };
  return { header: parsed.data, body: parts.body };
}

const opening = /^\uFEFF?---[ \t]*\r?\n/;
const closing = /\n---[ \t]*(?:\r?\n|$)/;
const maxHeaderChars = 64 * 1024;

async function parseSafely(yaml: string): Promise<{ data: JsonObject; duplicates: number } | { problem: string }> {
  const parsed = await parseYaml(yaml);
  if ('problem' in parsed) return { problem: parsed.problem.replace(/^:/, 'line ') };
  return { data: isJsonObject(parsed.data) ? parsed.data : {}, duplicates: parsed.duplicates.length };
}

function readLines(yaml: string): JsonObject {
  const header: JsonObject = {};
  for (const line of yaml.split(/\r?\n/)) {
    const [, key, value] = /^([A-Za-z_][\w-]*):(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined || key === '__proto__' || Object.hasOwn(header, key)) continue;
    header[key] = value.trim().replace(/^(["'])(.*)\1$/, '$2');
  }
  return header;
}
