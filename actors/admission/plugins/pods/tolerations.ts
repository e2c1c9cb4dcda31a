/**
 * Tolerations as sets: which of two tolerates more, two lists as one, and whether a list stays
 * within what another allows.
 *
 * The surprise: no list is searched for each item of another. Whatever tolerates all that a
 * toleration does is in one of eight classes, which are looked up, so that the cost is linear.
 *
 * In Kubernetes: pkg/util/tolerations, which compares each with each.
 */
import {
  flatMapItems,
  forEachItem,
  remembered,
  someItem,
  stepped,
} from '../../../../api/json/work-in-slices.ts';
import type { Toleration } from '../../../../api/generated/kinds/core-v1.ts';

/** A look at one takes so many steps more than at another item of a list. */
const STEPS_EACH = 5;

/** Both lists, without those that another one makes needless. */
export function mergeTolerations(
  first: readonly Toleration[],
  second: readonly Toleration[],
): Toleration[] {
  const { all, isCoveredLater, later, kept } = remembered(() => ({
    all: [...first, ...second],
    isCoveredLater: new Set<number>(),
    later: new TolerationIndex(),
    kept: new TolerationIndex(),
  }));
  forEachItem(all, (_, index) => {
    const at = all.length - 1 - index;
    const one = all[at] ?? {}; // There is one at each place.
    if (later.hasOtherAround(one)) isCoveredLater.add(at);
    later.add(one);
    stepped(STEPS_EACH);
  });
  const merged = flatMapItems(all, (one, at) => {
    stepped(STEPS_EACH);
    if (isCoveredLater.has(at) || kept.hasAround(one)) return [];
    kept.add(one);
    return [one];
  });
  return [...merged];
}

/** An empty list allows everything. */
export function isAllowedBy(
  tolerations: readonly Toleration[],
  allowed: readonly Toleration[],
): boolean {
  if (allowed.length === 0) return true;
  const index = new TolerationIndex();
  for (const one of allowed) index.add(one);
  return !someItem(tolerations, (one) => {
    stepped(STEPS_EACH);
    return !index.hasAround(one);
  });
}

/** Of a class of tolerations the one that lasts longest, and the next that is not the same. */
interface Longest {
  readonly identity: string;
  /** Infinity: for ever. */
  readonly seconds: number | bigint;
  readonly next: Omit<Longest, 'next'> | undefined;
}

/** Tolerations by the class of those that they make needless. */
class TolerationIndex {
  readonly #identities = new Set<string>();
  readonly #classes = new Map<string, Longest>();

  add(toleration: Toleration): void {
    const identity = identityOf(toleration);
    this.#identities.add(identity);
    const name = classOf(toleration);
    if (name === undefined) return;
    const known = this.#classes.get(name);
    this.#classes.set(name, withOne(known, { identity, seconds: secondsOf(toleration) }));
  }

  /** Whether one of them tolerates all that this one does, or is the same. */
  hasAround(narrow: Toleration): boolean {
    return this.#identities.has(identityOf(narrow)) || this.hasOtherAround(narrow);
  }

  /** As {@link hasAround}, but for those that are the same. */
  hasOtherAround(narrow: Toleration): boolean {
    const identity = identityOf(narrow);
    const asked = narrow.tolerationSeconds ?? Number.POSITIVE_INFINITY;
    return classesAround(narrow).some(({ name, isTimed }) => {
      const longest = this.#classes.get(name);
      const other = longest?.identity === identity ? longest.next : longest;
      return other !== undefined && (!isTimed || asked <= other.seconds);
    });
  }
}

function withOne(known: Longest | undefined, added: Omit<Longest, 'next'>): Longest {
  if (known === undefined) return { ...added, next: undefined };
  const { next, ...first } = known;
  if (added.identity === first.identity || added.identity === next?.identity) return known;
  if (added.seconds > first.seconds) return { ...added, next: first };
  return next === undefined || added.seconds > next.seconds ? { ...first, next: added } : known;
}

/** undefined: it tolerates only the same. */
function classOf(wide: Toleration): string | undefined {
  const [key, effect] = [wide.key ?? '', wide.effect ?? ''];
  const operator = wide.operator ?? '';
  if (operator === 'Exists') return className(key, effect, undefined);
  if (operator !== 'Equal' && operator !== '') return undefined;
  return className(key, effect, wide.value ?? '');
}

interface ClassAround {
  readonly name: string;
  /** Whether it matters how long they last. */
  readonly isTimed: boolean;
}

function classesAround(narrow: Toleration): ClassAround[] {
  const [key, effect] = [narrow.key ?? '', narrow.effect ?? ''];
  const isEqual = (narrow.operator ?? '') === 'Equal';
  const effects = effect === '' ? [''] : ['', effect];
  return effects.flatMap((wideEffect) => {
    const names = [className(key, wideEffect, undefined), className('', wideEffect, undefined)];
    if (isEqual) names.push(className(key, wideEffect, narrow.value ?? ''));
    return names.map((name) => ({ name, isTimed: wideEffect === 'NoExecute' }));
  });
}

/** @param value of those that ask for one. */
function className(key: string, effect: string, value: string | undefined): string {
  const shown = value === undefined ? '' : `=${value}`;
  return `${String(key.length)} ${String(effect.length)} ${key}${effect}${shown}`;
}

function secondsOf(toleration: Toleration): number | bigint {
  return toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY;
}

/** The same for those that Go has as equal. */
function identityOf(toleration: Toleration): string {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  const lengths = `${String(key.length)} ${String(operator.length)} ${String(value.length)}`;
  return `${lengths} ${key}${operator}${value}${effect} ${String(secondsOf(toleration))}`;
}
