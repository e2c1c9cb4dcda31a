/**
 * `crossings.ts ENTRY serve …` runs a server from its sources, which tell which function of which file runs. SIGUSR2
 * writes what was counted since the last one to the file of EVERWATCH_CROSSINGS, as JSON.
 */
import { writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { CrossingCount } from './crossing-count.ts';

const count = new CrossingCount();
Object.assign(globalThis, {
  $crossed: (file: string) => {
    count.crossed(file);
  },
  $left: () => {
    count.left();
  },
});
process.on('SIGUSR2', () => {
  writeFileSync(process.env['EVERWATCH_CROSSINGS'] ?? '', JSON.stringify(count.taken()));
});

register('./traced-sources.ts', import.meta.url);
const [entry = ''] = process.argv.splice(2, 1);
/** What trees export that have a launcher in front of the program; in others the entry runs by itself. */
interface Entry {
  readonly runProcess?: (argv: readonly string[], calledAs: string) => Promise<void>;
}
const { runProcess } = (await import(pathToFileURL(resolve(entry)).href)) as Entry;
await runProcess?.(process.argv.slice(2), 'everwatch');
