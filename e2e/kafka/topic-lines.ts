/** The records of a topic as a Kafka client shows them that knows nothing of Everwatch. */
import { run } from '../support/command.ts';
import { at, listAt, parseJson, textAt } from '../support/json.ts';

export interface TopicRecord {
  readonly offset: number;
  readonly key: string;
  /** As text; the bytes are those of UTF-8, which is checked. */
  readonly value: string;
  /** In the order in which they lie in the record. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** @param program the built e2e/go-kafka. @throws with what it said when it fails. */
export async function readTopic(
  program: string,
  brokers: readonly string[],
  topic: string,
): Promise<TopicRecord[]> {
  const { code, stdout, stderr } = await run(program, [brokers.join(','), topic]);
  if (code !== 0) throw new Error(`topic-reader: exit code ${String(code)}\n${stderr}`);
  return stdout.trimEnd().split('\n').map(recordIn);
}

function recordIn(line: string): TopicRecord {
  const parsed = parseJson(line);
  return {
    offset: Number(at(parsed, 'offset')),
    key: decoded(textAt(parsed, 'key')),
    value: decoded(textAt(parsed, 'value')),
    headers: listAt(parsed, 'headers').map((header) => [
      textAt(header, 'key'),
      decoded(textAt(header, 'value')),
    ]),
  };
}

/** @throws TypeError when the bytes are no UTF-8. */
function decoded(base64: string): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
    Buffer.from(base64, 'base64'),
  );
}
