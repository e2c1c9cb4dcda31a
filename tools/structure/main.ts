/**
 * `npx tsx tools/structure/main.ts [--only-sources] [DIRECTORY…]`: a table of what the sources look like, one column
 * for each tree, this one by default. Another commit is laid beside it by
 * `git archive COMMIT | tar x -C DIRECTORY`, and a link to `node_modules` in there.
 *
 * Without `--only-sources` the server of each tree is started, and how many files a PUT and the event of a watch
 * cross is counted in it.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { readHouse } from '../house-rules/house.ts';
import { pathFigures } from './path-figures.ts';
import { houseFigures } from './house-figures.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'only-sources': { type: 'boolean', default: false } },
});
const roots = (positionals.length === 0 ? ['.'] : positionals).map((one) => resolve(one));
const columns = [];
for (const root of roots) {
  const figures = [...houseFigures(readHouse(root))];
  if (!values['only-sources']) figures.push(...(await pathFigures(root)));
  columns.push(new Map(figures.map(({ name, value }) => [name, value])));
}
console.log(`| | ${positionals.join(' | ')} |\n|---|${'--:|'.repeat(columns.length)}`);
for (const name of columns[0]?.keys() ?? []) {
  console.log(`| ${name} | ${columns.map((one) => one.get(name) ?? '').join(' | ')} |`);
}
