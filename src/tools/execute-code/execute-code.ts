/** `execute_code`: runs a script of the model, which can call tools as functions; only what it prints comes back. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { failure } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import { exitNote, firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { findPython } from './interpreter.ts';
import { judgeScript } from './judge-script.ts';
import { runScript } from './run-script.ts';
import { callableTools } from './script-tools.ts';

const parameters = z.object({
  code: z.string().min(1).describe('The Python script'),
});

const what = 'Run a Python script';
const usual = `${what} that can call other tools of the conversation as functions; only what it prints comes back.`;
const programSource = { from: 'program', name: 'python3' } as const;

export const executeCodeTool = defineTool<ToolServices, typeof parameters>({
  name: 'execute_code',
  toolset: 'code_execution',
  description: { usual, of: describe },
  parameters,
  traits: { refundsStep: true, longRunning: true, usesWorkspace: true },
  display: { emoji: '🐍', preview: ({ code }) => firstWords(code), render: exitNote },
  available: (services) => services.environment.runBeside !== undefined && findPython(services) !== undefined,
  judge: async ({ code }, services) => await judgeScript(code, services),
  // What nobody can see into may have read anything.
  sources: () => [programSource],
  refusal: (message) => ({ status: 'error', error: message }),
  parallel: 'never',
  async execute({ code }, context) {
    try {
      return await runScript(code, context, programSource);
    } catch (error) {
      return failure({ status: 'error', error: context.services.redact(errorMessage(error)) });
    }
  },
});

const moreHelp = 'Also there: json_parse(text), shell_quote(text), retry(fn, max_attempts=3, delay=2).';

function describe(tools: ReadonlySet<string>, { config }: ToolServices): string {
  const { mode, timeout, max_tool_calls } = config.code_execution;
  const callable = callableTools(tools);
  const names = callable.map(({ name }) => name).join(', ');
  const calls = callable.map(({ name, parameters: given }) => `${name}(${given})`).join('; ');
  const where = mode === 'strict' ? 'in an empty folder, which is gone afterwards' : 'in the working directory';
  return [
    callable.length === 0 ? `${what}.` : `${what} that can call tools: from hermes_tools import ${names}.`,
    'Use it for many calls in a row, loops and conditions between them, and to filter large results before you see them; for one call use the tool itself.',
    ...(callable.length === 0
      ? []
      : [`Each function returns a dictionary with what the tool answers: ${calls}.`, moreHelp]),
    `It runs ${where}, at most ${timeout} s and ${max_tool_calls} tool calls; you see only what it prints, up to 50 KB.`,
  ].join(' ');
}
