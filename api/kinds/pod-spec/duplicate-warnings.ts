/**
 * Warnings about what stands twice in a pod or gets into the way of another part of it: ports, and
 * files of one volume that come to lie over, or inside, one another. Comparing all pairs of a long
 * list is bounded.
 *
 * In Kubernetes: warningsForPodSpecAndMeta and warningsForOverlappingVirtualPaths, pkg/api/pod.
 */
import { items } from '../../json/go-values.ts';
import { goQuote } from '../../json/go-format.ts';
import { indexPath } from '../../field/field-path.ts';
import type { PlacedContainer } from './pod-rules.ts';
import type {
  ConfigMapProjection,
  DownwardAPIProjection,
  DownwardAPIVolumeSource,
  PodCertificateProjection,
  PodSpec,
  SecretProjection,
  Volume,
  VolumeProjection,
} from '../../generated/kinds/core-v1.ts';
import type { JsonObject } from '../../json/json.ts';
import { isMissing } from '../rules/value-validation.ts';

interface PlacedPort {
  readonly field: string;
  readonly name: string;
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: string;
  readonly hostIp: string;
}

export function portWarnings(containers: readonly PlacedContainer[]): readonly string[] {
  const ports = containers.flatMap(portsOf);
  return [...placeWarnings(ports), ...nameRepeats(ports)];
}

function portsOf({ container, field }: PlacedContainer): PlacedPort[] {
  return items(container.ports).map((port, index) => ({
    field: indexPath(`${field}.ports`, index),
    name: port.name ?? '',
    hostPort: port.hostPort ?? 0,
    containerPort: port.containerPort,
    protocol: port.protocol ?? '',
    hostIp: port.hostIP ?? '',
  }));
}

function placeWarnings(ports: readonly PlacedPort[]): readonly string[] {
  const known = new Map<string, PlacedPort[]>();
  const budget = new PairBudget();
  return ports.flatMap((port) => {
    const place = `${String(port.containerPort)}/${port.protocol}`;
    const others = known.get(place) ?? [];
    known.set(place, others);
    const warnings = [
      ...(port.hostIp !== '' && port.hostPort === 0
        ? [`${port.field}: hostIP set without hostPort: ${shownPort(port)}`]
        : []),
      ...others.slice(0, budget.take(others.length)).flatMap((other) => {
        const how = clashOf(port, other);
        return how === undefined
          ? []
          : [`${port.field}: ${how} port definition with ${other.field}`];
      }),
    ];
    others.push(port);
    return warnings;
  });
}

function clashOf(port: PlacedPort, other: PlacedPort): string | undefined {
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return 'duplicate';
  if (port.hostPort === 0 || other.hostPort === 0) return 'overlapping';
  const isOneOpen = (port.hostIp === '') !== (other.hostIp === '');
  return port.hostPort === other.hostPort && isOneOpen ? 'dangerously ambiguous' : undefined;
}

function nameRepeats(ports: readonly PlacedPort[]): readonly string[] {
  const firsts = new Map<string, string>();
  return ports.flatMap(({ field, name }) => {
    if (name === '') return [];
    const first = firsts.get(name);
    if (first !== undefined) {
      const why = `services and probes that select ports by name will use ${first}`;
      return [`${field}: duplicate port name ${goQuote(name)} with ${first}, ${why}`];
    }
    firsts.set(name, field);
    return [];
  });
}

/** As Go prints the struct. */
function shownPort(port: PlacedPort): string {
  const { name, hostPort, containerPort, protocol, hostIp } = port;
  const numbers = `HostPort:${String(hostPort)} ContainerPort:${String(containerPort)}`;
  return `{Name:${name} ${numbers} Protocol:${protocol} HostIP:${hostIp}}`;
}

interface PlacedFile {
  readonly path: string;
  /** '' where the whole volume is of one. */
  readonly source: string;
}

export function overlapWarnings(spec: PodSpec): readonly string[] {
  const budget = new PairBudget();
  return items(spec.volumes).flatMap((volume) => {
    const within = (
      source: string,
      files: readonly PlacedFile[],
      before: PlacedFile[] = [],
    ): readonly string[] =>
      overlaps(files, before, budget).map((overlap) => overlapIn(volume, source, overlap));
    const configMap = volume.configMap;
    const secret = volume.secret;
    const projected: PlacedFile[] = [];
    return [
      ...within(`ConfigMap ${goQuote(configMap?.name ?? '')}`, filesOf(configMap, '')),
      ...within(`Secret ${goQuote(secret?.secretName ?? '')}`, filesOf(secret, '')),
      ...within('DownwardAPI', filesOf(volume.downwardAPI, '')),
      ...items(volume.projected?.sources).flatMap((source) =>
        Object.values(source).every(isMissing)
          ? [`volume ${goQuote(volume.name)} (Projected) has no sources provided`]
          : within('Projected', filesOfSource(source), projected),
      ),
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

/**
 * Each file with each before it that it meets, as messages show the two.
 *
 * @param before gets the files as well.
 */
function overlaps(
  files: readonly PlacedFile[],
  before: PlacedFile[],
  budget: PairBudget,
): readonly string[] {
  return files.flatMap(({ path, source }) => {
    const file = { path: withoutEndSlashes(path), source };
    if (file.path === '') return [];
    const met = before
      .slice(0, budget.take(before.length))
      .filter((other) => isAtOrBelow(other.path, file.path) || isAtOrBelow(file.path, other.path))
      .map((other) => `${shownFile(file)} with ${shownFile(other)}`);
    before.push(file);
    return met;
  });
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

/**
 * How many pairs of things in one pod are compared for warnings. All pairs of a long list are more
 * than a request may cost, and a client is told 4 KiB of warnings whatever is found.
 */
const PAIRS_MAX = 50_000;

/** What is left of it for one pod. */
class PairBudget {
  #left = PAIRS_MAX;

  /** @returns as many of `pairs` as are left. */
  take(pairs: number): number {
    const taken = Math.min(pairs, this.#left);
    this.#left -= taken;
    return taken;
  }
}
