/** Removes the parts of a build that hold nothing but a name from another part. */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Forwarder {
  /** The part that has the code. */
  readonly target: string;
  /** By the name that an importer uses, the one under which the target exports it. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * A module that is loaded on demand but shares its part with others gets a part of its own that only says
 * `export { a as b } from "./other.mjs"`. A start opens about forty of them, for 10 ms; here their importers go to the
 * other part directly.
 */
export function joinForwarders(dir: string): void {
  const codes = new Map(
    globSync(['*.js', '*.mjs'], { cwd: dir }).map((name) => [name, readFileSync(join(dir, name), 'utf8')]),
  );
  const forwarders = new Map<string, Forwarder>();
  for (const [name, code] of codes) {
    const forwarder = name.endsWith('.mjs') ? readForwarder(code) : undefined;
    if (forwarder !== undefined) forwarders.set(name, forwarder);
  }
  const isStillNamed = new Set<string>();
  for (const [name, code] of codes) {
    if (forwarders.has(name)) continue;
    const joined = joinPart(name, code, forwarders);
    for (const [, part] of joined.matchAll(/"\.\/([^"]+\.mjs)"/g)) if (part !== undefined) isStillNamed.add(part);
    if (joined !== code) writeFileSync(join(dir, name), joined);
  }
  for (const name of forwarders.keys()) if (!isStillNamed.has(name)) rmSync(join(dir, name));
}

/** The code of one part, with direct ways in the place of forwarders. */
function joinPart(name: string, code: string, forwarders: ReadonlyMap<string, Forwarder>): string {
  const locals = localNames(code);
  const own: string[] = [];
  const joined = code.replaceAll(/import\("\.\/([^"]+)"\)/g, (found, part: string) => {
    const forwarder = forwarders.get(part);
    if (forwarder === undefined) return found;
    if (name !== forwarder.target) {
      const names = [...forwarder.names].map(([to, from]) => `${to}: all.${from}`);
      return `import("./${forwarder.target}").then((all) => ({ ${names.join(', ')} }))`;
    }
    // The code is in this very part. A function of its own, because names at the place of the call may hide these.
    const names = [...forwarder.names].map(([to, from]) => `${to}: ${locals.get(from) ?? from}`);
    own.push(`function ownPart$${own.length}() { return { ${names.join(', ')} }; }`);
    return `Promise.resolve().then(ownPart$${own.length - 1})`;
  });
  return own.length === 0 ? joined : `${joined.trimEnd()}\n${own.join('\n')}\n`;
}

function readForwarder(code: string): Forwarder | undefined {
  const [, list, target] = /^export \{ ([^}]*) \} from "\.\/([^"]+)";\s*$/.exec(code) ?? [];
  if (list === undefined || target === undefined) return undefined;
  return {
    target,
    names: new Map(
      list
        .split(', ')
        .map(readPair)
        .map(([from, to]) => [to, from]),
    ),
  };
}

/** What a part exports, each with the name that it has inside. */
function localNames(code: string): ReadonlyMap<string, string> {
  const list = /^export \{ ([^}]*) \};\s*$/m.exec(code)?.[1] ?? '';
  return new Map(
    list
      .split(', ')
      .map(readPair)
      .map(([from, to]) => [to, from]),
  );
}

/** `a as b`, or `a` alone. */
function readPair(text: string): [from: string, to: string] {
  const [from = '', to = from] = text.split(' as ');
  return [from, to];
}
