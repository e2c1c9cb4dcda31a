/** Waits for Enter before each record, and says which one it is. */
import { createInterface } from 'node:readline';
import { formatTime } from '../../../api/meta/clock.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import { shownResource } from '../tool/resource-kinds.ts';
import { printable } from '../tool/tool-output.ts';

export interface Steps {
  /** Resolves to true at Enter, and to false when there is no input any more. */
  next(record: LoggedEvent): Promise<boolean>;
  close(): void;
}

export function stepByStep(
  input: NodeJS.ReadableStream,
  say: (text: string) => void,
  signal: AbortSignal,
): Steps {
  const lines = createInterface({ input });
  const iterator = lines[Symbol.asyncIterator]();
  const close = (): void => {
    lines.close();
  };
  signal.addEventListener('abort', close, { once: true });
  return {
    async next(record) {
      say(`${describe(record)}  [Enter]`);
      const { done } = await iterator.next();
      return done !== true;
    },
    close,
  };
}

function describe(record: LoggedEvent): string {
  const { resourceVersion: version, time, type, resource, path, user, verb } = record;
  const when = `${String(version)}  ${formatTime(time)}`;
  if (type === 'marker') return `${when}  nothing`;
  const object = `${shownResource(resource)}/${path.replace(/^\//, '')}`;
  return printable(`${when}  ${type} ${object}  (${verb}${user === '' ? '' : ` by ${user}`})`);
}
