/**
 * What a client may ask of a delete, as it was written and as the server takes it.
 *
 * In Kubernetes: DeleteOptions, apimachinery/pkg/apis/meta/v1.
 */
import type { Preconditions } from './preconditions.ts';

export type PropagationPolicy = 'Foreground' | 'Background' | 'Orphan';

export interface DeleteOptions {
  readonly dryRun: boolean;
  /** As the client wrote it; what is negative counts as 1. undefined: the kind decides. */
  readonly gracePeriodSeconds: number | bigint | undefined;
  readonly propagationPolicy: PropagationPolicy | undefined;
  /** The old way to say `Orphan` (true) or `Background` (false). */
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: Preconditions | undefined;
}

/** As the client wrote them. */
export interface WrittenDeleteOptions extends Omit<DeleteOptions, 'dryRun' | 'propagationPolicy'> {
  readonly dryRun: readonly string[];
  readonly propagationPolicy: string | undefined;
}

export type ReadDeleteOptions =
  | { readonly ok: true; readonly written: WrittenDeleteOptions }
  | { readonly ok: false; readonly message: string };
