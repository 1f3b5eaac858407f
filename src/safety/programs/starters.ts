/** What programs that start another program (`env`, `timeout`, `sudo`) add to the effects of that program. */
import { isShell } from '../commands/shells.ts';
import type { SimpleCommand } from '../commands/simple-command.ts';
import type { ProgramFindingKey } from './findings.ts';

/** Their options that change nothing of what is run, as patterns for one word. */
const plainStarters = new Map<string, RegExp>(
  Object.entries({
    env: /^(?:-i|-|--ignore-environment|-u\w+|[A-Za-z_]\w*=\S*)$/,
    nohup: /^$/,
    setsid: /^(?:-w|--wait)$/,
    nice: /^(?:-n|-?-?\d+|-n-?\d+|--adjustment=-?\d+)$/,
    ionice: /^(?:-c|-n|-t|\d|-c\d|-n\d)$/,
    timeout:
      /^(?:-k|-s|\d[\d.]*[smhd]?|-k\d[\d.]*[smhd]?|[A-Z\d]+|--foreground|--preserve-status|-v|--(?:kill-after|signal)=\w+)$/,
    gtimeout: /^(?:-k|-s|\d[\d.]*[smhd]?|[A-Z\d]+|--foreground|--preserve-status|--(?:kill-after|signal)=\w+)$/,
    time: /^(?:-p|-v)$/,
    stdbuf: /^(?:-[ioe][L0]|-[ioe]|L|0|-[ioe]\d+[KM]?)$/,
    command: /^-p$/,
    builtin: /^$/,
    xargs:
      /^(?:\d+|-[0rtx]+|-[nPLs]|-[nPLs]?\d+|-I|-I?['"]?(?:\{\}|%|@|_|FILE)['"]?|-d|-d?['"]?(?:\\n|\\0|,|:)['"]?|--null|--no-run-if-empty|--max-(?:args|procs|lines)=\d+)$/,
  } satisfies Record<string, RegExp>),
);

const privileged =
  /^(?:sudo|doas|pkexec|su|runuser|gosu|su-exec|chroot|nsenter|unshare|setpriv|capsh|machinectl|run0|sg|newgrp)$/;
const elsewhere = /^(?:ssh|mosh|rsh|sshpass|plink)$/;
const outside = /^(?:systemd-run|at|batch|screen|tmux|dbus-run-session|launchctl)$/;
const containers = /^(?:docker|podman|nerdctl|kubectl|docker-compose)$/;

/** What is asked because of the program that starts it. */
export function askedByStarter(name: string): ProgramFindingKey | undefined {
  if (privileged.test(name)) return 'rights of another user';
  if (elsewhere.test(name)) return 'runs commands on another machine';
  return outside.test(name) ? 'starts something outside of the session' : undefined;
}

/** True when a program runs inside a container: the engine's own command line is judged for it. */
export function startsInContainer({ via }: Pick<SimpleCommand, 'via'>): boolean {
  return via.some((name) => containers.test(name));
}

/** True when nothing that starts the program changes what it does. */
export function isPlainlyStarted({ via, source, path }: SimpleCommand): boolean {
  // `find` and the text of `bash -c` are judged as commands of their own.
  const last = via.findLastIndex((name) => name === 'find' || name === 'eval' || isShell(name));
  const starters = via.slice(last + 1);
  if (via.slice(0, last + 1).some((name) => !isShell(name) && !isSimple(name))) return false;
  if (starters.length === 0) return true;
  const patterns = starters.map((name) => plainStarters.get(name));
  if (patterns.includes(undefined)) return false;
  const words = wordsBefore(source, path, via[last] === 'find');
  // Such an option has the next word for its value: the name is found again behind it (`xargs -I ls ls`).
  if (/^-[nPLsIdkuEJR]$/.test(words.at(-1) ?? '')) return false;
  return words.every(
    (word) =>
      (isInstalled(word) && starters.includes(word.slice(word.lastIndexOf('/') + 1))) ||
      /^[A-Za-z_]\w*=[^\s`$]*$/.test(word) ||
      patterns.some((pattern) => pattern?.test(word)),
  );
}

function isSimple(name: string): boolean {
  return name === 'find' || name === 'eval' || name === 'xargs' || plainStarters.has(name);
}

/** True for a bare name, and for a program of the system: one in another directory may be anything. */
export function isInstalled(path: string): boolean {
  return /^(?:(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\/)?[^/]*$/.test(path);
}

/** The words in front of the program; all words when it cannot be found among them. */
function wordsBefore(source: string, path: string, inFind: boolean): string[] {
  const words = source.trim().split(/\s+/);
  const from = inFind ? words.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word)) + 1 : 0;
  const end = words.indexOf(path, from);
  return words.slice(from, end === -1 ? undefined : end);
}
