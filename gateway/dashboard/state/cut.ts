/** Moments that the log does not reach back to any more. */
import { signal } from '@preact/signals';
import { pageLocation } from './page-location.ts';

/** The moment in the location for which the server had something cut from its log; undefined: none. */
export const cutAt = signal<string | undefined>(undefined);

const GONE = 410;
const CUT = 'What was here at this moment was cut from the log.';

/** What to show of an error of this code and message; of a moment that was cut, that it was. */
export function textOfProblem(code: number | undefined, message: string): string {
  const { at } = pageLocation.value;
  if (code !== GONE || at === '') return message;
  cutAt.value = at;
  return CUT;
}

/** The same of a request for any moment. */
export function textOfAnswer(code: number, message: string): string {
  return code === GONE ? CUT : message;
}
