/** Reads XML as it arrives. Declarations of a document type, and with them entities of its own, mean nothing here. */
import { Parser } from 'htmlparser2';

/** Names come without their prefix: which one stands for a namespace is the writer's choice. */
export interface XmlReader {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
  /** True when nothing more is wanted. */
  readonly isDone?: boolean;
}

/** No program nests that deeply. */
const maxDepth = 1000;

export async function readXml(chunks: AsyncIterable<Uint8Array>, reader: XmlReader): Promise<void> {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > maxDepth) throw new Error('its elements are nested too deeply');
        reader.open?.(localName(name), withLocalNames(attributes));
      },
      onclosetag(name) {
        depth -= 1;
        reader.close?.(localName(name));
      },
      ontext: (text) => reader.text?.(text),
    },
    { xmlMode: true, decodeEntities: true },
  );
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    parser.write(decoder.decode(chunk, { stream: true }));
    if (reader.isDone === true) return;
  }
  parser.end();
}

/** XML is UTF-8 where it does not begin with the mark of UTF-16. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function withLocalNames(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [localName(name), value]));
}
