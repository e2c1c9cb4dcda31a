/**
 * Whether a write fits into the quotas of its namespace.
 *
 * In Kubernetes: CheckRequest, apiserver/pkg/admission/plugin/resourcequota/controller.go. The
 * surprise is what it counts by: there it is what the status of the quota says, here what is really
 * there, so a quota holds from the moment it is made and the writer of its status is not waited for.
 */
import { addQuantities, compareQuantities } from '../meta/quantity.ts';
import {
  formatAmounts,
  increase,
  isNegative,
  NONE,
  withoutZeros,
  type Amounts,
} from './amounts.ts';
import type { KubeObject } from '../meta/object-meta.ts';
import type { QuotaEvaluator, QuotaWrite } from './evaluators.ts';
import { isInScope, type ScopeFacts, type ScopeSelector } from './quota-scopes.ts';

/** A ResourceQuota of the namespace, as far as a check needs it. */
export interface CheckedQuota {
  /** `metadata.name`, for the refusal. */
  readonly name: string;
  /** At most so much of each resource. */
  readonly hard: Amounts;
  /** Objects that fit all of them count. */
  readonly selectors: readonly ScopeSelector[];
  /** What is used just now. Asked for only where the write uses more of it. */
  readonly used: () => Amounts;
}

/** What cannot be used where no quota says how much. */
export interface LimitedResource {
  /** As in the log: `core/pods`. */
  readonly resource: string;
  /** Parts of the names of resources that are limited. */
  readonly matchContains: readonly string[];
  /** Objects that fit one of them are limited. */
  readonly matchScopes: readonly ScopeSelector[];
}

export interface CheckedWrite extends QuotaWrite {
  readonly resource: string;
  /** What the object uses, or the old one did; asked for once of each, if at all. */
  usageOf(object: KubeObject): Amounts;
}

export type QuotaVerdict =
  /** `charged`: what some quota speaks of, and it uses more of than before. */
  | { readonly ok: true; readonly charged: readonly string[] }
  /** `isForbidden`: the reason of a refusal; otherwise the whole message. */
  | { readonly ok: false; readonly why: string; readonly isForbidden: boolean };

const FREE: QuotaVerdict = { ok: true, charged: [] };

