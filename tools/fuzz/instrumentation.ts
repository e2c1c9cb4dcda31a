/**
 * Counters in the product's own code, so that the fuzzer sees which way an input went and the law of
 * costs how much was done.
 *
 * A file is instrumented once and its counters get their numbers in each bundle anew.
 */
import { readFileSync } from 'node:fs';
import { transformSync, type Plugin, type TransformOptions } from 'esbuild';
import { countedSource } from './counted-source.ts';

/** Where the counters are, in the bundle: see {@link COUNTERS_BANNER}. */
const COUNTERS = '$edges';
const COUNTERS_MAX = 1 << 18;

/** Opens the bundle. */
export const COUNTERS_BANNER = `const ${COUNTERS} = (globalThis.everwatchEdges = new Uint8Array(${String(COUNTERS_MAX)}));`;

/** One counter of a file, before it has its number in a bundle. */
const PLACE = '@@edge@@';
/** Opens a bundle that counts all its work in one number. */
export const WORK_BANNER = 'const $work = (globalThis.everwatchWork = new Float64Array(1));';
const WORK = '$work[0]++';

/** Copies of objects are loops over their keys then. */
const WITHOUT_SPREAD = { 'object-rest-spread': false };

const instrumented = new Map<string, readonly string[]>();

/** The source of a file of the product, as it is to be bundled. */
export type SourceEdit = (path: string, source: string) => string;

export interface Instrumentation {
  readonly plugin: Plugin;
  /** How many counters there are, once the bundle is built. */
  edges(): number;
}

/**
 * Counts each statement, branch and call of the product's own code, all together: how much work an
 * input makes, on any machine and under any load.
 *
 * @param edit what a file says instead, where a run is to be compared with another one.
 * @param listed the function to which each loop over keys hands its object, so that it counts what is
 *     listed; it stands in the banner.
 */
export function workCounting(
  isProduct: (path: string) => boolean,
  {
    edit,
    listed,
  }: { readonly edit?: SourceEdit | undefined; readonly listed?: string | undefined } = {},
): Plugin {
  return {
    name: 'work-counter',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) => {
        if (!isProduct(path)) return undefined;
        const given = readFileSync(path, 'utf8');
        const code = asJavaScript(path, edit?.(path, given) ?? given, {
          ...(listed !== undefined && { supported: WITHOUT_SPREAD }),
        });
        const contents = countedSource(code, { statement: WORK, branch: WORK, listed });
        return { contents, loader: 'js' };
      });
    },
  };
}

/** @param isProduct which files to look into, by their paths. */
export function instrumentation(isProduct: (path: string) => boolean): Instrumentation {
  let edges = 0;
  const numbered = (path: string): string => {
    const pieces = instrumented.get(path) ?? remembered(path);
    return pieces.reduce((text, piece) => {
      const counter = `${COUNTERS}[${String(edges % COUNTERS_MAX)}]`;
      edges += 1;
      return text + counter + piece;
    });
  };
  const plugin: Plugin = {
    name: 'edge-counters',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) =>
        isProduct(path) ? { contents: numbered(path), loader: 'js' } : undefined,
      );
    },
  };
  return { plugin, edges: () => edges };
}

function remembered(path: string): readonly string[] {
  const pieces = withCounters(path).split(PLACE);
  instrumented.set(path, pieces);
  return pieces;
}

function withCounters(path: string): string {
  const code = asJavaScript(path, readFileSync(path, 'utf8'));
  return countedSource(code, { branch: `${PLACE}++` });
}

function asJavaScript(path: string, source: string, options: TransformOptions = {}): string {
  const loader = path.endsWith('ts') ? 'ts' : 'js';
  return transformSync(source, { loader, target: 'node20', sourcefile: path, ...options }).code;
}
