/**
 * Gives cluster roles that gather others the rules of those that their selectors find: so a custom
 * resource's own roles become part of `view`, `edit` and `admin`.
 *
 * In Kubernetes: kubernetes/pkg/controller/clusterroleaggregation. There the rules are applied by
 * server-side apply; here they are patched, and only onto the version that was looked at.
 */
import type { AggregationRule, PolicyRule } from '../../../api/generated/kinds/rbac-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { labelSelectorOf, type LabelSelector } from '../../../api/selectors/label-selector.ts';
import { storedKind } from '../../../projections/objects/stored-kinds.ts';
import { nameOf, type CommittedEvent, type StoredObject } from '../../../streams/event.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';
import {
  outcomeOf,
  patchExactly,
  urlOf,
  type Controller,
  type ControllerParts,
  listening,
} from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';

const CLUSTER_ROLES = 'rbac.authorization.k8s.io/clusterroles';
const WIDTH = 5;

/** It listens from now on; `begin` looks at all roles that gather others. */
export function startClusterRoleAggregation(parts: ControllerParts): Controller {
  return listening(parts, new Aggregation(parts));
}

class Aggregation implements Controller {
  readonly #parts: ControllerParts;
  readonly #queue: WorkQueue;
  /** By name. */
  readonly #roles = new Map<string, Role>();
  /** Of those that gather others. */
  readonly #gathering = new Set<string>();

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    this.#queue = startWorkQueue(
      {
        name: 'clusterrole-aggregation-controller',
        width: WIDTH,
        work: (name) => this.#look(name),
      },
      parts,
    );
  }

  begin(): Promise<void> {
    this.#roles.clear();
    this.#gathering.clear();
    for (const role of this.#parts.objects.of(CLUSTER_ROLES).inOrder('')) this.#note(role);
    this.#lookAtAll();
    return Promise.resolve();
  }

  hear({ type, resource, path, object }: CommittedEvent): void {
    if (resource !== CLUSTER_ROLES) return;
    if (type === 'deleted') {
      this.#roles.delete(nameOf(path));
      this.#gathering.delete(nameOf(path));
    } else {
      this.#note(object);
    }
    this.#lookAtAll();
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  #note(stored: StoredObject): void {
    const role = readRole(stored);
    this.#roles.set(role.name, role);
    if (role.selectors === undefined) this.#gathering.delete(role.name);
    else this.#gathering.add(role.name);
  }

  /** There are few that gather, and any role may have become one of theirs. */
  #lookAtAll(): void {
    for (const name of this.#gathering) this.#queue.add(name);
  }

  async #look(name: string): Promise<WorkOutcome> {
    const { served, isAside } = this.#parts;
    const role = this.#roles.get(name);
    const resource = served.ofStorage(CLUSTER_ROLES);
    if (isAside() || role?.selectors === undefined || resource === undefined) return 'done';
    const rules = this.#gatheredBy(role.name, role.selectors);
    if (sameValue(rules, role.rules)) return 'done';
    const { path, resourceVersion } = role.stored;
    const url = urlOf(resource, path);
    return outcomeOf(await patchExactly(this.#parts, url, resourceVersion, { rules }));
  }

  /** Each rule once, by the order of the selectors and then of the roles. */
  #gatheredBy(name: string, selectors: readonly LabelSelector[]): PolicyRule[] {
    const others = [...this.#roles.values()].filter((other) => other.name !== name).sort(byName);
    const rules: PolicyRule[] = [];
    for (const selector of selectors) {
      const chosen = others.filter(({ stored }) => selector.matches(stored.labels));
      for (const rule of chosen.flatMap((other) => other.rules)) {
        if (!rules.some((known) => sameValue(known, rule))) rules.push(rule);
      }
    }
    return rules;
  }
}

interface Role {
  readonly name: string;
  readonly stored: StoredObject;
  readonly rules: PolicyRule[];
  /** undefined: it gathers none. */
  readonly selectors: readonly LabelSelector[] | undefined;
}

const readClusterRole = storedKind('rbac.authorization.k8s.io/v1/clusterroles');

function readRole(stored: StoredObject): Role {
  const { rules, aggregationRule } = readClusterRole(stored);
  return {
    name: nameOf(stored.path),
    stored,
    rules: items(rules),
    selectors: aggregationRule && selectorsOf(aggregationRule),
  };
}

/** What was written before selectors were judged as now selects nothing. */
function selectorsOf({ clusterRoleSelectors }: AggregationRule): readonly LabelSelector[] {
  return items(clusterRoleSelectors)
    .map((one) => labelSelectorOf(one))
    .flatMap((parsed) => (parsed.ok ? [parsed.selector] : []));
}

function byName(left: Role, right: Role): number {
  return left.name < right.name ? -1 : 1;
}
