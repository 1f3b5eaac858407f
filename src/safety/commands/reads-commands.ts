/** Whether a running command takes what is typed into it as commands: shells, prompts of interpreters, remote logins. */
import { readScript } from './read-script.ts';
import { isInterpreter, isShell } from './shells.ts';

const prompts =
  /^(?:ssh|mosh|telnet|su|sudo|doas|docker|podman|kubectl|nsenter|chroot|script|screen|tmux|expect|gdb|lldb|psql|mysql|mariadb|sqlite3|mongosh?|redis-cli|ipython[\d.]*|irb|xargs|parallel|at|batch)$/;

/** True when in doubt: also for a command that cannot be read. */
export function readsCommands(command: string): boolean {
  const facts = readScript(command, { userHome: '/', homePath: '/' });
  if (facts.unread.length + facts.unchecked.length > 0) return true;
  return facts.commands.some(
    ({ name, unknownName }) => unknownName || isShell(name) || isInterpreter(name) || prompts.test(name),
  );
}
