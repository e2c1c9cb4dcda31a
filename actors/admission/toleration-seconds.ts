/** How long a pod stays on a node that fails, where it does not say itself. */
export interface TolerationSeconds {
  readonly notReadySeconds: number;
  readonly unreachableSeconds: number;
}
