/** `.env`: reading, laying over the shell, and changing single values. */
import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { repairEnvText, setEnvValue } from '../../src/config/dotenv-edit.ts';
import { loadEnvironment, parseEnvText, readEnvFile } from '../../src/config/dotenv.ts';
import { temporaryHome } from './temporary-home.ts';

test('the file beats the shell, and the administrator beats both', (t) => {
  const { home, env, managed, write } = temporaryHome(t);
  write('.env', 'A_SETTING=file\nB_SETTING=file\n');
  writeFileSync(join(managed, '.env'), 'B_SETTING=managed\n');
  const shell = { ...env, A_SETTING: 'shell', B_SETTING: 'shell', C_SETTING: 'shell' };
  const loaded = loadEnvironment(home, shell);
  assert.equal(loaded.env['A_SETTING'], 'file');
  assert.equal(loaded.env['B_SETTING'], 'managed');
  assert.equal(loaded.env['C_SETTING'], 'shell');
  assert.equal(shell.A_SETTING, 'shell');
  assert.equal(loaded.env['HERMES_HOME'], home.path);
});

test('empty values and placeholder keys count as unset and let the shell shine through', (t) => {
  const { home, env, write } = temporaryHome(t);
  write('.env', 'OPENAI_API_KEY=your_api_key_here\nXAI_API_KEY=\nGROQ_API_KEY=***\nEDITOR=vi\n');
  const loaded = loadEnvironment(home, { ...env, OPENAI_API_KEY: 'sk-real-key', GROQ_API_KEY: 'changeme' });
  assert.equal(loaded.env['OPENAI_API_KEY'], 'sk-real-key');
  assert.equal(loaded.env['XAI_API_KEY'], undefined);
  assert.equal(loaded.env['GROQ_API_KEY'], undefined);
  assert.equal(loaded.env['EDITOR'], 'vi');
});

test('.op.env fills what is open, as long as the token of 1Password is not set elsewhere', (t) => {
  const { home, env, write } = temporaryHome(t);
  write('.env', 'A_SETTING=file\n');
  write('.op.env', 'OP_SERVICE_ACCOUNT_TOKEN=ops_from_its_own_file\nA_SETTING=other\nHERMES_HOME=/tmp/else\n');
  const loaded = loadEnvironment(home, env);
  assert.equal(loaded.env['OP_SERVICE_ACCOUNT_TOKEN'], 'ops_from_its_own_file');
  assert.equal(loaded.env['A_SETTING'], 'file');
  assert.equal(loaded.env['HERMES_HOME'], home.path);
  const shell = { ...env, OP_SERVICE_ACCOUNT_TOKEN: 'ops_from_the_shell' };
  assert.equal(loadEnvironment(home, shell).env['OP_SERVICE_ACCOUNT_TOKEN'], 'ops_from_the_shell');
});

test('a .env can move neither the home nor the administrator’s directory', (t) => {
  const { home, env, managed, write } = temporaryHome(t);
  write('.env', 'HERMES_MANAGED_DIR=/tmp/else\nHERMES_HOME=/tmp/else\n');
  const loaded = loadEnvironment(home, env);
  assert.equal(loaded.env['HERMES_MANAGED_DIR'], managed);
  assert.equal(loaded.env['HERMES_HOME'], home.path);
  assert.throws(() => setEnvValue(join(home.path, '.env'), 'HERMES_MANAGED_DIR', '/x'), /cannot be set/);
});

test('broken lines are reported by number, never quoted, and cost only themselves', (t) => {
  const { home, env, write } = temporaryHome(t);
  const path = write('.env', '# keys\nGOOD=1\nsk-lonely-secret\nBAD-NAME=2\nOPEN="no end\nLAST=3\n');
  const { env: loaded, warnings } = loadEnvironment(home, env);
  assert.equal(loaded['GOOD'], '1');
  assert.equal(loaded['LAST'], '3');
  assert.deepEqual(
    warnings.map((warning) => warning.split(': ')[0]),
    [`${path}:3`, `${path}:4`, `${path}:5`],
  );
  assert.doesNotMatch(warnings.join(), /lonely/);
});

test('quotes, comments, export, CRLF and values over several lines are understood', () => {
  const text = 'export A="x y" # note\r\nB=\'lit $x\'\r\nC="-----BEGIN\nabc==\n-----END"\nD=plain # note\n';
  const values = Object.fromEntries(
    parseEnvText(text).flatMap(({ setting }) => (setting ? [[setting.name, setting.value]] : [])),
  );
  assert.deepEqual(values, { A: 'x y', B: 'lit $x', C: '-----BEGIN\nabc==\n-----END', D: 'plain' });
});

test('a file that is not UTF-8 is read as Latin-1', (t) => {
  const { write } = temporaryHome(t);
  const path = write('.env', Buffer.from('NAME=caf\xe9\n', 'latin1'));
  assert.equal(readEnvFile(path).values.get('NAME'), 'café');
});

test('splitting into entries loses nothing', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('A', 'b', '=', '"', "'", '\n', '\r', ' ', '#', '_', '\\') }),
      (text) => {
        assert.equal(
          parseEnvText(text)
            .map((entry) => entry.raw)
            .join('\n'),
          text,
        );
      },
    ),
  );
});

test('whatever value is set reads back the same, and all else in the file stays', (t) => {
  const { home, write } = temporaryHome(t);
  const path = join(home.path, '.env');
  fc.assert(
    fc.property(
      fc.string().filter((text) => !/[\r\n`\0]/.test(text) && text.trim() !== ''),
      (value) => {
        write('.env', '# mine\nFIRST=1\nMIDDLE=2\nLAST=3\n');
        setEnvValue(path, 'MIDDLE', value);
        const { values } = readEnvFile(path);
        assert.equal(values.get('MIDDLE'), value);
        assert.equal(values.get('FIRST'), '1');
        assert.equal(values.get('LAST'), '3');
      },
    ),
  );
});

test('line breaks are taken out of a value, and the file is private', (t) => {
  const { home } = temporaryHome(t);
  const path = join(home.path, '.env');
  setEnvValue(path, 'XAI_API_KEY', 'abc\r\ndef\n');
  assert.equal(readEnvFile(path).values.get('XAI_API_KEY'), 'abcdef');
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a name the shell cannot carry is refused and nothing is written', (t) => {
  const { home } = temporaryHome(t);
  const path = join(home.path, '.env');
  assert.throws(() => setEnvValue(path, 'BAD-NAME', '1'), /Invalid environment variable name/);
  assert.ok(!existsSync(path));
});

test('a write splits two known settings glued on one line and drops stale stars', (t) => {
  const { home, read, write } = temporaryHome(t);
  write('.env', 'OPENROUTER_API_KEY=sk-oneOPENAI_BASE_URL=http://h/v1\nXAI_API_KEY=***\nOTHER=x?OPENAI_API_KEY=1\n');
  setEnvValue(join(home.path, '.env'), 'EXA_API_KEY', 'k-123');
  assert.equal(
    read('.env'),
    'OPENROUTER_API_KEY=sk-one\nOPENAI_BASE_URL=http://h/v1\nOTHER=x?OPENAI_API_KEY=1\nEXA_API_KEY=k-123\n',
  );
});

test('a repaired text needs no further repair', () => {
  const names = fc.constantFrom('OPENAI_API_KEY', 'OPENAI_BASE_URL', 'XAI_API_KEY', 'OTHER');
  const piece = fc.oneof(names, fc.constantFrom('=', '\n', '***', 'abc', '"', 'Z'));
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const once = repairEnvText(pieces.join(''));
      assert.equal(repairEnvText(once), once);
    }),
  );
});
