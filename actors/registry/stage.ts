/**
 * The path of a write, or of a read, is an ordered array of stages. A stage takes the write and gives
 * the write, or the answer that ends it, or a promise of one. What it has found out it notes on the
 * write, and the type of the write says so: an order in which a stage would meet a write that has not
 * come far enough does not compile.
 *
 * The surprise: what a stage gives is written `undefined |` and never optional. An optional fact
 * would be there before a stage has noted it, as far as the compiler can tell.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Answer } from '../request/answer.ts';
import { doneInSlices, LARGE_BYTES } from '../request/large-work.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { HasAttempt, HasChange, HasExisting, HasKey, HasStored, Received } from './write.ts';
import type { WriteContext } from './write-context.ts';

/** A promise only where the stage has to wait: a write that needs none stays on one stack. */
export type StageResult<Write> = Write | Answer | Promise<Write | Answer>;

export interface Stage<Needs, Gives extends Needs> {
  /** As it stands in the list of the verb's stages. */
  readonly name: string;
  /** @throws whatever is a fault of the server; the client is answered 500. */
  run(write: Needs, context: WriteContext, writes: Writes): StageResult<Gives>;
}

/** The last stage of a path: from here on the write follows one of several others. */
interface Junction<Needs, Gives extends Needs> extends Stage<Needs, Gives> {
  choose(write: Needs): readonly AnyStage[];
}

/** A stage of which it is no longer known what it needs. */
export interface AnyStage {
  readonly name: string;
  run(write: never, context: WriteContext, writes: Writes): StageResult<object>;
  choose?(write: never): readonly AnyStage[];
}

/** The stages of a verb. */
export interface WritePath {
  /** The verb, as `create`. */
  readonly name: string;
  /** Done once, before the write waits for its turn at the key. */
  readonly once: readonly AnyStage[];
  /**
   * Done again for each attempt, as long as other writers are first. What the last stage notes is
   * proposed to the log. None: the last stage of `once` gives the answer.
   */
  readonly attempt: readonly AnyStage[];
  /** Whether to begin again under another key instead of giving this answer. */
  readonly again?: ((write: never, answer: Answer, context: WriteContext) => boolean) | undefined;
}

/** A path of which it is known what its first stage needs. */
interface WritePathOf<Begins> extends WritePath {
  /** For the compiler alone; nothing has it. */
  readonly __begins?: (write: Begins) => void;
}

/** The stages of a read; the last one gives the answer. */
export interface ReadPath {
  /** The verb, as `get`. */
  readonly name: string;
  /** In the order in which they are run; all but the last pass the read on. */
  readonly stages: readonly AnyStage[];
}

/** Writes that a stage of another write does, each on its own: to the pod of a Binding, to what a list showed. */
export interface Writes {
  /** Takes a write along its path as if a client had sent it. Never rejects. */
  perform<Facts extends object>(
    context: WriteContext,
    path: WritePathOf<Received & Facts>,
    write: SubWrite<Facts>,
  ): Promise<Answer>;
}

interface SubWrite<Facts> {
  readonly request: AuthenticatedRequest;
  /** The resource that is written, in the version in which it is written. */
  readonly served: ServedResource;
  /** What the first stage of the path needs beside these. */
  readonly facts: Facts;
}

/** Stages whose order was checked: they make of one write the other. */
type Path<Needs, Gives> = readonly AnyStage[] & Checked<Needs, Gives>;

/** For the compiler alone; nothing has it. */
interface Checked<Needs, Gives> {
  readonly __from?: (write: Needs) => void;
  readonly __to?: Gives;
}

/** The stages, if each meets what those before it have noted; else what is missing where. */
type Fitting<Stages, Write> = Stages extends readonly [
  Stage<infer Needs, infer Gives>,
  ...infer Rest,
]
  ? Write extends Needs
    ? readonly [Stages[0], ...Fitting<Rest, Write & Gives>]
    : readonly [Missing<Needs, Write>, ...Rest]
  : readonly [];

interface Missing<Needs, Write> {
  readonly problem: 'this stage meets a write that has not come far enough';
  readonly missing: Exclude<keyof Needs, keyof Write>;
}

/** What the last of the stages makes of the write. */
type Outcome<Stages, Write> = Stages extends readonly [
  Stage<infer _Needs, infer Gives>,
  ...infer Rest,
]
  ? Outcome<Rest, Write & Gives>
  : Write;

/** `stages<Received>()(a, b, c)`: the order is checked by the compiler, and nothing is left to do. */
export function stages<Write>() {
  return <const Stages extends readonly unknown[]>(
    ...given: Stages & Fitting<Stages, Write>
  ): Path<Write, Outcome<Stages, Write>> => given as unknown as Path<Write, Outcome<Stages, Write>>; // The compiler has checked each.
}

