/**
 * Questions about texts that many rules ask one after another. A name of 3 MiB is asked by each rule
 * whether it is one, and shown by each that refuses it: every time is a walk through all of it.
 */

/** Shorter texts are asked again in no time. */
const LONG_FROM = 4_096;

/** The same function, which remembers what it gave for the last long text. */
export function onceOfLong<Answer>(ask: (text: string) => Answer): (text: string) => Answer {
  let last: { readonly text: string; readonly answer: Answer } | undefined;
  return (text) => {
    if (text.length < LONG_FROM) return ask(text);
    if (last?.text !== text) last = { text, answer: ask(text) };
    return last.answer;
  };
}
