/**
 * The controllers that can be left out, by the names that kube-controller-manager gives them: with
 * them one binary collects garbage and ends namespaces. While a kube-controller-manager is at work,
 * which its lease tells, ours stand aside.
 *
 * In Kubernetes: leader election of kube-controller-manager, client-go/tools/leaderelection.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { Lease } from '../../api/generated/kinds/coordination-v1.ts';
import type { ObjectReads } from '../../projections/objects/object-view.ts';
import { storedKind } from '../../projections/objects/stored-kinds.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { TokenIssuer } from '../authentication/service-accounts/token-issuer.ts';
import { startGarbageCollector } from './garbage-collector/garbage-collector.ts';
import type { Controller, ControllerParts } from './controller-parts.ts';
import { defaultServiceAccount, rootAuthority } from './namespaces/default-objects.ts';
import { startEnsuring } from './namespaces/ensured-objects.ts';
import type { ServersElsewhere } from './namespaces/content-elsewhere.ts';
import { startNamespaceDeletion } from './namespaces/namespace-deletion.ts';
import { startTokenSecrets } from './legacy-tokens/token-secrets.ts';
import { startPolicyStatus } from './policies/policy-status.ts';
import type { PolicySchemas } from './policies/type-check.ts';
import { startQuotaStatus } from './quotas/quota-status.ts';
import { startServiceCidrs } from './services/service-cidr-controller.ts';
import { startClusterRoleAggregation } from './rbac/cluster-role-aggregation.ts';

const LEASES = 'coordination.k8s.io/leases';
const PATH = 'kube-system/kube-controller-manager';
const MS = 1_000;
const DURATION_SECONDS = 15;

export class ControllerManagerLease {
  readonly #objects: ObjectReads;
  readonly #clock: Clock;
  #seen: StoredObject | undefined;
  #heldUntilMs = 0;

  constructor(objects: ObjectReads, clock: Clock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** Whether it is held just now. */
  get isHeld(): boolean {
    const stored = this.#objects.get(LEASES, PATH);
    if (stored !== this.#seen) {
      this.#seen = stored;
      this.#heldUntilMs = stored === undefined ? 0 : heldUntil(readLease(stored));
    }
    return this.#clock.now() < this.#heldUntilMs;
  }
}

const readLease = storedKind('coordination.k8s.io/v1/leases');

/** Milliseconds since 1970. */
function heldUntil({ spec }: Lease): number {
  const { holderIdentity = '', leaseDurationSeconds = DURATION_SECONDS } = spec;
  const renewedMs = Date.parse(spec.renewTime ?? '');
  if (holderIdentity === '' || Number.isNaN(renewedMs)) return 0;
  return renewedMs + leaseDurationSeconds * MS;
}

interface OptionalControllersParts extends Omit<ControllerParts, 'isAside'> {
  /** The authority's certificate, PEM. */
  readonly authority: string;
  readonly tokens: Pick<TokenIssuer, 'sign'>;
  readonly schemas: PolicySchemas;
  /** undefined: all is served here. */
  readonly elsewhere?: ServersElsewhere | undefined;
}

/** What single ones of them need beside what all do. */
type Needs = Pick<OptionalControllersParts, 'authority' | 'tokens' | 'schemas' | 'elsewhere'>;
type Start = (parts: ControllerParts, needs: Needs) => Controller;

const STARTS: Readonly<Record<string, Start>> = {
  'garbage-collector-controller': startGarbageCollector,
  'namespace-controller': (parts, { elsewhere }) => startNamespaceDeletion(parts, elsewhere),
  'serviceaccount-token-controller': (parts, needs) => startTokenSecrets({ ...parts, ...needs }),
  'serviceaccount-controller': (parts) => startEnsuring(parts, defaultServiceAccount),
  'root-ca-certificate-publisher-controller': (parts, { authority }) =>
    startEnsuring(parts, rootAuthority(authority)),
  'resourcequota-controller': startQuotaStatus,
  'clusterrole-aggregation-controller': startClusterRoleAggregation,
  'service-cidr-controller': startServiceCidrs,
  'validatingadmissionpolicy-status-controller': (parts, { schemas }) =>
    startPolicyStatus({ ...parts, schemas }),
};

/** What upstream called them earlier, and still takes. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['garbagecollector', 'garbage-collector-controller'],
  ['namespace', 'namespace-controller'],
  ['serviceaccount', 'serviceaccount-controller'],
  ['serviceaccount-token', 'serviceaccount-token-controller'],
  ['clusterrole-aggregation', 'clusterrole-aggregation-controller'],
  ['root-ca-cert-publisher', 'root-ca-certificate-publisher-controller'],
  ['resourcequota', 'resourcequota-controller'],
]);

export const CONTROLLER_NAMES: readonly string[] = Object.keys(STARTS);

/** How often it is looked whether the process that had taken over is still there. */
const ASIDE_CHECK_MS = 5_000;

/**
 * Which controllers a list asks for: `*` for all, `name` for one, `-name` for all but one.
 *
 * In Kubernetes: --controllers of kube-controller-manager.
 *
 * @returns names of {@link CONTROLLER_NAMES}, or what is wrong with the list.
 */
export function controllersIn(list: readonly string[]): ReadonlySet<string> | string {
  const unknown = list
    .map((one) => nameIn(one))
    .find((name) => name !== '*' && !CONTROLLER_NAMES.includes(name));
  if (unknown !== undefined) {
    return `"${unknown}" is no controller; there are ${CONTROLLER_NAMES.join(', ')}`;
  }
  const isOn = (name: string): boolean => {
    const said = list.find((one) => nameIn(one) === name);
    return said === undefined ? list.includes('*') : !said.startsWith('-');
  };
  return new Set(CONTROLLER_NAMES.filter(isOn));
}

function nameIn(one: string): string {
  const name = one.startsWith('-') ? one.slice(1) : one;
  return ALIASES.get(name) ?? name;
}

interface OptionalControllers {
  /** Resolves when nothing is being written any more. */
  stop(): Promise<void>;
}

/** Starts those of the names, when all views are filled. */
export function startOptionalControllers(
  { authority, tokens, schemas, elsewhere, ...parts }: OptionalControllersParts,
  names: ReadonlySet<string>,
): OptionalControllers {
  const lease = new ControllerManagerLease(parts.objects, parts.clock);
  const given: ControllerParts = { ...parts, isAside: () => lease.isHeld };
  const needs = { authority, tokens, schemas, elsewhere };
  const controllers = [...names].map((name) => STARTS[name]?.(given, needs));
  const running = controllers.filter((one) => one !== undefined);
  let cancel: () => void = () => undefined;
  let wasAside = false;
  const check = (): void => {
    if (wasAside && !lease.isHeld) beginAll();
    wasAside = lease.isHeld;
    cancel = parts.clock.after(ASIDE_CHECK_MS, check);
  };
  const beginAll = (): void => {
    for (const controller of running) {
      controller.begin().catch((error: unknown) => {
        parts.faults.record('beginning a controller', error);
      });
    }
  };
  beginAll();
  if (running.length > 0) check();
  return {
    async stop() {
      cancel();
      await Promise.all(running.map((controller) => controller.stop()));
    },
  };
}
