// Says what golang.org/x/net/http2 makes of blocks of headers and of frames, and writes blocks of
// headers: one question a line, one answer a line.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

type question struct {
	// Blocks of one connection, in hexadecimal.
	Decode []string `json:"decode"`
	// Fields of blocks of one connection: bytes as Latin-1 characters.
	Encode [][][2]string `json:"encode"`
	// The sizes of the table from each block on; -1: as it was.
	Sizes []int `json:"sizes"`
	// What a client sends behind its preface, in hexadecimal.
	Frames *string `json:"frames"`
}

type frame struct {
	Type   int    `json:"type"`
	Flags  int    `json:"flags"`
	Stream uint32 `json:"stream"`
	Length uint32 `json:"length"`
}

type answer struct {
	// nil behind the first block that is none.
	Decoded []*[][2]string `json:"decoded,omitempty"`
	Encoded []string       `json:"encoded,omitempty"`
	Frames  []frame        `json:"frames,omitempty"`
	// The code of the error that ended reading; -1: there was none.
	Code *int `json:"code,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		var a answer
		switch {
		case q.Frames != nil:
			a = frames(*q.Frames)
		case q.Encode != nil:
			a = encode(q)
		default:
			a = decode(q.Decode)
		}
		if err := out.Encode(a); err != nil {
			panic(err)
		}
	}
}

func decode(blocks []string) answer {
	var a answer
	decoder := hpack.NewDecoder(4096, nil)
	for _, block := range blocks {
		fields, err := decoder.DecodeFull(bytesOf(block))
		if err != nil {
			a.Decoded = append(a.Decoded, nil)
			break
		}
		pairs := make([][2]string, 0)
		for _, field := range fields {
			pairs = append(pairs, [2]string{latin1(field.Name), latin1(field.Value)})
		}
		a.Decoded = append(a.Decoded, &pairs)
	}
	return a
}

func encode(q question) answer {
	var a answer
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for at, fields := range q.Encode {
		block.Reset()
		if size := q.Sizes[at]; size >= 0 {
			encoder.SetMaxDynamicTableSize(uint32(size))
		}
		for number, field := range fields {
			// Every third field is one that no table may keep.
			written := hpack.HeaderField{Name: bytesIn(field[0]), Value: bytesIn(field[1]), Sensitive: number%3 == 2}
			if err := encoder.WriteField(written); err != nil {
				panic(err)
			}
		}
		a.Encoded = append(a.Encoded, hex.EncodeToString(block.Bytes()))
	}
	return a
}

func frames(text string) answer {
	var a answer
	code := -1
	framer := http2.NewFramer(nil, bytes.NewReader(bytesOf(text)))
	framer.SetMaxReadFrameSize(16384)
	for {
		read, err := framer.ReadFrame()
		if err == nil {
			head := read.Header()
			a.Frames = append(a.Frames, frame{int(head.Type), int(head.Flags), head.StreamID, head.Length})
			continue
		}
		var connection http2.ConnectionError
		var stream http2.StreamError
		if errors.As(err, &connection) {
			code = int(connection)
		} else if errors.As(err, &stream) {
			code = int(stream.Code)
		} else if errors.Is(err, http2.ErrFrameTooLarge) {
			code = int(http2.ErrCodeFrameSize)
		} else if errors.Is(err, io.ErrUnexpectedEOF) {
			// A payload that ends too early, for which Go's server hangs up without a word.
			code = int(http2.ErrCodeProtocol)
		}
		a.Code = &code
		return a
	}
}

func bytesOf(text string) []byte {
	bytes, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return bytes
}

// The bytes that the characters of a text stand for.
func bytesIn(text string) string {
	var bytes []byte
	for _, character := range text {
		bytes = append(bytes, byte(character))
	}
	return string(bytes)
}

// A character for each byte.
func latin1(bytes string) string {
	var characters []rune
	for _, one := range []byte(bytes) {
		characters = append(characters, rune(one))
	}
	return string(characters)
}
