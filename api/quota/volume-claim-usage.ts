/** What a PersistentVolumeClaim uses of a quota. In Kubernetes: pvcEvaluator, pkg/quota/v1/evaluator/core. */
import { compareQuantities, quantityOf, type Quantity } from '../meta/quantity.ts';
import type { PersistentVolumeClaim } from '../generated/kinds/core-v1.ts';
import { amountsIn, ONE, type Amounts, type AmountsToFill } from './amounts.ts';

const COUNT = 'count/persistentvolumeclaims';
const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
const OF_CLASS = '.storageclass.storage.k8s.io/';
/** The class as it was said before there was a field for it; it still comes first. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export function isVolumeClaimResource(name: string): boolean {
  if (name === COUNT || name === CLAIMS || name === STORAGE) return true;
  return name.endsWith(OF_CLASS + CLAIMS) || name.endsWith(OF_CLASS + STORAGE);
}

export function volumeClaimUsage(claim: PersistentVolumeClaim): Amounts {
  const usage: AmountsToFill = new Map([
    [CLAIMS, ONE],
    [COUNT, ONE],
  ]);
  const storageClass = storageClassOf(claim);
  if (storageClass !== '') usage.set(storageClass + OF_CLASS + CLAIMS, ONE);
  const storage = storageOf(claim);
  if (storage === undefined) return usage;
  usage.set(STORAGE, storage);
  if (storageClass !== '') usage.set(storageClass + OF_CLASS + STORAGE, storage);
  return usage;
}

function storageClassOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
}

/** What is asked for, or what was given already where that is more. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const asked = amountsIn(spec.resources.requests).get('storage');
  if (asked === undefined) return undefined;
  const rounded = wholeBytes(asked);
  const given = amountsIn(status.allocatedResources).get('storage');
  if (given === undefined || compareQuantities(given, rounded) <= 0) return rounded;
  return wholeBytes(given);
}

function wholeBytes(amount: Quantity): Quantity {
  if (amount.exponent >= 0) return amount;
  const divisor = 10n ** BigInt(-amount.exponent);
  if (amount.unscaled % divisor === 0n) return amount;
  const up = amount.unscaled > 0n ? 1n : 0n;
  return quantityOf(amount.unscaled / divisor + up, 0, amount.format);
}
