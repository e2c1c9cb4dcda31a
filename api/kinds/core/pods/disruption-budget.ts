/**
 * What a disruption budget has to say to the eviction of one of its pods, and how an eviction is
 * entered in it: the controller that keeps the budget up to date must know of it before the pod is gone.
 *
 * In Kubernetes: checkAndDecrement, registry/core/pod/storage/eviction.go.
 */
import { formatTime } from '../../../meta/clock.ts';
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetStatus,
} from '../../../generated/kinds/policy-v1.ts';
import type { Condition } from '../../../generated/kinds/meta-v1.ts';
import { items } from '../../../json/go-values.ts';
import { forbidden, tooManyRequests, type Status } from '../../../meta/status.ts';

const BUDGET = { group: 'policy', resource: 'poddisruptionbudget' };
const DISRUPTED_PODS_MAX = 2_000;
const RETRY_SECONDS = 10;
const DISRUPTION_ALLOWED = 'DisruptionAllowed';
const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";

/** A pod that does not count as healthy is not guarded, unless its peers need it to become so. */
export function letsUnhealthyGo(budget: PodDisruptionBudget): boolean {
  if (budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy, desiredHealthy } = budget.status;
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** Why no pod of the budget may go now, or undefined. */
export function budgetObjection(budget: PodDisruptionBudget): Status | undefined {
  const { name = '', generation = 0 } = budget.metadata;
  const { disruptionsAllowed, disruptedPods = {}, observedGeneration = 0 } = budget.status;
  if (observedGeneration < generation) return budgetIsBehind(name);
  if (disruptionsAllowed < 0) return forbidden(BUDGET, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > DISRUPTED_PODS_MAX) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return forbidden(BUDGET, name, why);
  }
  return disruptionsAllowed === 0 ? violation(whyNone(budget, name)) : undefined;
}

/** The keeper of the budget has not seen all yet; it is worth trying again soon. */
export function budgetIsBehind(name: string): Status {
  return violation(
    `The disruption budget ${name} is still being processed by the server.`,
    RETRY_SECONDS,
  );
}

function violation(message: string, retryAfterSeconds?: number): Status {
  const status = tooManyRequests(VIOLATION, retryAfterSeconds ?? 0);
  const causes = [{ reason: 'DisruptionBudget', message }];
  const details = retryAfterSeconds === undefined ? { causes } : { causes, retryAfterSeconds };
  return { ...status, details };
}

function whyNone(budget: PodDisruptionBudget, name: string): string {
  const { currentHealthy: current, desiredHealthy: desired, conditions } = budget.status;
  const condition = items(conditions).find(({ type }) => type === DISRUPTION_ALLOWED);
  const { reason = '', message = '' } = condition ?? {};
  const isSaid = condition?.status === 'False' && message !== '';
  const none = `The disruption budget ${name} does not allow evicting pods currently`;
  // The counts mean nothing while they cannot be kept up to date.
  if (isSaid && reason === 'SyncFailed') return `${none} because it failed sync: ${message}`;
  if (current <= desired) {
    const counts = `needs ${String(desired)} healthy pods and has ${String(current)} currently`;
    return `The disruption budget ${name} ${counts}`;
  }
  return isSaid ? `${none} (${reason}): ${message}` : none;
}

/** Changes the budget: one disruption less, and the pod is named as the one that took it. */
export function enterDisruption(budget: PodDisruptionBudget, podName: string, now: number): void {
  const { status } = budget;
  const disruptionsAllowed = status.disruptionsAllowed - 1;
  const time = formatTime(now);
  budget.status = {
    ...status,
    disruptionsAllowed,
    disruptedPods: { ...status.disruptedPods, [podName]: time },
    ...(disruptionsAllowed === 0 ? { conditions: withNoneAllowed(status, time) } : {}),
  };
}

function withNoneAllowed(status: PodDisruptionBudgetStatus, time: string): Condition[] {
  const conditions = [...items(status.conditions)];
  const index = conditions.findIndex(({ type }) => type === DISRUPTION_ALLOWED);
  const old = conditions[index];
  const since = old?.status === 'False' ? old.lastTransitionTime : undefined;
  const next: Condition = {
    type: DISRUPTION_ALLOWED,
    status: 'False',
    observedGeneration: status.observedGeneration ?? 0,
    lastTransitionTime: since ?? time,
    reason: 'InsufficientPods',
    message: '',
  };
  if (index < 0) return [...conditions, next];
  conditions[index] = next;
  return conditions;
}
