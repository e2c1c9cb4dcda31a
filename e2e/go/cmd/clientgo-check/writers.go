package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/retry"
)

const counterName = "counter"

// writers create, change and delete ConfigMaps of their own, and all of them count in one that
// they share, each from what it has read: every conflict that the server misses is a lost count.
type writers struct {
	maps                                 typedcorev1.ConfigMapInterface
	creates, updates, deletes, conflicts atomic.Int64
	counted                              atomic.Int64
	firstFailure                         atomic.Pointer[string]
}

// writeFor lets them work, and returns when the last one has stopped.
func writeFor(ctx context.Context, client kubernetes.Interface, namespace string, duration time.Duration, count int) (*writers, error) {
	w := &writers{maps: client.CoreV1().ConfigMaps(namespace)}
	counter := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: counterName},
		Data:       map[string]string{"value": "0"},
	}
	if _, err := w.maps.Create(ctx, counter, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(duration)
	var all sync.WaitGroup
	for number := range count {
		all.Go(func() {
			for round := 0; time.Now().Before(deadline) && w.firstFailure.Load() == nil; round++ {
				if err := w.round(ctx, number, round); err != nil {
					said := fmt.Sprintf("writer %d, round %d: %v", number, round, err)
					w.firstFailure.CompareAndSwap(nil, &said)
				}
			}
		})
	}
	all.Wait()
	if said := w.firstFailure.Load(); said != nil {
		return w, fmt.Errorf("%s", *said)
	}
	return w, w.verifyCounter(ctx)
}

// round makes one object, changes it twice, counts once, and deletes the object of three rounds ago.
func (w *writers) round(ctx context.Context, number, round int) error {
	name := nameOf(number, round)
	made, err := w.maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"writer": strconv.Itoa(number)}},
		Data:       map[string]string{"round": strconv.Itoa(round)},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	w.creates.Add(1)
	for change := range 2 {
		made.Data["change"] = strconv.Itoa(change)
		if made, err = w.maps.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("update: %w", err)
		}
		w.updates.Add(1)
	}
	if err := w.countUp(ctx); err != nil {
		return fmt.Errorf("count: %w", err)
	}
	// Every fifth object stays, so that there is something to compare at the end.
	if old := round - 3; old >= 0 && old%5 != 0 {
		if err := w.maps.Delete(ctx, nameOf(number, old), metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("delete: %w", err)
		}
		w.deletes.Add(1)
	}
	return nil
}

func nameOf(number, round int) string {
	return fmt.Sprintf("writer-%d-%d", number, round)
}

func (w *writers) countUp(ctx context.Context) error {
	// Without a cap: a backoff that reaches one is at its last step.
	patience := wait.Backoff{Steps: 1_000, Duration: 2 * time.Millisecond, Factor: 1, Jitter: 4}
	return retry.RetryOnConflict(patience, func() error {
		counter, err := w.maps.Get(ctx, counterName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		value, err := strconv.Atoi(counter.Data["value"])
		if err != nil {
			return err
		}
		counter.Data["value"] = strconv.Itoa(value + 1)
		_, err = w.maps.Update(ctx, counter, metav1.UpdateOptions{})
		switch {
		case err == nil:
			w.counted.Add(1)
		case apierrors.IsConflict(err):
			w.conflicts.Add(1)
		}
		return err
	})
}

func (w *writers) verifyCounter(ctx context.Context) error {
	counter, err := w.maps.Get(ctx, counterName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if value := counter.Data["value"]; value != strconv.FormatInt(w.counted.Load(), 10) {
		return fmt.Errorf("updates were lost: %d were answered with 200, the counter says %s", w.counted.Load(), value)
	}
	return nil
}
