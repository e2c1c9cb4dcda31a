/**
 * Warnings about amounts of memory and storage that are no whole bytes.
 *
 * In Kubernetes: warningsForPodSpecAndMeta, pkg/api/pod, and
 * GetWarningsForPersistentVolumeClaimSpec, pkg/api/persistentvolumeclaim.
 */
import type { PersistentVolumeClaimSpec } from '../../generated/kinds/core-v1.ts';
import type { Quantity } from '../../json/go-values.ts';
import { canonicalQuantity } from '../../meta/quantity.ts';
import { goQuote } from '../../json/go-format.ts';
import { keyPath } from '../../field/field-path.ts';
import { nanosOf } from './amount.ts';

const NANOS_PER_MILLI = 1_000_000n;

/** @param resources the map of amounts at `field`. */
export function fractionWarnings(
  field: string,
  resources: Readonly<Record<string, Quantity>> | undefined,
  names: readonly string[],
): readonly string[] {
  return names.flatMap((name) => {
    const amount = resources?.[name];
    if (amount === undefined) return [];
    if (!isFractional(nanosOf(amount))) return [];
    const shown = goQuote(canonicalQuantity(amount) ?? '');
    const path = keyPath(field, name);
    return [`${path}: fractional byte value ${shown} is invalid, must be an integer`];
  });
}

/** About the storage that a claim asks for; `field` is that of its spec. */
export function claimSpecWarnings(
  field: string,
  spec: PersistentVolumeClaimSpec | undefined,
): readonly string[] {
  const resources = spec?.resources;
  return (['requests', 'limits'] as const).flatMap((key) =>
    fractionWarnings(`${field}.resources.${key}`, resources?.[key], ['storage']),
  );
}

/** Upstream counts in thousandths, rounded up. */
function isFractional(nanos: bigint): boolean {
  const millis = (nanos + NANOS_PER_MILLI - 1n) / NANOS_PER_MILLI;
  return millis % 1000n !== 0n;
}
