package main

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Frames and flags of HTTP/2, RFC 9113.
const (
	frameData         = 0
	frameHeaders      = 1
	frameReset        = 3
	frameSettings     = 4
	framePing         = 6
	frameGoAway       = 7
	frameWindowUpdate = 8
	endStream         = 1
	endHeaders        = 4
	ack               = 1
	frameHead         = 9
	window            = 1<<31 - 1
	firstWindow       = 65535
	// Numbers of headers, RFC 7541.
	statusOK   = 8
	lastStatic = 61
	// Behind it streams would have no numbers left; a run is shorter.
	streamsMax = 1 << 29
)

// request is what a wire sends.
type request struct {
	method, path string
	body         []byte
}

// wire is a connection whose frames are written by hand, by one goroutine that reads answers and sends the next requests,
// so that a request costs the client a tenth of what net/http takes for it. What answers say is not looked at but for their status.
type wire struct {
	conn     *tls.Conn
	in       *bufio.Reader
	out      []byte
	stream   uint32
	sendable int
	received int
	hasNamed bool
	// Of the table of headers of answers: how many came into it, and which of them are a status of success.
	added int
	good  map[int]bool
}

func dialWire() (*wire, error) {
	u, err := url.Parse(*server)
	if err != nil {
		return nil, err
	}
	conn, err := tls.Dial("tcp", u.Host, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		return nil, err
	}
	w := &wire{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), stream: 1, sendable: firstWindow, good: map[int]bool{}}
	w.out = append(w.out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"...)
	// No push, and windows that are never full.
	settings := []byte{0, 2, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff}
	w.frame(frameSettings, 0, 0, settings)
	w.frame(frameWindowUpdate, 0, 0, binary.BigEndian.AppendUint32(nil, window-firstWindow))
	return w, nil
}

func (w *wire) frame(kind, flags byte, stream uint32, payload []byte) {
	n := len(payload)
	w.out = append(w.out, byte(n>>16), byte(n>>8), byte(n), kind, flags)
	w.out = binary.BigEndian.AppendUint32(w.out, stream)
	w.out = append(w.out, payload...)
}

func hpackString(to []byte, s string) []byte {
	if len(s) < 127 {
		to = append(to, byte(len(s)))
	} else {
		to = append(to, 127)
		rest := len(s) - 127
		for ; rest >= 128; rest >>= 7 {
			to = append(to, byte(rest&127)|128)
		}
		to = append(to, byte(rest))
	}
	return append(to, s...)
}

// headers as net/http sends them: what is the same in all requests is named once and then by its number.
func (w *wire) headers(r request) []byte {
	block := []byte{0x87} // :scheme https
	switch r.method {
	case "GET":
		block = append(block, 0x82)
	case "POST":
		block = append(block, 0x83)
	default:
		block = hpackString(append(block, 0x02), r.method)
	}
	block = hpackString(append(block, 0x04), r.path)
	if w.hasNamed {
		return append(block, 0x80|66, 0x80|65, 0x80|64, 0x80|63, 0x80|62)
	}
	w.hasNamed = true
	same := [...][2]string{{":authority", "127.0.0.1"}, {"user-agent", "kubebench"}, {"authorization", "Bearer " + *token},
		{"content-type", "application/json"}, {"accept", "application/json"}}
	for _, header := range same {
		block = hpackString(hpackString(append(block, 0x40), header[0]), header[1])
	}
	return block
}

// send puts a request behind what is to be written; false: the server takes no more bytes now.
func (w *wire) send(r request) (uint32, bool) {
	if len(r.body) > w.sendable {
		return 0, false
	}
	id := w.stream
	w.stream += 2
	flags := byte(endHeaders)
	if r.body == nil {
		flags |= endStream
	}
	w.frame(frameHeaders, flags, id, w.headers(r))
	if r.body != nil {
		w.sendable -= len(r.body)
		w.frame(frameData, endStream, id, r.body)
	}
	return id, true
}

func (w *wire) flush() error {
	if len(w.out) == 0 {
		return nil
	}
	_, err := w.conn.Write(w.out)
	w.out = w.out[:0]
	return err
}

// integer reads one whose first byte has so many bits of it, and says where the next begins.
func integer(block []byte, at int, bits uint) (value, next int) {
	most := 1<<bits - 1
	value = int(block[at]) & most
	at++
	if value < most {
		return value, at
	}
	for shift := uint(0); ; shift += 7 {
		b := int(block[at])
		at++
		value += b & 127 << shift
		if b < 128 {
			return value, at
		}
	}
}

func text(block []byte, at int) (string, int) {
	n, at := integer(block, at, 7)
	return string(block[at : at+n]), at + n
}

