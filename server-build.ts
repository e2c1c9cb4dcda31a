/** How the server is bundled: for dist/, and by tests that build it otherwise to see what happens. */
import { join } from 'node:path';

export const SERVER_BUILD = {
  entryPoints: {
    everwatch: join(import.meta.dirname, 'gateway/commands/main.ts'),
    'envtest-etcd': join(import.meta.dirname, 'gateway/commands/envtest/etcd-main.ts'),
    'envtest-kube-apiserver': join(
      import.meta.dirname,
      'gateway/commands/envtest/kube-apiserver-main.ts',
    ),
  },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Native modules, and packages that load files of their own, stay where npm put them.
  packages: 'external',
  // rxjs is 240 small modules of which a few are used: bundled, it costs a start nothing that can be seen.
  alias: {
    rxjs: join(import.meta.dirname, 'node_modules/rxjs/dist/esm/index.js'),
    tslib: join(import.meta.dirname, 'node_modules/tslib/tslib.es6.mjs'),
  },
} as const;
