/**
 * How far our rules of a kind agree with kube-apiserver's: thousands of objects with faults are
 * judged by both, and what both say of them is compared cause by cause: which field, which type of
 * error, which words, and in which order.
 */
import type { JsonObject } from '../../../api/json/json.ts';
import { atOnce } from '../../../api/meta/maybe-promise.ts';
import { asKubeObject, type KubeObject } from '../../../api/meta/object-meta.ts';
import type { FieldError, StatusCause } from '../../../api/field/field-errors.ts';
import type { Status } from '../../../api/meta/status.ts';
import { prepareCreate, prepareUpdate } from '../../../actors/registry/objects/candidate.ts';
import { received, servedAs, type Write } from '../../../api/kinds/rule-cases/judge.fixture.ts';
import type { OracleProgram } from '../oracle-program.ts';
import { asObject } from '../strategies/comparison.ts';
import { chanceFrom } from '../../../tools/seeded-chance.fixture.ts';
import { heldIn, oneOf, type Choice } from './chosen-value.ts';
import { mutated } from './mutation.ts';
import type { ParityKind } from './parity-kind.ts';
import { parityKinds } from './parity-kinds.ts';

export interface Difference {
  readonly write: Write;
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

export interface Agreement {
  /** `Pod`, with the group behind it where the kind exists twice. */
  readonly kind: string;
  readonly cases: number;
  /** What either of the two said, each cause once. */
  readonly causes: number;
  /** What both said. */
  readonly agreed: number;
  /** Cases of which both said the same, but in another order. */
  readonly reordered: number;
  readonly differences: readonly Difference[];
}

export interface Measuring {
  readonly seed: number;
  readonly casesPerKind: number;
}

/** Its causes as a share of all, from 0 to 100; 100 when neither named any. */
export function percentOf({ causes, agreed }: Pick<Agreement, 'causes' | 'agreed'>): number {
  return causes === 0 ? 100 : (agreed / causes) * 100;
}

export function measure(oracle: OracleProgram, kind: ParityKind, measuring: Measuring): Agreement {
  const [agreement] = measureAll(oracle, [kind], measuring);
  if (agreement === undefined) throw new Error('nothing was measured');
  return agreement;
}

/** Asks once for all of `kinds`, which saves starting the oracle but needs memory for every case. */
export function measureAll(
  oracle: OracleProgram,
  kinds: readonly ParityKind[],
  measuring: Measuring,
): readonly Agreement[] {
  const olds = storedForms(oracle, kinds);
  const drawn = kinds.flatMap((kind) =>
    mutatedWrites(kind, measuring).map((write) => ({ kind, write })),
  );
  const judgements = judgedByBoth(oracle, drawn, olds);
  return kinds.map((kind) =>
    agreementOf(
      kind.name,
      judgements.filter((judgement) => judgement.kind === kind),
    ),
  );
}

/** The same for writes that were thought of by hand. */
export function compareWrites(
  oracle: OracleProgram,
  kind: ParityKind,
  writes: readonly Write[],
): Agreement {
  const drawn = writes.map((write) => ({ kind, write }));
  return agreementOf(kind.name, judgedByBoth(oracle, drawn, storedForms(oracle, [kind])));
}

function judgedByBoth(
  oracle: OracleProgram,
  drawn: readonly Drawn[],
  olds: ReadonlyMap<JsonObject, JsonObject>,
): readonly (Judgement & Drawn)[] {
  const stored = withoutEmptyLists(oracle, drawn).map(({ kind, write }) => {
    const whole = { ...write, ...oldOf(write, olds) };
    kind.beforehand?.(whole.object, whole.old);
    return { kind, write: whole };
  });
  const answers = oracle.ask(stored.map(({ write }) => ({ ...write, whole: true }))).map(asObject);
  return stored.map((one, index) => ({ ...one, answer: answers[index] ?? {} }));
}

interface Judgement {
  readonly write: Write;
  readonly answer: JsonObject;
}

function agreementOf(kind: string, judgements: readonly Judgement[]): Agreement {
  let [cases, causes, agreed, reordered] = [0, 0, 0, 0];
  const differences: Difference[] = [];
  for (const { write, answer } of judgements) {
    const object = 'error' in answer ? undefined : received(structuredClone(write.object));
    if (object === undefined) continue;
    // The oracle answers in this form.
    const theirs = distinct((answer['errors'] as unknown as FieldError[]).map(shown));
    const ours = distinct(judged(write, object));
    const common = commonTo(ours, theirs);
    const isSame = ours.length === theirs.length && common === ours.length;
    const isInOrder = isSame && ours.every((cause, at) => cause === theirs[at]);
    cases += 1;
    causes += ours.length + theirs.length - common;
    agreed += common;
    if (isSame && !isInOrder) reordered += 1;
    if (!isInOrder) differences.push({ write, ours, theirs });
  }
  return { kind, cases, causes, agreed, reordered, differences };
}

interface Drawn {
  readonly kind: ParityKind;
  readonly write: Write;
}

/**
 * Our decoder does not tell an empty list from none, and upstream's messages about fields that may
 * not change do. So both are sent what upstream writes for the object, where neither has any.
 */
function withoutEmptyLists(oracle: OracleProgram, drawn: readonly Drawn[]): readonly Drawn[] {
  const questions = drawn.map(({ write: { object } }) => ({ do: 'canonical', object }));
  const answers = oracle.ask(questions).map(asObject);
  return drawn.flatMap(({ kind, write }, index) => {
    const object = answers[index]?.['object'];
    return object === undefined ? [] : [{ kind, write: { ...write, object: asObject(object) } }];
  });
}

/** The oracle fills in what upstream's store would, so both start from the same old object. */
function storedForms(
  oracle: OracleProgram,
  kinds: readonly ParityKind[],
): ReadonlyMap<JsonObject, JsonObject> {
  const bases = kinds.flatMap((kind) => kind.bases);
  const answers = oracle.ask(bases.map((object) => ({ do: 'store', object }))).map(asObject);
  return new Map(
    bases.map((base, index) => {
      const object = answers[index]?.['object'];
      if (object === undefined) throw new Error(`not stored: ${JSON.stringify(answers[index])}`);
      return [base, asObject(object)];
    }),
  );
}

function oldOf({ old }: Write, olds: ReadonlyMap<JsonObject, JsonObject>): { old?: JsonObject } {
  const stored = old === undefined ? undefined : olds.get(old);
  return stored === undefined ? {} : { old: structuredClone(stored) };
}

function mutatedWrites(kind: ParityKind, { seed, casesPerKind }: Measuring): readonly Write[] {
  const held = heldIn([...parityKinds.flatMap(({ bases }) => bases)]);
  const choice: Choice = { chance: chanceFrom(seed), held };
  const { strategy } = servedAs(oneOf(choice.chance, kind.bases)).definition;
  const verbs = ['create', 'create', 'update', ...strategy.subresources.keys()];
  return Array.from({ length: casesPerKind }, (): Write => {
    const base = oneOf(choice.chance, kind.bases);
    const verb = oneOf(choice.chance, verbs);
    const object = mutated(base, servedAs(base).facts.typeId, sectionsOf(verb, kind, base), choice);
    return verb === 'create' ? { do: verb, object } : { do: verb, object, old: base };
  });
}

function sectionsOf(verb: string, { sections }: ParityKind, base: JsonObject): readonly string[] {
  if (verb === 'status' || verb === 'approval') return ['status'];
  if (sections !== undefined) return sections;
  const own = Object.keys(base).filter(
    (key) => !['apiVersion', 'kind', 'metadata', 'status'].includes(key),
  );
  return [...own, ...own, ...own, ...own, ...own, ...own, ...own, 'metadata'];
}

/** As the registry does it. */
function judged(write: Write, object: KubeObject): readonly string[] {
  const served = servedAs(write.object);
  const { strategy } = served.definition;
  const small = { object, sizeBytes: 0 };
  if (write.old === undefined) return shownCauses(atOnce(prepareCreate(served, small, REQUESTER)));
  const rules = write.do === 'update' ? strategy : strategy.subresources.get(write.do);
  if (rules === undefined) throw new Error(`there is no subresource ${write.do}`);
  // The oracle has read it back from its store.
  return shownCauses(atOnce(prepareUpdate(served, rules, small, asKubeObject(write.old))));
}

const REQUESTER = { name: '', groups: [], extra: {} } as unknown as Parameters<
  typeof prepareCreate
>[2];

function shownCauses(status: Status | undefined): readonly string[] {
  return (status?.details?.causes ?? []).map(({ reason, field, message }: StatusCause) =>
    shown({ type: reason as FieldError['type'], field: field ?? '', body: message ?? '' }),
  );
}

function shown({ type, field, body }: FieldError): string {
  return `${type} ${field}: ${body.trim()}`;
}

/** Upstream asks some things of metadata up to four times, and says so as often. */
function distinct(causes: readonly string[]): readonly string[] {
  return [...new Set(causes)];
}

/** How many causes stand in both lists, each as often as it stands in both. */
function commonTo(ours: readonly string[], theirs: readonly string[]): number {
  const left = new Map<string, number>();
  for (const cause of theirs) left.set(cause, (left.get(cause) ?? 0) + 1);
  return ours.filter((cause) => {
    const count = left.get(cause) ?? 0;
    left.set(cause, count - 1);
    return count > 0;
  }).length;
}
