/**
 * What is said of the pods that a namespace has already when it is to enforce more: warnings, one
 * for each thing that is wrong, with the names of pods. Not more pods than in a second, and with
 * other work between them.
 *
 * In Kubernetes: EvaluatePodsInNamespace, k8s.io/pod-security-admission/admission.
 */
import { storedKind } from '../../../projections/objects/stored-kinds.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { Pod } from '../../../api/generated/kinds/core-v1.ts';
import { compareGoStrings, goQuote } from '../../../api/json/go-format.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { othersTurn } from '../../../api/meta/others-turn.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { evaluatePod, reasonsOf } from './evaluate.ts';
import { type LevelVersion, formatLevel } from './levels.ts';

const readPod = storedKind('v1/pods');

const PODS_MAX = 3_000;
const CHECK_MS_MAX = 1_000;
/** Looked at in one go: some milliseconds. */
const SLICE = 100;

export interface PodsCheck {
  readonly namespace: string;
  readonly enforce: LevelVersion;
  readonly exemptRuntimeClasses: ReadonlySet<string>;
  readonly clock: Clock;
  /** When the request ends; no more than half of what is left is taken. */
  readonly deadline: number;
}

/** @returns warnings. */
export function warningsOfPods(
  pods: readonly StoredObject[],
  check: PodsCheck,
): MaybePromise<string[]> {
  const { clock, deadline } = check;
  const now = clock.now();
  const until = now + Math.min(CHECK_MS_MAX, (deadline - now) / 2);
  const round = new Round(check, until);
  if (pods.length <= SLICE) {
    round.sortIn(pods);
    round.evaluate(PODS_MAX);
    return round.warnings();
  }
  return inSlices(pods, round);
}

async function inSlices(pods: readonly StoredObject[], round: Round): Promise<string[]> {
  for (let from = 0; from < pods.length; from += SLICE) {
    round.sortIn(pods.slice(from, from + SLICE));
    await othersTurn();
  }
  while (round.evaluate(SLICE)) await othersTurn();
  return round.warnings();
}

interface Seen {
  /** The first by name. */
  name: string;
  count: number;
}

class Round {
  readonly #check: PodsCheck;
  readonly #until: number;
  readonly #first: Pod[] = [];
  /** Further pods of controllers that have one among the first. */
  readonly #others: Pod[] = [];
  readonly #controllers = new Set<string>();
  readonly #seen = new Map<string, Seen>();
  #checked = 0;

  constructor(check: PodsCheck, until: number) {
    this.#check = check;
    this.#until = until;
  }

  sortIn(pods: readonly StoredObject[]): void {
    for (const stored of pods) {
      const pod = readPod(stored);
      const { runtimeClassName: runtimeClass = '' } = pod.spec;
      if (!this.#check.exemptRuntimeClasses.has(runtimeClass)) this.#sort(pod);
    }
  }

  #sort(pod: Pod): void {
    const controller = pod.metadata.ownerReferences?.find((one) => one.controller === true)?.uid;
    const isFirst = controller === undefined || !this.#controllers.has(controller);
    (isFirst ? this.#first : this.#others).push(pod);
    if (controller !== undefined) this.#controllers.add(controller);
  }

  /** @returns whether there are more. */
  evaluate(most: number): boolean {
    const total = Math.min(this.#total, PODS_MAX);
    const end = Math.min(total, this.#checked + most);
    while (this.#checked < end) {
      const pod = this.#podAt(this.#checked);
      if (pod !== undefined) this.#evaluate(pod);
      this.#checked += 1;
      if (this.#check.clock.now() > this.#until) return false;
    }
    return this.#checked < total;
  }

  warnings(): string[] {
    const { namespace, enforce } = this.#check;
    const [checked, total] = [String(this.#checked), String(this.#total)];
    const level = 'new PodSecurity enforce level';
    const found = [...this.#seen].map(([reasons, seen]) => `${shownPods(seen)}: ${reasons}`);
    return [
      ...(checked === total
        ? []
        : [`${level} only checked against the first ${checked} of ${total} existing pods`]),
      ...(found.length === 0
        ? []
        : [
            `existing pods in namespace ${goQuote(namespace)} violate ` +
              `the ${level} ${goQuote(formatLevel(enforce))}`,
          ]),
      ...found.sort(compareGoStrings),
    ];
  }

  get #total(): number {
    return this.#first.length + this.#others.length;
  }

  #podAt(index: number): Pod | undefined {
    return this.#first[index] ?? this.#others[index - this.#first.length];
  }

  #evaluate(pod: Pod): void {
    const { name = '' } = pod.metadata;
    const findings = evaluatePod(this.#check.enforce, pod);
    if (findings.length === 0) return;
    const reasons = reasonsOf(findings);
    const seen = this.#seen.get(reasons);
    if (seen === undefined) {
      this.#seen.set(reasons, { name, count: 1 });
      return;
    }
    seen.count += 1;
    if (compareGoStrings(name, seen.name) < 0) seen.name = name;
  }
}

function shownPods({ name, count }: Seen): string {
  if (count === 1) return name;
  return `${name} (and ${count === 2 ? '1 other pod' : `${String(count - 1)} other pods`})`;
}
