/** What the primary process and a worker tell each other, beside what the log's pipe carries. */

/** By which a worker knows its number, from 1 on; a worker that takes the place of a dead one has the same. */
export const WORKER_NUMBER = 'EVERWATCH_WORKER';

/** Set for a worker that takes the place of a dead one. */
export const REPLACES = 'EVERWATCH_WORKER_REPLACES';

/** The descriptor of a worker's end of the pipe to the owner of the log. */
export const LOG_PIPE = 4;

/** The descriptor of the file that has the end of the log. */
export const LOG_END = 5;

/** To a worker. */
export type ToldWorker =
  /** It is to stop as a server does at SIGTERM. */
  | { readonly type: 'stop' }
  /** The primary wants this worker's figures. */
  | { readonly type: 'figuresAsked'; readonly question: number }
  /** Those of all workers, as this worker asked for. */
  | { readonly type: 'allFigures'; readonly question: number; readonly texts: NumberedTexts };

/** To the primary. */
export type ToldPrimary =
  /** Its port is open, and all hooks have run. */
  | { readonly type: 'ready' }
  | { readonly type: 'figures'; readonly question: number; readonly text: string }
  | { readonly type: 'allFiguresAsked'; readonly question: number };

/** Figures by the number of the worker that has them. */
export type NumberedTexts = readonly (readonly [worker: number, text: string])[];
