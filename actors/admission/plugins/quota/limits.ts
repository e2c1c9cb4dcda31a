/**
 * What the items of a LimitRange say, compiled: what containers get that say nothing themselves,
 * and what is wrong with amounts that are too small, too large or too far apart.
 *
 * The surprise: amounts are compared in thousandths, rounded up, as Go compares them.
 *
 * In Kubernetes: the constraints of plugin/pkg/admission/limitranger.
 */
import { items } from '../../../../api/json/go-values.ts';
import { flatMapItems } from '../../../../api/json/work-in-slices.ts';
import type { LimitRange, LimitRangeItem } from '../../../../api/generated/kinds/core-v1.ts';
import type { StringMap } from '../../../../api/meta/object-meta.ts';
import type { Quantity } from '../../../../api/meta/quantity.ts';
import type { Amounts } from '../../../../api/quota/amounts.ts';
import { quantityAt, wholeOf } from '../../../../api/kinds/rules/resource-names.ts';

export interface Limits {
  /** Of containers: amounts as they are written, by resource. */
  readonly defaultLimits: readonly Named<string>[];
  readonly defaultRequests: readonly Named<string>[];
  readonly items: readonly LimitItem[];
}

export interface LimitItem {
  readonly type: string;
  readonly min: readonly Named<Quantity>[];
  readonly max: readonly Named<Quantity>[];
  readonly ratio: readonly Named<Quantity>[];
}

type Named<Value> = readonly [resource: string, value: Value];

export interface Observed {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

export function limitsOf({ spec }: LimitRange): Limits {
  const limits = items(spec.limits);
  const containers = limits.filter(({ type }) => type === 'Container');
  return {
    defaultLimits: defaultsOf(containers, 'default'),
    defaultRequests: defaultsOf(containers, 'defaultRequest'),
    items: limits.map(({ type, min, max, maxLimitRequestRatio }) => ({
      type,
      min: amountsOf(min),
      max: amountsOf(max),
      ratio: amountsOf(maxLimitRequestRatio),
    })),
  };
}

/** Where two items speak of the same resource, the later one counts. */
function defaultsOf(
  limits: readonly LimitRangeItem[],
  key: 'default' | 'defaultRequest',
): Named<string>[] {
  const found = new Map<string, string>();
  for (const item of limits) {
    for (const [resource, amount] of amountsOf(item[key])) found.set(resource, amount.text);
  }
  return [...found];
}

function amountsOf(written: StringMap = {}): Named<Quantity>[] {
  return Object.keys(written)
    .sort()
    .map((resource) => [resource, quantityAt(written[resource])]);
}

/** What is wrong with the amounts of a container or a pod. */
export function itemProblems(
  { type, min, max, ratio }: LimitItem,
  observed: Observed,
): readonly string[] {
  return [
    ...problemsOfEach(min, (one) => minProblem(type, one, observed)),
    ...problemsOfEach(max, (one) => maxProblem(type, one, observed)),
    ...problemsOfEach(ratio, (one) => ratioProblem(type, one, observed)),
  ];
}

function problemsOfEach<Value>(
  named: readonly Named<Value>[],
  problemOf: (one: Named<Value>) => string | undefined,
): readonly string[] {
  return flatMapItems(named, (one) => {
    const problem = problemOf(one);
    return problem === undefined ? [] : [problem];
  });
}

/** What is wrong with what a claim asks for; it has no limits. */
export function claimProblems({ type, min, max }: LimitItem, requests: Amounts): readonly string[] {
  const observed = { requests, limits: new Map<string, Quantity>() };
  return [
    ...problemsOfEach(min, (one) => minProblem(type, one, observed)),
    ...problemsOfEach(max, (one) => maxRequestProblem(type, one, requests)),
  ];
}

function minProblem(
  type: string,
  [resource, enforced]: Named<Quantity>,
  { requests, limits }: Observed,
): string | undefined {
  const [request, limit] = [requests.get(resource), limits.get(resource)];
  const [asked, limited, least] = compared(request, limit, enforced);
  const rule = `minimum ${resource} usage per ${type} is ${enforced.text}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (asked < least) return `${rule}, but request is ${request.text}`;
  if (limit !== undefined && limited < least) return `${rule}, but limit is ${limit.text}`;
  return undefined;
}

function maxProblem(
  type: string,
  [resource, enforced]: Named<Quantity>,
  { requests, limits }: Observed,
): string | undefined {
  const [request, limit] = [requests.get(resource), limits.get(resource)];
  const [asked, limited, most] = compared(request, limit, enforced);
  const rule = `maximum ${resource} usage per ${type} is ${enforced.text}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (limited > most) return `${rule}, but limit is ${limit.text}`;
  if (request !== undefined && asked > most) return `${rule}, but request is ${request.text}`;
  return undefined;
}

function maxRequestProblem(
  type: string,
  [resource, enforced]: Named<Quantity>,
  requests: Amounts,
): string | undefined {
  const request = requests.get(resource);
  const [asked, , most] = compared(request, undefined, enforced);
  const rule = `maximum ${resource} usage per ${type} is ${enforced.text}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return asked > most ? `${rule}, but request is ${request.text}` : undefined;
}

function ratioProblem(
  type: string,
  [resource, enforced]: Named<Quantity>,
  { requests, limits }: Observed,
): string | undefined {
  const [asked, limited] = compared(requests.get(resource), limits.get(resource), enforced);
  const rule = `${resource} max limit to request ratio per ${type} is ${enforced.text}`;
  if (asked === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limited === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const shown = Number(limited) / Number(asked);
  const whole = wholeOf(enforced);
  const isSmall = whole <= MAX_MILLI;
  const most = Number(isSmall ? millisOf(enforced) : whole);
  if ((isSmall ? shown * 1000 : shown) <= most) return undefined;
  return `${rule}, but provided ratio is ${formatFixed(shown)}`;
}

/** The largest whole number whose thousandths fit into 64 bits. */
const MAX_MILLI = (2n ** 63n - 1n) / 1000n;
const NONE: Quantity = { unscaled: 0n, exponent: 0, format: 'DecimalSI', text: '0' };

/** In thousandths where all of them fit, else in whole numbers. */
function compared(
  request: Quantity = NONE,
  limit: Quantity = NONE,
  enforced: Quantity = NONE,
): readonly [request: bigint, limit: bigint, enforced: bigint] {
  const whole = [wholeOf(request), wholeOf(limit), wholeOf(enforced)] as const;
  if (whole.some((value) => value > MAX_MILLI)) return whole;
  return [millisOf(request), millisOf(limit), millisOf(enforced)];
}

function millisOf(quantity: Quantity): bigint {
  return wholeOf({ ...quantity, exponent: quantity.exponent + 3 });
}

const SHOWN_DIGITS = 6;
/** More than a ratio of amounts has before it ends. */
const EXACT_DIGITS = 60;

/** As Go's `%f`: what lies just between two texts becomes the even one. */
function formatFixed(value: number): string {
  const exact = value.toFixed(EXACT_DIGITS);
  const point = exact.indexOf('.');
  const cut = exact.slice(0, point + 1 + SHOWN_DIGITS);
  const rest = exact.slice(point + 1 + SHOWN_DIGITS);
  const isBetween = /^50*$/.test(rest);
  const isEven = Number(cut.at(-1)) % 2 === 0;
  return isBetween && isEven ? cut : value.toFixed(SHOWN_DIGITS);
}
