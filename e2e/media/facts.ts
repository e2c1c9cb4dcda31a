/** What two servers answered to the same questions, beside each other. */
import type { Facts } from './conversation.ts';

/**
 * Where kube-apiserver panics, an answer is better than none; and so are events where it ends a watch
 * because it cannot write the first one in the form of a list.
 */
const isNoExample = (answer: string | undefined): boolean =>
  answer === undefined || answer.startsWith('no answer') || answer.endsWith(': nothing');

/** @param headersOf what was said under each number of an answer. */
export function differences(
  ours: Facts,
  theirs: Facts,
  headersOf: (question: string) => readonly string[],
): string[] {
  return Object.entries(theirs).flatMap(([question, answers]) => {
    const told = ours[question] ?? {};
    return headersOf(question).flatMap((header, index) => {
      const [our, their] = [told, answers].map((all) => answerTo(all, index));
      if (our === their || isNoExample(their)) return [];
      return [`${question} [${header}]\n  ours:   ${our ?? ''}\n  theirs: ${String(their)}`];
    });
  });
}

function answerTo(answers: Facts[string], header: number): string | undefined {
  return Object.keys(answers).find((answer) => answers[answer]?.includes(header));
}
