/** Writes api/generated/types.json anew from the Go modules: `npx tsx tools/generate/main.ts`. */
import { writeFileSync } from 'node:fs';
import { generateTypes } from './types.ts';

writeFileSync(new URL('../../api/generated/types.json', import.meta.url), generateTypes());
