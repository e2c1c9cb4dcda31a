// controller-check is an operator as people write them with controller-runtime: a manager with
// leader election and one reconciler, which keeps a Deployment for every ConfigMap of its
// namespace, undoes changes that others make, and cleans up behind a finalizer.
//
// It reads KUBECONFIG, prints one line of JSON on standard output and exits with 1 when
// anything was not as it must be.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// report is what the line of JSON says. Failures stays empty when all is well.
type report struct {
	Failures   []string         `json:"failures"`
	Objects    int              `json:"objects"`
	Reconciles map[string]int64 `json:"reconciles"`
	Errors     int64            `json:"errors"`
}

func main() {
	ctrl.SetLogger(klog.Background())
	result := &report{Failures: []string{}, Reconciles: map[string]int64{}}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	if err := check(ctx, result); err != nil {
		result.Failures = append(result.Failures, err.Error())
	}
	cancel()
	line, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
	if len(result.Failures) > 0 {
		os.Exit(1)
	}
}

func check(ctx context.Context, result *report) error {
	restConfig, err := config.GetConfig()
	if err != nil {
		return err
	}
	direct, err := client.New(restConfig, client.Options{})
	if err != nil {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "controller-"}}
	if err := direct.Create(ctx, namespace); err != nil {
		return fmt.Errorf("namespace: %w", err)
	}
	manager, err := ctrl.NewManager(restConfig, ctrl.Options{
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		LeaderElection:                true,
		LeaderElectionID:              "controller-check.everwatch.dev",
		LeaderElectionNamespace:       namespace.Name,
		LeaderElectionReleaseOnCancel: true,
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{namespace.Name: {}}},
	})
	if err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	reconciler := &reconciler{client: manager.GetClient()}
	if err := reconciler.setUp(manager); err != nil {
		return fmt.Errorf("controller: %w", err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(running) }()
	story := &story{client: direct, namespace: namespace.Name, reconciler: reconciler, result: result}
	err = story.tell(ctx)
	result.Errors = reconciler.failed.Load()
	stop()
	if ending := <-ended; err == nil && ending != nil {
		err = fmt.Errorf("manager ended: %w", ending)
	}
	return err
}
