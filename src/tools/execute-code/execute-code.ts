/** `execute_code`: runs a script of the model, which can call tools as functions; only what it prints comes back. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { failure } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import { exitNote, firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { judgeScript } from './judge-script.ts';
import { scriptLanguages } from './languages/catalogue.ts';
import type { ScriptLanguage } from './languages/language.ts';
import { runScript } from './run-script.ts';
import { callableTools } from './script-tools.ts';

const parameters = z.object({
  code: z.string().min(1).describe('The script'),
  language: z.enum(['python', 'javascript']).default('python').optional(),
});

const usual =
  'Run a script in Python or JavaScript that can call other tools of the conversation as functions; only what it prints comes back.';

export const executeCodeTool = defineTool<ToolServices, typeof parameters>({
  name: 'execute_code',
  toolset: 'code_execution',
  description: { usual, of: describe },
  parameters,
  traits: { refundsStep: true, longRunning: true, usesWorkspace: true },
  display: { emoji: '🐍', preview: ({ code }) => firstWords(code), render: exitNote },
  available: (services) => installed(services).length > 0,
  judge: async ({ code }, services) => await judgeScript(code, services),
  sources: (args) => [languageOf(args).source],
  refusal: (message) => ({ status: 'error', error: message }),
  parallel: 'never',
  async execute(args, context) {
    try {
      return await runScript(args.code, languageOf(args), context);
    } catch (error) {
      return failure({ status: 'error', error: context.services.redact(errorMessage(error)) });
    }
  },
});

const moreHelp = 'Also there: json_parse(text), shell_quote(text), retry(fn, max_attempts=3, delay=2).';

/** On another host all that there may be. */
function installed({ environment, paths }: ToolServices): readonly ScriptLanguage[] {
  if (environment.kind !== 'local') return scriptLanguages;
  return scriptLanguages.filter((language) => paths.interpreters?.[language.id] !== undefined);
}

function languageOf({ language }: z.infer<typeof parameters>): ScriptLanguage {
  return scriptLanguages.find(({ id }) => id === language) ?? scriptLanguages[0];
}

function describe(tools: ReadonlySet<string>, services: ToolServices): string {
  const { mode, timeout, max_tool_calls } = services.config.code_execution;
  const callable = callableTools(tools);
  const [first = scriptLanguages[0], second] = installed(services);
  const names = callable.map(({ name }) => name);
  const [example] = callable;
  const what = `Run a ${[first, second].flatMap((language) => language?.name ?? []).join(' or ')} script`;
  const where = mode === 'strict' ? 'in an empty folder, which is gone afterwards' : 'in the working directory';
  return [
    example === undefined ? `${what}.` : `${what} that can call tools: ${first.importing(names)}.`,
    'Use it for many calls in a row, loops and conditions between them, and to filter large results before you see them; for one call use the tool itself.',
    ...(example === undefined
      ? []
      : [`${first.results}: ${callable.map((tool) => first.signature(tool)).join('; ')}.`, moreHelp]),
    ...(example === undefined || second === undefined
      ? []
      : [
          `In ${second.name}: ${second.importing([example.name])}; ${second.signature(example)}, and require() for packages.`,
        ]),
    `It runs ${where}, at most ${timeout} s and ${max_tool_calls} tool calls; you see only what it prints, up to 50 KB.`,
  ].join(' ');
}
