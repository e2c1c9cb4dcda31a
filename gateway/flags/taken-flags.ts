/**
 * Flags of kube-apiserver that are taken so that its manifests start this server, and that have no effect:
 * there is nothing behind them here, or what they ask for is always so. An operator is told once at the start,
 * by a warning for each reason, unless a missing effect can make no difference; `/flagz` marks all of them.
 */
import { StartupError } from '../process/startup-error.ts';
import type { Setting } from './setting.ts';
import { goBoolean, type UpstreamFlag, upstreamFlags } from './upstream-flags.ts';

interface Taken {
  /** Why they have no effect, as the end of a sentence. */
  readonly why: string;
  readonly flags: readonly string[];
  /** A cluster does not differ by them, so that no warning is due. */
  readonly isQuiet?: boolean;
}

const TAKEN: readonly Taken[] = [
  {
    why: 'there is no etcd; the log lies in --data-dir, or where --log says',
    flags: [
      ...['etcd-cafile', 'etcd-certfile', 'etcd-compaction-interval', 'etcd-keyfile'],
      ...['etcd-count-metric-poll-period', 'etcd-db-metric-poll-interval', 'etcd-prefix'],
      ...['etcd-healthcheck-timeout', 'etcd-readycheck-timeout', 'etcd-servers'],
      ...['etcd-servers-overrides', 'lease-reuse-duration-seconds', 'storage-backend'],
      ...['storage-initialization-timeout', 'storage-media-type'],
    ],
  },
  {
    why: 'kubelets are called on their secure port alone',
    flags: ['kubelet-read-only-port'],
    isQuiet: true,
  },
  {
    why: 'a kubelet may take as long to be connected with as other servers, as with kube-apiserver',
    flags: ['kubelet-timeout'],
    isQuiet: true,
  },
  {
    why: 'reads are of memory or of the log, and there is nothing to be sized',
    flags: [
      ...['watch-cache', 'watch-cache-sizes', 'default-watch-cache-size'],
      'delete-collection-workers',
    ],
    isQuiet: true,
  },
  {
    why: 'every server chooses leaders among candidates, and none of them is elected to do so',
    flags: [
      ...['coordinated-leadership-lease-duration', 'coordinated-leadership-renew-deadline'],
      'coordinated-leadership-retry-period',
    ],
    isQuiet: true,
  },
  {
    why: 'this server is one version of Kubernetes and emulates no other',
    flags: [
      ...['emulated-version', 'emulation-forward-compatible', 'min-compatibility-version'],
      'runtime-config-emulation-forward-compatible',
    ],
    isQuiet: true,
  },
  { why: 'V8 has no locks to be profiled', flags: ['contention-profiling'], isQuiet: true },
  {
    why: 'it is always so here',
    flags: ['enable-garbage-collector', 'permit-address-sharing'],
    isQuiet: true,
  },
];

/** Their settings; `/flagz`, `--help` and the configuration file know them like all others. */
export const TAKEN_SETTINGS: readonly Setting[] = TAKEN.flatMap(({ why, flags }) =>
  flags.map((flag) => takenSetting(flag, why)),
);

/** Flags that say something before, or instead of, what the sections say. */
export const OTHER_SETTINGS: readonly Setting[] = [
  {
    flag: 'version',
    placeholder: 'WHICH',
    help: 'print the version of Kubernetes that is served and end; raw shows all of it',
    takes: 'boolean',
    default: 'false',
    parse: (text) => text,
  },
  {
    flag: 'audit-webhook-batch-initial-backoff',
    placeholder: 'DURATION',
    help: 'an older name of --audit-webhook-initial-backoff',
    takes: 'text',
    default: undefined,
    parse: (text) => text,
  },
];

/** Without dashes. */
export const TAKEN_FLAGS: ReadonlySet<string> = new Set(TAKEN_SETTINGS.map(({ flag }) => flag));

function takenSetting(flag: string, why: string): Setting {
  const fact = upstreamFlags().get(flag) ?? { name: flag, type: 'string' };
  const text = { flag, placeholder: placeholderOf(fact), help: `without effect: ${why}` };
  if (fact.type === 'stringSlice') {
    const byDefault = (fact.default ?? '').replaceAll(/^\[|\]$/g, '');
    const elements = byDefault === '' ? [] : byDefault.split(',');
    return { ...text, takes: 'list', default: elements, parse: (texts) => texts };
  }
  const takes = fact.bare === undefined ? 'text' : 'boolean';
  return { ...text, takes, default: fact.default, parse: (one) => one };
}

function placeholderOf({ type }: UpstreamFlag): string {
  if (type === 'bool') return 'BOOLEAN';
  return type === 'stringSlice' ? 'LIST' : type.toUpperCase();
}

