/** Programs described as data: their options, what happens to their operands, and their sub-commands. */
import type { Field } from '../commands/fields.ts';
import type { SimpleCommand } from '../commands/simple-command.ts';
import { asks, isProgramFinding, type ProgramFindingKey } from './findings.ts';
import { hostContact } from './hosts.ts';
import type { Contact, KnownCall, Program } from './known.ts';
import { type Arguments, type OptionStyle, OptionTable, readArguments } from './options.ts';

/**
 * Options by what they do. Those that are not listed make the call unknown, and so those that run a program, read commands
 * or settings from a file, or change the root are just left out.
 */
interface OptionLists {
  /** Options that change only what is read, computed or printed. The syntax is that of {@link OptionTable.add}. */
  readonly plain?: string;
  /** Options whose value is a file or folder that is written. */
  readonly writes?: string;
  /** Options with which the operands are changed. */
  readonly edits?: string;
  /** Options whose value is an address or host. */
  readonly contacts?: string;
  /** Options whose value, or the file of that name, is sent to where the call talks to. */
  readonly sends?: string;
  /** Options that always ask, also when the rest of the call is not known, and abbreviated. */
  readonly asks?: { readonly [key in ProgramFindingKey]?: string };
  readonly style?: OptionStyle;
}

/** One program or sub-command. */
export interface Shape extends OptionLists {
  /**
   * `read` (default) files or plain words; `none`: there must be none; `rest written`: all but the first; `hosts`:
   * addresses that are talked to.
   */
  readonly operands?: 'read' | 'none' | 'written' | 'last written' | 'rest written' | 'hosts';
  /** Options stand in front of the operands only. */
  readonly optionsFirst?: true;
  /** The call as a whole asks. */
  readonly ask?: ProgramFindingKey;
  /** Whatever its options are, it writes, runs and sends nothing: words that are only known later do no harm. */
  readonly inert?: true;
  readonly place?: KnownCall['place'];
  /** A host that it always talks to. */
  readonly host?: string;
  readonly commands?: Readonly<Record<string, Shape>>;
  /** What a sub-command that is not listed asks; without it such a call is unknown. */
  readonly otherwise?: ProgramFindingKey;
  /** Without a sub-command it does something: unknown. */
  readonly bare?: 'unknown';
  /** A last look, for what a description cannot say. `undefined` makes the call unknown. */
  readonly check?: (known: KnownCall, args: Arguments, call: SimpleCommand) => KnownCall | undefined;
}

/** Of the words behind an unknown option so many are looked at. */
const maxHidden = 8;

/** `names` divided by blanks. */
export function describe(names: string, shape: Shape): Program {
  let known: ShapeReader | undefined;
  return {
    names: names.split(' '),
    know: (call) => {
      known ??= new ShapeReader(shape);
      return known.know(call, call.args);
    },
  };
}

/** Shapes of several sub-commands that are alike, by names divided by blanks. */
export function all(names: string, shape: Shape): Readonly<Record<string, Shape>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, shape]));
}

/** Never throws, and answers the same for the same call: {@link Program.know} for one shape. */
class ShapeReader {
  readonly #shape: Shape;
  readonly #table: OptionTable;
  readonly #commands = new Map<string, ShapeReader>();

  constructor(shape: Shape, parent?: OptionTable) {
    this.#shape = shape;
    this.#table = new OptionTable(shape.style ?? parent?.style ?? 'gnu', parent);
    this.#table.add({ kind: 'plain' }, shape.plain);
    this.#table.add({ kind: 'writes' }, shape.writes);
    this.#table.add({ kind: 'edits' }, shape.edits);
    this.#table.add({ kind: 'contacts' }, shape.contacts);
    this.#table.add({ kind: 'sends' }, shape.sends);
    for (const [key, spec] of Object.entries(shape.asks ?? {})) this.#table.add({ kind: 'asks', key }, spec);
  }

