/** Language servers of languages that are compiled. */
import type { LanguageServer } from '../language-server.ts';

export const compiledServers: readonly LanguageServer[] = [
  {
    id: 'gopls',
    languages: { '.go': 'go' },
    roots: ['go.work', 'go.mod'],
    programs: ['gopls'],
    install: { by: 'go', module: 'golang.org/x/tools/gopls@latest' },
  },
  {
    id: 'rust-analyzer',
    languages: { '.rs': 'rust' },
    roots: ['Cargo.toml'],
    programs: ['rust-analyzer'],
    install: { by: 'hand', how: 'rustup component add rust-analyzer' },
    // All three would run code of the project, and without a question.
    options: () => ({
      checkOnSave: false,
      cargo: { buildScripts: { enable: false } },
      procMacro: { enable: false },
    }),
  },
  {
    id: 'clangd',
    languages: {
      '.c': 'c',
      '.h': 'c',
      '.cc': 'cpp',
      '.cpp': 'cpp',
      '.cxx': 'cpp',
      '.hh': 'cpp',
      '.hpp': 'cpp',
      '.hxx': 'cpp',
      '.m': 'objective-c',
      '.mm': 'objective-cpp',
    },
    roots: ['compile_commands.json', 'compile_flags.txt', '.clangd', 'CMakeLists.txt', 'meson.build'],
    programs: ['clangd'],
    install: { by: 'hand', how: 'see https://clangd.llvm.org/installation (Debian: apt install clangd)' },
  },
  {
    id: 'zls',
    languages: { '.zig': 'zig', '.zon': 'zig' },
    roots: ['build.zig', 'zls.json'],
    programs: ['zls'],
    install: { by: 'hand', how: 'see https://zigtools.org/zls/install/' },
  },
  {
    id: 'dart',
    languages: { '.dart': 'dart' },
    roots: ['pubspec.yaml', 'analysis_options.yaml'],
    programs: ['dart'],
    args: ['language-server', '--client-id', 'hermes'],
    install: { by: 'hand', how: 'it is part of the Dart SDK: https://dart.dev/get-dart' },
  },
  {
    id: 'kotlin-language-server',
    languages: { '.kt': 'kotlin', '.kts': 'kotlin' },
    roots: ['settings.gradle', 'settings.gradle.kts', 'build.gradle', 'build.gradle.kts', 'pom.xml'],
    programs: ['kotlin-language-server'],
    install: { by: 'hand', how: 'see https://github.com/fwcd/kotlin-language-server' },
  },
  {
    id: 'jdtls',
    languages: { '.java': 'java' },
    roots: ['settings.gradle', 'settings.gradle.kts', 'pom.xml', 'build.gradle', 'build.gradle.kts', '.project'],
    programs: ['jdtls'],
    install: { by: 'hand', how: 'see https://github.com/eclipse-jdtls/eclipse.jdt.ls' },
  },
];
