/**
 * Counters in the product's own code, so that the fuzzer sees which way an input went. Istanbul
 * finds the functions and branches; what it writes for each is replaced by one byte of an array,
 * because its own counters, in objects behind a function, make the code several times slower.
 *
 * A file is instrumented once and its counters get their numbers in each bundle anew.
 */
import { readFileSync } from 'node:fs';
import { transformSync, type Plugin } from 'esbuild';
import { createInstrumenter } from 'istanbul-lib-instrument';

/** Where the counters are, in the bundle: see {@link COUNTERS_BANNER}. */
const COUNTERS = '$edges';
const COUNTERS_MAX = 1 << 18;

/** Opens the bundle. */
export const COUNTERS_BANNER = `const ${COUNTERS} = (globalThis.everwatchEdges = new Uint8Array(${String(COUNTERS_MAX)}));`;

/** One counter of a file, before it has its number in a bundle. */
const PLACE = '@@edge@@';
const ISTANBUL_START = /^(?:"use strict";)?\s*function (cov_\w+)\(\) \{[\s\S]*?\n\}\n\1\(\);\n/;

const STATEMENT_COUNTERS = /cov_\w+\(\)\.s\[\d+\]\+\+/g;

/** Opens a bundle that counts all its work in one number. */
export const WORK_BANNER = 'const $work = (globalThis.everwatchWork = new Float64Array(1));';
const WORK = '$work[0]';

/** A loop over the keys of an object, which lists them all before the first one. */
const KEYS_LOOP = /^(\s*for \((?:const|let|var) \w+ in )(.*)(\) \{)$/gm;
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
        const code = withIstanbul(path, {
          edit,
          supported: listed === undefined ? undefined : WITHOUT_SPREAD,
        });
        const counted = code
          .replaceAll(STATEMENT_COUNTERS, `${WORK}++`)
          .replaceAll(OTHER_COUNTERS, WORK);
        const contents =
          listed === undefined ? counted : counted.replaceAll(KEYS_LOOP, `$1${listed}($2)$3`);
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
  return withIstanbul(path).replaceAll(STATEMENT_COUNTERS, '0').replaceAll(OTHER_COUNTERS, PLACE);
}

const OTHER_COUNTERS = /cov_\w+\(\)\.(?:b\[\d+\]\[\d+\]|f\[\d+\])/g;

type Supported = Record<string, boolean>;

/** The code with Istanbul's counters, and without the object in which they count. */
function withIstanbul(
  path: string,
  { edit, supported }: { edit?: SourceEdit | undefined; supported?: Supported | undefined } = {},
): string {
  const given = readFileSync(path, 'utf8');
  const source = edit?.(path, given) ?? given;
  const loader = path.endsWith('ts') ? 'ts' : 'js';
  const { code } = transformSync(source, {
    loader,
    target: 'node20',
    sourcefile: path,
    ...(supported && { supported }),
  });
  const instrumenter = createInstrumenter({ esModules: true, compact: false });
  const counted = instrumenter.instrumentSync(code, path);
  const name = ISTANBUL_START.exec(counted)?.[1];
  if (name === undefined) throw new Error(`${path}: Istanbul's counters begin in another way`);
  return counted.replace(ISTANBUL_START, '');
}