/** What the flags of a command line say: their texts, and which were given. */
export interface SaidFlags {
  /** By the names of flags without dashes, those of defaults too; lists with commas. */
  readonly texts: ReadonlyMap<string, string>;
  /** Whether the command line or the configuration file has the flag. */
  readonly isGiven: (flag: string) => boolean;
}

/** @returns a warning for each reason why flags that were given have no effect. */
export function takenWarnings({ isGiven }: SaidFlags): string[] {
  return TAKEN.filter(({ isQuiet }) => isQuiet !== true).flatMap(({ why, flags }) => {
    const given = flags.filter(isGiven).map((flag) => `--${flag}`);
    return given.length === 0 ? [] : [`without effect: ${given.join(', ')}: ${why}`];
  });
}

/** @returns what pflag prints of flags that were given and are deprecated. */
export function deprecationLines({ isGiven }: Pick<SaidFlags, 'isGiven'>): string[] {
  return [...upstreamFlags().values()].flatMap(({ name, deprecated }) =>
    deprecated !== undefined && isGiven(name)
      ? [`Flag --${name} has been deprecated, ${deprecated}`]
      : [],
  );
}

const FORWARD = [
  ['emulation-forward-compatible', 'EmulationForwardCompatible'],
  ['runtime-config-emulation-forward-compatible', 'RuntimeConfigEmulationForwardCompatible'],
] as const;
const SPOKEN = '1.36';
const OLDEST = '1.33';
const MEDIA_TYPES = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'];

/**
 * @throws StartupError where a text is no good to kube-apiserver either, or asks for a thing
 *   that cannot be here.
 */
export function checkTakenFlags({ texts }: Pick<SaidFlags, 'texts'>): void {
  const said = (flag: string): string => texts.get(flag) ?? '';
  const problem =
    storageProblem(said) ??
    versionProblem('emulated-version', said('emulated-version')) ??
    versionProblem('min-compatibility-version', said('min-compatibility-version'));
  if (problem !== undefined) throw new StartupError(problem);
  for (const [flag, option] of FORWARD) {
    if (goBoolean(said(flag)) !== true) continue;
    throw new StartupError(
      `ServerRunOptions.${option} cannot be set to true if the emulation version is the same as the binary version`,
    );
  }
  if (goBoolean(said('enable-garbage-collector')) === false) {
    throw new StartupError(
      '--enable-garbage-collector=false cannot be: finalizers of dependents are always kept; ' +
        '--controllers=*,-garbage-collector-controller leaves out the collector of this server',
    );
  }
}

function storageProblem(said: (flag: string) => string): string | undefined {
  const [backend, media] = [said('storage-backend'), said('storage-media-type')];
  if (backend !== '' && backend !== 'etcd3') {
    return "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'";
  }
  if (media === '' || MEDIA_TYPES.includes(media)) return undefined;
  return `--storage-media-type "${media}" invalid, allowed values: ${MEDIA_TYPES.join(', ')}`;
}

/** `1.36` or `kube=1.36`, several behind commas. */
function versionProblem(flag: string, text: string): string | undefined {
  const parts = text === '' ? [] : text.split(',');
  const seen = new Set<string>();
  for (const part of parts) {
    const [first = '', second] = part.split(/=(.*)/s).map((one) => one.trim());
    const [component, version] = second === undefined ? ['kube', first] : [first, second];
    const problem = componentProblem(flag, component, version);
    if (problem !== undefined) return problem;
    if (seen.has(component)) return `duplicate version flag, ${component}=${version} and ${part}`;
    seen.add(component);
  }
  return undefined;
}

function componentProblem(flag: string, component: string, text: string): string | undefined {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (major === undefined || minor === undefined) {
    return `could not parse ${JSON.stringify(text)} as version`;
  }
  const version = `${major}.${minor}`;
  if (patch !== undefined && Number(patch) !== 0) {
    return `patch version not allowed, got: ${component}=${version}.${patch}`;
  }
  if (component !== 'kube') return `component not registered: ${component}`;
  const isBetween = major === '1' && Number(minor) >= 33 && Number(minor) <= 36;
  const isEmulated = flag === 'emulated-version';
  if (!isBetween) {
    const what = isEmulated ? 'emulation version' : 'minCompatibilityVersion version';
    return `${what} ${version} is not between [${OLDEST}, ${SPOKEN}]`;
  }
  if (!isEmulated || version === SPOKEN) return undefined;
  return `--emulated-version=${text} cannot be: this server speaks Kubernetes ${SPOKEN} and emulates no other version`;
}
