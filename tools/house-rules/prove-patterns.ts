/**
 * Proves every pattern of the server that is not proved yet, and writes the list. With `--all` what it has
 * is proved again, too.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHouse } from './house.ts';
import { PROVED_FILE, provedPatterns } from './linear-patterns.ts';
import { runArguments } from '../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: { all: { type: 'boolean', default: false } },
});
const house = readHouse(join(import.meta.dirname, '../..'));
writeFileSync(PROVED_FILE, provedPatterns(house, !values.all));
