/** A kind whose rules are measured. */
import type { JsonObject } from '../../../api/json/json.ts';

export interface ParityKind {
  /** As the table calls it: `Pod`; with its group where two groups have one: `Event (events.k8s.io)`. */
  readonly name: string;
  /** Objects that kube-apiserver takes as they are. Each is also an old object of updates. */
  readonly bases: readonly JsonObject[];
  /** What the registry does to an object before the strategy has its turn; changes it. */
  readonly beforehand?: (object: JsonObject, old: JsonObject | undefined) => void;
  /** Top-level fields in which faults are made; all but `status` unless said otherwise. */
  readonly sections?: readonly string[];
}
