/** Language servers of functional languages. */
import type { LanguageServer } from '../language-server.ts';

export const functionalServers: readonly LanguageServer[] = [
  {
    id: 'ocaml-lsp',
    languages: { '.ml': 'ocaml', '.mli': 'ocaml.interface' },
    roots: ['dune-workspace', 'dune-project', '.merlin', 'opam'],
    programs: ['ocamllsp'],
    install: { by: 'hand', how: 'opam install ocaml-lsp-server' },
  },
  {
    id: 'haskell-language-server',
    languages: { '.hs': 'haskell', '.lhs': 'haskell' },
    roots: ['hie.yaml', 'stack.yaml', 'cabal.project', 'package.yaml'],
    programs: ['haskell-language-server-wrapper', 'haskell-language-server'],
    args: ['--lsp'],
    install: { by: 'hand', how: 'ghcup install hls' },
  },
  {
    id: 'clojure-lsp',
    languages: { '.clj': 'clojure', '.cljs': 'clojure', '.cljc': 'clojure', '.edn': 'clojure' },
    roots: ['deps.edn', 'project.clj', 'shadow-cljs.edn', 'bb.edn', 'build.boot'],
    programs: ['clojure-lsp'],
    args: ['listen'],
    install: { by: 'hand', how: 'see https://clojure-lsp.io/installation/' },
  },
  {
    id: 'nixd',
    languages: { '.nix': 'nix' },
    roots: ['flake.nix'],
    programs: ['nixd'],
    install: { by: 'hand', how: 'nix profile install nixpkgs#nixd' },
  },
  {
    id: 'gleam',
    languages: { '.gleam': 'gleam' },
    roots: ['gleam.toml'],
    programs: ['gleam'],
    args: ['lsp'],
    install: { by: 'hand', how: 'it is part of Gleam: https://gleam.run/getting-started/installing/' },
  },
  {
    id: 'elixir-ls',
    languages: { '.ex': 'elixir', '.exs': 'elixir', '.heex': 'phoenix-heex' },
    roots: ['mix.exs'],
    programs: ['elixir-ls', 'language_server.sh'],
    install: { by: 'hand', how: 'see https://github.com/elixir-lsp/elixir-ls' },
  },
];
