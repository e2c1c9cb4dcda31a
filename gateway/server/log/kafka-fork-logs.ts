/**
 * The logs of forks where the parent's lies in Kafka: each in a topic of its own beside the
 * parent's, `<topic>.fork.<uid>`, so that every server has the same forks. Of each topic there is a
 * copy here, in the same place as the whole of an embedded fork.
 */
import { KafkaEventLog } from '../../../streams/kafka/kafka-event-log.ts';
import type { KafkaLogOptions } from '../../../streams/kafka/kafka-options.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { ForkFolders, type ForkLogs } from './fork-folders.ts';
import { kafkaLogOptions, type KafkaLogParts } from './open-kafka-log.ts';

const NOWHERE = resourceVersion(0);

/** @param dataDir of the server, which holds it alone. */
export function kafkaForkLogs(parts: KafkaLogParts, dataDir: string): ForkLogs {
  const folders = new ForkFolders(dataDir);

  async function optionsOf(uid: string, base: ResourceVersion): Promise<KafkaLogOptions> {
    const { logPath } = folders.of(uid);
    const { topic, ...common } = await kafkaLogOptions(parts, logPath);
    return { ...common, topic: `${topic}.fork.${uid}`, base };
  }

  return {
    async open({ uid, base }) {
      const { storePath } = folders.make(uid);
      const log = await KafkaEventLog.open(await optionsOf(uid, base));
      return { log, storePath, hasOtherWriters: true };
    },

    async remove(uid) {
      // The topic first: as long as there is a folder the next start tries again.
      const options = await optionsOf(uid, NOWHERE);
      const deleteTopic = () => KafkaEventLog.delete(options);
      // Another server may do it at the same moment, and then it is gone at the second look.
      if (!parts.options.log.readOnly) await deleteTopic().catch(deleteTopic);
      await folders.remove(uid);
    },

    kept: () => folders.kept(),
  };
}
