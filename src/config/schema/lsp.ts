/** Configuration: language servers, which say what an edit has broken. */
import * as z from 'zod';
import { anyMap, bool, choice, mapOf, number, section, textMap } from './fields.ts';

export const lsp = () =>
  section({
    enabled: bool(true, 'Ask language servers what an edit has broken'),
    wait_mode: choice(
      ['document', 'full'],
      'document',
      'What is waited for: an answer about the file, or also the end of what the server does in its background',
    ),
    wait_timeout: number(5, 'Seconds that an edit waits for a server, once before it and once after', {
      min: 0,
      max: 600,
    }),
    install_strategy: choice(
      ['auto', 'manual'],
      'auto',
      'How missing servers come: those of npm in the background, or only with `hermes lsp install`',
      { yes: 'auto', no: 'manual' },
    ),
    servers: mapOf(server(), 'Single servers, by their ids in `hermes lsp list`'),
  });

function server() {
  return z.looseObject({
    disabled: bool(false, 'Never start it'),
    command: z
      .preprocess(
        (value) => (typeof value === 'string' ? value.trim().split(/\s+/) : value),
        z.array(z.string().min(1)).min(1).optional(),
      )
      .describe('Program and arguments that start it'),
    env: textMap('Variables it gets'),
    initialization_options: anyMap('What it is told at its start, and finds as its settings'),
  });
}
