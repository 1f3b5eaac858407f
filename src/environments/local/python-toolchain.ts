/**
 * What is unusual about the Python of this machine, for a model that would otherwise find out by failing. Only files are
 * looked at: starting an interpreter takes longer than everything else before the first request.
 */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

interface Interpreter {
  /** `3.12` */
  readonly version: string;
  /** Of the installation, or of the virtual environment. */
  readonly prefix: string;
  readonly isVirtual: boolean;
}

/** One line; empty when all is as one expects, and when it cannot be told from the files (shims). */
export function pythonToolchain(searchPath: string, home: string): string {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '');
  const found = program('python3', folders);
  const hasUv = program('uv', folders) !== undefined;
  if (found === undefined) return `python3 is missing${hasUv ? ', uv is there' : ''}.`;
  const python = interpreterAt(found);
  if (python === undefined) return '';
  const hasPip = pipModules(python, home).some((folder) => existsSync(folder));
  const pip = program('pip', folders);
  const ofPip = pip === undefined ? undefined : interpreterOf(pip)?.version;
  const isForeign = ofPip !== undefined && ofPip !== python.version;
  const isManaged = !python.isVirtual && existsSync(join(standardLibrary(python), 'EXTERNALLY-MANAGED'));
  if (hasPip && !isForeign && (!isManaged || hasUv)) return '';
  const facts = [
    `python3 is ${python.version}${hasPip ? '' : ' without the module pip'}`,
    ...(program('python', folders) === undefined ? ['python is missing (use python3)'] : []),
    ...(isForeign ? [`pip belongs to Python ${ofPip}`] : []),
    ...(pip === undefined && !hasPip ? ['pip is missing'] : []),
    ...(isManaged ? ['packages go into a virtual environment only (PEP 668)'] : []),
    ...(hasUv ? ['uv is there'] : []),
  ];
  return `${facts.join(', ')}.`;
}

function program(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us: the next folder is looked at.
    return false;
  }
}

function interpreterAt(path: string): Interpreter | undefined {
  try {
    const real = realpathSync(path);
    const version = /^python(3\.\d+)/.exec(basename(real))?.[1];
    if (version === undefined) return undefined;
    const own = dirname(dirname(path));
    const isVirtual = existsSync(join(own, 'pyvenv.cfg'));
    return { version, prefix: isVirtual ? own : dirname(dirname(real)), isVirtual };
  } catch {
    // It went away meanwhile, or cannot be followed: nothing can be told of it.
    return undefined;
  }
}

/** The interpreter that a script names in its first line. */
function interpreterOf(script: string): Interpreter | undefined {
  const path = /^#!\s*(\/\S*python[\d.]*)\s*$/m.exec(firstLine(script))?.[1];
  return path === undefined ? undefined : interpreterAt(path);
}

function firstLine(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(300);
      const read = readSync(file, bytes, 0, bytes.length, 0);
      return bytes.toString('utf8', 0, read).split('\n', 1)[0] ?? '';
    } finally {
      closeSync(file);
    }
  } catch {
    // A program that cannot be read says nothing of its interpreter.
    return '';
  }
}

function standardLibrary({ prefix, version }: Interpreter): string {
  return join(prefix, 'lib', `python${version}`);
}

/** Where pip may be: of the installation, of Debian, installed beside it, and of the user. */
function pipModules(python: Interpreter, home: string): readonly string[] {
  const { prefix, version, isVirtual } = python;
  const own = join(standardLibrary(python), 'site-packages');
  if (isVirtual) return [join(own, 'pip')];
  const others = [
    join(prefix, 'lib', 'python3', 'dist-packages'),
    join(prefix, 'local', 'lib', `python${version}`, 'dist-packages'),
    join(home, '.local', 'lib', `python${version}`, 'site-packages'),
  ];
  return [own, ...others].map((folder) => join(folder, 'pip'));
}
