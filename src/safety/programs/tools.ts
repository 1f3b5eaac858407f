/** Compilers, checkers, interpreters and converters, as far as they run nothing that a project names. */
import { UNKNOWN } from '../commands/fields.ts';
import type { SimpleCommand } from '../commands/simple-command.ts';
import { describe } from './describe.ts';
import { asks } from './findings.ts';
import { type KnownCall, looksOnly, type Program } from './known.ts';

const versionWords = /^(?:-v|-V|-VV|--version|-version|version|--help|-h)$/;

/** Everything but their version is unknown: a script does what it does. */
const onlyVersions =
  'node nodejs deno python python2 python3 python3.10 python3.11 python3.12 python3.13 pypy3 ruby perl php lua luajit java javac kotlinc scala ghc rustc gcc g++ clang clang++ cc tsc ts-node tsx esbuild vite webpack rollup eslint prettier biome jest vitest mocha pytest mypy ruff black flake8 pylint cmake make gmake ninja meson bazel swift swiftc xcodebuild flutter dart elixir mix erl zig nim ocaml julia R Rscript npx pnpx bunx uvx pre-commit tox nox just task rake code cursor subl vim vi nvim nano emacs ed ex ffmpeg ffprobe magick convert identify pandoc tesseract gnuplot dot inkscape soffice libreoffice wkhtmltopdf gs pdftotext pdfinfo openssl nginx httpd apachectl protoc buf shellcheck hadolint tflint golangci-lint staticcheck gofmt rustfmt clippy-driver';

export const tools: readonly Program[] = [
  // The first that knows a call decides.
  { names: ['python', 'python3'], know: knowPython },
  { names: ['ffprobe', 'identify', 'pdfinfo', 'pdftotext', 'shellcheck', 'gofmt'], know: knowReader },
  { names: ['openssl'], know: knowOpenssl },
  { names: ['gdb', 'lldb', 'strace', 'ltrace', 'dtrace', 'perf', 'ptrace', 'gcore'], know: knowTracer },
  ...onlyVersions.split(' ').map((name) => ({ names: [name], know: knowVersion })),
  describe('protoc-gen tokei cloc scc loc', {
    plain:
      '-fsev --files --by-file --exclude-dir= --include-lang= --vcs= --json --sort= --format= --hidden --quiet --md --csv',
    place: 'sandbox',
  }),
  describe('sum', { inert: true }),
];

function knowVersion({ args, stdin, pipedFrom }: SimpleCommand): KnownCall | undefined {
  const only = args.length === 1 && versionWords.test(args[0]?.text ?? '');
  // Which one it is may stand in a file of the folder (`rust-toolchain.toml`, `.tool-versions`).
  return only && stdin === undefined && pipedFrom.length === 0 ? { ...looksOnly, place: 'sandbox' } : undefined;
}

/** `python -m json.tool` reads and prints; with -m the working folder is looked into first, and so it is contained. */
function knowPython(call: SimpleCommand): KnownCall | undefined {
  const texts = call.args.map(({ text }) => text);
  const tool = texts[0] === '-m' && texts[1] === 'json.tool' && texts.slice(2).every((text) => !text.includes(UNKNOWN));
  if (!tool) return knowVersion(call);
  const files = texts.slice(2).filter((text) => !text.startsWith('-'));
  return { ...looksOnly, place: 'sandbox', writes: files.slice(1) };
}

function knowReader(call: SimpleCommand): KnownCall | undefined {
  const texts = call.args.map(({ text }) => text);
  const plain =
    /^-(?:v|hide_banner|show_(?:format|streams)|of|print_format|i|verbose|format|layout|s|f|S|l|d|enc|nopgbrk|raw|x|e|o)$/;
  const names = call.args.every(
    (field) => !field.splits && !field.text.startsWith(UNKNOWN) && !(field.globs && /^[*?[]/.test(field.text)),
  );
  if (!names) return undefined;
  switch (call.name) {
    case 'ffprobe':
      // An address is fetched.
      return texts.every((text) => (plain.test(text) || !text.startsWith('-')) && !/^\w+:/.test(text))
        ? looksOnly
        : undefined;
    case 'gofmt':
      return texts.every((text) => /^-[lds]$/.test(text) || !text.startsWith('-')) ? looksOnly : undefined;
    case 'pdftotext': {
      const operands = texts.filter((text) => !text.startsWith('-'));
      const known = texts.every(
        (text) => /^-(?:layout|raw|nopgbrk|enc|q)$/.test(text) || !text.startsWith('-') || text === '-',
      );
      const [from, to] = operands;
      if (!known || from === undefined) return undefined;
      return { ...looksOnly, writes: texts.at(-1) === '-' ? [] : [to ?? from.replace(/\.pdf$/i, '.txt')] };
    }
    case 'pdfinfo':
    case 'shellcheck':
      return texts.every(
        (text) => !text.startsWith('-') || /^-(?:x|f|s|e|S)$|^--(?:severity|shell|format|exclude)=\w+/.test(text),
      )
        ? looksOnly
        : undefined;
    default:
      // ImageMagick reads scripts, addresses and `|` by what stands in front of a colon.
      return texts.every((text) => !/^[-@|]|:/.test(text) || text === '-verbose') ? looksOnly : undefined;
  }
}

function knowOpenssl({ args }: SimpleCommand): KnownCall | undefined {
  const [verb = '', ...rest] = args.map(({ text }) => text);
  if (args.some(({ splits, text }) => splits || text.startsWith(UNKNOWN))) return undefined;
  const output = rest.flatMap((text, index) => (rest[index - 1] === '-out' ? [text] : []));
  if (verb === 'version') return looksOnly;
  if (verb === 'rand')
    return rest.every((text) => /^(?:-hex|-base64|-out|\d+)$/.test(text) || output.includes(text))
      ? { ...looksOnly, writes: output }
      : undefined;
  if (/^(?:dgst|sha256|sha1|md5)$/.test(verb))
    return rest.every((text) => !text.startsWith('-') || /^-(?:sha\d+|md5|r|hex|binary|c)$/.test(text))
      ? looksOnly
      : undefined;
  if (verb === 'x509')
    return rest.every(
      (text) =>
        !text.startsWith('-') ||
        /^-(?:in|noout|text|subject|issuer|dates|enddate|startdate|serial|fingerprint|sha256|inform|purpose|ext)$/.test(
          text,
        ),
    )
      ? looksOnly
      : undefined;
  return undefined;
}

/** They reach into other processes, ours among them. */
function knowTracer({ args }: SimpleCommand): KnownCall | undefined {
  const attaches = args.some(({ text }) => /^(?:-p|--pid|--attach|-p\d+|attach|record|\d+)/.test(text));
  return attaches
    ? { ...looksOnly, place: 'outside', findings: [asks('stops processes it did not start')] }
    : undefined;
}
