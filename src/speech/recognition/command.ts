/** A program of the owner's own, as `stt.providers.<name>` tells how to call it: its text is in a file, or is what it prints. */
import { UserError } from '../../lib/errors.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { fillTemplate } from '../../lib/command-template.ts';
import type { RunProgram } from './recogniser.ts';
import { runProgram, textAt } from './run-program.ts';

export const runOwnCommand: RunProgram = (path, { command, format, language, model }, access, signal) =>
  inScratchFolder(async (file) => {
    const output = file(`transcript.${format}`);
    const line = fillTemplate(command, {
      input_path: path,
      output_path: output,
      output_dir: file(''),
      format,
      language,
      model,
    });
    const printed = await runProgram('/bin/sh', ['-c', line], access, signal);
    const text = await textAt(output);
    if (text?.trim()) return text;
    // A file without a word says that there was none.
    if (printed.trim() === '' && text === undefined)
      throw new UserError('it neither wrote {output_path} nor printed a text');
    return printed;
  });
