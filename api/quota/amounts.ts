/**
 * Lists of amounts by the name of a resource (`cpu: 500m`), and what is done with them to count.
 *
 * In Kubernetes: apiserver/pkg/quota/v1/resources.go.
 */
import {
  compareQuantities,
  parseQuantity,
  quantityOf,
  addQuantities,
  type Quantity,
  type QuantityFormat,
} from '../meta/quantity.ts';
import type { JsonObject } from '../json/json.ts';
import { forEachEntry, forEachKey, remembered } from '../json/work-in-slices.ts';
import { BoundedMap } from '../meta/bounded-map.ts';

/** By the name of the resource. */
export type Amounts = ReadonlyMap<string, Quantity>;
/** Amounts while they are added up. */
export type AmountsToFill = Map<string, Quantity>;

/** Zero without a unit. */
export const NONE = whole(0);
export const ONE = whole(1);
export const NO_AMOUNTS: Amounts = new Map();

export function whole(count: number): Quantity {
  return quantityOf(BigInt(count), 0, 'DecimalSI');
}

/** What stands in an object; what is no amount is left out. */
export function amountsIn(list: JsonObject | undefined): AmountsToFill {
  const amounts = remembered((): AmountsToFill => new Map());
  if (list === undefined) return amounts;
  forEachKey(list, (name) => {
    const amount = amountOf(list[name]);
    if (amount !== undefined) amounts.set(name, amount);
  });
  return amounts;
}

/** Most containers ask for what others have asked for. */
const usual = new BoundedMap<string, Quantity>(1_024);
/** Longer texts are not usual. */
const USUAL_LENGTH_MAX = 16;

/** undefined for what is no amount. */
export function amountOf(value: unknown): Quantity | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  const known = usual.peek(text);
  if (known !== undefined) return known;
  const parsed = parseQuantity(text);
  if (!parsed.ok) return undefined;
  if (text.length <= USUAL_LENGTH_MAX) usual.set(text, parsed.quantity);
  return parsed.quantity;
}

/** True for zero in any unit. */
export function isZero({ unscaled }: Quantity): boolean {
  return unscaled === 0n;
}

export function isNegative({ unscaled }: Quantity): boolean {
  return unscaled < 0n;
}

export function difference(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { ...b, unscaled: -b.unscaled });
}

/** Adds to each amount what there is of the same name, and takes over the others. */
export function addTo(sum: AmountsToFill, more: Amounts): void {
  forEachEntry(more, (name, amount) => {
    const now = sum.get(name);
    sum.set(name, now === undefined ? amount : addQuantities(now, amount));
  });
}

/** Raises each amount to what there is of the same name, and takes over the others. */
export function raiseTo(greatest: AmountsToFill, other: Amounts): void {
  forEachEntry(other, (name, amount) => {
    raiseOne(greatest, name, amount);
  });
}

/** As {@link raiseTo}, of one name. */
export function raiseOne(greatest: AmountsToFill, name: string, amount: Quantity): void {
  const now = greatest.get(name);
  if (now === undefined || compareQuantities(amount, now) > 0) greatest.set(name, amount);
}

/** How much more than before, of each name that is in either; never less than nothing. */
export function increase(now: Amounts, before: Amounts): Amounts {
  const result: AmountsToFill = new Map();
  for (const [name, amount] of now) {
    const old = before.get(name);
    const more = old === undefined ? amount : difference(amount, old);
    result.set(name, more.unscaled > 0n ? more : NONE);
  }
  for (const name of before.keys()) if (!result.has(name)) result.set(name, NONE);
  return result;
}

export function withoutZeros(amounts: Amounts): Amounts {
  return new Map([...amounts].filter(([, amount]) => !isZero(amount)));
}

/** `cpu=500m,memory=1Gi`, in the order of their names. */
export function formatAmounts(amounts: Amounts, names: readonly string[]): string {
  const known = [...names].sort().flatMap((name) => {
    const amount = amounts.get(name);
    return amount === undefined ? [] : [`${name}=${amount.text}`];
  });
  return known.join(',');
}

/** No sum is finer than this. */
const NANO = -9;
/** More than there is, so that a number with a billion digits costs nothing. */
const EXPONENT_MAX = 60;
const FORMATS: readonly QuantityFormat[] = ['BinarySI', 'DecimalExponent', 'DecimalSI'];

/** A sum to which amounts are added, and from which they are taken again. */
export class RunningTotal {
  #nanos = 0n;
  /** How many of the amounts that count are written in which format. */
  readonly #formats = new Map<QuantityFormat, number>();
  #quantity: Quantity | undefined;

  add(amount: Quantity): void {
    this.#change(amount, 1);
  }

  subtract(amount: Quantity): void {
    this.#change(amount, -1);
  }

  /** Written as most of what is in it. */
  get quantity(): Quantity {
    this.#quantity ??= quantityOf(this.#nanos, NANO, this.#format());
    return this.#quantity;
  }

  #change(amount: Quantity, sign: 1 | -1): void {
    if (isZero(amount)) return;
    const power = Math.min(amount.exponent, EXPONENT_MAX) - NANO;
    this.#nanos += BigInt(sign) * amount.unscaled * 10n ** BigInt(power);
    this.#formats.set(amount.format, (this.#formats.get(amount.format) ?? 0) + sign);
    this.#quantity = undefined;
  }

  #format(): QuantityFormat {
    let format: QuantityFormat = 'DecimalSI';
    let most = 0;
    for (const one of FORMATS) {
      const count = this.#formats.get(one) ?? 0;
      if (count > most) [format, most] = [one, count];
    }
    return format;
  }
}
