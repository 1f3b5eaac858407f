/** Real language servers, installed as `hermes lsp install` does it, on what edits break. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { EditDiagnostics } from '../../src/coding/lsp/edit-diagnostics.ts';
import { languageServers } from '../../src/coding/lsp/catalogue.ts';
import { installServer } from '../../src/coding/lsp/install-server.ts';
import { lsp } from '../../src/config/schema/lsp.ts';
import { noLog } from '../../src/lib/log.ts';
import { childEnvironment } from '../../src/safety/child-env.ts';
import { openWorkplace, said, type Workplace } from '../tools/file/support.ts';
import { installFolder, oneLine } from './install-folder.ts';

/** Starting Node and reading its libraries on a busy machine. */
const patientSeconds = 120;

/** A project under git whose edits are looked at by the real server, or the reason why there is none. */
async function openProject(t: TestContext, id: string): Promise<Workplace | string> {
  const server = languageServers.find((known) => known.id === id);
  assert.ok(server);
  const sources = {
    folder: installFolder('language-servers'),
    env: childEnvironment(process.env),
    settings: lsp().parse({ wait_timeout: patientSeconds }),
    log: noLog,
  };
  try {
    await installServer(server, { ...sources, signal: AbortSignal.timeout(300_000) });
  } catch (error) {
    return `${id} could not be installed: ${oneLine(error)}`;
  }
  const diagnostics = new EditDiagnostics(sources);
  t.after(() => diagnostics.close());
  const covers = (path: string) => Promise.resolve(diagnostics.covers(path));
  const before = diagnostics.before.bind(diagnostics);
  const place = openWorkplace(t, { services: { edits: { diagnostics: { covers, before } } } });
  place.put('.git/HEAD', 'ref: refs/heads/main\n');
  return place;
}

interface Language {
  readonly id: string;
  readonly file: string;
  readonly good: string;
  /** An edit that brings one error, and moves an old one. */
  readonly old: string;
  readonly bad: string;
  readonly row: RegExp;
}

const languages: readonly Language[] = [
  {
    id: 'typescript',
    file: 'src/a.ts',
    old: 'const a: string = 1;\nexport { a };\n',
    bad: '// one line more\nconst a: string = 1;\nexport { a };\nnix(a);\n',
    good: 'const a: string = "1";\nexport { a };\n',
    row: /^ERROR \[4:1\] Cannot find name 'nix'\. \[2304\] \(typescript\)$/,
  },
  {
    id: 'pyright',
    file: 'a.py',
    old: 'a: str = 1\n',
    bad: '"""One line more."""\na: str = 1\nnix(a)\n',
    good: 'a: str = "1"\n',
    row: /^ERROR \[3:1\] "nix" is not defined \[reportUndefinedVariable\] \(Pyright\)$/,
  },
  {
    id: 'yaml-language-server',
    file: 'a.yaml',
    old: '# yaml-language-server: $schema=schema.json\nname: 1\n',
    bad: '# yaml-language-server: $schema=schema.json\nname: 1\nsize: large\n',
    good: '# yaml-language-server: $schema=schema.json\nname: x\nsize: 2\n',
    row: /^ERROR \[3:7\] Incorrect type\. Expected .?number.*$/,
  },
];

const schema = '{ "properties": { "name": { "type": "string" }, "size": { "type": "number" } } }';

for (const { id, file, old, bad, good, row } of languages) {
  test(`${id} tells the error that an edit brought, and nothing of a good one`, async (t) => {
    const place = await openProject(t, id);
    if (typeof place === 'string') return t.skip(place);
    place.put('schema.json', schema);
    const path = place.put(file, old);
    const broken = await place.write({ path: file, content: bad });
    const lines = said(broken, 'lsp_diagnostics').split('\n');
    assert.equal(lines[0], `<diagnostics file="${path}">`);
    assert.match(lines[1] ?? '', row);
    const better = await place.write({ path: file, content: good });
    assert.equal(better['lsp_diagnostics'], undefined);
    const again = await place.write({ path: file, content: bad });
    assert.match(said(again, 'lsp_diagnostics'), new RegExp(row.source.slice(1, -1)));
  });
}

test('TypeScript knows of what another file of the same patch holds, and of files that are not open', async (t) => {
  const place = await openProject(t, 'typescript');
  if (typeof place === 'string') return t.skip(place);
  place.put('tsconfig.json', '{ "compilerOptions": { "strict": true, "module": "esnext" } }');
  place.put('a.ts', 'export const one = 1;\n');
  place.put('b.ts', "import { one } from './a';\nexport const two = one + 1;\n");
  const patch = `*** Begin Patch
*** Update File: b.ts
@@
-import { one } from './a';
+import { one, three } from './a';
-export const two = one + 1;
+export const two = one + three;
*** Update File: a.ts
@@
 export const one = 1;
+export const three: number = one + 2;
*** End Patch`;
  const both = await place.patch({ mode: 'patch', patch });
  assert.deepEqual([both['success'], both['lsp_diagnostics']], [true, undefined]);
  place.put('a.ts', 'export const one = 1;\n');
  const other = await place.patch({ path: 'b.ts', old_string: 'one + three', new_string: 'three + one' });
  assert.equal(other['lsp_diagnostics'], undefined, 'that error was there before the edit');
  const added = await place.patch({
    path: 'b.ts',
    old_string: 'three + one;',
    new_string: 'three + one;\none.toFixd();',
  });
  assert.match(said(added, 'lsp_diagnostics'), /ERROR \[3:5\] Property 'toFixd' does not exist on type '1'/);
});

test('a shell script is looked at by bash-language-server without a false alarm', async (t) => {
  const place = await openProject(t, 'bash-language-server');
  if (typeof place === 'string') return t.skip(place);
  const answer = await place.write({ path: 'a.sh', content: '#!/bin/sh\necho "hello $1"\n' });
  assert.deepEqual([answer['bytes_written'], answer['lsp_diagnostics']], [26, undefined]);
});
