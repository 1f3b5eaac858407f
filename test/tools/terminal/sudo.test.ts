/** Commands with sudo in them: which of them get a password, from where, and what is told when it was wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headless, type Human } from '../../../src/agent/human.ts';
import type { ToolContext } from '../../../src/agent/tool.ts';
import { replaceSudo } from '../../../src/safety/commands/sudo-words.ts';
import type { ToolServices } from '../../../src/tools/services.ts';
import { sudoLimits, sudoRun } from '../../../src/tools/terminal/sudo.ts';
import { SudoPassword } from '../../../src/tools/terminal/sudo-password.ts';
import { makeBench } from './support.ts';

/** As sudo does where the password is sesame; `-n` works where `free` says so. */
const fakeSudo = (free = false): string => `#!/bin/sh
[ "$1" = -k ] && shift
case "$1" in
  -n) exit ${free ? 0 : 1} ;;
  -A) shift; password=$("$SUDO_ASKPASS"); [ "$password" = sesame ] || { echo 'sudo: 1 incorrect password attempt' >&2; exit 1; } ;;
  *) ${free ? ':' : "echo 'sudo: a password is required' >&2; exit 1"} ;;
esac
exec "$@"
`;

/** Answers the questions for a hidden value, one after the other. */
function typist(...answers: readonly (string | undefined)[]): Human & { readonly prompts: string[] } {
  const prompts: string[] = [];
  return {
    ...headless,
    present: true,
    prompts,
    secret: (prompt) => Promise.resolve(answers[prompts.push(prompt) - 1]),
  };
}

test('sudo is found where the shell would run it, and only there', () => {
  const changed = replaceSudo(
    'A=1 sudo a && (sudo b; echo "sudo c $(sudo d)") # sudo\necho sudo; ls /usr/bin/sudo',
    'sudo -A',
  );
  assert.deepEqual(changed, {
    command: `A=1 sudo -A a && (sudo -A b; echo "sudo c $(sudo -A d)") # sudo\necho sudo; ls /usr/bin/sudo`,
    count: 3,
  });
  assert.deepEqual(replaceSudo('if sudo', 'sudo -A'), { command: 'if sudo', count: 0 });
});

test('the password of the settings goes to every sudo, and nowhere else', async (t) => {
  const bench = makeBench(t, {
    programs: { sudo: fakeSudo() },
    services: { settings: { terminal: { sudo_password: 'sesame' } } },
  });
  const command = 'sudo echo one && sudo echo two; cat; cd /usr';
  assert.deepEqual(await bench.terminal({ command }), { output: 'one\ntwo', exit_code: 0, error: null });
  assert.equal((await bench.terminal({ command: 'pwd; cat' }))['output'], '/usr');
  const { output } = await bench.terminal({
    command: 'sudo cat /proc/self/cmdline /proc/self/environ /proc/$$/environ',
  });
  assert.doesNotMatch(output, /sesame/);
});

test('a person is asked once, and again after a wrong password', async (t) => {
  const human = typist('wrong', 'sesame');
  const masked: string[] = [];
  const bench = makeBench(t, {
    programs: { sudo: fakeSudo() },
    human,
    services: { maskValues: (values) => void masked.push(...values) },
  });
  const wrong = await bench.terminal({ command: 'sudo echo hi' });
  assert.deepEqual([wrong['exit_code'], wrong['sudo_auth_failed'], wrong['sudo_cache_cleared']], [1, true, true]);
  for (const time of [1, 2]) {
    assert.deepEqual(await bench.terminal({ command: `sudo echo ${time}` }), {
      output: String(time),
      exit_code: 0,
      error: null,
    });
  }
  assert.equal(human.prompts.length, 2);
  assert.deepEqual(masked, ['wrong', 'sesame']);
});

test('without a password the command fails by itself: nobody there, or nothing typed', async (t) => {
  const alone = makeBench(t, { programs: { sudo: fakeSudo() } });
  assert.match((await alone.terminal({ command: 'sudo echo hi' }))['output'], /a password is required/);
  const silent = makeBench(t, { programs: { sudo: fakeSudo() }, human: typist(undefined) });
  assert.match((await silent.terminal({ command: 'sudo echo hi' }))['output'], /a password is required/);
});

