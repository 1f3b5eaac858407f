/** Exported variables as shells print them, and which of them may pass from a confined shell to one outside. */

export type Exports = ReadonlyMap<string, string>;
/** Without a value: it is no longer exported. */
export type ExportChanges = ReadonlyMap<string, string | undefined>;

/** The kernel takes no longer one. */
const maxValueBytes = 128 * 1024;
const maxVariables = 2000;

/**
 * Reads what `export -p` prints, in bash's words or in those of POSIX. Only plain text comes out of it: nothing is
 * evaluated, and what is not understood is left out.
 */
export function readExports(text: string): Exports {
  const found = new Map<string, string>();
  const entry = /(?:declare -[A-Za-z]*x[A-Za-z]*|export) ([A-Za-z_]\w{0,199})(=|\n|$)/y;
  for (let at = 0; at < text.length && found.size < maxVariables; ) {
    entry.lastIndex = at;
    const [whole, name = '', sign] = entry.exec(text) ?? [];
    if (whole === undefined) {
      at = nextLine(text, at);
      continue;
    }
    at += whole.length;
    if (sign !== '=') continue;
    const value = readValue(text, at);
    if (value !== undefined && value.text.length <= maxValueBytes) found.set(name, value.text);
    at = nextLine(text, value?.end ?? at);
  }
  return found;
}

export function exportChanges(before: Exports, after: Exports): ExportChanges {
  const changes = new Map<string, string | undefined>();
  for (const [name, value] of after) if (before.get(name) !== value && !belongsToShell(name)) changes.set(name, value);
  for (const name of before.keys()) if (!after.has(name) && !belongsToShell(name)) changes.set(name, undefined);
  return changes;
}

/** Variables that every shell has for itself. */
function belongsToShell(name: string): boolean {
  return shellOwn.has(name) || name.startsWith('HERMES_');
}

const shellOwn = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);

/**
 * True for variables that change which program runs, what it loads, whom it asks or where it finds its settings. A
 * confined shell keeps them to itself.
 */
export function changesMeaning(name: string): boolean {
  return exactly.has(name) || families.test(name) || /_proxy$/i.test(name);
}

