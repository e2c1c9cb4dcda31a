/**
 * `npx tsx tools/structure/main.ts [--only-sources] [DIRECTORY…]`: a table of what the sources look like, one column
 * for each tree, this one by default. Another commit is laid beside it by
 * `git archive COMMIT | tar x -C DIRECTORY`, and a link to `node_modules` in there.
 *
 * Without `--only-sources` the server of each tree is started, and how many files a PUT and the event of a watch
 * cross is counted in it. With `--paths` the files of a PUT and its turns back are shown instead, the most frequent first.
 */
import { resolve } from 'node:path';

import { readHouse } from '../house-rules/house.ts';
import { pathFigures, pathsOf } from './path-figures.ts';
import { houseFigures } from './house-figures.ts';
import { runArguments } from '../../run-arguments.ts';

const { values, positionals } = runArguments(import.meta.filename, {
  allowPositionals: true,
  options: {
    'only-sources': { type: 'boolean', default: false },
    paths: { type: 'boolean', default: false },
  },
});
const roots = (positionals.length === 0 ? ['.'] : positionals).map((one) => resolve(one));
if (values.paths) {
  for (const root of roots) {
    const { put } = await pathsOf(root);
    for (const counts of [put.entered, put.back]) {
      const shown = Object.entries(counts).sort(([, one], [, other]) => other - one);
      console.log(shown.map(([name, count]) => `${String(count)} ${name}`).join('\n'), '\n');
    }
  }
  process.exit(0);
}
const columns = [];
for (const root of roots) {
  const figures = [...houseFigures(readHouse(root))];
  if (!values['only-sources']) figures.push(...pathFigures(await pathsOf(root)));
  columns.push(new Map(figures.map(({ name, value }) => [name, value])));
}
console.log(`| | ${positionals.join(' | ')} |\n|---|${'--:|'.repeat(columns.length)}`);
for (const name of columns[0]?.keys() ?? []) {
  console.log(`| ${name} | ${columns.map((one) => one.get(name) ?? '').join(' | ')} |`);
}
