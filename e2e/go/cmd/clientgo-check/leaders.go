package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// terms is who led, in order. Two leaders at once are a failure.
type terms struct {
	mutex   sync.Mutex
	leading string
	names   []string
	overlap bool
	began   chan string
}

func (t *terms) begin(name string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.overlap = t.overlap || t.leading != ""
	t.leading = name
	t.names = append(t.names, name)
	t.began <- name
}

func (t *terms) end(name string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.leading == name {
		t.leading = ""
	}
}

// electLeaders lets two candidates run for one lease. The first leader resigns, and the other
// has to follow by itself. Its terms are returned in order.
func electLeaders(ctx context.Context, config *rest.Config, namespace string) ([]string, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	terms := &terms{began: make(chan string, 4)}
	resign := map[string]context.CancelFunc{}
	for _, name := range []string{"candidate-a", "candidate-b"} {
		candidacy, cancel := context.WithCancel(ctx)
		defer cancel()
		resign[name] = cancel
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "leader"},
				Client:     client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: name},
			},
			ReleaseOnCancel: true,
			LeaseDuration:   6 * time.Second,
			RenewDeadline:   4 * time.Second,
			RetryPeriod:     200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { terms.begin(name) },
				OnStoppedLeading: func() { terms.end(name) },
			},
		})
		if err != nil {
			return nil, err
		}
		go elector.Run(candidacy)
	}
	for term := range 2 {
		select {
		case leader := <-terms.began:
			if term == 0 {
				resign[leader]()
			}
		case <-time.After(30 * time.Second):
			return terms.names, fmt.Errorf("no leader for term %d", term+1)
		}
	}
	return terms.names, terms.verdict(ctx, client, namespace)
}

func (t *terms) verdict(ctx context.Context, client kubernetes.Interface, namespace string) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.overlap || t.names[0] == t.names[1] {
		return fmt.Errorf("the terms overlap or are one candidate's: %v", t.names)
	}
	lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "leader", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if *lease.Spec.HolderIdentity != t.names[1] {
		return fmt.Errorf("the lease is held by %q, not by %q", *lease.Spec.HolderIdentity, t.names[1])
	}
	return nil
}
