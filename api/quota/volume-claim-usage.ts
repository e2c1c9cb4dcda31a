/** What a PersistentVolumeClaim uses of a quota. In Kubernetes: pvcEvaluator, pkg/quota/v1/evaluator/core. */
import { compareQuantities, quantityOf, type Quantity } from '../meta/quantity.ts';
import { objectAt, stringAt, type JsonObject } from '../json/json.ts';
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

export function volumeClaimUsage(claim: JsonObject): Amounts {
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

function storageClassOf(claim: JsonObject): string {
  const annotations = objectAt(objectAt(claim, 'metadata'), 'annotations');
  const annotated = annotations?.[CLASS_ANNOTATION];
  if (typeof annotated === 'string') return annotated;
  return stringAt(objectAt(claim, 'spec'), 'storageClassName');
}

/** What is asked for, or what was given already where that is more. */
function storageOf(claim: JsonObject): Quantity | undefined {
  const requests = objectAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests');
  const asked = amountsIn(requests).get('storage');
  if (asked === undefined) return undefined;
  const rounded = wholeBytes(asked);
  const given = allocated(claim);
  if (given === undefined || compareQuantities(given, rounded) <= 0) return rounded;
  return wholeBytes(given);
}

function allocated(claim: JsonObject): Quantity | undefined {
  return amountsIn(objectAt(objectAt(claim, 'status'), 'allocatedResources')).get('storage');
}

function wholeBytes(amount: Quantity): Quantity {
  if (amount.exponent >= 0) return amount;
  const divisor = 10n ** BigInt(-amount.exponent);
  if (amount.unscaled % divisor === 0n) return amount;
  const up = amount.unscaled > 0n ? 1n : 0n;
  return quantityOf(amount.unscaled / divisor + up, 0, amount.format);
}
