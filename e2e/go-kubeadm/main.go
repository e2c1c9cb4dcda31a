// What kubeadm does for a control plane, as far as kube-apiserver is concerned: certificates, keys and an
// administrator's kubeconfig are written into the folder of the first argument, and the command of the
// static pod is printed as a list in JSON. The second argument is the port.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm"
	"k8s.io/kubernetes/cmd/kubeadm/app/constants"
	"k8s.io/kubernetes/cmd/kubeadm/app/phases/certs"
	"k8s.io/kubernetes/cmd/kubeadm/app/phases/controlplane"
	"k8s.io/kubernetes/cmd/kubeadm/app/phases/kubeconfig"
	"k8s.io/kubernetes/cmd/kubeadm/app/util/config"
)

func main() {
	klog.SetOutput(os.Stderr)
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(folder, port string) error {
	configuration, err := config.DefaultedStaticInitConfiguration()
	if err != nil {
		return err
	}
	bindPort, err := strconv.ParseInt(port, 10, 32)
	if err != nil {
		return err
	}
	configuration.CertificatesDir = filepath.Join(folder, "pki")
	configuration.KubernetesVersion = "v1.36.3"
	configuration.ClusterConfiguration.KubernetesVersion = "v1.36.3"
	configuration.LocalAPIEndpoint = kubeadm.APIEndpoint{AdvertiseAddress: "127.0.0.1", BindPort: int32(bindPort)}
	configuration.Networking = kubeadm.Networking{ServiceSubnet: "10.96.0.0/16", DNSDomain: "cluster.local"}
	if err := certs.CreatePKIAssets(configuration); err != nil {
		return err
	}
	for _, name := range []string{constants.AdminKubeConfigFileName, constants.SuperAdminKubeConfigFileName} {
		if err := kubeconfig.CreateKubeConfigFile(name, folder, configuration); err != nil {
			return err
		}
	}
	pods := controlplane.GetStaticPodSpecs(&configuration.ClusterConfiguration, &configuration.LocalAPIEndpoint, nil)
	command := pods[constants.KubeAPIServer].Spec.Containers[0].Command
	return json.NewEncoder(os.Stdout).Encode(command)
}
