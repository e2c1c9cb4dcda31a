/** The programs of a whole cluster, for the files whose tests need one. */
import { needs } from '../support/requirements.ts';
import type { ClusterPrograms } from './components.ts';

/** undefined, after a loud line for each, where some are missing. Call it with top-level await. */
export async function clusterPrograms(): Promise<ClusterPrograms | undefined> {
  const kubectl = await needs('kubectl');
  const controllers = await needs('kube-controller-manager');
  const scheduler = await needs('kube-scheduler');
  const kwok = await needs('kwok');
  if (kubectl === undefined || controllers === undefined) return undefined;
  if (scheduler === undefined || kwok === undefined) return undefined;
  return { kubectl, controllers, scheduler, kwok };
}
