/**
 * ServiceAccount: every pod has an identity. A pod that names no service account gets `default`,
 * what its service account says of pull secrets, and a volume with a token in each container.
 *
 * The surprise: `default` is made by a controller right behind its namespace, so a pod that comes
 * earlier waits for it a while. No other request waits meanwhile.
 *
 * In Kubernetes: plugin/pkg/admission/serviceaccount.
 */
import { items } from '../../../../api/json/go-values.ts';
import type { Pod, PodSpec, Volume } from '../../../../api/generated/kinds/core-v1.ts';
import { type AttributesOf, firstOf, stepFor } from '../../kind-steps.ts';
import { generatedName } from '../../../../api/meta/names.ts';
import { type MaybePromise, andThen } from '../../../../api/meta/maybe-promise.ts';
import { type Status, unclassifiedFailure } from '../../../../api/meta/status.ts';
import { pathOf } from '../../../../streams/event.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { TwoPhasePlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { containersOf, secretNamesOf } from '../../../../api/kinds/pod-spec/pod-parts.ts';
import { remembered } from '../../remembered.ts';
import { type Mountable, secretProblem } from './service-account-secrets.ts';

const SERVICE_ACCOUNTS = 'core/serviceaccounts';
const DEFAULT_NAME = 'default';
const MIRROR = 'kubernetes.io/config.mirror';
const ENFORCED = 'kubernetes.io/enforce-mountable-secrets';
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const VOLUME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const DEFAULT_TRIES = 10;
/** Between two looks at the default account; upstream spreads them by chance. */
const RETRY_MS = { least: 100, spread: 100 };
/** An hour, and the seconds by which upstream tells its own tokens from others. */
const TOKEN_SECONDS = 3_607;

/** What a pod needs to know of its service account. */
interface Account extends Mountable {
  readonly automount: boolean | undefined;
  readonly isEnforced: boolean;
}

type World = Pick<AdmissionWorld, 'clock' | 'random'>;

type Write = AttributesOf<Pod, 'CREATE' | 'UPDATE'>;

const accountOf = remembered('v1/serviceaccounts', (object): Account => ({
  name: object.metadata.name ?? '',
  automount: object.automountServiceAccountToken,
  secrets: items(object.secrets).map(({ name = '' }) => name),
  pullSecrets: items(object.imagePullSecrets).map(({ name = '' }) => name),
  isEnforced: TRUE.has(object.metadata.annotations?.[ENFORCED] ?? ''),
}));

export function serviceAccount(world: World): TwoPhasePlugin {
  return {
    name: 'ServiceAccount',
    mutatesAt: stepFor('v1/pods', ['CREATE'], admitting(world)),
    validatesAt: firstOf(
      stepFor('v1/pods', ['CREATE'], (write) =>
        isMirror(write.object) ? mirrorProblem(write) : accountProblem(world, write, 'pod'),
      ),
      stepFor('v1/pods/ephemeralcontainers', ['UPDATE'], (write) =>
        accountProblem(world, write, 'ephemeral'),
      ),
    ),
  };
}

function admitting(world: World) {
  return (attributes: Write): MaybePromise<Status | undefined> => {
    const { object: pod } = attributes;
    if (isMirror(pod)) return mirrorProblem(attributes);
    const { spec } = pod;
    if ((spec.serviceAccountName ?? '') === '') setAccountName(spec, DEFAULT_NAME);
    return andThen(accountOfPod(world, attributes), (found) => {
      if (!found.ok) return found.refusal;
      const { account } = found;
      if (spec.automountServiceAccountToken ?? account.automount ?? true) {
        mountToken(spec, () => generatedName(VOLUME_PREFIX, world.random));
      }
      if (items(spec.imagePullSecrets).length === 0 && account.pullSecrets.length > 0) {
        spec.imagePullSecrets = account.pullSecrets.map((name) => ({ name }));
      }
      return enforced(attributes, account, 'pod');
    });
  };
}