/** `readPath('get')(a, b, c)`: as {@link stages}, and the last one gives the answer. */
export function readPath(name: string) {
  return <const Stages extends readonly unknown[]>(
    ...given: Stages & Fitting<Stages, Received>
  ): ReadPath => ({ name, stages: given as unknown as readonly AnyStage[] }); // The compiler has checked each.
}

/** The two halves of a stage that may have to wait between them. */
interface Halves<Needs, Gives extends Needs, Found> {
  /** What is waited for; nothing is where it is there at once. */
  find(write: Needs, context: WriteContext): MaybePromise<Found>;
  /** Goes on with what has come, in the same turn of the event loop. */
  take(write: Needs, found: Found, context: WriteContext): StageResult<Gives>;
}

/** A stage that may have to wait. */
export function waitingStage<Needs, Gives extends Needs, Found>(
  name: string,
  halves: Halves<Needs, Gives, Found>,
): Stage<Needs, Gives> {
  return {
    name,
    run(write, context) {
      const found = halves.find(write, context);
      return found instanceof Promise
        ? found.then((come) => halves.take(write, come, context))
        : halves.take(write, found, context);
    },
  };
}

/** The two halves of a stage whose work grows with the object. */
interface SlicedHalves<Needs, Gives extends Needs, Found> {
  /** Of a large object done in slices, so as work-in-slices.ts says; of others at once. */
  work(write: Needs, context: WriteContext): Found;
  /** Goes on with what was found, once. */
  take(write: Needs, found: Found, context: WriteContext): StageResult<Gives>;
}

/** A stage whose work grows with the object. */
export function slicedStage<Needs extends Received, Gives extends Needs, Found>(
  name: string,
  halves: SlicedHalves<Needs, Gives, Found>,
): Stage<Needs, Gives> {
  return waitingStage<Needs, Gives, Found>(name, {
    find(write, context) {
      const { sizeBytes } = write;
      if (sizeBytes < LARGE_BYTES) return halves.work(write, context);
      return doneInSlices(sizeBytes, () => halves.work(write, context));
    },
    take: (write, found, context) => halves.take(write, found, context),
  });
}

/** Behind this stage the write goes on with one path where nothing is stored, and else with the other. */
export function whetherStored<Write extends HasStored, Gives extends Write>(
  absent: Path<Write & { readonly stored: undefined; readonly old: undefined }, Gives>,
  present: Path<Write & HasExisting, Gives>,
): Junction<Write, Gives> {
  return {
    name: 'whether it is there',
    run: (write) => write as Gives, // What it gives is given by the path that is chosen.
    choose: ({ stored }) => (stored === undefined ? absent : present),
  };
}

/** With a key, a write can be attempted; without one it ends with an answer. */
interface Once<Begins, Write> extends WritePathOf<Begins> {
  /** The stages of each attempt; the compiler checks their order, as in {@link stages}. */
  eachAttempt<const Stages extends readonly unknown[]>(
    ...given: Stages & Fitting<Stages, Write & HasAttempt>
  ): Write extends HasKey
    ? Outcome<Stages, Write & HasAttempt> extends HasChange
      ? EachAttempt<Begins, Write>
      : Problem<'nothing is proposed at the end of these stages'>
    : Problem<'no key was chosen before the first attempt'>;
}

interface EachAttempt<Begins, Write> extends WritePathOf<Begins> {
  unless(
    again: (write: Write, answer: Answer, context: WriteContext) => boolean,
  ): WritePathOf<Begins>;
}

interface Problem<Text> {
  readonly problem: Text;
}

/** `writePath('create').once(…).eachAttempt(…)`; the stages find what `Begins` says. */
export function writePath<Begins extends Received = Received>(name: string) {
  return {
    once<const Stages extends readonly unknown[]>(
      ...given: Stages & Fitting<Stages, Begins>
    ): Once<Begins, Outcome<Stages, Begins>> {
      return attempting(name, given) as never; // The compiler has checked each stage.
    },
  };
}

function attempting(name: string, given: readonly unknown[]) {
  const path = { name, once: given as readonly AnyStage[], attempt: [] as readonly AnyStage[] };
  return {
    ...path,
    eachAttempt: (...attempt: readonly AnyStage[]) => ({
      ...path,
      attempt,
      unless: (again: WritePath['again']): WritePath => ({ ...path, attempt, again }),
    }),
  };
}

export type VerbHandler = ReadPath | WritePath;

/** By verb, as `create`. */
export type VerbHandlers = Readonly<Record<string, VerbHandler>>;

/** By subresource; '' is the resource itself. */
export type ResourceHandlers = ReadonlyMap<string, VerbHandlers>;
