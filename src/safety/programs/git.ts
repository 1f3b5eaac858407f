/** `git`: it runs hooks, filters and what the settings of a repository name, and so most of it belongs into a sandbox. */
import { all, describe, type Shape } from './describe.ts';
import { knowCheckout, knowConfig, knowPush, knowRemote, knowRestore, knowTransfer } from './git-checks.ts';
import type { Program } from './known.ts';

const lost = 'lost work in a git repository';

const looks: Shape = {
  place: 'sandbox',
  // Left out: --ext-diff and --textconv run programs, -O and --open-files-in-pager a pager.
  plain: [
    '-0123456789abBcCdDefFGgHhiIklLmMnopPqrRsStuUvwWxXyYz -n= -U= -S= -G= -L= -M? -C? -B? -l= -e= -A= --oneline --all --graph --stat? --numstat --shortstat --summary --name-only --name-status --patch --no-patch --raw',
    '--pretty? --format= --date= --decorate? --no-decorate --abbrev? --abbrev-commit --no-abbrev --author= --committer= --grep= --since= --until= --after= --before= --max-count= --skip= --first-parent --merges --no-merges --reverse --follow --left-right',
    '--cherry --cherry-pick --cherry-mark --topo-order --date-order --author-date-order --ancestry-path? --branches? --tags? --remotes? --cached --staged --merge-base --word-diff? --word-diff-regex= --color-words? --color? --no-color --no-renames --find-renames? --find-copies? --diff-filter= --diff-algorithm= --minimal',
    '--patience --histogram --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --unified= --inter-hunk-context= --function-context --exit-code --quiet --check --full-index --binary --text --no-ext-diff --no-textconv --src-prefix= --dst-prefix= --no-prefix --relative? --pickaxe-all --pickaxe-regex',
    '--short? --branch --porcelain? --long --verbose --untracked-files? --ignored? --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --show-stash --renames --null --others --exclude-standard --modified --deleted --stage --unmerged --others --directory --error-unmatch --full-name --eol --recurse-submodules --with-tree=',
    '--show-current --list --merged? --no-merged? --contains? --no-contains? --points-at= --sort= --count --symbolic-full-name --abbrev-ref? --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --verify --symbolic --is-shallow-repository --show-object-format',
    '--tags --always --dirty? --match= --exclude= --candidates= --exact-match --long --heads --head --hash? --dereference --show-signature --no-index --line-porcelain --incremental --root --reflog --walk-reflogs --simplify-by-decoration --full-history --objects --disk-usage --no-walk? --bisect --boundary --parents --children --left-only --right-only --summary --numbered --email --line-number --count --ignore-case --word-regexp --fixed-strings --extended-regexp --perl-regexp --files-with-matches --only-matching --show-function --heading --break --and --or --not --untracked --no-exclude-standard --max-depth= --threads= --notes? --no-notes --batch --batch-check --pretty --exists --stdin --no-filters --path= --type --size',
  ].join(' '),
};

const changes: Shape = {
  place: 'sandbox',
  plain:
    '-aAbcCdDefFhHikKlmMnNopPqrRstuUvwxXz -m= -F= -C= -S? -u? -X= -s= -U= --all --update --force --intent-to-add --dry-run --verbose --quiet --patch --interactive --message= --file= --amend --no-edit --edit --signoff --no-verify --verify --allow-empty --allow-empty-message --author= --date= --fixup= --squash= --reuse-message= --reedit-message= --reset-author --no-gpg-sign --gpg-sign? --only --include --pathspec-from-file= --cleanup= --trailer= --status --no-status --short --branch --porcelain',
};

