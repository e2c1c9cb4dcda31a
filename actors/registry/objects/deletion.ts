/**
 * How an object goes: at once, after a grace period, or when the last finalizer has let go.
 *
 * In Kubernetes: BeforeDelete, apiserver/pkg/registry/rest/delete.go, and Store.Delete with
 * deletionFinalizersForGarbageCollection, apiserver/pkg/registry/generic/registry/store.go.
 */
import { isAmong } from '../../../api/json/among.ts';
import { formatTime, type Clock } from '../../../api/meta/clock.ts';
import { type KubeObject, nextGeneration } from '../../../api/meta/object-meta.ts';
import type { DeleteOptions } from '../../../api/options/options-delete.ts';
import type { Strategy } from '../../../api/kinds/strategy.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';
const MS = 1_000;
const NANOSECONDS = 1_000_000_000n;
const NANOSECONDS_PER_MS = 1_000_000n;
/** More seconds do not fit into a time.Duration. */
const DURATION_SECONDS_MAX = 9e9;

/**
 * `remove`: take it away now. `update`: the object was changed and stays for the time being.
 * `mark`: the object was changed and is stored so, and is to be removed right behind that.
 * `pending`: it is going already, and nothing changes.
 */
export type Deletion = 'remove' | 'update' | 'mark' | 'pending';

/** Decides, and changes the object accordingly. */
export function prepareDelete(
  strategy: Strategy,
  object: KubeObject,
  options: DeleteOptions,
  clock: Clock,
): Deletion {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined && strategy.holdOnDelete !== undefined) {
    // Upstream's namespaces have a delete of their own, which counts no generation.
    if (strategy.isHeldBack !== undefined) {
      setFinalizers(object, finalizersFor(strategy, object, options));
    }
    metadata.deletionTimestamp = formatTime(clock.now());
    strategy.holdOnDelete(object, metadata.deletionTimestamp);
    return 'update';
  }
  if (metadata.deletionTimestamp !== undefined && strategy.isHeldBack?.(object) === true) {
    return 'pending';
  }
  const grace = prepareGrace(strategy, object, options, clock);
  if (grace === 'pending') return 'pending';

  const finalizers = finalizersFor(strategy, object, options);
  const held = (finalizers ?? metadata.finalizers ?? []).length > 0;
  // What goes at once goes as it is, with a finalizer that the options have taken away.
  if (grace === 'none' && !held) return 'remove';
  setFinalizers(object, finalizers);
  if (grace === 'graceful') {
    return held || (metadata.deletionGracePeriodSeconds ?? 0) > 0 ? 'update' : 'mark';
  }
  markAsDeleting(strategy, object, clock);
  return 'update';
}

function prepareGrace(
  strategy: Strategy,
  object: KubeObject,
  options: DeleteOptions,
  clock: Clock,
): 'graceful' | 'pending' | 'none' {
  if (strategy.gracePeriodSeconds === undefined) return 'none';
  const { metadata } = object;
  const asked = options.gracePeriodSeconds;
  const requested = asked !== undefined && asked < 0 ? 1 : asked;
  if (metadata.deletionTimestamp !== undefined) return shortenGrace(object, requested, clock);

  const seconds = strategy.gracePeriodSeconds(object, requested);
  if (seconds === undefined) return 'none';
  metadata.deletionTimestamp = formatTime(clock.now() + durationMs(seconds));
  metadata.deletionGracePeriodSeconds = seconds;
  countGeneration(object);
  strategy.markDeleting?.(object);
  return 'graceful';
}

/** An object that is going already can only be made to go sooner. */
function shortenGrace(
  { metadata }: KubeObject,
  requested: number | bigint | undefined,
  clock: Clock,
): 'graceful' | 'pending' | 'none' {
  const current = metadata.deletionGracePeriodSeconds ?? 0;
  if (current === 0) return 'none';
  if (requested === undefined || requested >= current) return 'pending';
  const began = Date.parse(metadata.deletionTimestamp ?? '') - durationMs(current);
  const ends = began + durationMs(requested);
  const isPast = ends < clock.now();
  metadata.deletionTimestamp = formatTime(isPast ? clock.now() : ends);
  // The time is over, but the component that ends the object still has to do so.
  metadata.deletionGracePeriodSeconds = isPast && requested !== 0 ? 1 : requested;
  return 'graceful';
}

/** The finalizers that the garbage collector is to see, or undefined when they stay as they are. */
function finalizersFor(
  strategy: Strategy,
  { metadata }: KubeObject,
  options: DeleteOptions,
): string[] | undefined {
  const before = metadata.finalizers ?? [];
  const rest = before.filter((one) => one !== ORPHAN && one !== FOREGROUND);
  const wanted = policyOf(strategy, metadata, options);
  const after = wanted === undefined ? rest : [...rest, wanted];
  const same = after.length === before.length && after.every((one) => isAmong(before, one));
  return same ? undefined : after;
}

function setFinalizers({ metadata }: KubeObject, finalizers: string[] | undefined): void {
  if (finalizers === undefined) return;
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

function policyOf(
  strategy: Strategy,
  { finalizers = [], deletionTimestamp }: KubeObject['metadata'],
  { orphanDependents, propagationPolicy }: DeleteOptions,
): typeof ORPHAN | typeof FOREGROUND | undefined {
  const { defaultGarbageCollection } = strategy;
  if (defaultGarbageCollection === 'unsupported') return undefined;
  // Of namespaces, the first delete takes the old way not to orphan for Foreground.
  const isFirstOfHolder = strategy.isHeldBack !== undefined && deletionTimestamp === undefined;
  if (orphanDependents === true) return ORPHAN;
  if (orphanDependents === false) return isFirstOfHolder ? FOREGROUND : undefined;
  if (propagationPolicy === 'Orphan') return ORPHAN;
  if (propagationPolicy === 'Foreground') return FOREGROUND;
  if (propagationPolicy === 'Background') return undefined;
  const kept = finalizers.find((one) => one === ORPHAN || one === FOREGROUND);
  if (kept === ORPHAN || kept === FOREGROUND) return kept;
  return defaultGarbageCollection === 'orphan' ? ORPHAN : undefined;
}

function markAsDeleting(strategy: Strategy, object: KubeObject, clock: Clock): void {
  const { metadata } = object;
  const now = clock.now();
  const existing = metadata.deletionTimestamp;
  if (existing === undefined) countGeneration(object);
  if (existing === undefined || Date.parse(existing ?? '') > now) {
    metadata.deletionTimestamp = formatTime(now);
  }
  metadata.deletionGracePeriodSeconds = 0;
  if (existing === undefined) strategy.markDeleting?.(object);
}

function countGeneration({ metadata }: KubeObject): void {
  const { generation = 0 } = metadata;
  if (generation > 0) metadata.generation = nextGeneration(generation);
}

/** What does not fit into a time.Duration of Go begins anew at its other end. */
function durationMs(seconds: number | bigint): number {
  if (Math.abs(Number(seconds)) <= DURATION_SECONDS_MAX) return Number(seconds) * MS;
  return Number(BigInt.asIntN(64, BigInt(seconds) * NANOSECONDS) / NANOSECONDS_PER_MS);
}
