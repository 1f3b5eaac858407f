/** What starts a process that is none of ours any more (jobs, services, logins, containers) is a person's to allow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyDecision } from '../../../src/agent/policy.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import type { Source } from '../../../src/llm/source.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy.ts';
import { terminalTool } from '../../../src/tools/terminal/terminal.ts';
import { aPage, policyWith, servicesOver } from '../support.ts';

const paths = {
  homePath: '/home/ann/.hermes',
  root: '/home/ann/.hermes',
  userHome: '/home/ann',
  workspace: '/home/ann/work',
};
const aFile: readonly Source[] = [{ from: 'file', name: '/home/ann/work/AGENTS.md' }];

/** `problem`: nothing can be confined. */
function setUp(options: Partial<PolicyOptions> = {}, problem?: string) {
  const environment = {
    kind: 'local',
    cwd: '/home/ann/work',
    shellIsAltered: false,
    keepsGitSettings: () => Promise.resolve(true),
    confinementProblem: () => Promise.resolve(problem),
    files: { resolve: (path: string) => path, realPath: (path: string) => Promise.resolve(path) },
  } as unknown as Environment;
  const services = servicesOver(environment, paths);
  const policy = policyWith(options);
  return async (command: string, humanPresent = false): Promise<PolicyDecision['kind']> => {
    const prepared = terminalTool.prepare({ command });
    assert.ok('judge' in prepared);
    const call = { tool: 'terminal', args: prepared.args, sessionId: 's1', humanPresent };
    const decision = await policy.decide(
      { ...call, judge: () => prepared.judge(services) },
      new AbortController().signal,
    );
    return decision.kind;
  };
}

const elsewhere = [
  'crontab jobs',
  'crontab - <<< "0 * * * * ./backup"',
  'crontab -r',
  'echo ./backup | at now',
  'at -f job.sh now',
  'batch < job.sh',
  'fcrontab jobs',
  'crond',
  'systemd-run --user ./backup',
  'systemctl --user start backup',
  'loginctl enable-linger ann',
  'dbus-send --session --dest=org.freedesktop.systemd1 /org/freedesktop/systemd1 x',
  'busctl --user call a b c d',
  'ssh localhost ./backup',
  'ssh ann@127.0.0.1 ./backup',
  'ssh 127.1 ./backup',
  'ssh ::1 ./backup',
  'ssh 0x7f000001 ./backup',
  'host=localhost; ssh $host ./backup',
  'ssh "$HOST" ./backup',
  'docker run -v /:/host alpine ls',
  'docker run -v ~/:/host alpine ls',
  'podman run --mount type=bind,source=/home/ann,target=/host alpine ls',
  'docker run --privileged alpine ls',
  'docker run --pid=host alpine ls',
  'docker compose up',
  'tmux send-keys "./backup" Enter',
  'tmux new-session -d ./backup',
  'screen -dm ./backup',
  'emacsclient --eval "(shell-command \\"./backup\\")"',
  'kitty @ send-text ./backup',
  'xterm -e ./backup',
  'flatpak-spawn --host ./backup',
  'launchctl submit -l x -- ./backup',
  'start-stop-daemon --start --exec ./backup',
];

test('jobs, services, logins on this machine and containers that see it are asked about, and refused where nobody is', async () => {
  for (const problem of [undefined, 'there is no sandbox']) {
    const decide = setUp({}, problem);
    for (const command of elsewhere) {
      assert.equal(await decide(command, true), 'ask', command);
      assert.equal(await decide(command), 'refuse', command);
    }
  }
});

test('with everything skipped too, once somebody else may have had a word', async () => {
  for (const entered of [aFile, aPage]) {
    for (const more of [{ yolo: () => true }, { mode: 'off' }, { headless: 'approve' }] as const) {
      const decide = setUp({ ...more, entered: () => entered });
      for (const command of elsewhere) assert.equal(await decide(command), 'refuse', command);
    }
  }
});

test('with everything skipped in a clean conversation too, where it would run our own command line or be given our home', async () => {
  const decide = setUp({ yolo: () => true, mode: 'off', headless: 'approve' });
  const change = 'hermes config set approvals.mode off';
  for (const command of [
    `echo "* * * * * ${change}" | crontab -`,
    `(crontab -l; echo "@daily ${change}") | crontab -`,
    `crontab - <<EOF\nMAILTO=""\n# daily\n0 0 * * * ${change}\nEOF`,
    `echo "${change}" | at now`,
    `at now + 1 minute <<< "${change}"`,
    `systemd-run --user --on-active=1 ${change}`,
    `systemd-run --user sh -c "${change}"`,
    `ssh localhost ${change}`,
    `ssh localhost <<< "${change}"`,
    `tmux send-keys "${change}" Enter`,
    `tmux new-session -d '${change}'`,
    `screen -dm ${change}`,
    `screen -S x -X stuff "${change}\n"`,
    'docker run -v ~/.hermes:/h alpine true',
    'docker run -v/home/ann:/h alpine true',
    'docker run --volume=/home:/h alpine true',
    'podman run --mount type=bind,src=/,dst=/h alpine true',
  ]) {
    assert.equal(await decide(command), 'refuse', command);
    assert.equal(await decide(command, true), 'ask', command);
  }
  for (const command of ['crontab jobs', 'ssh localhost ./backup', 'docker run -v /srv:/x alpine true']) {
    assert.equal(await decide(command), 'allow', `${command}: that is what approvals were switched off for`);
  }
});

test('looking at jobs, services and containers asks nothing', async () => {
  const decide = setUp();
  for (const command of ['crontab -l', 'atq', 'systemctl --user status x', 'docker ps', 'tmux ls', 'kitty --version']) {
    assert.equal(await decide(command), 'allow', command);
  }
});
