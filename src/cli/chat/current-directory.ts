/** Where the program was started. */
import { UserError } from '../../lib/errors.ts';

/** Throws `UserError` when the directory is gone. */
export function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new UserError('the current directory does not exist any more', {
      hint: 'Change to another one.',
      cause: error,
    });
  }
}
