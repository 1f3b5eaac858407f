/** Keys that the kernel keeps for a login stay there. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findSandboxPrograms } from '../../../../src/environments/local/sandbox/why-not.ts';
import { makeDirectory } from '../../support.ts';
import { secret, whyNoSandbox } from './support.ts';

const programs = findSandboxPrograms();
const perl = 'perl' in programs ? programs.perl : undefined;
/** add_key, request_key and keyctl. */
const numbers = { x64: [248, 249, 250], arm64: [217, 218, 219] }[process.arch as 'x64' | 'arm64'];
const skip = (await whyNoSandbox()) || (perl === undefined || numbers === undefined ? 'no perl to ask with' : false);

test('a key in the keyring of the login is there outside, and not for confined commands', { skip }, (t) => {
  const [add, request, keyctl] = numbers ?? [];
  // What the system call is given must be variables.
  const names = `my ($t, $n, $s) = ("user", "hermes-test", "${secret}");`;
  const hold = `${names} syscall(${add}, $t, $n, $s, length $s, -3) > 0 or exit 9; exec @ARGV`;
  const read = `${names} my $k = syscall(${request}, $t, $n, 0, 0); my $b = " " x 40; my $l = $k > 0 ? syscall(${keyctl}, 11, $k, $b, 40) : 0; print $l > 0 ? substr($b, 0, $l) : "none"`;
  const program = fileURLToPath(new URL('tell-output.ts', import.meta.url));
  const words = ['-e', hold, process.execPath, program, makeDirectory(t), `perl -e '${read}'`];
  const { status, stdout, stderr } = spawnSync(perl ?? '', words, { encoding: 'utf8', timeout: 60_000 });
  if (status === 9) return t.skip('this kernel keeps no keys');
  assert.deepEqual(JSON.parse(stdout || '[]'), ['none', secret], stderr);
});
