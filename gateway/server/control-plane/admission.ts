/** How admission is set up: which plug-ins are asked, and how they are configured. */
import type { AdmissionPlugin } from '../../../actors/admission/admission-plugin.ts';
import type { AdmissionWorld } from '../../../actors/admission/admission-world.ts';
import { PluginConfigurationError } from '../../../actors/admission/plugin-configuration.ts';
import { DEFAULT_PLUGIN_NAMES } from '../../../actors/admission/plugin-names.ts';
import {
  servedPlugins,
  type PluginSelection,
} from '../../../actors/admission/admission-plugins.ts';
import { imagePolicyIn } from '../../../actors/admission/plugins/pods/image-policy-webhook.ts';
import {
  webhookKubeconfigIn,
  type WebhookUsers,
} from '../../../actors/admission/webhooks/webhook-configuration.ts';
import type { FeatureGates } from '../../../actors/lifecycle/feature-gates.ts';
import type { ReviewClient } from '../../../actors/request/webhook-review.ts';
import { reviewClient } from '../../authorization/review-post.ts';
import type { AdmissionSettings } from '../../flags/sections/admission-settings.ts';
import type { EgressSettings } from '../../flags/sections/kubelet-settings.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';
import { webhookAccess } from '../../configuration/kubeconfig-access.ts';
import { kubeconfigUsers } from '../../configuration/webhook-users.ts';

const WEBHOOK_PLUGINS = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'];
const IMAGE_POLICY = 'ImagePolicyWebhook';

function readable<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof PluginConfigurationError)) throw error;
    throw new StartupError(error.message, { cause: error });
  }
}

/** Admission as the flags and files have it, for any control plane of the server. */
export interface AdmissionSetup {
  /**
   * The plug-ins that are asked, in their order.
   *
   * @throws StartupError where a plug-in cannot work with its configuration.
   */
  plugins(world: AdmissionWorld): readonly AdmissionPlugin[];
  /** What plug-ins are given besides the control plane that they stand in. */
  readonly settings: Pick<
    AdmissionWorld,
    'imageReviews' | 'webhookUsers' | 'tolerationSeconds' | 'givesNodesAnyAudience'
  >;
}

/** @throws StartupError where a configuration or a kubeconfig file is no good. */
export async function admissionSetupOf(
  settings: AdmissionSettings & EgressSettings,
  featureGates: FeatureGates,
): Promise<AdmissionSetup> {
  const users = webhookUsersOf(settings);
  const selection = selectionOf(settings);
  return {
    plugins: (world) => readable(() => servedPlugins(world, selection)),
    settings: {
      imageReviews: await imageReviewsOf(settings),
      webhookUsers: (plugin) => users.get(plugin),
      givesNodesAnyAudience: !featureGates.isOn('ServiceAccountNodeAudienceRestriction'),
      tolerationSeconds: {
        notReadySeconds: settings.defaultNotReadyTolerationSeconds,
        unreachableSeconds: settings.defaultUnreachableTolerationSeconds,
      },
    },
  };
}

/** By the name of the plug-in, for those that are on and have a kubeconfig file. */
function webhookUsersOf(settings: AdmissionSettings): ReadonlyMap<string, WebhookUsers> {
  const { isOn, configurations } = selectionOf(settings);
  const found = new Map<string, WebhookUsers>();
  for (const plugin of WEBHOOK_PLUGINS.filter(isOn)) {
    const file = readable(() => webhookKubeconfigIn(plugin, configurations.get(plugin)));
    if (file !== '') found.set(plugin, kubeconfigUsers(file, plugin, systemClock));
  }
  return found;
}

/**
 * The way out to the webhook that judges images, where its plug-in is on.
 *
 * @throws StartupError where its configuration or its kubeconfig file is no good.
 */
async function imageReviewsOf(
  settings: AdmissionSettings & EgressSettings,
): Promise<ReviewClient | undefined> {
  const { isOn, configurations } = selectionOf(settings);
  if (!isOn(IMAGE_POLICY)) return undefined;
  const { kubeConfigFile: file } = readable(() => imagePolicyIn(configurations.get(IMAGE_POLICY)));
  const to = await webhookAccess(file);
  const proxy = settings.egressSelectorConfigFile?.controlPlane;
  return reviewClient({ ...to, proxy }, systemClock);
}

/** In Kubernetes: enabledPluginNames, apiserver/pkg/server/options/admission.go. */
function selectionOf(settings: AdmissionSettings): PluginSelection {
  const { admissionControl: only } = settings;
  const enabled = new Set(settings.enableAdmissionPlugins);
  const disabled = new Set(settings.disableAdmissionPlugins);
  return {
    isOn: (name) =>
      only !== undefined
        ? only.includes(name)
        : enabled.has(name) || (DEFAULT_PLUGIN_NAMES.has(name) && !disabled.has(name)),
    configurations: settings.admissionControlConfigFile ?? new Map(),
  };
}