test('nobody is asked where sudo asks for nothing, or where sudo is only a word', async (t) => {
  const human = typist();
  const bench = makeBench(t, { programs: { sudo: fakeSudo(true) }, human });
  assert.equal((await bench.terminal({ command: 'sudo echo hi; echo sudo' }))['output'], 'hi\nsudo');
  const other = makeBench(t, { programs: { sudo: fakeSudo() }, human });
  assert.equal((await other.terminal({ command: 'echo "use sudo"' }))['output'], 'use sudo');
  assert.deepEqual(human.prompts, []);
});

test('it works in the background, in the kept shell, and with the empty password', async (t) => {
  const bench = makeBench(t, {
    programs: { sudo: fakeSudo() },
    services: { settings: { terminal: { sudo_password: 'sesame' } } },
  });
  const { session_id } = await bench.terminal({ command: 'sudo echo one; sudo echo two', background: true });
  const ended = await bench.process({ action: 'wait', session_id });
  assert.deepEqual([ended['exit_code'], ended['output']], [0, 'one\ntwo\n']);
  assert.equal((await bench.process({ action: 'list' }))['processes'][0]['command'], 'sudo echo one; sudo echo two');
  await bench.terminal({ command: 'x=kept; sudo true' });
  assert.equal((await bench.terminal({ command: 'echo $x' }))['output'], 'kept');
  const empty = makeBench(t, {
    programs: { sudo: fakeSudo().replace('= sesame', "= ''") },
    services: { settings: { terminal: { sudo_password: '' } } },
    human: typist(),
  });
  assert.equal((await empty.terminal({ command: 'sudo echo hi' }))['output'], 'hi');
});

test('nobody but sudo gets the password, and not once more than there are calls of it', async (t) => {
  const bench = makeBench(t, {
    programs: { sudo: fakeSudo(), thief: '#!/bin/sh\nexec "$SUDO_ASKPASS"\n' },
    services: { settings: { terminal: { sudo_password: 'sesame' } } },
  });
  const { output } = await bench.terminal({
    command: 'sudo env; for i in 1 2; do sudo sh -c \'"$SUDO_ASKPASS"; thief; cat "${SUDO_ASKPASS%/*}"/once*\'; done',
  });
  assert.match(output, /SUDO_ASKPASS=/);
  assert.doesNotMatch(output, /sesame/);
});

test('a password that sudo does not take reaches no other program', async (t) => {
  const settings = { terminal: { sudo_password: 'sesame' } };
  const bench = makeBench(t, { programs: { sudo: fakeSudo(true) }, services: { settings } });
  await bench.terminal({ command: 'sudo tee taken.txt' });
  assert.equal((await bench.terminal({ command: 'wc -c < taken.txt' }))['output'], '0');
});

/** What `sudoRun` reaches of a session, with a `sudo` that asks for a password. */
function sudoContext(human: Human, probed: number[] = []): ToolContext<ToolServices> {
  const environment = {
    kind: 'local',
    findProgram: () => Promise.resolve('/usr/bin/sudo'),
    runProgram(_argv: unknown, { timeoutMs }: { timeoutMs: number }) {
      probed.push(timeoutMs);
      return Promise.resolve({ output: '', stderr: '', exitCode: 1, truncated: false });
    },
  };
  const services = {
    environment,
    config: { terminal: {} },
    state: { sudo: new SudoPassword() },
    maskValues: () => undefined,
  };
  return { services, human, signal: new AbortController().signal } as unknown as ToolContext<ToolServices>;
}

test('who does not answer the question for the password within its time is not waited for', async () => {
  const away: Human = {
    ...headless,
    present: true,
    secret: (_prompt, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true })),
  };
  assert.equal(await sudoRun('sudo true', sudoContext(away), { promptMs: 1, probeMs: 3000 }), undefined);
});

test('sudo has 3 seconds to say whether it asks, and a person 45 to answer', async () => {
  const probed: number[] = [];
  await sudoRun('sudo true', sudoContext(typist(''), probed));
  assert.deepEqual([probed, sudoLimits.promptMs], [[3000], 45_000]);
});
