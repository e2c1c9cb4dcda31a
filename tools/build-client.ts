/**
 * Builds the client library, `everwatch/client`, into dist/client: a bundle for Node and one for browsers,
 * in which rxjs and ws stay packages of their own, `everwatch/envtest` beside them, and the declarations of all that
 * they name.
 */
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const ENTRIES = ['node', 'browser'].map((name) => join(ROOT, `gateway/client/${name}.ts`));
/** Of `everwatch/envtest`, for Node alone. */
const ENVTEST = join(ROOT, 'gateway/client/envtest.ts');

/** How it is bundled. */
export const CLIENT_BUILD: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  external: ['rxjs', 'ws'],
};

/** Writes `node.js`, `browser.js` and the declarations into `folder`. */
export async function buildClient(folder: string): Promise<void> {
  const common = { ...CLIENT_BUILD, outdir: folder, logLevel: 'warning' } as const;
  await build({ ...common, entryPoints: ENTRIES });
  await build({ ...common, entryPoints: [ENVTEST], platform: 'node' });
  writeDeclarations(folder);
}

/** They lie as the sources do, since the types of the kinds are among them. */
function writeDeclarations(folder: string): void {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as {
    readonly config: { readonly compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const program = ts.createProgram([...ENTRIES, ENVTEST], {
    ...options,
    declaration: true,
    emitDeclarationOnly: true,
    noCheck: true,
    noEmit: false,
    outDir: folder,
  });
  const { diagnostics } = program.emit(undefined, (path, text) => {
    // A reader of declarations looks for x.d.ts where an import names x.js.
    ts.sys.writeFile(path, text.replace(/(from |import\()(['"]\.[^'"]*)\.ts(['"])/g, '$1$2.js$3'));
  });
  const [first] = diagnostics;
  if (first !== undefined)
    throw new Error(ts.flattenDiagnosticMessageText(first.messageText, '\n'));
}
