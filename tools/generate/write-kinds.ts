/** `npm run generate:kinds`: writes the declarations of the kinds anew from the committed facts. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { DECLARATIONS, kindDeclarations } from './kind-declarations.ts';
import { runArguments } from '../../run-arguments.ts';

runArguments(import.meta.filename, {});

rmSync(DECLARATIONS, { recursive: true, force: true });
mkdirSync(DECLARATIONS, { recursive: true });
for (const [name, text] of kindDeclarations()) writeFileSync(new URL(name, DECLARATIONS), text);
