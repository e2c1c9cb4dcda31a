/** One row of a table as it was read of an object: its cells, and its text in a frame. */
import { formatJson } from '../../../api/json/json-text.ts';
import type { LiveCell } from '../../../api/live/live-messages.ts';

/** Windows of the same columns share it, so its text is made once for all clients. */
export class ReadRow {
  /** `NAMESPACE/NAME`, or `/NAME`. */
  readonly key: string;
  readonly cells: readonly LiveCell[];
  #json: string | undefined;

  constructor(key: string, cells: readonly LiveCell[]) {
    this.key = key;
    this.cells = cells;
  }

  /** `{"key":…,"cells":[…]}`, made when it is sent for the first time. */
  get json(): string {
    this.#json ??= formatJson({ key: this.key, cells: this.cells });
    return this.#json;
  }
}
