/**
 * Warnings about files of one volume that come to lie over, or inside, one another.
 *
 * In Kubernetes: warningsForOverlappingVirtualPaths, pkg/api/pod.
 */
import { stringAt, type JsonObject } from '../../../json/json.ts';
import { goQuote } from '../../../json/go-format.ts';
import { isMissing, objectsAt } from '../../rules/value-validation.ts';
import { PairBudget } from '../placement/pair-budget.ts';
import { presentAt } from '../pod-rules.ts';

interface PlacedFile {
  readonly path: string;
  /** '' where the whole volume is of one. */
  readonly source: string;
}

export function overlapWarnings(spec: JsonObject): readonly string[] {
  const budget = new PairBudget();
  return objectsAt(spec, 'volumes').flatMap((volume) => {
    const within = (source: string, files: readonly PlacedFile[]): readonly string[] =>
      overlaps(files, budget).map((overlap) => overlapIn(volume, source, overlap));
    const configMap = presentAt(volume, 'configMap');
    const secret = presentAt(volume, 'secret');
    const sources = objectsAt(presentAt(volume, 'projected'), 'sources');
    const empty = sources.filter((source) => Object.values(source).every(isMissing));
    const name = goQuote(stringAt(volume, 'name'));
    return [
      ...within(`ConfigMap ${goQuote(stringAt(configMap, 'name'))}`, filesOf(configMap, '')),
      ...within(`Secret ${goQuote(stringAt(secret, 'secretName'))}`, filesOf(secret, '')),
      ...within('DownwardAPI', filesOf(presentAt(volume, 'downwardAPI'), '')),
      ...empty.map(() => `volume ${name} (Projected) has no sources provided`),
      ...within('Projected', sources.flatMap(filesOfSource)),
    ];
  });
}

function filesOfSource(source: JsonObject): readonly PlacedFile[] {
  const [configMap, secret] = [presentAt(source, 'configMap'), presentAt(source, 'secret')];
  const downward = presentAt(source, 'downwardAPI');
  const named = (from: JsonObject): string => goQuote(stringAt(from, 'name'));
  if (hasItems(configMap)) return filesOf(configMap, `ConfigMap ${named(configMap)}`);
  if (hasItems(secret)) return filesOf(secret, `Secret ${named(secret)}`);
  if (hasItems(downward)) return filesOf(downward, 'DownwardAPI');
  const token = presentAt(source, 'serviceAccountToken');
  if (token !== undefined)
    return [{ path: stringAt(token, 'path'), source: 'ServiceAccountToken' }];
  const bundle = presentAt(source, 'clusterTrustBundle');
  if (bundle !== undefined) {
    const name = bundle['name'] ?? bundle['signerName'];
    const shown = goQuote(typeof name === 'string' ? name : '');
    return [{ path: stringAt(bundle, 'path'), source: `ClusterTrustBundle ${shown}` }];
  }
  return filesOfCertificate(presentAt(source, 'podCertificate'));
}

const CERTIFICATE_FILES = [
  ['certificateChainPath', 'PodCertificate chain'],
  ['keyPath', 'PodCertificate key'],
  ['credentialBundlePath', 'PodCertificate credential bundle'],
] as const;

function filesOfCertificate(certificate: JsonObject | undefined): readonly PlacedFile[] {
  return CERTIFICATE_FILES.map(([key, source]) => ({
    path: stringAt(certificate, key),
    source,
  })).filter(({ path }) => path !== '');
}

function hasItems(source: JsonObject | undefined): source is JsonObject {
  return !isMissing(source?.['items']);
}

function filesOf(source: JsonObject | undefined, shown: string): readonly PlacedFile[] {
  return objectsAt(source, 'items').map((item) => ({
    path: stringAt(item, 'path'),
    source: shown,
  }));
}

/** Each file with each before it that it meets, as messages show the two. */
function overlaps(files: readonly PlacedFile[], budget: PairBudget): readonly string[] {
  const trimmed = files
    .map(({ path, source }) => ({ path: withoutEndSlashes(path), source }))
    .filter(({ path }) => path !== '');
  return trimmed.flatMap((file, index) =>
    trimmed
      .slice(0, budget.take(index))
      .filter((other) => isAtOrBelow(other.path, file.path) || isAtOrBelow(file.path, other.path))
      .map((other) => `${shownFile(file)} with ${shownFile(other)}`),
  );
}

function isAtOrBelow(path: string, other: string): boolean {
  return path.startsWith(other) && (path.length === other.length || path[other.length] === '/');
}

function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

function shownFile({ path, source }: PlacedFile): string {
  return source === '' ? goQuote(path) : `${goQuote(path)} (${source})`;
}

function overlapIn(volume: JsonObject, source: string, overlap: string): string {
  const name = goQuote(stringAt(volume, 'name'));
  return `volume ${name} (${source}): overlapping paths: ${overlap}`;
}
