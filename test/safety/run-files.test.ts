/** Which files a command would run, as far as its text names them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesRun } from '../../src/safety/commands/run-files.ts';

const paths = {
  userHome: '/home/ann',
  homePath: '/home/ann/.hermes',
  root: '/home/ann/.hermes',
  cwd: '/w/app',
  workspace: '/w',
};

const commands: readonly (readonly [command: string, ...files: string[]])[] = [
  ['./x.sh', '/w/app/x.sh'],
  ['sudo ./x.sh now', '/w/app/x.sh'],
  ['bash x.sh arg.txt', '/w/app/x.sh'],
  ['bash -eux -o pipefail x.sh', '/w/app/x.sh'],
  ['bash < x.sh', '/w/app/x.sh'],
  ['bash -c "./inner.sh && ls"', '/w/app/inner.sh'],
  ['. ./env.sh', '/w/app/env.sh'],
  ['source env.sh', '/w/app/env.sh'],
  ['cd sub && ./x.sh', '/w/app/sub/x.sh'],
  ['python x.py data.csv', '/w/app/x.py'],
  ['python3 -W ignore -X dev x.py', '/w/app/x.py'],
  ['python -m pkg.tool', '/w/app/pkg/tool.py', '/w/app/pkg/tool/__main__.py', '/w/app/pkg/tool/__init__.py'],
  ['python -c "print(1)"'],
  ['node --import ./hook.mjs x.js', '/w/app/hook.mjs', '/w/app/x.js'],
  ['node --require=./hook.cjs x.js', '/w/app/hook.cjs', '/w/app/x.js'],
  ['node -e 1'],
  ['perl -pi -e s/a/b/ file.txt'],
  ['ruby -I lib x.rb', '/w/app/x.rb'],
  ['env A=1 nice python x.py', '/w/app/x.py'],
  ['ls | xargs ./x.sh', '/w/app/x.sh'],
  ['find . -exec ./x.sh {} +', '/w/app/x.sh'],
  ['make test', '/w/app/GNUmakefile', '/w/app/makefile', '/w/app/Makefile'],
  ['make -C sub', '/w/app/sub/GNUmakefile', '/w/app/sub/makefile', '/w/app/sub/Makefile'],
  ['make --file=build.mk', '/w/app/build.mk', '/w/app/GNUmakefile', '/w/app/makefile', '/w/app/Makefile'],
  ['npm run deploy', '/w/app/package.json', '/w/package.json'],
  ['psql -f drop.sql', '/w/app/drop.sql'],
  ['sqlite3 db < drop.sql', '/w/app/drop.sql'],
  ['kubectl apply -f all.yaml', '/w/app/all.yaml'],
  ['awk -f x.awk data', '/w/app/x.awk'],
  ['/opt/tools/run it', '/opt/tools/run'],
  ['/usr/bin/git push'],
  ['ls -la; git push; rm -r src'],
  ['python "$SCRIPT"'],
];

for (const [command, ...files] of commands) {
  test(`${command} runs ${files.length === 0 ? 'no file of its own' : files.join(', ')}`, () => {
    assert.deepEqual([...filesRun(command, paths)].toSorted(), files.toSorted());
  });
}
