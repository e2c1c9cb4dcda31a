/**
 * The feature gates that rules of kinds ask. The rules are constants, so what is on is handed to them with
 * each object; without it a gate is what upstream has it by default.
 */

/** A gate by its name. */
export type KindFeature =
  | 'ClusterTrustBundleProjection'
  | 'ContainerStopSignals'
  | 'CoordinatedLeaderElection'
  | 'GenericWorkload'
  | 'InPlacePodLevelResourcesVerticalScaling'
  | 'InPlacePodVerticalScalingInitContainers'
  | 'PodCertificateRequest';

/** Whether a feature is on. */
export type IsFeatureOn = (feature: KindFeature) => boolean;

const ON: ReadonlySet<KindFeature> = new Set([
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
]);

/** What is on by default. */
export const usualFeatures: IsFeatureOn = (feature) => ON.has(feature);
