/** What every rule about a program call looks like. */
import type { Finding } from '../../finding.ts';
import type { CommandPaths } from '../paths.ts';
import type { SimpleCommand } from '../simple-command.ts';

/** Looks at one program call; what it reads and writes is in the call. Must not throw. */
export type Rule = (command: SimpleCommand, paths: CommandPaths) => readonly Finding[];
