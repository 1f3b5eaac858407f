/** Which files of the home a skill may ask to have where commands run. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { credentialFile } from '../../src/skills/skill-setup.ts';
import { temporaryHome } from '../config/temporary-home.ts';

test('a skill is given its own logins, and nothing that is the agent’s or lies elsewhere', (t) => {
  const { path: home } = temporaryHome(t).home;
  const put = (name: string): void => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), '{}');
  };
  const given = ['token.json', 'google_token.json', 'credentials/mail.json'];
  const kept = [
    '.env',
    'auth.json',
    'auth/google_oauth.json',
    '.anthropic_oauth.json',
    'config.yaml',
    'state.db',
    'audit.key',
    'cache/bws_cache.json',
    'cache/op_cache.json',
    'webhook_subscriptions.json',
    'platforms/pairing/telegram-approved.json',
  ];
  for (const name of [...given, ...kept]) put(name);
  symlinkSync(join(home, 'audit.key'), join(home, 'innocent.json'));
  symlinkSync('/etc/passwd', join(home, 'outside.json'));
  for (const name of given) assert.ok(credentialFile(name, home)?.endsWith(name), name);
  for (const name of [...kept, 'innocent.json', 'outside.json', '../../etc/passwd', '/etc/passwd', 'absent.json'])
    assert.equal(credentialFile(name, home), undefined, name);
});
