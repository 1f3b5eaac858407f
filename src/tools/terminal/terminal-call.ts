/** What a call of `terminal` asks for, and what stands in every answer to one. */
import * as z from 'zod';
import type { ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';

export const parameters = z.object({
  command: z.string().min(1).describe('Shell text, run by bash'),
  background: z
    .boolean()
    .default(false)
    .describe('Return at once with a session_id for the process tool: servers, watchers, long builds'),
  timeout: z
    .int()
    .min(1)
    .optional()
    .describe('Seconds until a foreground command is ended; default 180 (terminal.timeout), at most 600'),
  workdir: z.string().optional().describe('Directory for this command only'),
  pty: z.boolean().default(false).describe('Background: with a terminal, for programs that ask (REPL)'),
  notify_on_complete: z
    .boolean()
    .default(false)
    .describe('Background: you are told once when it ends; no need to poll'),
  watch_patterns: z
    .array(z.string())
    .optional()
    .describe('Background: you are told when a line of output contains one of these texts'),
});

export type TerminalArgs = z.infer<typeof parameters>;
export type TerminalContext = ToolContext<ToolServices>;

export function directoryOf({ workdir }: TerminalArgs, { environment }: ToolServices): string {
  return workdir === undefined ? environment.cwd : environment.files.resolve(workdir);
}

/** Without a directory of its own a command starts where the shell is by then. */
export function givenDirectory(args: TerminalArgs, services: ToolServices): { readonly cwd?: string } {
  return args.workdir === undefined ? {} : { cwd: directoryOf(args, services) };
}

/** So that the model knows who let this command run, and what there was against it. */
export function approvalOf({ approved, approvedBy }: TerminalContext): { readonly approval?: string } {
  if (approved === undefined) return {};
  const how = approvedBy === 'model' ? 'Smart approval let it run this once' : 'The user was asked and approved it';
  return { approval: `${how}: ${approved.join('; ')}.` };
}
