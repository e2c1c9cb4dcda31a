/** What a recorder has done, for the person in front of it. */
import { formatTable } from '../tool/tool-output.ts';
import type { RecordBook, WrittenCounts } from '../../recorder/record-book.ts';
import type { RecordGap } from '../../recorder/record-place.ts';
import type { RecordReport } from '../../recorder/resource-recorder.ts';
import type { StatusLine } from '../tool/status-line.ts';

export class RecordSummary implements RecordReport {
  readonly #line: StatusLine;
  readonly #book: RecordBook;
  readonly #counts = new Map<string, { added: number; modified: number; deleted: number }>();
  readonly #listed = new Set<string>();
  readonly #troubles = new Map<string, string>();
  #events = 0;
  #gaps = 0;

  constructor(line: StatusLine, book: RecordBook) {
    this.#line = line;
    this.#book = book;
  }

  listed(resource: string): void {
    this.#listed.add(resource);
    this.#troubles.delete(resource);
    this.#show();
  }

  written(resource: string, { added, modified, deleted }: WrittenCounts): void {
    const counts = this.#counts.get(resource) ?? { added: 0, modified: 0, deleted: 0 };
    counts.added += added;
    counts.modified += modified;
    counts.deleted += deleted;
    this.#counts.set(resource, counts);
    this.#events += added + modified + deleted;
    this.#show();
  }

  gap(gap: RecordGap): void {
    this.#gaps += 1;
    const { resource, reason, added, modified, deleted } = gap;
    const found = `${String(added)} added, ${String(modified)} modified, ${String(deleted)} deleted`;
    this.#line.say(`${resource}: ${reason}; something may be missing. Found by listing: ${found}.`);
  }

  /** Said once, and again when it is something else. */
  trouble(resource: string, problem: string): void {
    if (this.#troubles.get(resource) === problem) return;
    // When the server is away every resource finds out.
    const isNews = ![...this.#troubles.values()].includes(problem);
    this.#troubles.set(resource, problem);
    if (isNews) this.#line.say(`${resource}: ${problem}; trying again`);
  }

  done(): void {
    this.#line.clear();
  }

  text(output: 'table' | 'json'): string {
    const resources = [...this.#counts]
      .filter(([, { added, modified, deleted }]) => added + modified + deleted > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([resource, counts]) => ({ resource, ...counts }));
    if (output === 'json') {
      const { newest } = this.#book;
      return `${JSON.stringify({ events: this.#events, newest, gaps: this.#gaps, resources })}\n`;
    }
    const rows = resources.map(({ resource, added, modified, deleted }) => [
      resource,
      ...[added, modified, deleted].map(String),
    ]);
    const end = `${String(this.#events)} events recorded, up to version ${String(this.#book.newest)}`;
    const gaps = this.#gaps === 0 ? '' : `, with ${String(this.#gaps)} gaps (record-gaps.jsonl)`;
    const table = formatTable(['RESOURCE', 'ADDED', 'MODIFIED', 'DELETED'], rows);
    return `${rows.length === 0 ? '' : table}${end}${gaps}\n`;
  }

  #show(): void {
    this.#line.show(
      () =>
        `recording: ${String(this.#listed.size)} resources listed, ${String(this.#events)} events, ` +
        `version ${String(this.#book.newest)}`,
    );
  }
}
