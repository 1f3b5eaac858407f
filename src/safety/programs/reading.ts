/** Programs that read files and print: no option of theirs writes, runs or sends anything. */
import { describe } from './describe.ts';
import type { Program } from './known.ts';

export const reading: readonly Program[] = [
  describe('cat tac nl', {
    inert: true,
    plain:
      '-AbeEnstTuvr -s= -b= -d= -f= -h= -i= -l= -n= -v= -w= --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank --show-nonprinting',
  }),
  describe('head tail', {
    inert: true,
    plain:
      '-0123456789qvzfFr -n= -c= -s= --lines= --bytes= --quiet --silent --verbose --zero-terminated --follow? --pid= --retry --sleep-interval=',
  }),
  describe('ls dir vdir ll', {
    inert: true,
    plain:
      '-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1@eOW -I= -T= -w= --all --almost-all --author --block-size= --color? --classify? --directory --full-time --group-directories-first --human-readable --si --hide= --hyperlink? --indicator-style= --inode --ignore= --no-group --numeric-uid-gid --quoting-style= --recursive --reverse --size --sort= --time= --time-style= --width= --zero --file-type --literal --dereference --ignore-backups --format=',
  }),
  describe('wc', {
    inert: true,
    plain: '-cmlLw --bytes --chars --lines --words --max-line-length --total= --files0-from=',
  }),
  describe('cut paste join comm column fold fmt expand unexpand rev', {
    inert: true,
    plain:
      '-123aeinsturxz -b= -c= -d= -f= -j= -o= -t= -w= -N= -p= -l= -T= -H= -R= -O= -g= --bytes= --characters= --delimiter= --delimiters= --fields= --complement --output-delimiter= --only-delimited --zero-terminated --serial --tabs= --initial --width= --separator= --table --table-columns= --check-order --nocheck-order --header --ignore-case --spaces --total',
  }),
  describe('tr', {
    inert: true,
    plain: '-cCdst --complement --delete --squeeze-repeats --truncate-set1',
  }),
  describe('od hexdump hd', {
    inert: true,
    plain:
      '-abcdfhilosxvC -A= -j= -N= -S? -t= -w? -n= --address-radix= --skip-bytes= --read-bytes= --format= --width? --canonical --length= --skip= --no-squeezing',
  }),
  describe('strings', {
    // Of `@list` it takes its operands from a file: https://sourceware.org/binutils/docs/binutils/strings.html
    check: (known, { operands }) => (operands.some(({ text }) => text.startsWith('@')) ? undefined : known),
    plain:
      '-afow0123456789 -n= -t= -e= -T= -s= --all --print-file-name --bytes= --radix= --encoding= --include-all-whitespace',
  }),
  describe('md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5', {
    inert: true,
    plain:
      '-bctwzrsq -a= -l= -A= --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --algorithm= --length= --raw --base64 --untagged',
  }),
  describe('base64 base32 basenc', {
    inert: true,
    plain: '-dDi -w= -b= --decode --ignore-garbage --wrap= --base64 --base64url --base32 --base16 --z85',
  }),
  describe('diff cmp', {
    plain:
      '-0123456789abBcdeEilnNpPqrstTuvwyZ -C= -F= -I= -L= -U= -W= -x= -X= -S= -D= -i? --brief --report-identical-files --recursive --new-file --unified? --context? --ignore-case --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-trailing-space --ignore-matching-lines= --color? --exclude= --exclude-from= --label= --side-by-side --suppress-common-lines --width= --text --strip-trailing-cr --no-dereference --minimal --speed-large-files --bytes= --print-bytes --silent --quiet --verbose --normal --show-c-function --starting-file= --from-file= --to-file= --palette= --tabsize= --expand-tabs --initial-tab --left-column --line-format= --unidirectional-new-file --horizon-lines= --ignore-initial= --ignore-tab-expansion --show-function-line=',
    inert: true,
  }),
  describe('stat file readlink realpath basename dirname', {
    inert: true,
    plain:
      '-bcefhiklLmnNprstvxz0qEIP -c= -f= -F= -t= -s= -m= --format= --printf= --file-system --dereference --terse --brief --mime --mime-type --mime-encoding --no-pad --print0 --raw --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --zero --relative-to= --relative-base= --strip --no-symlinks --quiet --logical --physical --suffix= --multiple --extension --keep-going --separator= --uncompress',
    // `file -C` compiles a magic file, and `-f` shows the lines of a file as names; `stat -c` takes its format from the next word.
    check: (known, _args, { name, args }) =>
      name === 'file' && args.some(({ text }) => /^-(?!-)\w*[mzZCf]/.test(text)) ? undefined : known,
  }),
  describe('du df', {
    inert: true,
    plain:
      '-0abcDhHiklLmPsSTvxagn -B= -d= -t= -x -X= -I= --all --apparent-size --block-size= --bytes --total --max-depth= --human-readable --si --summarize --time? --exclude= --exclude-from= --threshold= --one-file-system --separate-dirs --inodes --local --no-sync --sync --output? --portability --type= --exclude-type= --print-type --null --count-links --dereference',
  }),
  describe('tree', {
    // Left out: -R writes a file in every folder.
    plain:
      '-aACdDfFghilnNpQrstuvxSUcJX -I= -L= -P= -H= -T= --charset= --dirsfirst --du --filelimit= --gitignore --noreport --prune --matchdirs --ignore-case --si --sort= --timefmt= --inodes --device --filesfirst --metafirst --fromfile --info',
    writes: '-o=',
  }),
  describe('xxd', {
    plain: '-abeiEpdu -c= -g= -l= -s= -o= -n= -R=',
    // Behind the first operand everything is the name of a file that is written, also `-g`.
    optionsFirst: true,
    operands: 'rest written',
  }),
  describe('seq yes factor numfmt tsort shuf', {
    plain:
      '-wz -f= -s= -i= -n= -e -r -h --equal-width --format= --separator= --echo --head-count= --input-range= --repeat --zero-terminated --from= --to= --suffix= --padding= --round= --field= --delimiter= --header? --invalid= --grouping',
    writes: '--output=',
  }),
  describe('uniq', {
    plain:
      '-cdDiuz0123456789 -f= -s= -w= --count --repeated --all-repeated? --ignore-case --unique --zero-terminated --skip-fields= --skip-chars= --check-chars= --group?',
    operands: 'rest written',
  }),
  describe('sort', {
    // Left out: --compress-program runs one, --files0-from reads names, --random-source any file.
    plain:
      '-bdfgiMhnRrVcCmsuz -k= -t= -S= --key= --field-separator= --buffer-size= --parallel= --numeric-sort --reverse --unique --version-sort --human-numeric-sort --general-numeric-sort --month-sort --random-sort --ignore-case --ignore-leading-blanks --dictionary-order --check? --stable --merge --zero-terminated --debug --sort= --batch-size=',
    writes: '-o= -T= --output= --temporary-directory=',
  }),
  describe('jq gojq jaq', {
    // Left out: -f and -L bring programs nobody has read. The language of jq reads files at most.
    inert: true,
    plain:
      '-acCeghjMnrRsS0 --arg= --argjson= --slurpfile= --rawfile= --tab --indent= --raw-output --raw-output0 --raw-input --compact-output --null-input --exit-status --slurp --sort-keys --color-output --monochrome-output --ascii-output --join-output --seq --stream --args --jsonargs --unbuffered',
    check: (known, { operands }) => (operands.some(({ text }) => bringsFiles(text)) ? undefined : known),
  }),
  describe('yq', {
    // Left out: -s writes a file for every part.
    plain:
      '-eCMnNrSPy0 -o= -p= -I= --output-format= --input-format= --no-colors --colors --exit-status --null-input --no-doc --prettyPrint --indent= --unwrapScalar --raw-output --yaml-output --compact-output -c',
    edits: '-i --inplace',
    check: (known, { operands }) =>
      operands.some(({ text }) => /\bsystem\b/.test(text) || bringsFiles(text)) ? undefined : known,
  }),
  describe('grep egrep fgrep pcregrep ggrep', {
    inert: true,
    plain:
      '-abcEFGhHiIlLnoPqrRsTUvVwxyzZ0123456789u -A= -B= -C= -D= -d= -e= -f= -m= --color? --colour? --context= --after-context= --before-context= --count --regexp= --file= --files-with-matches --files-without-match --ignore-case --no-ignore-case --include= --include-dir= --exclude= --exclude-dir= --exclude-from= --invert-match --line-number --line-buffered --max-count= --no-filename --no-messages --only-matching --perl-regexp --extended-regexp --fixed-strings --basic-regexp --quiet --silent --recursive --dereference-recursive --text --with-filename --word-regexp --line-regexp --null --null-data --binary-files= --label= --byte-offset --initial-tab --binary --directories= --devices=',
  }),
  describe('rg ripgrep', {
    // Left out: --pre and --hostname-bin run a program, --search-zip runs unpackers, --config is read from a variable.
    plain:
      '-abcFhHiIlLnNoPpqsSUuvVwx.0 -A= -B= -C= -d= -e= -f= -g= -j= -m= -M= -r= -t= -T= -E= --after-context= --before-context= --context= --color= --colors= --count --count-matches --crlf --debug --trace --encoding= --files --files-with-matches --files-without-match --file= --fixed-strings --follow --glob= --iglob= --glob-case-insensitive --heading --no-heading --hidden --no-hidden --ignore-case --ignore-file= --invert-match --json --line-number --no-line-number --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= --maxdepth= --max-filesize= --multiline --multiline-dotall --no-config --no-filename --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-messages --no-mmap --null --null-data --one-file-system --only-matching --passthru --path-separator= --pcre2 --pretty --quiet --regexp= --replace= --search-binary --smart-case --sort= --sortr= --stats --text --threads= --trim --type= --type-not= --type-list --type-add= --unrestricted --vimgrep --with-filename --word-regexp --case-sensitive --column --byte-offset --binary --no-unicode --auto-hybrid-regex --engine= --include-zero --line-buffered',
  }),
  describe('ag', {
    plain:
      '-aAcCfgGhHiIlLnoQrRsSuvwz0 -m= --hidden --ignore= --ignore-dir= --nocolor --color --nogroup --group --literal --depth= --stats --files-with-matches --smart-case --ignore-case --numbers',
  }),
  describe('zcat gzcat bzcat xzcat zstdcat lzcat', { inert: true, plain: '-fqvkdc --force --quiet --verbose' }),
];

/** Whether an expression may read files that no other word of the call names. */
function bringsFiles(expression: string): boolean {
  return /\b(?:import|include|load\w*|eval)\b/.test(expression);
}
