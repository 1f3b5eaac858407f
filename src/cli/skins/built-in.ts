/** The skins that come along, under the names that the original has. */
import { plainSkin, type Skin, type SkinColors } from './skin.ts';

interface Look {
  readonly description: string;
  readonly colors: SkinColors;
  readonly promptSymbol?: string;
  readonly goodbye?: string;
  readonly thinkingVerbs?: readonly string[];
}

const looks: Readonly<Record<string, Look>> = {
  ares: {
    description: 'War: crimson and bronze',
    colors: { accent: '#d64550', good: '#b8863b', warning: '#e0a030', bad: '#ff5c5c', quiet: '#9a7b6a' },
    promptSymbol: '⚔',
    goodbye: 'The field is yours. ⚔',
    thinkingVerbs: ['drawing up the line', 'scouting', 'sharpening', 'holding the pass'],
  },
  mono: {
    description: 'Greys alone',
    colors: { accent: '#f0f0f0', good: '#c8c8c8', warning: '#d8d8d8', bad: '#ffffff', quiet: '#8a8a8a' },
  },
  slate: {
    description: 'Cool blue, for long days of code',
    colors: { accent: '#7aa2d6', good: '#7fb88f', warning: '#d6b06a', bad: '#d97a7a', quiet: '#7d8896' },
  },
  daylight: {
    description: 'For light terminals: dark text, blue marks',
    colors: { accent: '#0b5cad', good: '#1b7a34', warning: '#8a5a00', bad: '#b3261e', quiet: '#5c6670' },
  },
  'warm-lightmode': {
    description: 'For light terminals: brown and gold',
    colors: { accent: '#8a4b08', good: '#4c6b1f', warning: '#9c5b00', bad: '#a32a1a', quiet: '#7a6652' },
  },
  poseidon: {
    description: 'Sea: deep blue and foam',
    colors: { accent: '#3aa6c9', good: '#5fd3b0', warning: '#e3c77b', bad: '#f07a6a', quiet: '#6d93a8' },
    promptSymbol: '⚓',
    goodbye: 'Fair winds. ⚓',
    thinkingVerbs: ['sounding the deep', 'reading the tide', 'hauling in', 'trimming sail'],
  },
  sisyphus: {
    description: 'Austere grey, and on it goes',
    colors: { accent: '#d0d0c8', good: '#a9b0a0', warning: '#c4b38a', bad: '#c98f88', quiet: '#85857d' },
    promptSymbol: '◌',
    goodbye: 'Until the next slope. ◌',
    thinkingVerbs: ['pushing', 'pushing on', 'nearly at the top', 'walking back down'],
  },
  charizard: {
    description: 'Fire: burnt orange and ember',
    colors: { accent: '#ff8c3b', good: '#f2c14e', warning: '#ffb347', bad: '#ff4d3d', quiet: '#a8745a' },
    goodbye: 'The embers keep. 🔥',
    thinkingVerbs: ['kindling', 'stoking', 'catching fire', 'rising on warm air'],
  },
};

export const builtInSkins: readonly Skin[] = [
  plainSkin,
  ...Object.entries(looks).map(([name, look]): Skin => ({ ...plainSkin, name, ...look })),
];
