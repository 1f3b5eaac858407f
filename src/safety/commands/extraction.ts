/** Where archive tools unpack: an archive decides by itself which files it writes there. */
import { hasLong, hasShort, operandsOf, optionValue, type SimpleCommand } from './simple-command.ts';

/** The folder that the call unpacks into, as the arguments name it; `undefined` when it unpacks nothing. */
export function extractionFolder(command: SimpleCommand): string | undefined {
  const texts = command.args.map((field) => field.text);
  switch (command.name) {
    case 'tar':
    case 'gtar':
    case 'bsdtar':
      return tarFolder(command, texts);
    case 'unzip':
      return hasShort(command, 'lvtzZp') ? undefined : (optionValue(command, 'd', '') ?? '.');
    case 'cpio':
      return hasShort(command, 'i') || hasLong(command, 'extract')
        ? (optionValue(command, 'D', 'directory') ?? '.')
        : undefined;
    case 'pax':
      return hasShort(command, 'r') ? '.' : undefined;
    case '7z':
    case '7za':
    case '7zr':
      return /^[xe]$/.test(texts[0] ?? '') ? (texts.find((text) => /^-o./.test(text))?.slice(2) ?? '.') : undefined;
    case 'unrar':
      return /^[xe]$/.test(texts[0] ?? '') ? (operandsOf(command)[2]?.text ?? '.') : undefined;
    case 'dpkg':
    case 'dpkg-deb':
      return /^(?:-x|-X|--extract|--vextract)$/.test(texts[0] ?? '') ? texts[2] : undefined;
    default:
      return pythonFolder(command.name, texts);
  }
}

function tarFolder(command: SimpleCommand, texts: readonly string[]): string | undefined {
  const [cluster = ''] = texts;
  const isOldStyle = /^[a-zA-Z]+$/.test(cluster);
  const extracts = isOldStyle
    ? cluster.includes('x')
    : hasShort(command, 'x') || hasLong(command, 'extract') || hasLong(command, 'get');
  if (!extracts) return undefined;
  return (isOldStyle ? bundledFolder(cluster, texts) : undefined) ?? optionValue(command, 'C', 'directory') ?? '.';
}

/** `tar xCf /srv a.tar`: values follow in the order of their letters. */
function bundledFolder(cluster: string, texts: readonly string[]): string | undefined {
  const valued = cluster.split('').filter((letter) => 'bCfgIKLNTVX'.includes(letter));
  const at = valued.indexOf('C');
  return at === -1 ? undefined : texts[1 + at];
}

/** `python -m zipfile -e a.zip folder` */
function pythonFolder(name: string, texts: readonly string[]): string | undefined {
  const module = texts[texts.indexOf('-m') + 1] ?? '';
  if (!/^(?:python|pypy)/.test(name) || !/^(?:zipfile|tarfile)$/.test(module)) return undefined;
  const at = texts.findIndex((text) => text === '-e' || text === '--extract');
  return at === -1 ? undefined : (texts[at + 2] ?? '.');
}
