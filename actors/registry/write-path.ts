/** The stages of a verb, in order, as one value. */
import type { Answer } from '../request/answer.ts';
import type { AnyStage, Fitting, Outcome, WritePath, WritePathOf } from './stage.ts';
import type { HasAttempt, HasChange, HasKey, Received } from './write.ts';
import type { WriteContext } from './write-context.ts';

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