// isGood tells by the first header, :status, whether it is 200 or 201. All others are passed over, but for how many go into the table.
func (w *wire) isGood(block []byte) (good bool) {
	isFirst := true
	for at := 0; at < len(block); {
		var index int
		switch b := block[at]; {
		case b&0x80 != 0:
			index, at = integer(block, at, 7)
			if isFirst {
				good = index == statusOK || w.good[w.added-(index-lastStatic)]
			}
		case b&0xe0 == 0x20:
			_, at = integer(block, at, 5)
			continue
		default:
			bits := uint(4)
			if b&0x40 != 0 {
				bits = 6
			}
			index, at = integer(block, at, bits)
			if index == 0 {
				_, at = text(block, at)
			}
			var value string
			value, at = text(block, at)
			if isFirst {
				good = value == "201" || value == "\x10\x03" // In Huffman's code.
			}
			if bits == 6 {
				if isFirst {
					w.good[w.added] = good
				}
				w.added++
			}
		}
		isFirst = false
	}
	return good
}

// answer is the end of a stream, in which an answer was complete, or not one of success.
type answer struct {
	stream uint32
	good   bool
}

// next reads a frame; the answer is undefined (stream 0) where none ended with it.
func (w *wire) next(bad map[uint32]bool) (answer, error) {
	head, err := w.in.Peek(frameHead)
	if err != nil {
		return answer{}, err
	}
	n, kind, flags := int(head[0])<<16|int(head[1])<<8|int(head[2]), head[3], head[4]
	stream := binary.BigEndian.Uint32(head[5:]) & window
	w.in.Discard(frameHead)
	if kind == frameData {
		w.received += n
		if _, err := w.in.Discard(n); err != nil {
			return answer{}, err
		}
		if w.received > window/2 {
			w.frame(frameWindowUpdate, 0, 0, binary.BigEndian.AppendUint32(nil, uint32(w.received)))
			w.received = 0
		}
	} else {
		payload, err := w.in.Peek(n)
		if err != nil {
			return answer{}, err
		}
		if err := w.take(kind, flags, stream, payload, bad); err != nil {
			return answer{}, err
		}
		w.in.Discard(n)
	}
	if (kind == frameData || kind == frameHeaders) && flags&endStream != 0 || kind == frameReset {
		good := !bad[stream]
		delete(bad, stream)
		return answer{stream, good}, nil
	}
	return answer{}, nil
}

func (w *wire) take(kind, flags byte, stream uint32, payload []byte, bad map[uint32]bool) error {
	switch kind {
	case frameHeaders:
		if !w.isGood(payload) {
			bad[stream] = true
		}
	case frameReset:
		bad[stream] = true
	case frameSettings:
		if flags&ack == 0 {
			w.frame(frameSettings, ack, 0, nil)
		}
	case framePing:
		if flags&ack == 0 {
			w.frame(framePing, ack, 0, payload)
		}
	case frameWindowUpdate:
		if stream == 0 {
			w.sendable += int(binary.BigEndian.Uint32(payload) & window)
		}
	case frameGoAway:
		return fmt.Errorf("the server goes away: %s", payload[8:])
	}
	return nil
}

// run has some requests in flight until there are none left, and counts what was answered well.
func (w *wire) run(inFlight int, next func() (int, request, bool), lat []time.Duration) (good int64, err error) {
	type sent struct {
		at    time.Time
		index int
	}
	under, bad := map[uint32]sent{}, map[uint32]bool{}
	var held *request
	heldIndex, isOver := 0, false
	fill := func() {
		for len(under) < inFlight && !isOver && w.stream < streamsMax {
			if held == nil {
				i, r, ok := next()
				if !ok {
					isOver = true
					return
				}
				held, heldIndex = &r, i
			}
			id, ok := w.send(*held)
			if !ok {
				return
			}
			under[id] = sent{time.Now(), heldIndex}
			held = nil
		}
	}
	for fill(); len(under) > 0 || held != nil; {
		// What has come already is answered together, as it came.
		if w.in.Buffered() < frameHead {
			if err := w.flush(); err != nil {
				return good, err
			}
		}
		a, err := w.next(bad)
		if err != nil {
			return good, err
		}
		if s, ok := under[a.stream]; ok {
			lat[s.index] = time.Since(s.at)
			delete(under, a.stream)
			if a.good {
				good++
			}
		}
		fill()
	}
	return good, w.flush()
}

// wired is a phase like parallel, over wires.
func wired(phase string, total int, of func(i int) request) {
	lat := make([]time.Duration, total)
	var next, good atomic.Int64
	var wires []*wire
	for i := 0; i < *conns; i++ {
		w, err := dialWire()
		if err != nil {
			fmt.Fprintln(os.Stderr, phase, "first error:", err)
			return
		}
		wires = append(wires, w)
	}
	var wg sync.WaitGroup
	start := startUse()
	for _, w := range wires {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer w.conn.Close()
			some, err := w.run(max(1, *c / *conns), func() (int, request, bool) {
				i := int(next.Add(1)) - 1
				if i >= total {
					return 0, request{}, false
				}
				return i, of(i), true
			}, lat)
			if err != nil {
				fmt.Fprintln(os.Stderr, phase, "first error:", err)
			}
			good.Add(some)
		}()
	}
	wg.Wait()
	report(phase, total, start.used(), lat, int64(total)-good.Load(), nil)
}
