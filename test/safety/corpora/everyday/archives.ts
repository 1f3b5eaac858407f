/** Everyday commands: archives. */
import type { EverydayClass } from '../corpus.ts';

export const archives: EverydayClass = {
  name: 'archives',
  commands: [
    'tar czf out.tgz src',
    'tar -czvf backup.tar.gz docs',
    'tar tf out.tgz',
    'tar tzvf out.tgz',
    'tar xzf data.tgz',
    'tar xf data.tar -C data',
    'tar -xJf data.tar.xz',
    'tar --exclude=node_modules -czf out.tgz .',
    'zip -r out.zip src',
    'zip out.zip a.txt',
    'unzip -l data.zip',
    'unzip data.zip',
    'unzip -o data.zip -d data',
    'unzip -p data.zip a.txt',
    'gzip notes.txt',
    'gzip -k notes.txt',
    'gunzip data.gz',
    'gunzip -c data.gz | head',
    'zcat data.gz | wc -l',
    'xz -d data.xz',
    'bzip2 -d data.bz2',
    'zstd data',
    '7z l data.7z',
    '7z x data.7z -odata',
    'tar c src | wc -c',
  ],
};
