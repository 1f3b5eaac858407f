/** Everyday commands: removing what can be made again. */
import type { EverydayClass } from '../corpus.ts';

export const removingWhatCanBeMadeAgai: EverydayClass = {
  name: 'removing what can be made again',
  commands: [
    'rm -rf node_modules',
    'rm -rf dist',
    'rm -rf dist build',
    'rm -r coverage',
    'rm -rf .cache .next',
    'rm -rf __pycache__',
    'rm -rf target',
    'rm -rf ./build',
    'rm -rf packages/a/node_modules',
    'rm -rf .pytest_cache .mypy_cache',
    'rm -rf node_modules package-lock.json',
    'rm -rf node_modules && npm install',
    'rm -rf /tmp/test-x',
    'rm -f *.log',
    'rm -f *.pyc',
    'rm -rf out',
    'rm -rf .venv',
    'rm -rf .turbo',
    "find . -name '*.pyc' -delete",
    "find . -name '*.log' -delete",
    'find . -name __pycache__ -exec rm -rf {} +',
    'find . -type d -empty -delete',
    'find . -name .DS_Store -delete',
    'find /tmp/x -type f -delete',
    'rm -rf dist/*',
    'rm -f tsconfig.tsbuildinfo',
  ],
};
