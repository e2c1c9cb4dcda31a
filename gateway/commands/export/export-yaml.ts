/** A moment as YAML for `kubectl apply`: what others need to exist comes first. */
import type { LogSource } from '../../../projections/past/log-source.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { formatYaml } from '../../negotiation/yaml-codec.ts';
import { InterruptedError } from '../tool/interruption.ts';
import { plainObject } from '../../remote-cluster/plain-object.ts';
import { inWritingOrder } from '../../remote-cluster/writing-order.ts';

export interface YamlRequest {
  readonly source: LogSource;
  readonly moment: ResourceVersion;
  readonly signal: AbortSignal;
  readonly chooses: (event: LoggedEvent) => boolean;
  /** Told how many objects were written. */
  readonly progress: (objects: number) => void;
}

/** Looks through the moment twice, so that no more than a part of it is in memory. */
export async function* yamlOf(request: YamlRequest): AsyncGenerator<Buffer, void> {
  const { source, moment, signal, chooses, progress } = request;
  let objects = 0;
  for (const isFirst of [true, false]) {
    for await (const batch of source.stateAt(moment, signal)) {
      if (signal.aborted) throw new InterruptedError();
      const wanted = inWritingOrder(batch, isFirst).filter(chooses);
      if (wanted.length === 0) continue;
      const texts = wanted.map(({ json }) => `---\n${formatYaml(plainObject(json))}`);
      yield Buffer.from(texts.join(''));
      objects += wanted.length;
      progress(objects);
    }
  }
  if (signal.aborted) throw new InterruptedError();
}