const exactly = new Set(
  `PATH FPATH MANPATH INFOPATH HOME SHELL ENV IFS PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND CDPATH GLOBIGNORE GLOBSORT EXECIGNORE
  SHELLOPTS HISTFILE TMPDIR TMP TEMP TERM TERMCAP TERMINFO TERMINFO_DIRS EDITOR VISUAL FCEDIT SELECTED_EDITOR PAGER
  MANPAGER BROWSER MANOPT MAIL MAILRC INPUTRC EXINIT VIMINIT GVIMINIT MYVIMRC VIM VIMRUNTIME NVIM_APPNAME EMACSLOADPATH
  WGETRC NETRC HOSTALIASES RES_OPTIONS LOCALDOMAIN RESOLV_HOST_CONF LOCPATH NLSPATH GCONV_PATH TZDIR LIBPATH SHLIB_PATH
  CLASSPATH JAVA_HOME JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS M2_HOME MAVEN_OPTS MAVEN_ARGS SBT_OPTS ANT_OPTS
  CC CXX CPP LD AR AS NM RANLIB STRIP FC CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS LIBRARY_PATH CPATH C_INCLUDE_PATH
  CPLUS_INCLUDE_PATH COMPILER_PATH OBJCOPY OBJDUMP MAKE MAKEFLAGS MAKEFILES GNUMAKEFLAGS MFLAGS ARFLAGS YACC LEX
  TAR_OPTIONS TAPE UNZIP UNZIPOPT ZIPOPT ZIPINFO GZIP BZIP2 BZIP XZ_OPT XZ_DEFAULTS ZSTD_CLEVEL GREP_OPTIONS GREP_COLORS
  DIFF_OPTIONS POSIXLY_CORRECT BLOCK_SIZE LS_OPTIONS RIPGREP_CONFIG_PATH BAT_CONFIG_PATH BAT_PAGER AWKPATH AWKLIBPATH
  SVN_EDITOR SVN_SSH HGRCPATH HGEDITOR CVS_RSH RSH BZR_EDITOR P4CONFIG P4EDITOR PSQLRC PGSERVICEFILE PGPASSFILE MYSQL_HOME
  SQLITE_HISTORY KUBECONFIG KUBE_EDITOR HELM_PLUGINS VAGRANT_HOME ANSIBLE_CONFIG PACKER_CONFIG CONSUL_HTTP_ADDR
  NOMAD_ADDR VAULT_ADDR XAUTHORITY DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS AUTOJUMP_SOURCED VIRTUAL_ENV_PROMPT
  COLORTERM_SCRIPT LESSOPEN LESSCLOSE LESSKEY LESSKEYIN LESSKEY_CONTENT LESSEDIT NULLCMD READNULLCMD DOTNET_STARTUP_HOOKS
  OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSLKEYLOGFILE KRB5_CONFIG KRB5CCNAME GSS_USE_PROXY`
    .split(/\s+/)
    .filter((name) => name !== ''),
);
const families = new RegExp(
  `^(?:${[
    'LD',
    'DYLD',
    'GLIBC',
    'MALLOC',
    'ASAN',
    'BASH',
    'ZSH|ZDOTDIR',
    'GIT',
    'SSH',
    'GPG|GNUPG',
    'RSYNC',
    'CURL',
    'SSL_CERT',
    'REQUESTS_CA',
    'PYTHON|PYENV|PIP|PIPX|POETRY|UV|CONDA|VIRTUALENV|PYTEST|IPYTHON|JUPYTER',
    'NODE|NPM|npm|NVM|YARN|PNPM|COREPACK|BUN|DENO|TS_NODE|ELECTRON|PLAYWRIGHT|PUPPETEER',
    'PERL|PERL5',
    'RUBY|GEM|BUNDLE|RBENV|RAKE',
    'CARGO|RUST|RUSTC|RUSTUP',
    'GO(?=[A-Z])|CGO',
    'PHP|COMPOSER',
    'LUA|LUAROCKS|JULIA|R_|GUILE|TCL|ERL|ELIXIR|MIX|HEX',
    'DOTNET|NUGET|MSBUILD|CORECLR|MONO|COR_',
    'GRADLE|KOTLIN|JAVA|JDK',
    'CMAKE|CTEST|NINJA|PKG_CONFIG|CCACHE|SCCACHE|DISTCC|MESON|BAZEL',
    'DOCKER|PODMAN|CONTAINER|BUILDAH|COMPOSE|BUILDKIT|LIBVIRT|TF_|TERRAFORM|HELM',
    'AWS|AZURE|GOOGLE|GCLOUD|CLOUDSDK|BOTO',
    'SUDO|DOAS|PAGER|MAN|LESS|FZF|TMUX|SCREEN|TERM_PROGRAM|XDG|GTK|QT|GIO|GDB|DEBUGINFOD|STARSHIP|DIRENV|ASDF|MISE|NIX|BREW|HOMEBREW|GUIX|SNAP|FLATPAK',
    'HERMES',
  ].join('|')})(?:_|[A-Z0-9]|[a-z]|$)`,
);

interface Value {
  readonly text: string;
  readonly end: number;
}

/** Quoted and bare pieces up to the end of the line. */
function readValue(text: string, start: number): Value | undefined {
  const pieces: string[] = [];
  const piece = /"((?:[^"\\]|\\[\s\S])*)"|\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|\\([^\n])|([^"'\\$\n]+)/y;
  let at = start;
  while (at < text.length && text[at] !== '\n') {
    piece.lastIndex = at;
    const [whole, double, ansi, single, escaped, bare] = piece.exec(text) ?? [];
    if (whole === undefined) return undefined;
    if (double !== undefined)
      pieces.push(double.replaceAll(/\\(\n|[$`"\\])/g, (_all, kept: string) => (kept === '\n' ? '' : kept)));
    else if (ansi !== undefined) pieces.push(readAnsi(ansi));
    else pieces.push(single ?? escaped ?? bare ?? '');
    at += whole.length;
  }
  return { text: pieces.join(''), end: at };
}

const ansiLetters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** `$'…'`: bytes are written as octal numbers. */
function readAnsi(text: string): string {
  const bytes: Buffer[] = [];
  for (const [, octal, hex, letter, plain] of text.matchAll(
    /\\([0-7]{1,3})|\\x([0-9a-fA-F]{1,2})|\\([\s\S])|([^\\]+)/g,
  )) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]));
    else if (hex !== undefined) bytes.push(Buffer.from([Number.parseInt(hex, 16)]));
    else bytes.push(Buffer.from(letter === undefined ? (plain ?? '') : (ansiLetters[letter] ?? letter)));
  }
  return Buffer.concat(bytes).toString('utf8');
}

function nextLine(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found === -1 ? text.length : found + 1;
}
