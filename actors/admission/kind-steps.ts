/**
 * Steps of plug-ins that look at the objects of certain kinds only. A row names the kind, the
 * operations and the step; the step is given objects of the declared type, and is not asked about
 * any other write.
 *
 * The surprise: `attributes.object` of a create or an update is there, and that of a delete is not,
 * so the operations of a row decide which types its step sees.
 */
import type { ResourceTypes } from '../../api/generated/kinds/kinds.ts';
import type { TokenRequest } from '../../api/generated/kinds/authentication-v1.ts';
import type { Binding } from '../../api/generated/kinds/core-v1.ts';
import type { Eviction } from '../../api/generated/kinds/policy-v1.ts';
import type { FieldErrors } from '../../api/field/field-errors.ts';
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import type { Status } from '../../api/meta/status.ts';
import type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlace,
} from './admission-attributes.ts';
import type { RightsAt, StepAt } from './admission-plugin.ts';

/** Subresources that take a kind of their own. */
interface OwnTypes {
  readonly 'v1/pods/binding': Binding;
  readonly 'v1/pods/eviction': Eviction;
  readonly 'v1/serviceaccounts/token': TokenRequest;
}

/** Subresources that show the object itself. */
type ViewedAs = 'approval' | 'ephemeralcontainers' | 'resize' | 'status';

type Resource = keyof ResourceTypes;

/** A kind by the version that is stored, and a subresource, as in a URL: `v1/pods/resize`. */
export type KindPath = Resource | `${Resource}/${ViewedAs}` | keyof OwnTypes;

type Parent<Path> = Path extends `${infer Of}/${ViewedAs}` ? Of : Path;

/** The declared type of the objects that are written there. */
export type KindAt<Path extends KindPath> = Path extends keyof OwnTypes
  ? OwnTypes[Path]
  : Parent<Path> extends Resource
    ? ResourceTypes[Parent<Path>]
    : never;

type NewIn<Kind, Operation> = Operation extends 'CREATE' | 'UPDATE' ? ObjectOf<Kind> : undefined;
type OldIn<Kind, Operation> = Operation extends 'UPDATE' | 'DELETE' ? ObjectOf<Kind> : undefined;

/** What a step sees of a write of this kind by one of these operations. */
export type AttributesOf<Kind, Operation extends AdmissionOperation> = AdmissionAttributes<
  NewIn<Kind, Operation>,
  OldIn<Kind, Operation>
>;

/** A step of admission for the objects of one kind. */
export type KindStep<Kind, Operation extends AdmissionOperation, Result = Status | undefined> = (
  attributes: AttributesOf<Kind, Operation>,
) => MaybePromise<Result>;

/** What a plug-in does with writes of these kinds by these operations. */
export function stepFor<Path extends KindPath, Operation extends AdmissionOperation>(
  paths: Path | readonly Path[],
  operations: readonly Operation[],
  step: KindStep<KindAt<Path>, Operation>,
): StepAt {
  return stepMadeFor(paths, operations, () => step);
}

/** {@link stepFor}, where the step itself depends on the place. It is made once for each. */
export function stepMadeFor<Path extends KindPath, Operation extends AdmissionOperation>(
  paths: Path | readonly Path[],
  operations: readonly Operation[],
  make: (place: AdmissionPlace) => KindStep<KindAt<Path>, Operation>,
): StepAt {
  return madeAt(typeof paths === 'string' ? [paths] : paths, operations, make);
}

/** Which rights a plug-in asks for where objects of this kind are written by these operations. */
export function rightsFor<Path extends KindPath, Operation extends AdmissionOperation>(
  path: Path,
  operations: readonly Operation[],
  step: KindStep<KindAt<Path>, Operation, FieldErrors>,
): RightsAt {
  return madeAt([path], operations, () => step);
}

function madeAt<Path extends KindPath, Operation extends AdmissionOperation, Result>(
  paths: readonly Path[],
  operations: readonly Operation[],
  make: (place: AdmissionPlace) => KindStep<KindAt<Path>, Operation, Result>,
): (place: AdmissionPlace) => KindlessStep<Result> | undefined {
  const places = paths.map(placeOf);
  return (place) => {
    if (!isOneOf(places, operations, place)) return undefined;
    // Every object that reaches admission was decoded in its type: tools/generate/admitted-kinds.test.ts.
    return make(place) as unknown as KindlessStep<Result>;
  };
}

type KindlessStep<Result> = (attributes: AdmissionAttributes) => MaybePromise<Result>;

/** The step of the first of them that has something to do at the place. */
export function firstOf<Step>(
  ...all: readonly ((place: AdmissionPlace) => Step | undefined)[]
): (place: AdmissionPlace) => Step | undefined {
  return (place) => {
    for (const stepAt of all) {
      const step = stepAt(place);
      if (step !== undefined) return step;
    }
    return undefined;
  };
}

interface KindPlace {
  readonly storage: string;
  readonly version: string;
  readonly subresource: string;
}

function isOneOf(
  places: readonly KindPlace[],
  operations: readonly AdmissionOperation[],
  { served, operation, subresource }: AdmissionPlace,
): boolean {
  const { storage, storageFacts } = served.definition;
  const found = places.find((one) => one.storage === storage && one.subresource === subresource);
  if (found === undefined || !operations.includes(operation)) return false;
  if (found.version !== storageFacts.version) {
    throw new Error(`${storage} is stored as ${storageFacts.version}, not ${found.version}`);
  }
  return true;
}

/** `v1/pods/resize` and `apps/v1/deployments`, of which only the first has no group. */
function placeOf(path: string): KindPlace {
  const parts = path.split('/');
  if (parts[0] === 'v1') parts.unshift('core');
  const [group = '', version = '', resource = '', subresource = ''] = parts;
  return { storage: `${group}/${resource}`, version, subresource };
}
