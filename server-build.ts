/** How the server is bundled: for dist/, and by tests that build it otherwise to see what happens. */
import { join } from 'node:path';

const here = (path: string): string => join(import.meta.dirname, path);

const COMMON = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  alias: {
    rxjs: here('node_modules/rxjs/dist/esm/index.js'),
    tslib: here('node_modules/tslib/tslib.es6.mjs'),
  },
} as const;

/** Native modules, packages that load files of their own, and those that few servers need. */
const EXTERNAL: string[] = [
  ...['lmdb', 'msgpackr', 'kafkajs', 'undici'],
  ...['@grpc/grpc-js', '@opentelemetry/*'],
];

/** The program: one file with the packages of every start, whose compiled code can be kept as a whole. */
export const PROGRAM_BUILD = {
  ...COMMON,
  entryPoints: { program: here('gateway/commands/program.ts') },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  external: EXTERNAL,
  mainFields: ['module', 'main'] as string[],
  conditions: ['module', 'import', 'node'] as string[],
  define: { 'import.meta.url': 'ownUrl', 'import.meta.dirname': '__dirname' },
  banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href;" },
  // Compiled code that was kept cannot import, but require.
  supported: { 'dynamic-import': false },
} as const;

/** What is run by its name, and loads the program. */
export const LAUNCHER_BUILD = {
  ...COMMON,
  entryPoints: {
    everwatch: here('gateway/commands/main.ts'),
    'envtest-shared': here('gateway/commands/envtest/shared/shared-main.ts'),
  },
  format: 'esm',
} as const;

/** What the server has a thread do. */
export const THREADS_BUILD = {
  ...COMMON,
  entryPoints: {
    'heads-thread': here('streams/embedded/heads-thread.ts'),
  },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
} as const;

/** The programs that suites start. CommonJS, which Node begins to run 10 ms sooner. */
export const STAND_IN_BUILD = {
  ...COMMON,
  entryPoints: {
    'envtest-etcd': here('gateway/commands/envtest/etcd-main.ts'),
    'envtest-snapshot': here('gateway/commands/envtest/snapshot-main.ts'),
    'envtest-kube-apiserver': here('gateway/commands/envtest/kube-apiserver-main.ts'),
  },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.dirname': '__dirname' },
} as const;
