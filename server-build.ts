/** How the server is bundled: for dist/, and by tests that build it otherwise to see what happens. */
import { join } from 'node:path';

export const SERVER_BUILD = {
  entryPoints: { everwatch: join(import.meta.dirname, 'gateway/commands/main.ts') },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Native modules, and packages that load files of their own, stay where npm put them.
  packages: 'external',
} as const;