function accountProblem(
  world: World,
  attributes: Write,
  what: 'pod' | 'ephemeral',
): MaybePromise<Status | undefined> {
  const { object: pod, namespace } = attributes;
  if ((pod.spec.serviceAccountName ?? '') === '') {
    const which = `${namespace}/${pod.metadata.name ?? ''}`;
    return refusedAt(attributes, `no service account specified for pod ${which}`);
  }
  return andThen(accountOfPod(world, attributes), (found) =>
    found.ok ? enforced(attributes, found.account, what) : found.refusal,
  );
}

/** The API server knows nothing of a mirror pod's secrets, so it must not speak of any. */
function mirrorProblem(attributes: Write): Status | undefined {
  const { spec } = attributes.object;
  const refuse = (why: string): Status => refusedAt(attributes, `a mirror pod may not ${why}`);
  if ((spec.serviceAccountName ?? '') !== '') return refuse('reference service accounts');
  if (secretNamesOf(spec).length > 0) return refuse('reference secrets');
  const sources = items(spec.volumes).flatMap(({ projected }) => items(projected?.sources));
  const hasToken = sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined);
  return hasToken ? refuse('use ServiceAccountToken volume projections') : undefined;
}

/** An account that holds its pods to its own secrets refuses them others. */
function enforced(
  attributes: Write,
  account: Account,
  what: 'pod' | 'ephemeral',
): Status | undefined {
  if (!account.isEnforced) return undefined;
  const problem = secretProblem(attributes.object.spec, account, what);
  if (problem === undefined) return undefined;
  // Upstream forgets to say of this one that it is a refusal.
  return what === 'ephemeral' ? unclassifiedFailure(problem) : refusedAt(attributes, problem);
}

type FoundAccount =
  | { readonly ok: true; readonly account: Account }
  | { readonly ok: false; readonly refusal: Status };

/** Looks the pod's account up, more than once where it may be about to come. */
function accountOfPod(world: World, attributes: Write): MaybePromise<FoundAccount> {
  const name = attributes.object.spec.serviceAccountName ?? '';
  const tries = name === DEFAULT_NAME && attributes.request.moment === undefined;
  const found = lookup(world, attributes, name, tries ? DEFAULT_TRIES : 1);
  return andThen(found, (account): FoundAccount => {
    if (account !== undefined) return { ok: true, account };
    const about = `${attributes.namespace}/${name}`;
    const why = `serviceaccount "${name}" not found`;
    const refusal = refusedAt(attributes, `error looking up service account ${about}: ${why}`);
    return { ok: false, refusal };
  });
}

function lookup(
  { clock, random }: World,
  { objects, namespace, request }: Write,
  name: string,
  tries: number,
): MaybePromise<Account | undefined> {
  const path = pathOf(namespace, name);
  const look = (): Account | undefined => {
    const stored = objects.get(SERVICE_ACCOUNTS, path);
    return stored === undefined ? undefined : accountOf(stored);
  };
  const found = look();
  if (found !== undefined || tries <= 1) return found;
  const pauseMs = RETRY_MS.least + random.integer(RETRY_MS.spread);
  return new Promise((resolve) => {
    let left = tries - 1;
    const again = (): void => {
      const account = look();
      left -= 1;
      // Behind the deadline no client waits for the answer.
      if (account !== undefined || left <= 0 || clock.now() >= request.deadline) resolve(account);
      else clock.after(pauseMs, again);
    };
    clock.after(pauseMs, again);
  });
}

function mountToken(spec: PodSpec, makeName: () => string): void {
  const volumes = items(spec.volumes);
  const own = volumes.find((volume) => volume.name.startsWith(VOLUME_PREFIX));
  const name = own === undefined ? makeName() : own.name;
  let isNeeded = false;
  for (const container of containersOf(spec, ['initContainers', 'containers'])) {
    const mounts = items(container.volumeMounts);
    if (mounts.some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }];
    isNeeded = true;
  }
  if (own === undefined && isNeeded) spec.volumes = [...volumes, tokenVolume(name)];
}

/** In Kubernetes: TokenVolumeSource. */
function tokenVolume(name: string): Volume {
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  const authority = { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] };
  const sources = [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: authority },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
  ];
  return { name, projected: { sources, defaultMode: 0o644 } };
}

/** Older clients read it under its older name. */
function setAccountName(spec: PodSpec, name: string): void {
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function isMirror({ metadata }: Pod): boolean {
  return metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, MIRROR);
}
