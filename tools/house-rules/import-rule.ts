/**
 * Which file may import which. The layers stand in a row, api ← streams ← projections ← actors ←
 * gateway, and a file imports only from its own layer and those before it; within actors/ neither the
 * filters nor the kinds know of one another. Paths are resolved, and types judged too.
 */
import { isTestSide, type House, type Import, type Source, type Violations } from './house.ts';

/** Each layer may import those before it. */
const LAYERS = ['api', 'streams', 'projections', 'actors', 'gateway'];

/** Folders that are no layers, and what each may import; '' is the root, with package.json. */
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  e2e: [...LAYERS, 'e2e', ''],
  tools: [...LAYERS, 'tools', 'bench', ''],
  bench: ['e2e', 'bench', ''],
};

/** What has to do with whole logs: the server that opens one, its flags and files, and the commands. */
const OPENS_LOGS = [
  'gateway/server/',
  'gateway/commands/',
  'gateway/flags/',
  'gateway/configuration/',
  'gateway/recorder/',
  'gateway/remote-cluster/',
];

export function importRule(house: House): Violations {
  return house.sources.flatMap((source) =>
    source.imports.flatMap((one) => {
      const why = whyNot(source, one);
      return why === undefined ? [] : [`${source.path}: imports ${one.specifier}, but ${why}`];
    }),
  );
}

function whyNot(source: Source, { target, isType }: Import): string | undefined {
  if (target === undefined) return undefined;
  const from = source.path;
  if (!/\.(?:tsx?|json)$/.test(target)) return 'imports name a .ts file';
  if (isTestSide(target) && !mayUse(from, target)) return 'that is there for tests';
  return (
    browserRule(from, target, isType) ??
    layerRule(from, target) ??
    filterRule(from, target) ??
    kindRule(from, target)
  );
}

/** Runs in browsers: the client library, which runs in Node too, and the page. */
const CLIENT = 'gateway/client/';
const PAGE = 'gateway/dashboard/';

/**
 * What runs in browsers is a layer of its own. The library is published alone, so it has nothing of ours
 * but types of api; the page has the library, and types of api; and no server has anything of the page.
 */
function browserRule(from: string, target: string, isType: boolean): string | undefined {
  const isPage = from.startsWith(PAGE);
  if (target.startsWith(PAGE) && !isPage && !from.startsWith('tools/')) {
    return 'the page runs in browsers only';
  }
  if (isTestSide(from) || (!isPage && !from.startsWith(CLIENT))) return undefined;
  if (target.startsWith(CLIENT) || (isPage && target.startsWith(PAGE))) return undefined;
  return isType && target.startsWith('api/') ? undefined : 'it runs in browsers';
}

/** The fuzzer sends its inputs where tests send theirs, and benches start the servers of tests. */
function mayUse(from: string, target: string): boolean {
  const isFuzzing = from.startsWith('tools/fuzz/') && target.endsWith('.fixture.ts');
  const isBench = from.startsWith('bench/') && target.startsWith('e2e/');
  return isTestSide(from) || isFuzzing || isBench;
}

/** Packages are made by a tool, and started by a test. */
const PACKAGE = 'tools/package-content.ts';

function layerRule(from: string, target: string): string | undefined {
  const [layer, other] = [layerOf(from), layerOf(target)];
  if (layer === other || layer === '' || target.endsWith('.fixture.ts')) return undefined;
  if (from.startsWith('e2e/deploy/') && target === PACKAGE) return undefined;
  if (!allowedFrom(layer).includes(other)) return `${layer} must not import ${other}`;
  const skipsLayers = layer === 'gateway' && other === 'streams' && !isTestSide(from);
  if (skipsLayers && !OPENS_LOGS.some((one) => from.startsWith(one)) && !isVocabulary(target)) {
    return 'only gateway/server and the commands open the log';
  }
  return undefined;
}

/** The words of the log, which every later layer speaks. */
function isVocabulary(target: string): boolean {
  return target === 'streams/event.ts' || target === 'streams/resource-version.ts';
}

function allowedFrom(layer: string): readonly string[] {
  return OUTSIDE[layer] ?? ['', ...LAYERS.slice(0, LAYERS.indexOf(layer) + 1)];
}

function layerOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
}

function filterRule(from: string, target: string): string | undefined {
  const [one, other] = [filterOf(from), filterOf(target)];
  const both = one !== undefined && other !== undefined;
  return both && one !== other ? 'filters do not know one another' : undefined;
}

/** 'cors' for actors/filters/cors.ts and its test. */
function filterOf(path: string): string | undefined {
  return /^actors\/filters\/([^/.]+)\./.exec(path)?.[1];
}

/**
 * A kind may use its own folder, what its group shares (files directly in the group's folder)
 * and what all kinds share (files directly in api/kinds, its rules, pod specs), never another
 * kind. The group's own list may import the kinds of that group.
 */
function kindRule(from: string, target: string): string | undefined {
  const [one, other] = [kindOf(from), kindOf(target)];
  if (one === undefined || other === undefined || one === other) return undefined;
  return 'kinds do not know one another; what they share lies above both';
}

/** 'core/pods' for a file of that kind. */
function kindOf(path: string): string | undefined {
  return /^api\/kinds\/(?!pod-spec\/)([^/]+\/[^/]+)\//.exec(path)?.[1];
}
