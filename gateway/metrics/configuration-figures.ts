/**
 * Which configuration of a sort is in force, and what became of its file whenever it changed while the
 * server ran. Upstream has the same three families for each sort.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { hashText } from '../../api/meta/hash-text.ts';
import { formatLabels } from './exposition.ts';
import { LabelledCounts } from './named-figures.ts';

export type ConfigurationSort = 'authentication' | 'authorization' | 'encryption';

const MS = 1_000;

export class ConfigurationFigures {
  readonly #sort: ConfigurationSort;
  readonly #server: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #reloads = new LabelledCounts();
  readonly #reloadTimes = new LabelledCounts();
  #hash = '';

  /** @param server what this server is called, as `apiserver-…`. */
  constructor(sort: ConfigurationSort, server: string, clock: Pick<Clock, 'now'>) {
    this.#sort = sort;
    this.#server = hashText(server);
    this.#clock = clock;
  }

  /** @param text of the file that counts now. */
  inForce(text: string | Uint8Array): void {
    this.#hash = hashText(text);
  }

  /** A file that has changed was taken over, or was not. */
  reloaded(isGood: boolean): void {
    const status = isGood ? 'success' : 'failure';
    const labels = formatLabels({ status, apiserver_id_hash: this.#server });
    this.#reloads.add(labels);
    this.#reloadTimes.set(labels, this.#clock.now() / MS);
  }

  /** All families in Prometheus' text format; nothing where there is no such file. */
  format(): string {
    const family = `apiserver_${this.#sort}_config_controller`;
    const info = new LabelledCounts();
    const hash = this.#hash;
    if (hash !== '') info.set(formatLabels({ apiserver_id_hash: this.#server, hash }), 1);
    const times = `the ${this.#sort} configuration was read again, by what became of it.`;
    return [
      this.#reloads.format(`${family}_automatic_reloads_total`, 'counter', `Times that ${times}`),
      this.#reloadTimes.format(
        `${family}_automatic_reload_last_timestamp_seconds`,
        'gauge',
        `When ${times}`,
      ),
      info.format(
        `${family}_last_config_info`,
        'gauge',
        `Always 1; a label is the hash of the ${this.#sort} configuration.`,
      ),
    ].join('');
  }
}
