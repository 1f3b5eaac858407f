/** Which files a command would run: scripts, and the files in which a program looks up what to do. */
import { posix } from 'node:path';
import { UNKNOWN } from './fields.ts';
import { type CommandPaths, resolvePath } from './paths.ts';
import { readScript } from './read-script.ts';
import { isInterpreter, isShell, shellInput, standardInput } from './shells.ts';
import { operandsOf, type SimpleCommand } from './simple-command.ts';

const maxFiles = 32;

/** Absolute paths, there or not, each once; as far as the text names them. Never throws. */
export function filesRun(command: string, paths: CommandPaths): readonly string[] {
  const { commands } = readScript(command, paths);
  const files = commands.flatMap((call) => {
    const names = [...ownFile(call), ...scripts(call), ...optionFiles(call), ...recipes(call, paths)];
    return names.flatMap((name) => (name.includes(UNKNOWN) ? [] : (resolvePath(name, folderOf(call)) ?? [])));
  });
  return [...new Set(files)].slice(0, maxFiles);
}

/** The program itself, where it is named by its place and does not belong to the system. */
function ownFile({ path }: SimpleCommand): readonly string[] {
  return path.includes('/') && !/^\/(?:usr\/|opt\/homebrew\/)?(?:local\/)?s?bin\/[^/]+$/.test(path) ? [path] : [];
}

/** What a shell or another interpreter is given as its program. */
function scripts(call: SimpleCommand): readonly string[] {
  const { name, redirections } = call;
  const input = redirections.filter(({ operator }) => operator === '<').map(({ target }) => target);
  if (isShell(name)) {
    const { kind, index } = shellInput(call);
    return kind === 'file' ? [call.args[index]?.text ?? ''] : kind === 'stdin' ? input : [];
  }
  if (name === '.' || name === 'source') return [operandsOf(call)[0]?.text ?? UNKNOWN];
  return isInterpreter(name) || alsoRun.test(name) ? interpreted(call, input) : [];
}

const alsoRun = /^(?:tsx|ts-node|expect|ansible-playbook|julia|groovy|scala|elixir|swift)$/;
/** Options with a value of their own, of which some name a file that is loaded. */
const valued = /^-(?:[WXIMdrL]|-(?:import|require|loader|experimental-loader|env-file|preload))$/;
const loads = /^-(?:r|-(?:import|require|loader|experimental-loader|preload))$/;
/** The program is in the text itself. */
const inline = /^-(?:[a-z]*[ce]|p|-(?:eval|print|exec))$/;

function interpreted({ name, args }: SimpleCommand, input: readonly string[]): readonly string[] {
  const texts = args.map(({ text }) => text);
  const loaded: string[] = [];
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] ?? '';
    if (text === '-m') return [...loaded, ...moduleFiles(texts[index + 1] ?? '')];
    if (inline.test(text)) return loaded;
    if (loads.test(text)) loaded.push(texts[index + 1] ?? '');
    if (valued.test(text)) index += 1;
    else if (/^--(?:import|require|preload)=/.test(text)) loaded.push(text.slice(text.indexOf('=') + 1));
    else if (text === '-') return [...loaded, ...input];
    else if (!text.startsWith('-')) {
      // `deno run x`, `bun run x`: the file, or a script of the package.
      const isVerb = /^(?:deno|bun)$/.test(name) && /^(?:run|test|serve|task)$/.test(text);
      if (!isVerb) return [...loaded, text];
    }
  }
  return [...loaded, ...input];
}

function moduleFiles(module: string): readonly string[] {
  const path = module.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`];
}

/** Options by which other programs take what they do from a file. */
const fileOptions: Readonly<Record<string, RegExp>> = {
  awk: /^(?:-f|--file)$/,
  gawk: /^(?:-f|--file)$/,
  mawk: /^-f$/,
  sed: /^(?:-f|--file)$/,
  gsed: /^(?:-f|--file)$/,
  make: /^(?:-f|--file|--makefile)$/,
  gmake: /^(?:-f|--file|--makefile)$/,
  just: /^(?:-f|--justfile)$/,
  psql: /^(?:-f|--file)$/,
  kubectl: /^(?:-f|--filename)$/,
  helm: /^(?:-f|--values)$/,
  docker: /^(?:-f|--file)$/,
  podman: /^(?:-f|--file)$/,
};

function optionFiles({ name, args, redirections }: SimpleCommand): readonly string[] {
  const option = fileOptions[name];
  const fromInput = /^(?:psql|mysql|mariadb|sqlite3|kubectl|crontab|at|ssh)$/.test(name)
    ? redirections.filter(({ operator }) => operator === '<').map(({ target }) => target)
    : [];
  if (option === undefined) return fromInput;
  const named = args.flatMap(({ text }, index) => {
    if (option.test(text)) return [args[index + 1]?.text ?? ''];
    const [long = '', value] = text.split(/=(.*)/s, 2);
    return value !== undefined && option.test(long) ? [value] : [];
  });
  return [...named, ...fromInput].filter((text) => text !== '' && text !== '-' && !standardInput.test(text));
}

/** Files by a fixed name in which a program looks up what to do; `climbs`: also those of the folders above. */
const recipeFiles: Readonly<Record<string, { readonly names: readonly string[]; readonly climbs?: true }>> = {
  make: { names: ['GNUmakefile', 'makefile', 'Makefile'] },
  gmake: { names: ['GNUmakefile', 'makefile', 'Makefile'] },
  just: { names: ['justfile', 'Justfile', '.justfile'], climbs: true },
  task: { names: ['Taskfile.yml', 'Taskfile.yaml'], climbs: true },
  rake: { names: ['Rakefile', 'rakefile'], climbs: true },
  npm: { names: ['package.json'], climbs: true },
  pnpm: { names: ['package.json'], climbs: true },
  yarn: { names: ['package.json'], climbs: true },
  bun: { names: ['package.json'], climbs: true },
  deno: { names: ['deno.json', 'deno.jsonc'], climbs: true },
  composer: { names: ['composer.json'] },
};

function recipes(call: SimpleCommand, { workspace }: CommandPaths): readonly string[] {
  const recipe = recipeFiles[call.name];
  const folder = folderOf(call);
  if (recipe === undefined || folder === undefined) return [];
  const folders = recipe.climbs === true ? foldersUp(folder, workspace) : [folder];
  return folders.flatMap((one) => recipe.names.map((name) => posix.join(one, name)));
}

function foldersUp(folder: string, top: string | undefined): readonly string[] {
  const folders = [folder];
  if (top === undefined || !folder.startsWith(`${top}/`)) return folders;
  for (let one = folder; one !== top; ) {
    one = posix.dirname(one);
    folders.push(one);
  }
  return folders;
}

/** `make -C folder` and its like work there. */
function folderOf({ name, args, cwd }: SimpleCommand): string | undefined {
  const option = folderOptions[name];
  if (option === undefined) return cwd;
  const at = args.findIndex(({ text }) => option.test(text));
  const text = args[at]?.text ?? '';
  const given = at === -1 ? undefined : text.includes('=') ? text.slice(text.indexOf('=') + 1) : args[at + 1]?.text;
  return given === undefined || given.includes(UNKNOWN) ? cwd : resolvePath(given, cwd);
}

const folderOptions: Readonly<Record<string, RegExp>> = {
  make: /^(?:-C|--directory(?:=.*)?)$/,
  gmake: /^(?:-C|--directory(?:=.*)?)$/,
  npm: /^--prefix(?:=.*)?$/,
  pnpm: /^(?:-C|--dir(?:=.*)?)$/,
  yarn: /^--cwd(?:=.*)?$/,
};
