/** Which programs run text that they are given as commands or as a program. */
import { hasShort, type SimpleCommand } from './simple-command.ts';

const shellNames = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'mksh', 'ash', 'fish', 'csh', 'tcsh', 'rbash']);
const interpreter =
  /^(?:python[\d.]*|pypy\d?|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|tclsh|osascript|pwsh|powershell|rscript)$/;

export function isShell(name: string): boolean {
  return shellNames.has(name);
}

export function isInterpreter(name: string): boolean {
  return interpreter.test(name);
}

/** Files that are the standard input under a name. */
export const standardInput = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/self\/fd\/0)$/;

/** Where a shell's own options end: index of the `-c` text, of the script file, or -1 when it reads standard input. */
export function shellInput({ args }: Pick<SimpleCommand, 'args'>): { kind: 'text' | 'file' | 'stdin'; index: number } {
  let commandFollows = false;
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.text ?? '';
    if (text === '--rcfile' || text === '--init-file' || /^[-+][oO]$/.test(text)) {
      index += 1;
    } else if (/^-[a-z]*c[a-z]*$/i.test(text)) {
      commandFollows = true;
    } else if (text === '-s') {
      return { kind: 'stdin', index: -1 };
    } else if (!/^[-+]/.test(text) || text === '-') {
      if (text === '-' || (!commandFollows && standardInput.test(text))) return { kind: 'stdin', index: -1 };
      return { kind: commandFollows ? 'text' : 'file', index };
    }
  }
  return { kind: commandFollows ? 'text' : 'stdin', index: -1 };
}

/** Options whose value is the program text, by family. */
const programOptions: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:python|pypy)/, /^-(?:[a-zA-Z]*c|e$)/],
  [/^(?:perl|ruby)/, /^-(?![MIrm])[a-zA-Z\d]*[eE]/],
  [/^(?:node|nodejs|bun)$/, /^(?:-[epc]|-pe|--eval|--print)(?:=|$)/],
  [/^php/, /^(?:-[rBRE]|--run)/],
  [/^(?:lua|osascript|rscript)/, /^-e/],
  [/^(?:pwsh|powershell)$/, /^-(?:c|command|e|ec|encodedcommand)$/i],
];
const valuedOption = /^(?:-[WXIrCM]|--(?:require|import|loader|experimental-loader|conditions))$/;

/** The program text among an interpreter's options (`python -c …`), if it has any. */
export function inlineProgram({ name, args }: SimpleCommand): string | undefined {
  const texts = args.map((field) => field.text);
  if ((name === 'deno' && texts[0] === 'eval') || (name === 'bun' && texts[0] === 'exec')) return texts.join(' ');
  const option = programOptions.find(([family]) => family.test(name))?.[1];
  if (option === undefined) return undefined;
  for (const [index, text] of texts.entries()) {
    if (option.test(text)) return texts.slice(index).join(' ');
    // From the script's own name on, options belong to the script.
    if (!text.startsWith('-') && !valuedOption.test(texts[index - 1] ?? '')) return undefined;
  }
  return undefined;
}

/** True when an interpreter runs what it reads from standard input. */
export function runsStdin(command: SimpleCommand): boolean {
  if (isShell(command.name)) return shellInput(command).kind === 'stdin';
  if (!isInterpreter(command.name)) return false;
  if (inlineProgram(command) !== undefined || hasShort(command, 'hVvm')) return false;
  return command.args.every((field) => field.text.startsWith('-') && !/^--(?:version|help)$/.test(field.text));
}
