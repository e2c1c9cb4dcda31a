/**
 * What clients asked and were told, with the times: the evidence that the checkers judge.
 *
 * All clients live in one process, so one clock orders what they saw. Everything is written as
 * JSON lines while it happens; a run that failed is read back and judged again from its file.
 */
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import type { ResourceName, SeenObject, TextMap } from './seen-object.ts';

/** What a write makes of an object: data and labels are set; `replaces` says whether others go. */
export interface Content {
  readonly data: TextMap;
  readonly labels?: TextMap;
  readonly finalizers?: readonly string[];
}

interface OnObject {
  readonly resource: ResourceName;
  /** `<namespace>/<name>`; '' while the generated name is unknown. */
  readonly path: string;
}

/** What was asked. A version that is given is a condition, or for reads the moment. */
export type Request =
  | (OnObject & { readonly kind: 'create'; readonly content: Content; readonly prefix?: string })
  | (OnObject & {
      readonly kind: 'update';
      readonly content: Content;
      readonly version?: number;
      readonly uid?: string;
    })
  | (OnObject & {
      readonly kind: 'patch';
      readonly form: 'merge' | 'json' | 'strategic';
      /** Set beside what is there. Finalizers, where given, replace those that are there. */
      readonly content: Content;
      readonly version?: number;
      /** For a JSON patch: refused with 422 unless this field has this value. */
      readonly test?: { readonly field: string; readonly value: string };
    })
  | (OnObject & { readonly kind: 'delete'; readonly version?: number; readonly uid?: string })
  | (OnObject & { readonly kind: 'get'; readonly moment: string })
  | ListRequest;

export interface ListRequest {
  readonly kind: 'list';
  readonly resource: ResourceName;
  /** '' for all. */
  readonly namespace: string;
  /** `key=value`, or '' for all. */
  readonly selector: string;
  readonly moment: string;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  /** 0: not paged. */
  readonly limit: number;
}

/** `[path, version, digest]`. */
export type ListedObject = readonly [string, number, string];

export interface ListAnswer {
  /** Of every page, in order. */
  readonly versions: readonly number[];
  readonly items: readonly ListedObject[];
}

/**
 * `unknown`: it may have taken effect, or may yet. `unsent`: it never reached a server.
 * `refused`: answered, and nothing has changed.
 */
export type Outcome = 'ok' | 'refused' | 'unknown' | 'unsent';

export interface Operation {
  /** Also its Audit-ID, by which the log knows it. */
  readonly id: string;
  readonly client: string;
  readonly replica: number;
  readonly request: Request;
  /** Milliseconds since the run began. */
  readonly invoked: number;
  /** Null when it never returned. */
  readonly returned: number | null;
  readonly outcome: Outcome;
  /** Of HTTP; 0 where there was no answer. */
  readonly status: number;
  readonly object?: SeenObject;
  readonly list?: ListAnswer;
  /** What was said with a failure. */
  readonly message?: string;
}

export type WatchStart =
  /** What comes behind this version. */
  | { readonly kind: 'after'; readonly version: number }
  /** The state as ADDED events, then a bookmark, then what comes behind it. */
  | { readonly kind: 'initial'; readonly moment: string };

export interface WatchOpened {
  readonly watch: string;
  readonly replica: number;
  readonly resource: ResourceName;
  readonly namespace: string;
  readonly selector: string;
  readonly start: WatchStart;
  readonly opened: number;
}

export interface WatchShown {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly version: number;
  /** '' for bookmarks and errors. */
  readonly path: string;
  readonly digest: string;
  readonly at: number;
  /** Of a bookmark: the initial events are complete. */
  readonly isInitialEnd?: boolean;
  /** Of an error. */
  readonly message?: string;
}

export interface Watch extends WatchOpened {
  readonly shown: WatchShown[];
  /** Set where the run waited at its end until the watch should have shown everything up to here. */
  mustReach?: number;
}

export interface History {
  readonly operations: Operation[];
  readonly watches: Watch[];
}

type Line =
  | { readonly op: Operation }
  | { readonly open: WatchOpened }
  | { readonly watch: string; readonly shown: WatchShown }
  | { readonly watch: string; readonly mustReach: number };

/** Writes a history while it happens, and keeps it. */
export class HistoryRecorder {
  readonly history: History = { operations: [], watches: [] };
  readonly #file: WriteStream;
  readonly #began = process.hrtime.bigint();

  constructor(path: string) {
    this.#file = createWriteStream(path);
  }

  /** Milliseconds since the run began, of a clock that only rises. */
  now(): number {
    return Number((process.hrtime.bigint() - this.#began) / 1_000n) / 1_000;
  }

  operation(operation: Operation): void {
    this.history.operations.push(operation);
    this.#write({ op: operation });
  }

  opened(open: WatchOpened): Watch {
    const watch: Watch = { ...open, shown: [] };
    this.history.watches.push(watch);
    this.#write({ open });
    return watch;
  }

  shown(watch: Watch, shown: WatchShown): void {
    watch.shown.push(shown);
    this.#write({ watch: watch.watch, shown });
  }

  mustReach(watch: Watch, version: number): void {
    watch.mustReach = version;
    this.#write({ watch: watch.watch, mustReach: version });
  }

  async close(): Promise<void> {
    this.#file.end();
    await once(this.#file, 'close');
  }

  #write(line: Line): void {
    this.#file.write(`${JSON.stringify(line)}\n`);
  }
}

/** A history out of its file; a last line that was cut off is left out. */
export async function readHistory(path: string): Promise<History> {
  const history: History = { operations: [], watches: [] };
  const watches = new Map<string, Watch>();
  for await (const text of createInterface({ input: createReadStream(path) })) {
    if (text.endsWith('}')) take(JSON.parse(text) as Line, history, watches); // As written above.
  }
  return history;
}

function take(line: Line, { operations, watches }: History, known: Map<string, Watch>): void {
  if ('op' in line) operations.push(line.op);
  else if ('open' in line) {
    const watch: Watch = { ...line.open, shown: [] };
    known.set(watch.watch, watch);
    watches.push(watch);
  } else {
    const watch = known.get(line.watch);
    if (watch === undefined) throw new Error(`no watch ${line.watch} was opened`);
    if ('shown' in line) watch.shown.push(line.shown);
    else watch.mustReach = line.mustReach;
  }
}
