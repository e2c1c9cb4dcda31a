/** The KMS plugin e2e/go-kms as a process, and what it is told to do. */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand, type RunningCommand } from '../support/command.ts';
import type { JsonObject } from '../support/json.ts';

export interface PluginState {
  /** Of the key that it encrypts with; made when it is not there. */
  readonly keyID: string;
  readonly mode: 'ok' | 'fail' | 'sick' | 'hang';
}

export class KmsPlugin {
  readonly #program: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'everwatch-kms-'));
  #process: RunningCommand | undefined;

  constructor(program: string) {
    this.#program = program;
    this.say({ keyID: 'one', mode: 'ok' });
  }

  /** As it stands in an EncryptionConfiguration. */
  get provider(): JsonObject {
    const endpoint = `unix://${this.#socket}`;
    return { kms: { apiVersion: 'v2', name: 'vault', endpoint, timeout: '1s' } };
  }

  start(): void {
    this.#process = startCommand(this.#program, [this.#socket, this.#folder]);
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL');
    await this.#process?.ended;
    this.#process = undefined;
  }

  say(state: PluginState): void {
    const path = join(this.#folder, 'state.json');
    writeFileSync(`${path}.new`, JSON.stringify(state));
    renameSync(`${path}.new`, path);
  }

  /** What it was asked since this was called last: `Status`, `Encrypt` or `Decrypt`. */
  newCalls(): string[] {
    const path = join(this.#folder, 'calls');
    const calls = readFileSync(path, 'utf8').trimEnd().split('\n');
    rmSync(path);
    return calls;
  }

  destroyKey(keyID: string): void {
    rmSync(join(this.#folder, `${keyID}.key`));
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #socket(): string {
    return join(this.#folder, 'kms.sock');
  }
}
