/** Scripts in Python. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isExecutable } from '../../../lib/is-executable.ts';
import { firstProgram } from './first-program.ts';
import type { ProgramPlaces, ScriptLanguage } from './language.ts';
import { pythonModule } from './python-module.ts';

export const python: ScriptLanguage = {
  id: 'python',
  name: 'Python',
  source: { from: 'program', name: 'python3' },
  programs: ['python3', 'python'],
  find,
  install: 'There is no Python 3 where commands run. Install it there, or put it into PATH.',
  importing: (names) => `from hermes_tools import ${names.join(', ')}`,
  signature: ({ name, parameters }) => `${name}(${parameters})`,
  results: 'Each function returns a dictionary with what the tool answers',
  files: (code, names) => ({ 'script.py': code, 'hermes_tools.py': pythonModule(names) }),
  command: (program, folder) => ({
    argv: [program, join(folder, 'script.py')],
    variables: {
      PYTHONPATH: folder,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONIOENCODING: 'utf-8',
      // What it printed by then is there when it has to be ended.
      PYTHONUNBUFFERED: '1',
    },
  }),
};

/** The module that scripts import needs so much of Python 3. */
const oldestMinor = 8;

/** That of the environment, else the first of the search path. */
function find(places: ProgramPlaces): string | undefined {
  const { environment } = places;
  if (environment !== undefined && isNewEnough(environment)) {
    const program = join(environment, 'bin', 'python');
    if (isExecutable(program)) return program;
  }
  return firstProgram(python.programs, places);
}

/** Environments of venv and conda alike keep their modules in `lib/python3.N`. */
function isNewEnough(prefix: string): boolean {
  try {
    return readdirSync(join(prefix, 'lib')).some((name) => Number(/^python3\.(\d+)$/.exec(name)?.[1]) >= oldestMinor);
  } catch {
    // Not one of them, or one that is gone.
    return false;
  }
}