  know(call: SimpleCommand, words: readonly Field[], before: readonly Arguments[] = []): KnownCall | undefined {
    const { commands } = this.#shape;
    const args = readArguments(words, this.#table, this.#afterOperand());
    const read = [...before, args];
    if (commands === undefined) return this.#answer(call, read, args);
    const [operand] = args.operands;
    if (operand === undefined) return this.#shape.bare === 'unknown' ? undefined : this.#answer(call, read, args);
    const next = this.#command(operand.text);
    const known = next?.know(call, words.slice(args.firstOperand + 1), read);
    if (known !== undefined && known.findings.length > 0) return known;
    const hidden = args.strange ? this.#hiddenCommand(call, words, args.firstOperand + 1) : undefined;
    if (hidden !== undefined || next !== undefined) return hidden ?? known;
    const key = this.#shape.otherwise;
    return this.#asked(read, key === undefined ? [] : [key]);
  }

  /** A sub-command that asks, behind an option nobody knows, which may have taken a word for its value. */
  #hiddenCommand(call: SimpleCommand, words: readonly Field[], from: number): KnownCall | undefined {
    for (let index = from; index < Math.min(words.length, from + maxHidden); index++) {
      const known = this.#command(words[index]?.text ?? '')?.know(call, words.slice(index + 1));
      if (known !== undefined && known.findings.length > 0) return known;
    }
    return undefined;
  }

  #afterOperand(): 'options' | 'operands' | 'command' {
    if (this.#shape.commands !== undefined) return 'command';
    return this.#shape.optionsFirst === true ? 'operands' : 'options';
  }

  #command(name: string): ShapeReader | undefined {
    const shape = this.#shape.commands;
    if (shape === undefined || !Object.hasOwn(shape, name)) return undefined;
    const known = this.#commands.get(name) ?? new ShapeReader(shape[name] ?? {}, this.#table);
    this.#commands.set(name, known);
    return known;
  }

  /** A call that asks, whatever else it does; undefined when nothing of it asks. */
  #asked(read: readonly Arguments[], more: readonly string[] = []): KnownCall | undefined {
    const keys = new Set([...read.flatMap((args) => args.asks), ...more]);
    const findings = [...keys].filter(isProgramFinding).map(asks);
    return findings.length === 0 ? undefined : { place: 'outside', writes: [], contacts: [], findings };
  }

  #answer(call: SimpleCommand, read: readonly Arguments[], args: Arguments): KnownCall | undefined {
    const { ask, inert, check, operands } = this.#shape;
    const computed = inert !== true && read.some((part) => part.mayHoldOptions);
    // A word that may turn out to be such an option is asked about like it.
    const hidden = computed ? this.#table.askedBy('-') : [];
    const asked = this.#asked(read, [...(ask === undefined ? [] : [ask]), ...hidden]);
    const effects = this.#effects(read, args);
    const known = { ...effects, place: asked?.place ?? effects.place, findings: asked?.findings ?? [] };
    const answer = check === undefined ? known : (check(known, args, call) ?? asked);
    if (answer === undefined || answer.findings.length > 0) return answer;
    // Whatever a check makes of the rest: an option nobody knows may do anything.
    const unclear = computed || read.some((part) => part.strange);
    return unclear || (operands === 'none' && args.operands.length > 0) ? undefined : answer;
  }

  #effects(read: readonly Arguments[], args: Arguments): KnownCall {
    const { operands, place, host } = this.#shape;
    const given = read.flatMap((part) => part.given);
    const valuesOf = (kind: string): string[] =>
      given.flatMap(({ option, value }) => (option.effect.kind === kind && value !== undefined ? [value] : []));
    const edits = given.some(({ option }) => option.effect.kind === 'edits');
    const texts = args.operands.map((field) => field.text);
    const sends: Contact['sends'] = given.some(({ option }) => option.effect.kind === 'sends') ? 'data' : 'request';
    const hosts = [...valuesOf('contacts'), ...(operands === 'hosts' ? texts : [])];
    return {
      place: place ?? 'anywhere',
      writes: [...valuesOf('writes'), ...writtenOperands(operands, texts, edits)],
      contacts: [...(host === undefined ? [] : [{ host, sends }]), ...hosts.map((text) => hostContact(text, sends))],
      findings: [],
    };
  }
}

function writtenOperands(operands: Shape['operands'], texts: readonly string[], edits: boolean): readonly string[] {
  if (edits || operands === 'written') return texts;
  if (operands === 'last written') return texts.slice(-1);
  return operands === 'rest written' ? texts.slice(1) : [];
}
