/** Where a server listens, as clients are told: known from the moment its port is open. */
export class ListeningAddress {
  readonly #host: string;
  #port: number | undefined;

  constructor(host: string) {
    this.#host = host;
  }

  opened(port: number): void {
    this.#port = port;
  }

  /** `127.0.0.1:6443`; '' while no port is open, and so no client can ask. */
  get text(): string {
    return this.#port === undefined ? '' : `${this.#host}:${String(this.#port)}`;
  }
}
