/** Lines for a reader that asks for them: a portion is acknowledged when the reader comes for the next one. */
import type { JsonObject } from '../../api/json/json.ts';
import { frames } from './live-frames.ts';
import type { LiveConnection } from './live-connection.ts';

interface Portion {
  readonly lines: readonly JsonObject[];
  acknowledge: () => void;
}

interface End {
  /** undefined: all lines were told. */
  readonly error: Error | undefined;
}

/** @throws LiveError */
export async function* lineBatches(
  connection: LiveConnection,
  path: string,
): AsyncGenerator<readonly JsonObject[]> {
  const portions: Portion[] = [];
  let end: End | undefined;
  let wake: () => void = () => undefined;
  const subscription = frames(connection, path, {}, (acknowledge) => {
    const newest = portions.at(-1);
    if (newest !== undefined) newest.acknowledge = acknowledge;
    wake();
  }).subscribe({
    next: (frame) => {
      if (frame.type !== 'next') return;
      const lines = frame.events.map(({ object }) => object);
      portions.push({ lines, acknowledge: () => undefined });
    },
    error: (error: Error) => {
      end = { error };
      wake();
    },
    complete: () => {
      end = { error: undefined };
      wake();
    },
  });
  const next = async (): Promise<Portion | undefined> => {
    while (portions.length === 0 && end === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const portion = portions.shift();
    if (portion === undefined && end?.error !== undefined) throw end.error;
    return portion;
  };
  try {
    for (let portion = await next(); portion !== undefined; portion = await next()) {
      yield portion.lines;
      portion.acknowledge();
    }
  } finally {
    subscription.unsubscribe();
  }
}
