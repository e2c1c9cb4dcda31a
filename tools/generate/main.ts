/**
 * Writes the facts of the built-in types and resources anew from the Go modules:
 * `npm run generate`. A developer's command; nothing of it runs at install.
 */
import { writeFileSync } from 'node:fs';
import { formatResources, generateResources } from './resources.ts';
import { generateTypes } from './built-in-types.ts';
import { runArguments } from '../../run-arguments.ts';

runArguments(import.meta.filename, {});

const generated = new URL('../../api/generated/', import.meta.url);
writeFileSync(new URL('types.json', generated), generateTypes());
writeFileSync(new URL('resources.json', generated), formatResources(generateResources()));
