/**
 * Warnings about files of one volume that come to lie over, or inside, one another.
 *
 * In Kubernetes: warningsForOverlappingVirtualPaths, pkg/api/pod.
 */
import { items } from '../../../json/go-values.ts';
import type {
  PodSpec,
  DownwardAPIVolumeSource,
  Volume,
  VolumeProjection,
  PodCertificateProjection,
  ConfigMapProjection,
  SecretProjection,
  DownwardAPIProjection,
} from '../../../generated/kinds/core-v1.ts';
import { type JsonObject } from '../../../json/json.ts';
import { goQuote } from '../../../json/go-format.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { PairBudget } from '../placement/pair-budget.ts';

interface PlacedFile {
  readonly path: string;
  /** '' where the whole volume is of one. */
  readonly source: string;
}

export function overlapWarnings(spec: PodSpec): readonly string[] {
  const budget = new PairBudget();
  return items(spec.volumes).flatMap((volume) => {
    const within = (source: string, files: readonly PlacedFile[]): readonly string[] =>
      overlaps(files, budget).map((overlap) => overlapIn(volume, source, overlap));
    const configMap = volume.configMap;
    const secret = volume.secret;
    const sources = items(volume.projected?.sources);
    const empty = sources.filter((source) => Object.values(source).every(isMissing));
    const name = goQuote(volume.name);
    return [
      ...within(`ConfigMap ${goQuote(configMap?.name ?? '')}`, filesOf(configMap, '')),
      ...within(`Secret ${goQuote(secret?.secretName ?? '')}`, filesOf(secret, '')),
      ...within('DownwardAPI', filesOf(volume.downwardAPI, '')),
      ...empty.map(() => `volume ${name} (Projected) has no sources provided`),
      ...within('Projected', sources.flatMap(filesOfSource)),
    ];
  });
}

function filesOfSource(source: VolumeProjection): readonly PlacedFile[] {
  const [configMap, secret] = [source.configMap, source.secret];
  const downward = source.downwardAPI;
  const named = (from: ConfigMapProjection | SecretProjection): string => goQuote(from.name ?? '');
  if (hasItems(configMap)) return filesOf(configMap, `ConfigMap ${named(configMap)}`);
  if (hasItems(secret)) return filesOf(secret, `Secret ${named(secret)}`);
  if (hasItems(downward)) return filesOf(downward, 'DownwardAPI');
  const token = source.serviceAccountToken;
  if (token !== undefined) return [{ path: token.path, source: 'ServiceAccountToken' }];
  const bundle = source.clusterTrustBundle;
  if (bundle !== undefined) {
    const name = bundle.name ?? bundle.signerName;
    const shown = goQuote(typeof name === 'string' ? name : '');
    return [{ path: bundle.path, source: `ClusterTrustBundle ${shown}` }];
  }
  return filesOfCertificate(source.podCertificate);
}

const CERTIFICATE_FILES = [
  ['certificateChainPath', 'PodCertificate chain'],
  ['keyPath', 'PodCertificate key'],
  ['credentialBundlePath', 'PodCertificate credential bundle'],
] as const;

function filesOfCertificate(
  certificate: PodCertificateProjection | undefined,
): readonly PlacedFile[] {
  return CERTIFICATE_FILES.map(([key, source]) => ({
    path: certificate?.[key] ?? '',
    source,
  })).filter(({ path }) => path !== '');
}

function hasItems(
  source: ConfigMapProjection | SecretProjection | DownwardAPIProjection | undefined,
): source is JsonObject {
  return !isMissing(source?.items);
}

function filesOf(
  source: DownwardAPIVolumeSource | undefined,
  shown: string,
): readonly PlacedFile[] {
  return items(source?.items).map((item) => ({
    path: item.path,
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

function overlapIn(volume: Volume, source: string, overlap: string): string {
  const name = goQuote(volume.name);
  return `volume ${name} (${source}): overlapping paths: ${overlap}`;
}
