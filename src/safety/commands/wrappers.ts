/** Programs that start another program: which of their arguments are their own, and where the other one begins. */
import { type Field, UNKNOWN } from './fields.ts';

interface Wrapper {
  /** Short options that take a value. */
  readonly valued?: string;
  /** Long options that take their value as the next argument. */
  readonly longValued?: readonly string[];
  /** Arguments of its own before the program. */
  readonly operands?: number;
  /** `NAME=value` may stand before the program. */
  readonly assignments?: boolean;
  /** Options after which no program is run. */
  readonly query?: RegExp;
}

const wrappers = new Map<string, Wrapper>(
  Object.entries({
    sudo: {
      valued: 'CDgGhpRrTtUu',
      longValued: ['user', 'group', 'host', 'prompt', 'chdir', 'chroot', 'role', 'type', 'close-from', 'other-user'],
      assignments: true,
      query: /^(?:-[lvKV]|--(?:list|validate|remove-timestamp|version|help))$/,
    },
    doas: { valued: 'Cu' },
    pkexec: { longValued: ['user'] },
    env: { valued: 'uC', longValued: ['unset', 'chdir'], assignments: true },
    nohup: {},
    setsid: {},
    nice: { valued: 'n', longValued: ['adjustment'] },
    ionice: { valued: 'cnpPu', longValued: ['class', 'classdata'] },
    chrt: { operands: 1 },
    taskset: { operands: 1 },
    time: { valued: 'fo', longValued: ['format', 'output'] },
    timeout: { valued: 'ks', longValued: ['kill-after', 'signal'], operands: 1 },
    gtimeout: { valued: 'ks', longValued: ['kill-after', 'signal'], operands: 1 },
    stdbuf: { valued: 'ioe', longValued: ['input', 'output', 'error'] },
    exec: { valued: 'a' },
    command: { query: /^-[pvV]*[vV]/ },
    builtin: {},
    busybox: { query: /^--/ },
    toybox: { query: /^--/ },
    chroot: { operands: 1, longValued: ['userspec', 'groups'] },
    unshare: { valued: 'SGRw' },
    nsenter: { valued: 'tSG', longValued: ['target', 'setuid', 'setgid'] },
    setpriv: { longValued: ['reuid', 'regid', 'groups'] },
    strace: { valued: 'aeIoOpPsSuEX' },
    ltrace: { valued: 'aeloOpsuFnw' },
    xargs: {
      valued: 'adEILnPs',
      longValued: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars', 'max-lines', 'replace', 'eof'],
    },
    flock: { valued: 'wE', longValued: ['timeout', 'wait', 'conflict-exit-code'], operands: 1 },
    gosu: { operands: 1 },
    'su-exec': { operands: 1 },
    unbuffer: {},
    caffeinate: { valued: 'tw' },
    torsocks: {},
    proxychains: { valued: 'f' },
    proxychains4: { valued: 'f' },
    'systemd-run': {
      valued: 'upEMHtd',
      longValued: ['unit', 'property', 'description', 'slice', 'uid', 'gid', 'nice', 'working-directory', 'setenv'],
    },
    'systemd-inhibit': { longValued: ['what', 'who', 'why', 'mode'] },
    runuser: { valued: 'ugG', longValued: ['user', 'group'] },
    'dbus-run-session': {},
    'xvfb-run': { valued: 'efnpsw', longValued: ['server-args', 'server-num', 'auth-file', 'error-file'] },
  } satisfies Record<string, Wrapper>),
);

/** What a wrapper runs; `query` when it runs nothing. */
export type Unwrapped =
  | { readonly kind: 'program'; readonly fields: readonly Field[]; readonly assignments: readonly string[] }
  | { readonly kind: 'none'; readonly assignments: readonly string[] };

export function isWrapper(name: string): boolean {
  return wrappers.has(name);
}

/** The program that `name` starts with these arguments, with its own arguments. */
export function unwrap(name: string, args: readonly Field[]): Unwrapped {
  const wrapper = wrappers.get(name) ?? {};
  const assignments: string[] = [];
  let operands = wrapper.operands ?? 0;
  let index = 0;
  for (; index < args.length; index++) {
    const text = args[index]?.text ?? '';
    if (wrapper.query?.test(text) === true) return { kind: 'none', assignments };
    if (text === '--') {
      index += 1;
      // After `--` the wrapper's own operands still come first.
      index += operands;
      break;
    }
    if (text.startsWith('-') && text !== '-') {
      if (takesNext(wrapper, text)) index += 1;
    } else if (wrapper.assignments === true && /^[A-Za-z_]\w*=/.test(text)) {
      assignments.push(text);
    } else if (operands > 0) {
      operands -= 1;
    } else break;
  }
  const fields = args.slice(index);
  return fields.length === 0 ? { kind: 'none', assignments } : { kind: 'program', fields, assignments };
}

function takesNext(wrapper: Wrapper, option: string): boolean {
  if (option.startsWith('--')) return !option.includes('=') && (wrapper.longValued ?? []).includes(option.slice(2));
  const letters = option.slice(1);
  const at = letters.split('').findIndex((letter) => (wrapper.valued ?? '').includes(letter));
  // A value may be written right behind its letter.
  return at !== -1 && at === letters.length - 1 && !letters.includes(UNKNOWN);
}
