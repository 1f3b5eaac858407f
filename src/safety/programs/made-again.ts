/** Folders and files that a program makes again: nobody loses work with them. */
import { UNKNOWN } from '../commands/fields.ts';

const folders = new Set(
  [
    'node_modules dist build out target coverage htmlcov .cache __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox',
    '.venv venv .next .nuxt .output .turbo .parcel-cache .svelte-kit .vite .angular .gradle .eggs .nyc_output',
    'storybook-static bazel-out obj DerivedData .dart_tool .swc .rollup.cache .eslintcache .stylelintcache .tsbuildinfo',
    'tmp temp .tmp logs cmake-build-debug cmake-build-release CMakeFiles _build .serverless .docusaurus test-results',
    'playwright-report .hypothesis .ipynb_checkpoints wheelhouse .phpunit.cache lib-cov public/build .astro .expo',
  ]
    .join(' ')
    .split(' '),
);
const files =
  /^(?:\.coverage|coverage\.xml|npm-debug\.log|tsconfig\.tsbuildinfo|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Cargo\.lock|\.DS_Store|Thumbs\.db)$|\.(?:pyc|pyo|o|obj|class|log|tmp|bak|swp|tsbuildinfo|egg-info)$/;
/** Names that people give to folders with work in them, too: only they themselves may go. */
const shared = /^(?:tmp|temp|logs|build|out|target|obj|coverage)$/;

/**
 * True for a path within the working folder whose last part is such a name, or that lies in such a folder. False for
 * anything that leads upward or elsewhere, and for names nobody knows yet.
 */
export function canBeMadeAgain(text: string): boolean {
  if (text.includes(UNKNOWN)) return false;
  if (/^[/~-]/.test(text)) return isTemporary(text);
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0 || parts.includes('..')) return false;
  if (parts.slice(0, -1).some((part) => folders.has(part) && !shared.test(part))) return true;
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  return folders.has(last) || files.test(last) || folders.has(first);
}

/** A named thing in a folder for temporary files. */
function isTemporary(text: string): boolean {
  return /^(?:\/tmp|\/var\/tmp|\/private\/tmp|\/dev\/shm)\/[^*?[/]/.test(text) && !text.split('/').includes('..');
}
