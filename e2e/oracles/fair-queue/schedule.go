package main

import (
	"context"
	"fmt"
	"sort"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// config is that of a priority level. Without queues, -1: there is no limit at all.
type config struct {
	Queues      int `json:"queues"`
	QueueLength int `json:"queueLength"`
	HandSize    int `json:"handSize"`
	Seats       int `json:"seats"`
}

// step is one of: time goes by, a request comes, one ends, one does not wait any longer, the level is changed.
type step struct {
	AdvanceMs int64    `json:"advanceMs"`
	Start     *arrival `json:"start"`
	Finish    string   `json:"finish"`
	Cancel    string   `json:"cancel"`
	Configure *config  `json:"configure"`
}

type arrival struct {
	ID           string `json:"id"`
	Hash         uint64 `json:"hash,string"`
	InitialSeats uint64 `json:"initialSeats"`
	FinalSeats   uint64 `json:"finalSeats"`
	LingerMs     int64  `json:"lingerMs"`
}

// state is what can be seen of a level after a step.
type state struct {
	Executing  []string `json:"executing"`
	Rejected   []string `json:"rejected"`
	Waiting    int      `json:"waiting"`
	SeatsInUse int      `json:"seatsInUse"`
	// Not the seats that are waited for: upstream forgets to take off what it narrows.
	// Of each queue: next R, waiting, executing, seats in use.
	Queues []string `json:"queues"`
}

type noGauge struct{}

func (noGauge) Set(float64)            {}
func (noGauge) Add(float64)            {}
func (noGauge) Inc()                   {}
func (noGauge) Dec()                   {}
func (noGauge) SetToCurrentTime()      {}
func (noGauge) SetDenominator(float64) {}

type event struct {
	at time.Time
	do eventclock.EventFunc
}

// scriptedClock stands still between the steps.
type scriptedClock struct {
	now    time.Time
	events []event
	// settle is called behind each event: who is let in by it looks at the clock once more.
	settle func()
}

func (c *scriptedClock) Now() time.Time                  { return c.now }
func (c *scriptedClock) Since(t time.Time) time.Duration { return c.now.Sub(t) }
func (c *scriptedClock) Sleep(time.Duration)             { panic("nobody sleeps here") }
func (c *scriptedClock) EventAfterTime(do eventclock.EventFunc, at time.Time) {
	c.events = append(c.events, event{at, do})
}
func (c *scriptedClock) EventAfterDuration(do eventclock.EventFunc, d time.Duration) {
	c.EventAfterTime(do, c.now.Add(d))
}

func (c *scriptedClock) advance(d time.Duration) {
	end := c.now.Add(d)
	for {
		sort.SliceStable(c.events, func(i, j int) bool { return c.events[i].at.Before(c.events[j].at) })
		if len(c.events) == 0 || c.events[0].at.After(end) {
			break
		}
		next := c.events[0]
		c.events = c.events[1:]
		c.now = next.at
		next.do(c.now)
		c.settle()
	}
	c.now = end
}

type flight struct {
	cancel context.CancelFunc
	end    chan struct{}
	done   chan struct{}
}

type level struct {
	clock     *scriptedClock
	set       fq.QueueSet
	flights   map[string]*flight
	started   chan string
	executing map[string]bool
	rejected  []string
}

func queuing(c config) (fq.QueuingConfig, fq.DispatchingConfig) {
	return fq.QueuingConfig{Name: "level", DesiredNumQueues: c.Queues, QueueLengthLimit: c.QueueLength, HandSize: c.HandSize},
		fq.DispatchingConfig{ConcurrencyLimit: c.Seats, ConcurrencyDenominator: max(c.Seats, 1)}
}

func run(c config, steps []step) ([]state, error) {
	clock := &scriptedClock{now: time.Unix(1_000_000, 0)}
	q, d := queuing(c)
	pair := fcmetricsPair{}
	completer, err := queueset.NewQueueSetFactory(clock).BeginConstruction(q, pair.get(), noGauge{}, noGauge{})
	if err != nil {
		return nil, err
	}
	l := &level{clock: clock, set: completer.Complete(d), flights: map[string]*flight{},
		started: make(chan string, 1024), executing: map[string]bool{}}
	clock.settle = l.settle
	states := make([]state, 0, len(steps))
	for _, s := range steps {
		if err := l.take(s); err != nil {
			return states, err
		}
		states = append(states, l.look())
	}
	for _, f := range l.flights {
		f.cancel()
	}
	return states, nil
}

func (l *level) take(s step) error {
	switch {
	case s.Start != nil:
		l.start(*s.Start)
	case s.Finish != "":
		f := l.flights[s.Finish]
		if f == nil || !l.executing[s.Finish] {
			return fmt.Errorf("%s is not executing", s.Finish)
		}
		close(f.end)
		<-f.done
		delete(l.executing, s.Finish)
	case s.Cancel != "":
		f := l.flights[s.Cancel]
		if f == nil || l.executing[s.Cancel] {
			return fmt.Errorf("%s is not waiting", s.Cancel)
		}
		f.cancel()
		<-f.done
		l.rejected = append(l.rejected, s.Cancel)
	case s.Configure != nil:
		q, d := queuing(*s.Configure)
		completer, err := l.set.BeginConfigChange(q)
		if err != nil {
			return err
		}
		completer.Complete(d)
	default:
		l.clock.advance(time.Duration(s.AdvanceMs) * time.Millisecond)
	}
	return nil
}

func (l *level) start(a arrival) {
	ctx, cancel := context.WithCancel(context.Background())
	work := fcrequest.WorkEstimate{InitialSeats: a.InitialSeats, FinalSeats: a.FinalSeats,
		AdditionalLatency: time.Duration(a.LingerMs) * time.Millisecond}
	request, _ := l.set.StartRequest(ctx, &work, a.Hash, "", "schema", a.ID, "", nil)
	if request == nil {
		cancel()
		l.rejected = append(l.rejected, a.ID)
		return
	}
	f := &flight{cancel: cancel, end: make(chan struct{}), done: make(chan struct{})}
	l.flights[a.ID] = f
	go func() {
		request.Finish(func() {
			l.started <- a.ID
			<-f.end
		})
		close(f.done)
	}()
}

// settle waits until all that were let in have noticed.
func (l *level) settle() {
	for len(l.executing) < l.set.Dump(false).Executing {
		l.executing[<-l.started] = true
	}
}

func (l *level) look() state {
	l.settle()
	dump := l.set.Dump(false)
	s := state{Rejected: append([]string{}, l.rejected...), Executing: []string{}, Queues: []string{},
		Waiting: dump.Waiting, SeatsInUse: dump.SeatsInUse}
	for id := range l.executing {
		s.Executing = append(s.Executing, id)
	}
	sort.Strings(s.Executing)
	for _, q := range dump.Queues {
		s.Queues = append(s.Queues, fmt.Sprintf("%s %d %d %d", q.NextDispatchR, len(q.Requests), q.ExecutingRequests, q.SeatsInUse))
	}
	return s
}
