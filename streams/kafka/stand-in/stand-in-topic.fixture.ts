/** A topic of the brokers that stand in for Kafka's: record batches in memory, and settings. */

/** What a broker has where nothing else was set. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'cleanup.policy': 'delete',
  'unclean.leader.election.enable': 'false',
  'min.insync.replicas': '1',
  'retention.ms': '604800000',
  'retention.bytes': '-1',
  'message.timestamp.type': 'CreateTime',
  'compression.type': 'producer',
  'max.message.bytes': '1048588',
};

const LAST_DELTA_AT = 23;

interface Batch {
  readonly base: number;
  readonly end: number;
  readonly bytes: Buffer;
}

export class StandInTopic {
  readonly settings: Map<string, string>;
  readonly partitions: number;
  readonly replicas: number;
  /** The offset of the first record that is left. */
  start = 0;
  #batches: Batch[] = [];
  #end = 0;
  #waiting: (() => void)[] = [];

  constructor(
    settings: Readonly<Record<string, string>> = {},
    { partitions = 1, replicas = 1 } = {},
  ) {
    this.settings = new Map(Object.entries({ ...DEFAULTS, ...settings }));
    this.partitions = partitions;
    this.replicas = replicas;
  }

  get end(): number {
    return this.#end;
  }

  /** The sizes of all batches that were appended, in records. */
  get batchSizes(): number[] {
    return this.#batches.map(({ base, end }) => end - base);
  }

  /** The offset of the first record. */
  append(sent: Buffer): number {
    const base = this.#end;
    const bytes = Buffer.from(sent);
    bytes.writeBigInt64BE(BigInt(base));
    this.#end = base + bytes.readInt32BE(LAST_DELTA_AT) + 1;
    this.#batches.push({ base, end: this.#end, bytes });
    for (const tell of this.#waiting.splice(0)) tell();
    return base;
  }

  /** Whole batches, the first of them from before `offset` where it lies in its middle. */
  read(offset: number, maxBytes: number): Buffer {
    const found: Buffer[] = [];
    let size = 0;
    for (const { end, bytes } of this.#batches) {
      if (end <= offset) continue;
      if (found.length > 0 && size + bytes.length > maxBytes) break;
      found.push(bytes);
      size += bytes.length;
    }
    return Buffer.concat(found);
  }

  /** Resolves when something was appended, or the time is over. */
  news(maxWaitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, maxWaitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** As transactions leave it: the next record comes some offsets further on. */
  skip(offsets: number): void {
    this.#end += offsets;
  }

  /** What compaction does to a batch; reading goes on behind it. */
  compactAway(base: number): void {
    this.#batches = this.#batches.filter((batch) => batch.base !== base);
  }

  /** What retention and DeleteRecords do. */
  deleteBefore(offset: number): void {
    this.start = Math.max(this.start, offset);
    this.#batches = this.#batches.filter(({ end }) => end > this.start);
  }
}