export const git: readonly Program[] = [
  describe('git', {
    // Left out: -c, --config-env and --exec-path name programs, -C, --git-dir and --work-tree another repository.
    plain:
      '-pP --no-pager --paginate --no-optional-locks --literal-pathspecs --no-replace-objects --version --help -v -h -C=',
    commands: {
      ...all(
        'status diff log show shortlog blame annotate grep ls-files ls-tree cat-file rev-parse rev-list describe merge-base show-ref for-each-ref check-ignore check-attr count-objects name-rev whatchanged diff-tree diff-index diff-files cherry range-diff var verify-commit verify-tag show-branch merge-tree fsck',
        { ...looks, writes: '--output=' },
      ),
      help: { plain: '-a -g --all --guides', place: 'sandbox' },
      version: { plain: '--build-options' },
      ...all('add stage commit', changes),
      mv: { place: 'sandbox', plain: '-kvn --verbose --dry-run', operands: 'written' },
      rm: {
        place: 'sandbox',
        plain: '-nqr --cached --dry-run --quiet --ignore-unmatch',
        asks: { [lost]: '-f --force' },
        operands: 'written',
      },
      branch: {
        ...looks,
        plain: `${looks.plain} --move --copy --set-upstream-to= --unset-upstream --track? --no-track --create-reflog --edit-description`,
        asks: { [lost]: '-D -M -C -f --force' },
      },
      tag: {
        ...looks,
        plain: `${looks.plain} --annotate --sign --message= --file= -m= -F=`,
        asks: { [lost]: '-f -d --force --delete' },
      },
      checkout: {
        place: 'sandbox',
        plain:
          '-bqtlm2 -b= --quiet --track? --no-track --detach --orphan= --ours --theirs --merge --guess --no-guess --recurse-submodules --progress --no-progress --conflict=',
        asks: { [lost]: '-f -B --force --overwrite-ignore --ignore-other-worktrees' },
        check: knowCheckout,
      },
      switch: {
        place: 'sandbox',
        plain:
          '-cqtdm -c= --create= --quiet --track? --no-track --detach --orphan= --merge --guess --no-guess --progress --no-progress --conflict=',
        asks: { [lost]: '-f -C --force --discard-changes --force-create' },
      },
      restore: {
        place: 'sandbox',
        plain:
          '-SWqp -s= --source= --staged --worktree --quiet --patch --ours --theirs --merge --progress --no-progress --ignore-unmerged',
        check: knowRestore,
      },
      reset: {
        place: 'sandbox',
        plain: '-qNp --soft --mixed --quiet --intent-to-add --patch --keep --refresh --no-refresh',
        asks: { [lost]: '--hard --merge' },
      },
      clean: {
        place: 'sandbox',
        plain: '-dnqxX -e= --dry-run --quiet --exclude=',
        asks: { [lost]: '-f -i --force --interactive' },
        check: (known, { given }) =>
          given.some(({ option }) => option.name === '-n' || option.name === '--dry-run')
            ? { ...known, place: 'sandbox', findings: [] }
            : known,
      },
      stash: {
        place: 'sandbox',
        plain: '-kuapq -m= --include-untracked --all --keep-index --patch --quiet --staged --message=',
        commands: {
          ...all('list show', looks),
          ...all('push save pop apply branch create store', {
            place: 'sandbox',
            plain: '-kuaqpS -m= --include-untracked --all --keep-index --patch --quiet --staged --message= --index',
          }),
          ...all('drop clear', { ask: lost, plain: '-q --quiet' }),
        },
      },
      reflog: {
        ...looks,
        commands: { show: looks, exists: looks, ...all('expire delete', { ask: lost }) },
      },
      ...all('merge cherry-pick revert am apply', {
        place: 'sandbox',
        plain:
          '-enqxs3R -m= -X= -s= -p= -C= --no-commit --commit --no-ff --ff --ff-only --squash --no-squash --abort --continue --quit --skip --edit --no-edit --strategy= --strategy-option= --message= --log? --no-log --stat --no-stat --signoff --mainline= --allow-unrelated-histories --no-verify --quiet --verbose --check --index --cached --reverse --3way --reject --whitespace= --recount --include= --exclude= --directory= --keep-redundant-commits --allow-empty --autostash --no-autostash',
      }),
      rebase: {
        place: 'sandbox',
        // Left out: -x and --exec run a program at every commit.
        plain:
          '-iqvpmnk -X= -s= -C= --onto= --continue --abort --skip --quit --interactive --autosquash --no-autosquash --autostash --no-autostash --keep-base --keep-empty --rebase-merges? --root --update-refs --no-verify --verify --stat --no-stat --strategy= --strategy-option= --edit-todo --show-current-patch --empty= --fork-point --no-fork-point --committer-date-is-author-date --signoff',
      },
      'format-patch': {
        place: 'sandbox',
        plain: '-0123456789kns --stdout --cover-letter --numbered --signoff --subject-prefix= --root -v=',
        writes: '-o= --output-directory=',
      },
      archive: {
        place: 'sandbox',
        plain: '-lv -0123456789 --format= --prefix= --list --verbose --worktree-attributes',
        writes: '-o= --output=',
      },
      init: {
        place: 'sandbox',
        plain: '-q -b= --quiet --bare --initial-branch= --object-format=',
        operands: 'written',
      },
      bisect: {
        place: 'sandbox',
        commands: all('start bad good new old skip reset log visualize terms', {
          place: 'sandbox',
          plain: '-n --no-checkout --first-parent',
        }),
      },
      worktree: {
        place: 'sandbox',
        commands: {
          list: looks,
          add: {
            place: 'sandbox',
            plain: '-dq -b= --detach --checkout --no-checkout --lock --quiet --track --no-track --guess-remote',
            asks: { [lost]: '-f -B --force' },
            operands: 'written',
          },
          ...all('prune lock unlock repair move', {
            place: 'sandbox',
            plain: '-nv --dry-run --verbose --reason= --expire=',
          }),
          remove: { place: 'sandbox', asks: { [lost]: '-f --force' }, operands: 'written' },
        },
      },
      notes: {
        place: 'sandbox',
        commands: all('list show add append copy merge', {
          place: 'sandbox',
          plain: '-m= -F= -f --message= --file= --force',
        }),
      },
      submodule: {
        place: 'sandbox',
        commands: {
          ...all('status summary', looks),
          ...all('deinit foreach', { asks: { [lost]: '-f --force --all' }, check: () => undefined }),
          ...all('update init sync', {
            place: 'outside',
            plain: '-q --init --recursive --remote --depth= --jobs= -j= --quiet',
            check: () => undefined,
          }),
        },
      },
      ...all('gc maintenance repack pack-refs commit-graph', {
        place: 'sandbox',
        plain: '-adqflFAkn --auto --quiet --aggressive',
        asks: { [lost]: '--prune' },
        check: (known, { operands }) => (operands.length === 0 ? known : undefined),
      }),
      ...all('prune filter-branch filter-repo update-ref replace lost-found', { ask: lost }),
      'symbolic-ref': { ...looks, check: (known, { operands }) => (operands.length <= 1 ? known : undefined) },
      'hash-object': { place: 'sandbox', plain: '-wt -t= --stdin --path= --no-filters --literally' },
      config: {
        place: 'sandbox',
        check: knowConfig,
        plain:
          '-lz -t= --list --get --get-all --get-regexp= --get-urlmatch --show-origin --show-scope --null --name-only --type= --bool --int --path --local --worktree --default= --includes --no-includes --global --system --unset --unset-all --add --replace-all --remove-section --rename-section --edit -e',
        asks: { 'git settings that run programs': '-f --file --blob' },
      },
      remote: {
        place: 'sandbox',
        plain: '-v --verbose',
        check: knowRemote,
        commands: {
          ...all('show get-url -v', { place: 'sandbox', plain: '-n --push --all' }),
          ...all('add rename remove rm set-head prune update', {
            place: 'outside',
            plain: '-ftmnp -t= -m= --tags --no-tags --auto --delete --prune --dry-run',
            check: knowRemote,
          }),
          ...all('set-url set-branches', { ask: 'git push to another place', plain: '--push --add --delete' }),
        },
      },
      ...all('fetch pull clone ls-remote', {
        place: 'outside',
        // Left out: -u, --upload-pack and -c name programs, --template and --separate-git-dir folders with settings.
        plain:
          '-4aAqvnpPtkfhrsl -b= -o= -j= --all --prune --prune-tags --tags --no-tags --depth= --deepen= --shallow-since= --unshallow --quiet --verbose --progress --no-progress --dry-run --force --branch= --single-branch --no-single-branch --bare --mirror --no-checkout --recurse-submodules? --no-recurse-submodules --jobs= --filter= --origin= --rebase? --no-rebase --ff-only --ff --no-ff --autostash --no-autostash --no-edit --squash --no-commit --commit --stat --no-stat --set-upstream --heads --refs --symref --get-url --exit-code --sort= --shallow-submodules --sparse --no-hardlinks --no-local --ipv4 --ipv6 --atomic --keep --update-head-ok --multiple --no-write-fetch-head --allow-unrelated-histories',
        check: knowTransfer,
      }),
      push: {
        place: 'outside',
        // Left out: --receive-pack and --exec name programs.
        plain:
          '-4nquv -o= --all --branches --tags --follow-tags --set-upstream --dry-run --porcelain --quiet --verbose --progress --no-progress --no-verify --verify --atomic --no-atomic --signed? --no-signed --push-option= --thin --no-thin --ipv4 --ipv6 --recurse-submodules= --no-recurse-submodules',
        asks: { 'git force push': '-f -d --force --force-with-lease? --force-if-includes --mirror --delete --prune' },
        check: knowPush,
      },
      ...all(
        'send-email request-pull svn p4 daemon http-backend instaweb credential credential-store credential-cache',
        { ask: 'git push to another place' },
      ),
    },
  }),
];
