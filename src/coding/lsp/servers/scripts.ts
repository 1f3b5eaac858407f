/** Language servers of languages that are run as they are written. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageServer, ServerPlace } from '../language-server.ts';

export const scriptServers: readonly LanguageServer[] = [
  {
    id: 'pyright',
    languages: { '.py': 'python', '.pyi': 'python' },
    roots: ['pyrightconfig.json', 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile'],
    programs: ['pyright-langserver', 'basedpyright-langserver'],
    args: ['--stdio'],
    install: { by: 'npm', packages: ['pyright'] },
    settings: (place) => ({ python: { analysis: { extraPaths: packagesOf(place) } } }),
  },
  {
    id: 'bash-language-server',
    languages: { '.sh': 'shellscript', '.bash': 'shellscript' },
    roots: [],
    programs: ['bash-language-server'],
    args: ['start'],
    install: { by: 'npm', packages: ['bash-language-server'] },
    // Its errors are those of ShellCheck.
    needsMore: true,
  },
  {
    id: 'lua-language-server',
    languages: { '.lua': 'lua' },
    roots: ['.luarc.json', '.luarc.jsonc', '.stylua.toml'],
    programs: ['lua-language-server'],
    install: { by: 'hand', how: 'see https://luals.github.io/#install' },
  },
  {
    id: 'intelephense',
    languages: { '.php': 'php' },
    roots: ['composer.json'],
    programs: ['intelephense'],
    args: ['--stdio'],
    install: { by: 'npm', packages: ['intelephense'] },
  },
  {
    id: 'julia',
    languages: { '.jl': 'julia' },
    roots: ['Project.toml', 'JuliaProject.toml'],
    programs: ['julia'],
    args: ['--startup-file=no', '--history-file=no', '-e', 'using LanguageServer; runserver()'],
    install: { by: 'hand', how: `julia -e 'using Pkg; Pkg.add("LanguageServer")'` },
  },
  {
    id: 'powershell',
    languages: { '.ps1': 'powershell', '.psm1': 'powershell', '.psd1': 'powershell' },
    roots: [],
    programs: ['powershell-editor-services'],
    args: ['-Stdio'],
    install: {
      by: 'hand',
      how: 'unpack PowerShellEditorServices and set lsp.servers.powershell.command to the line that starts it with -Stdio',
    },
  },
];

/** What a virtual environment of the project holds. Its interpreter is not run to find out. */
function packagesOf({ root }: ServerPlace): string[] {
  return ['.venv', 'venv'].flatMap((name) =>
    globSync('lib/python3*/site-packages', { cwd: join(root, name) }).map((path) => join(root, name, path)),
  );
}
