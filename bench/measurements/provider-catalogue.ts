/** What knowing every provider adds to a start. */
import { bundle } from '../parts/bundle.ts';
import type { Measurement } from '../parts/measurement.ts';
import { inMs, median } from '../parts/statistics.ts';

const rounds = 15;

export const providerCatalogue: Measurement = {
  name: 'provider-catalogue',
  async measure() {
    using built = await bundle('./src/providers/catalogue.ts');
    const script = `
      const startedAt = performance.now();
      const { providerCatalogue } = await import(${JSON.stringify(built.address)});
      console.log(JSON.stringify([performance.now() - startedAt, providerCatalogue.length]));`;
    const times: number[] = [];
    let providers = 0;
    const [first] = await runs();
    for (let round = 0; round < rounds; round += 1) {
      const [ms, count] = await runs();
      times.push(ms);
      providers = count;
    }
    if (providers < 30) throw new Error(`only ${providers} providers were found`);
    const detail = `${providers} providers; not compiled yet ${inMs(first)}`;
    return [{ what: 'import of the provider catalogue', value: median(times), unit: 'ms', mark: 10, detail }];

    async function runs(): Promise<[number, number]> {
      return (await built.run(script)) as [number, number];
    }
  },
};
