/** Whether the text of a data file can be parsed: JSON, YAML and TOML, in this process and before anything is written. */
import { errorMessage } from '../../lib/errors.ts';
import { extensionOf } from './content-kind.ts';
import type { FileProblem } from './file-access.ts';

/** Parsing happens on the one thread everything runs on; these take some tens of milliseconds. */
const maxJsonChars = 5_000_000;
const maxYamlChars = 200_000;
const maxTomlChars = 1_000_000;

export type DataSyntax =
  /** What is wrong, as the parser says it. */
  string | { readonly status: 'ok'; readonly output: '' } | { readonly status: 'skipped'; readonly message: string };

const fine: DataSyntax = { status: 'ok', output: '' };
const tooLarge: DataSyntax = { status: 'skipped', message: 'Too large to check' };

/** Files that take comments in spite of their name. */
const jsonWithComments = /(?:^|\/)(?:[jt]sconfig[^/]*|\.vscode\/[^/]+|[^/]*\.code-workspace|devcontainer)\.json$/;

/** Undefined for what is not a data file. Never throws. */
export async function dataSyntax(path: string, text: string): Promise<DataSyntax | undefined> {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  switch (extensionOf(path)) {
    case 'json':
      if (jsonWithComments.test(path)) return { status: 'skipped', message: 'This file may hold comments' };
      return plain.length > maxJsonChars ? tooLarge : parsing(() => JSON.parse(plain));
    case 'yaml':
    case 'yml':
      return plain.length > maxYamlChars ? tooLarge : await checkYaml(plain);
    case 'toml': {
      if (plain.length > maxTomlChars) return tooLarge;
      const { parse } = await import('smol-toml');
      return parsing(() => parse(plain));
    }
    default:
      return undefined;
  }
}

/** Why a data file must not become this text; undefined when nothing is against it. `path` as the model wrote it. */
export async function refusedData(path: string, text: string): Promise<FileProblem | undefined> {
  const found = await dataSyntax(path, text);
  if (typeof found !== 'string') return undefined;
  const why = found.replaceAll(/\s+/g, ' ').trim().slice(0, 300).toWellFormed();
  return {
    error: `Refusing to write '${path}': candidate content fails .${extensionOf(path)} syntax validation (${why}). Nothing was changed; correct the text and write it again.`,
  };
}

function parsing(parse: () => unknown): DataSyntax {
  try {
    parse();
    return fine;
  } catch (error) {
    return errorMessage(error);
  }
}

async function checkYaml(text: string): Promise<DataSyntax> {
  const { parseAllDocuments } = await import('yaml');
  try {
    const documents = parseAllDocuments(text);
    const errors = Array.isArray(documents) ? documents.flatMap((document) => document.errors) : [];
    return errors.length === 0 ? fine : errors.map((error) => error.message).join('\n');
  } catch (error) {
    return errorMessage(error);
  }
}
