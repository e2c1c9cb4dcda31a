/** The load generator of bench/kubebench, built with Go: loads any API server and says what it cost. */
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What kubebench prints for a phase. */
export interface Line {
  readonly phase: string;
  readonly ops: number;
  readonly ops_per_s: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly errors: number;
  readonly rss_mib: number;
  readonly server_cpu_us_per_op: number;
  /** Of the load generator itself. */
  readonly client_cpu_us_per_op: number;
  readonly watchers?: number;
  readonly writes_per_s?: number;
}

/** A server that is loaded, as kubebench reaches it. */
export interface Loaded {
  readonly url: string;
  readonly token: string;
  /** Whose time is taken: the server, and its store where that is a process of its own. */
  readonly pids: readonly number[];
}

export class LoadGenerator {
  readonly #binary: string;

  /** @param directory where the program is put. Needs Go. */
  constructor(directory: string) {
    this.#binary = join(directory, 'kubebench');
    const args = ['build', '-o', this.#binary, '.'];
    execFileSync('go', args, { cwd: 'bench/kubebench', stdio: 'inherit' });
  }

  /** @param flags of kubebench: which phases, and how much of each. */
  async load({ url, token, pids }: Loaded, flags: readonly string[]): Promise<Line[]> {
    const args = ['-server', url, '-token', token, '-pids', pids.join(','), ...flags];
    const { stdout } = await promisify(execFile)(this.#binary, args, { encoding: 'utf8' });
    return stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  }
}
