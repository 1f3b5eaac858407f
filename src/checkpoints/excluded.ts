/** What no checkpoint holds: what can be made again, what is too large to be worth it, and what holds secrets. */
export const excludedPatterns: readonly string[] = `
  node_modules/ vendor/ bower_components/ .venv/ venv/ env/ site-packages/ dist/
  build/ target/ out/ .next/ .nuxt/ .turbo/ coverage/ __pycache__/
  *.py[cod] *.class *.o *.a *.so *.dylib *.dll *.exe
  *.wasm *.zip *.tar *.tar.* *.tgz *.gz *.bz2 *.xz
  *.7z *.rar *.jar *.iso *.mp4 *.mov *.avi *.mkv
  *.webm .env .env.* .envrc .cache/ .pytest_cache/ .mypy_cache/ .ruff_cache/
  .tox/ .nox/ .gradle/ .parcel-cache/ .worktrees/ *.log logs/ .git/
  .hg/ .svn/ .jj/ .DS_Store`
  .trim()
  .split(/\s+/);
