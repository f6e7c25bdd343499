package rules

import (
	"errors"
	"sync/atomic"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// edition is the message of a checker with some of its rules.
type edition struct {
	// given returns the message with these rules, mend the message without those of them that cannot be compiled.
	given, mend func() (protoreflect.MessageDescriptor, error)
	// sound is what mend has returned; nil while no rule has been come upon that cannot be compiled.
	sound atomic.Pointer[soundInput]
}

// soundInput is a message of descriptors without rules that cannot be compiled.
type soundInput struct{ protoreflect.MessageDescriptor }

// known returns the mended message where there is one, else fallback.
func (e *edition) known(fallback protoreflect.MessageDescriptor) protoreflect.MessageDescriptor {
	if sound := e.sound.Load(); sound != nil {
		return sound.MessageDescriptor
	}
	return fallback
}

func (e *edition) isMended() bool { return e.sound.Load() != nil }

// check looks at a request by the rules, and once more by the others where one cannot be compiled.
func (e *edition) check(look func(protoreflect.MessageDescriptor) (*Violations, error)) (*Violations, error) {
	if sound := e.sound.Load(); sound != nil {
		return look(sound.MessageDescriptor)
	}
	md, err := e.given()
	if err != nil {
		return nil, err
	}
	v, err := look(md)
	if _, uncompiled := errors.AsType[*protovalidate.CompilationError](err); !uncompiled {
		return v, err
	}
	sound, mending := e.mend()
	if mending != nil {
		e.sound.Store(&soundInput{md}) // once is enough
		return nil, errors.Join(err, mending)
	}
	e.sound.Store(&soundInput{sound})
	return look(sound)
}
