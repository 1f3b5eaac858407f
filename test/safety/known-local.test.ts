/** Which commands stay on this machine, and which bring text from outside. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { commandOrigin } from '../../src/safety/commands/known-local.ts';

const place = { userHome: '/home/ann', homePath: '/home/ann/.hermes', cwd: '/home/ann/work' };
const programOf = (command: string) => commandOrigin(command, place).program;

test('programs that are known to print local facts stay local, however they are put together', () => {
  const commands = [
    'ls -la',
    'cd src && pwd; cat a.txt | grep -n x | sort -u | head -3',
    'cat requests.log',
    'grep -rn links src',
    'git status && git -C src diff --stat | wc -l',
    'git commit -m "fetch the news"',
    'for f in *.txt; do wc -l "$f"; done',
    'if [ -f a ]; then rm a; else touch a; fi',
    'n=$(wc -l < a.txt); echo "$((n + 1)) lines"',
    "sed -n '1,5p' a.txt; sed -i 's/one/two/g' a.txt",
    "awk -F, '$1 > 2 || $2 == 3 { print $2 }' a.csv",
    'find . -name "*.ts" -exec grep -l x {} +',
    'ls | xargs -n1 basename',
    "bash -c 'ls | wc -l'",
    'sudo ls /root',
    '/usr/bin/env ls; /bin/cat a',
    "cat <<'END' > notes.md\ncurl https://x.test\nEND",
    'echo https://x.test > a; mkdir -p b && cp a b/',
    'command -v curl; which wget; node --version',
    'tar czf a.tgz src; tar -tf a.tgz',
    'diff <(sort a) <(sort b)',
    'true',
    '',
  ];
  for (const command of commands) assert.equal(programOf(command), undefined, command);
});

test('whatever uses the network, or cannot be seen into, is named', () => {
  const commands = {
    'curl example.com': 'curl',
    'cd x && npm --silent install left-pad': 'npm',
    'make test': 'make',
    'npm test': 'npm',
    'python3 script.py': 'python3',
    'python3 -c "import requests"': 'python3',
    './x': 'x',
    './ls': 'ls',
    '/tmp/ls': 'ls',
    '"$VENV/bin/cat" a': 'cat',
    'sh fetch.sh': 'sh',
    '. ./env.sh': '.',
    'ls | bash': 'bash',
    'x=1; git  clone repo': 'git',
    'git -c core.pager=./x log': 'git',
    'git grep -O./x y': 'git',
    'git config core.fsmonitor ./x': 'git',
    'true; http example.com': 'http',
    'ssh host ls': 'ssh',
    'docker exec box ls': 'docker',
    'cat < /dev/tcp/evil/80': 'network',
    'exec 3<>/dev/tcp/evil/80; cat <&3': 'network',
    'read line < "$where"': 'network',
    '$tool x': 'shell',
    'c=cur; ${c}l x': 'shell',
    '$(echo cu)rl x': 'shell',
    'ls "$(wget -qO- x)"': 'wget',
    'cat <<END\n$(curl x)\nEND': 'curl',
    'ls < <(curl x)': 'curl',
    'f() { curl x; }': 'curl',
    'alias ls="curl x"': 'curl',
    "eval 'curl x'": 'curl',
    'eval "$x"': 'eval',
    'xargs curl < hosts': 'curl',
    'find . -exec ./x {} ;': 'x',
    'timeout 5 wget x': 'wget',
    'PATH=.:$PATH ls': 'shell',
    'export LD_PRELOAD=./x.so; ls': 'shell',
    'rg --pre ./x y': 'rg',
    'sort --compress-program=./x a': 'sort',
    'tar -xf host:a.tar': 'tar',
    'tar -cf a.tar --to-command=./x b': 'tar',
    "sed '1e curl x' a": 'sed',
    "sed 's/a/curl x/e' a": 'sed',
    'sed -f script a': 'sed',
    [`awk 'BEGIN { system("curl x") }'`]: 'awk',
    [`awk 'BEGIN { "curl x" | getline; print }'`]: 'awk',
    [`awk 'BEGIN { print "x" | "sh" }'`]: 'awk',
    'awk "$program" a': 'awk',
    "echo 'unfinished": 'shell',
  };
  for (const [command, program] of Object.entries(commands)) {
    assert.equal(programOf(command), program, command);
  }
});

test('the files that a command names are told by their absolute paths', () => {
  const { files } = commandOrigin('cd sub && cat a.txt < /tmp/b; grep -n x ../c.txt', place);
  for (const path of ['/home/ann/work/sub/a.txt', '/tmp/b', '/home/ann/work/c.txt']) assert.ok(files.includes(path));
});

test('a program with the name of a member of every object is as unknown as any other', () => {
  for (const name of ['constructor', '__proto__']) {
    assert.equal(programOf(name), name);
  }
});

test('no text makes it fail, and a fetch that stands in a command is always found', () => {
  const pieces = fc.array(
    fc.constantFrom(
      'ls',
      'cat',
      ' ',
      '|',
      ';',
      '&&',
      '$(',
      ')',
      '"',
      "'",
      '`',
      '<<E\n',
      'x=',
      '{',
      '}',
      '\\',
      '>',
      '\n',
    ),
    { maxLength: 25 },
  );
  fc.assert(fc.property(fc.string(), (text) => void programOf(text)));
  fc.assert(fc.property(pieces, (parts) => void programOf(parts.join(''))));
  const around = fc.constantFrom(
    '%',
    'ls; %',
    '% | head',
    ' ( % ) ',
    '{ %; }',
    'echo "$( % )"',
    'if true; then %; fi',
    'sudo %',
  );
  fc.assert(
    fc.property(fc.array(around, { maxLength: 4 }), (frames) => {
      const command = frames.reduce((inner, frame) => frame.replace('%', () => inner), 'curl x.test');
      assert.notEqual(programOf(command), undefined, command);
    }),
  );
});