/** Decides whether a write fits all quotas that concern it; kube-apiserver's `CheckRequest`. */
export function checkQuotas(
  evaluator: QuotaEvaluator,
  write: CheckedWrite,
  quotas: readonly CheckedQuota[],
  limited: readonly LimitedResource[],
): QuotaVerdict {
  if (!evaluator.handles(write)) return FREE;
  const facts = evaluator.scopes(write.object);
  const concerned: CheckedQuota[] = [];
  const covered = new Set<string>();
  for (const quota of quotas) {
    const names = [...quota.hard.keys()].filter((name) => evaluator.counts(name));
    if (names.length === 0 || !isInAll(facts, quota)) continue;
    const missing = evaluator.constraints(names, write.object);
    if (missing !== '') return refused(`failed quota: ${quota.name}: ${missing}`);
    concerned.push(quota);
    for (const name of names) covered.add(name);
  }
  if (concerned.length === 0 && limited.length === 0) return FREE;
  const usage = write.usageOf(write.object);
  const negative = [...usage].filter(([, amount]) => isNegative(amount)).map(([name]) => name);
  if (negative.length > 0) {
    return refused(`quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  }
  const charges = chargesOf(evaluator, { write, usage, concerned });
  if (charges.length === 0) return FREE;
  const uncovered = uncoveredBy({ facts, usage, quotas, covered }, write, limited);
  if (uncovered !== undefined) return uncovered;
  for (const { quota, more } of charges) {
    const why = quota === undefined ? '' : excess(quota, more, write.subresource);
    if (why !== '') return refused(why);
  }
  const charged = charges.flatMap(countedNames);
  return charged.length === 0 ? FREE : { ok: true, charged };
}

function isInAll(facts: ScopeFacts, { selectors }: CheckedQuota): boolean {
  return selectors.every((one) => isInScope(facts, one));
}

interface Charge {
  /** undefined: no quota is concerned. */
  readonly quota: CheckedQuota | undefined;
  readonly more: Amounts;
}

/** Of what it is charged that of which the quota says anything. */
function countedNames({ quota, more }: Charge): string[] {
  return quota === undefined ? [] : [...more.keys()].filter((name) => quota.hard.has(name));
}

interface Charged {
  readonly write: CheckedWrite;
  readonly usage: Amounts;
  readonly concerned: readonly CheckedQuota[];
}

/** What it uses more than before, of each quota; those of which it uses no more are left out. */
function chargesOf(evaluator: QuotaEvaluator, { write, usage, concerned }: Charged): Charge[] {
  const old = write.operation === 'UPDATE' ? write.oldObject : undefined;
  let increased = usage;
  let oldFacts: ScopeFacts | undefined;
  if (old !== undefined) {
    increased = increase(usage, write.usageOf(old));
    oldFacts = evaluator.scopes(old);
  }
  const charges =
    concerned.length === 0
      ? [{ quota: undefined, more: withoutZeros(increased) }]
      : concerned.map((quota) => {
          const wasCounted = oldFacts !== undefined && isInAll(oldFacts, quota);
          return { quota, more: withoutZeros(wasCounted ? increased : usage) };
        });
  return charges.filter(({ more }) => more.size > 0);
}

/** What may only be used where a quota says how much, and none does. */
function uncoveredBy(
  of: {
    readonly facts: ScopeFacts;
    readonly usage: Amounts;
    readonly quotas: readonly CheckedQuota[];
    readonly covered: ReadonlySet<string>;
  },
  { resource }: CheckedWrite,
  limited: readonly LimitedResource[],
): QuotaVerdict | undefined {
  const { facts, usage, quotas, covered } = of;
  const names = limited
    .filter((one) => one.resource === resource)
    .flatMap(({ matchContains }) =>
      [...usage]
        .filter(([name, amount]) => amount.unscaled > 0n && contains(name, matchContains))
        .map(([name]) => name),
    );
  const uncovered = [...new Set(names)].filter((name) => !covered.has(name)).sort();
  if (uncovered.length > 0) return refused(`insufficient quota to consume: ${uncovered.join(',')}`);
  // Upstream asks this of whatever is written, not only of the resource that is named.
  const scopes = limited.flatMap(({ matchScopes }) =>
    matchScopes.filter((one) => isInScope(facts, one)),
  );
  const ofQuotas = quotas.flatMap(({ selectors }) =>
    selectors.filter((one) => isInScope(facts, one)),
  );
  const open = scopes.filter(({ scope }) => !ofQuotas.some((one) => one.scope === scope));
  if (open.length === 0) return undefined;
  const shown = open.map(
    ({ scope, operator, values }) => `{${scope} ${operator} [${values.join(' ')}]}`,
  );
  const why = `insufficient quota to match these scopes: [${shown.join(' ')}]`;
  return { ok: false, why, isForbidden: false };
}

function contains(name: string, parts: readonly string[]): boolean {
  return parts.some((part) => name.includes(part));
}

/** @returns what is wrong; '' for nothing. */
function excess({ name, hard, used }: CheckedQuota, more: Amounts, subresource: string): string {
  // What the manager of an object says of it has happened already.
  if (subresource === 'status') return '';
  const now = used();
  const exceeded = [...more].flatMap(([resource, amount]) => {
    const limit = hard.get(resource);
    if (limit === undefined) return [];
    const sum = addQuantities(now.get(resource) ?? NONE, amount);
    return compareQuantities(sum, limit) > 0 ? [resource] : [];
  });
  if (exceeded.length === 0) return '';
  const requested = formatAmounts(more, exceeded);
  const limits = formatAmounts(hard, exceeded);
  return `exceeded quota: ${name}, requested: ${requested}, used: ${formatAmounts(now, exceeded)}, limited: ${limits}`;
}

function refused(why: string): QuotaVerdict {
  return { ok: false, why, isForbidden: true };
}
