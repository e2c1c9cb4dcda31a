/**
 * Tells servers beside this one, which are asked through it, how it knows users: the ConfigMap
 * kube-system/extension-apiserver-authentication.
 *
 * In Kubernetes: the cluster authentication trust controller, kubernetes/pkg/controlplane/controller.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { Status } from '../../api/meta/status.ts';
import { storedKind } from '../../projections/objects/stored-kinds.ts';
import type { CommittedEvent } from '../../streams/event.ts';
import type { Loopback } from '../loopback/loopback.ts';
import {
  clusterAuthenticationData,
  clusterAuthenticationIn,
  united,
  type ClusterAuthentication,
} from './cluster-authentication-data.ts';

const NAME = 'extension-apiserver-authentication';
const PATH = `kube-system/${NAME}`;
const RETRY_MS = 5_000;
/** Authorities expire by themselves. */
const LOOK_MS = 60_000;
const ATTEMPTS_MAX = 5;
const MAPS = '/api/v1/namespaces/kube-system/configmaps';

export interface ClusterAuthenticationParts {
  readonly loopback: Loopback;
  /** What is to be said just now. */
  readonly trust: () => ClusterAuthentication;
  /** Tells when that is something else. */
  readonly whenChanged: (listener: () => void) => () => void;
  /** Tells of every change that takes effect. */
  readonly listen: (listener: (event: CommittedEvent) => void) => void;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
  /** Ends it: nothing is looked at or written any more. */
  readonly until: AbortSignal;
}

/**
 * Says it, and again when it is something else or it is deleted. Where that is refused it tries
 * on and never throws: a webhook that runs in the cluster refuses all until this server serves.
 */
export async function keepClusterAuthentication(parts: ClusterAuthenticationParts): Promise<void> {
  const { loopback, trust, whenChanged, listen, clock, failed, until } = parts;
  let cancelAgain: (() => void) | undefined;
  const again = (delayMs: number): void => {
    if (cancelAgain !== undefined || until.aborted) return;
    cancelAgain = clock.after(delayMs, () => {
      cancelAgain = undefined;
      publishClusterAuthentication(loopback, trust(), clock.now()).catch((error: unknown) => {
        failed(error);
        again(RETRY_MS);
      });
    });
  };
  await publishClusterAuthentication(loopback, trust(), clock.now()).catch((error: unknown) => {
    failed(error);
    again(RETRY_MS);
  });
  if (until.aborted) return;
  const endChanged = whenChanged(() => {
    again(0);
  });
  const look = (): void => {
    again(0);
    cancelLook = clock.after(LOOK_MS, look);
  };
  let cancelLook = clock.after(LOOK_MS, look);
  until.addEventListener('abort', () => {
    endChanged();
    cancelLook();
    cancelAgain?.();
  });
  listen(({ type, resource, path }) => {
    if (type === 'deleted' && resource === 'core/configmaps' && path === PATH) again(0);
  });
}

/**
 * Adds to what is said there what this server has to say, and drops authorities that have expired.
 * Servers with other flags say theirs too, so nothing else is taken away. Writes nothing where it is
 * said already.
 *
 * @param now in milliseconds since 1970.
 * @throws Error when it cannot be written, or what is there cannot be read.
 */
export async function publishClusterAuthentication(
  loopback: Loopback,
  trust: ClusterAuthentication,
  now: number,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const answer = await publishOnce(loopback, trust, now);
    if (answer === undefined || answer.code < 400) return;
    if (answer.reason === 'AlreadyExists' || answer.reason === 'Conflict') continue;
    throw new Error(`the ConfigMap ${NAME} could not be written: ${answer.message ?? ''}`);
  }
  throw new Error(`the ConfigMap ${NAME} could not be written: others write it all the time`);
}

const readConfigMap = storedKind('v1/configmaps');

/** undefined: it is written, or was said already. */
async function publishOnce(
  loopback: Loopback,
  trust: ClusterAuthentication,
  now: number,
): Promise<Status | undefined> {
  const found = await loopback({ method: 'GET', path: `${MAPS}/${NAME}` });
  const stored = found.kind === 'Object' ? readConfigMap(found.object) : undefined;
  const said = stored?.data;
  const data = clusterAuthenticationData(united(clusterAuthenticationIn(said ?? {}), trust, now));
  const isSaid =
    Object.keys(data).length === Object.keys(said ?? {}).length &&
    Object.entries(data).every(([key, value]) => said?.[key] === value);
  if (stored !== undefined && isSaid) return undefined;
  const metadata = { name: NAME, namespace: 'kube-system' };
  const made = await (stored === undefined
    ? loopback({
        ...{ method: 'POST', path: MAPS },
        body: { kind: 'ConfigMap', apiVersion: 'v1', metadata, data },
      })
    : loopback({ method: 'PUT', path: `${MAPS}/${NAME}`, body: { ...stored, data } }));
  return made.kind === 'Status' ? made.status : undefined;
}
