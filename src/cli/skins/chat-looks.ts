/** The looks of a chat: which skin it wears, and which there are. */
import type { Looks, SkinRow } from '../../commands/own-machine.ts';
import { UserError } from '../../lib/errors.ts';
import { oneLine } from '../render/terminal-text.ts';
import { builtInSkins } from './built-in.ts';
import { plainSkin, type Skin } from './skin.ts';
import { findSkin, ownSkinNames } from './skin-files.ts';
import type { SkinPalette } from './skin-palette.ts';

export class ChatLooks implements Looks {
  readonly palette: SkinPalette;
  readonly #homePath: string;
  #skin: Skin = plainSkin;
  /** Called when another skin is worn. */
  onChange: () => void = () => undefined;

  constructor(homePath: string, palette: SkinPalette) {
    this.#homePath = homePath;
    this.palette = palette;
  }

  get skin(): Skin {
    return this.#skin;
  }

  get current(): string {
    return this.#skin.name;
  }

  get helpHeader(): string {
    return oneLine(this.#skin.helpHeader, 80);
  }

  async list(): Promise<readonly SkinRow[]> {
    const own = await ownSkinNames(this.#homePath);
    const ownRows = own.map(async (name): Promise<SkinRow> => {
      const found = await findSkin(this.#homePath, name, []);
      return { name, description: found?.description ?? '', own: true };
    });
    const others = builtInSkins.filter(({ name }) => !own.includes(name));
    return [
      ...others.map(({ name, description }) => ({ name, description, own: false })),
      ...(await Promise.all(ownRows)),
    ];
  }

  async wear(name: string): Promise<readonly string[]> {
    const warnings: string[] = [];
    const skin = await findSkin(this.#homePath, name, warnings);
    if (skin === undefined) {
      const names = (await this.list()).map((row) => row.name).sort();
      throw new UserError(`There is no skin '${name.slice(0, 60)}'.`, { hint: `There are: ${names.join(', ')}` });
    }
    this.#skin = skin;
    this.palette.wear(skin);
    this.onChange();
    return warnings;
  }

  /** The background of the terminal is light. */
  setLight(isLight: boolean): void {
    if (this.palette.setLight(isLight)) this.onChange();
  }

  /** What stands in front of the input. */
  prompt(profile: string): string {
    const symbol = oneLine(this.#skin.promptSymbol, 8);
    return profile === 'default' ? `${symbol} ` : `${profile} ${symbol} `;
  }

  /** What to say while the model thinks, `ms` milliseconds into it. */
  thinking(ms: number): string {
    const turn = Math.floor(ms / thinkingMs);
    const { thinkingFaces: faces, thinkingVerbs: verbs } = this.#skin;
    const of = (words: readonly string[]): readonly string[] => words.slice(turn % (words.length || 1)).slice(0, 1);
    return [...of(faces), ...(verbs.length === 0 ? ['thinking'] : of(verbs))].join(' ');
  }
}

/** How long each word is shown. */
const thinkingMs = 3000;
