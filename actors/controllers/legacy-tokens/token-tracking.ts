/**
 * Says since when uses of tokens of secrets are written down: the ConfigMap
 * kube-system/kube-apiserver-legacy-service-account-token-tracking. An operator that wants to delete those that
 * are not used has to know.
 *
 * In Kubernetes: kubernetes/pkg/controlplane/controller/legacytokentracking.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { storedKind } from '../../../projections/objects/stored-kinds.ts';
import type { CommittedEvent } from '../../../streams/event.ts';
import { dayOf } from '../../authentication/service-accounts/legacy-tokens.ts';
import type { Loopback } from '../../loopback/loopback.ts';
import { patchExactly } from '../controller-parts.ts';

const CONFIG_MAPS = 'core/configmaps';
const NAMESPACE = 'kube-system';
const NAME = 'kube-apiserver-legacy-service-account-token-tracking';
const PATH = `${NAMESPACE}/${NAME}`;
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** However often it is deleted, it is made again so often and no more. */
const MAKING_MS = 30 * 60_000;

export interface TokenTrackingParts {
  readonly loopback: Loopback;
  readonly objects: Pick<ObjectView, 'get'>;
  readonly listen: (listener: (event: CommittedEvent) => void) => void;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
  /** Ends it. */
  readonly until: AbortSignal;
}

/** Makes it, and keeps it right from then on. @throws Error when it cannot be written. */
export async function keepTokenTracking(parts: TokenTrackingParts): Promise<void> {
  const { clock, listen, failed, until } = parts;
  let madeAt = Number.NEGATIVE_INFINITY;
  let isWaiting = false;
  const sync = async (): Promise<void> => {
    if (until.aborted) return;
    const isMissing = parts.objects.get(CONFIG_MAPS, PATH) === undefined;
    const waitMs = madeAt + MAKING_MS - clock.now();
    if (!isMissing) return mend(parts);
    if (waitMs <= 0) {
      madeAt = clock.now();
      return make(parts);
    }
    if (isWaiting) return;
    isWaiting = true;
    const cancel = clock.after(waitMs, () => {
      isWaiting = false;
      until.removeEventListener('abort', cancel);
      sync().catch(failed);
    });
    until.addEventListener('abort', cancel);
  };
  // Not the start of a server: a webhook may refuse everything until it serves.
  await sync().catch(failed);
  listen(({ resource, path }) => {
    // Not on the stack of the fold.
    if (resource === CONFIG_MAPS && path === PATH) void Promise.resolve().then(sync).catch(failed);
  });
}

async function make({ loopback, clock }: TokenTrackingParts): Promise<void> {
  const answer = await loopback({
    method: 'POST',
    path: MAPS,
    body: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: NAME, namespace: NAMESPACE },
      data: { since: dayOf(clock.now()) },
    },
  });
  if (answer.kind !== 'Status' || answer.status.code < 400) return;
  // Of several servers one is first.
  if (answer.status.reason === 'AlreadyExists') return;
  throw new Error(`the ConfigMap ${NAME} could not be made: ${answer.status.message ?? ''}`);
}

const readConfigMap = storedKind('v1/configmaps');

async function mend({ objects, loopback, clock }: TokenTrackingParts): Promise<void> {
  const stored = objects.get(CONFIG_MAPS, PATH);
  if (stored === undefined || isDay(readConfigMap(stored).data?.['since'] ?? '')) return;
  const change = { data: { since: dayOf(clock.now()) } };
  const url = `${MAPS}/${NAME}`;
  const answer = await patchExactly({ loopback }, url, stored.resourceVersion, change);
  if (answer.kind !== 'Status' || answer.status.code < 400) return;
  // It was changed or deleted meanwhile, of which is heard.
  if ([404, 409].includes(answer.status.code)) return;
  throw new Error(`the ConfigMap ${NAME} could not be changed: ${answer.status.message ?? ''}`);
}

function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(Date.parse(text));
}
